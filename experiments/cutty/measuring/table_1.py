"""Table 1 of the Cutty paper: the counted costs of one periodic query of range r and slide s, beside the formulas.

Formulas count combines, logarithms are to base 2. That of an update of Panes is printed for a slice; here it is for a
record, as the others are. The formula of Cutty's eager merge is printed over a letter that is not explained; it is read
as ceil(r / s).
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from experiments.cutty.measuring.counts import Counted, counted
from experiments.cutty.measuring.techniques import EAGER, TECHNIQUES
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement

METRICS = ("partials", "slices", "store", "update", "merge")


class Formulas(NamedTuple):
    """Table 1 for a technique: most partial aggregates; combines to store a slice, for a record, to merge a window.

    Slices are those of a record, as section 6.2 counts them for a range.
    """

    partials: float
    slices: float
    store: float
    update: float
    merge: float


def formulas(technique: str, r: int, s: int) -> Formulas:
    """The formulas for a technique of a lazy or an eager store."""
    slicing, store = TECHNIQUES[technique]
    leaves, length, extra = {
        "cutty": (math.ceil(r / s), s, 1),
        "pairs": (math.ceil(2 * r / s), s / 2, 0),
        "panes": (r // math.gcd(r, s), math.gcd(r, s), 0),
        "ra": (r, 1, 0),
    }[slicing]
    if store == EAGER:
        twice = {"cutty": math.ceil(2 * r / s), "pairs": math.ceil(4 * r / s)}.get(slicing, 2 * leaves)
        height = math.log2(leaves)
        return Formulas(twice + extra, 1 / length, height, (height - 1) / length + 1, height)
    return Formulas(leaves + extra, 1 / length, 1, 1, leaves + extra)


def _number(x: float) -> str:
    return f"{x:,.0f}" if x >= 100 or x == int(x) else f"{x:.2f}"


def _row(cell: Cell, value: Callable[[Counted], tuple[int, int]]) -> dict[str, Any]:
    """The row of a total and of what it is counted over, such as records, with the formula for one; as text: both."""
    asked, counts = cell.asked, counted(cell)
    formula = getattr(formulas(cell.algorithm, asked["range"], asked["slide"]), cell.metric)
    total, count = value(counts)
    text = f"{_number(total / max(count, 1))} ({_number(formula)})"
    facts = {"formula": formula, "shown": text, "grid": f"{asked['range']} / {asked['slide']}"}
    return {"value": float(total), "operations": count, "checksum": counts.checksum, "facts": facts}


@measurement("table_1.partials", counted=True)
def partials(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The most partial aggregates that are kept."""
    return _row(cell, lambda counts: (counts.partials, 1))


@measurement("table_1.slices", counted=True)
def slices(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Slices that are stored; an operation is a record."""
    return _row(cell, lambda counts: (counts.slices, counts.records))


@measurement("table_1.store", counted=True)
def store(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Combines of storing slices; an operation is a slice."""
    return _row(cell, lambda counts: (counts.update, counts.slices))


@measurement("table_1.update", counted=True)
def update(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Combines of folding records into slices and of storing these; an operation is a record."""
    return _row(cell, lambda counts: (counts.folds + counts.update, counts.records))


@measurement("table_1.merge", counted=True)
def merge(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Combines of final look-ups; an operation is a window."""
    return _row(cell, lambda counts: (counts.merge, counts.windows))
