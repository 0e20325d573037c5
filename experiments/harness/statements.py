"""What the papers state, as data: the file statements.yaml in the folder of each paper.

series:                       # what the paper compares; rows of anything else are never judged
  fiba_ooo: [b_tree, fiba]
statements:
  - panel: Figure 11
    section: 5.1
    experiment: fiba_ooo
    claim: The classic B-tree's throughput is mostly unaffected by the distance
    says: mostly unaffected   # the paper's own few words, or its number
    quantity: classic_spread  # a function of the measured rows (registry.Experiment.quantity)
    where: {operator: sum}    # of its configurations, those that the statement is about; all, without it
    relation: {at most: 1.5}  # see `RELATIONS`
    unit: times
    tolerance: the plot's lines rise and fall by a third
  - panel: Figure 3
    claim: ...
    says: ...
    not judged: why there can be no verdict
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from experiments.harness.fitting import rise
from experiments.harness.measured import Table
from safeguards.wrong_input import is_real, unknown

FILE = "statements.yaml"

HALF_AN_ORDER = 10**0.5


class StatementError(ValueError):
    """A statement that is not complete or not understood; the message names its file, its place and the field."""


@dataclass(frozen=True)
class Relation:
    """What a number must be: between `low` and `high`. `reduce` makes that number of a line, where there is one."""

    words: str
    """With {low} and {high} where the ends stand."""
    low: float
    high: float
    reduce: Callable[[Table], Table] = staticmethod(lambda table: table)


def _at_least(bound: Any) -> Relation:
    return Relation("at least {low}", bound, np.inf)


def _at_most(bound: Any) -> Relation:
    return Relation("at most {high}", -np.inf, bound)


def _exactly(bound: Any) -> Relation:
    return Relation("exactly {low}", bound, bound)


def _between(bounds: Any) -> Relation:
    low, high = bounds
    return Relation("{low} to {high}", low, high)


def _same_order(_: Any) -> Relation:
    return Relation("within half an order of magnitude of 1", 1 / HALF_AN_ORDER, HALF_AN_ORDER)


def _same_order_as(printed: Any) -> Relation:
    words = f"within half an order of magnitude of {printed:,g}"
    return Relation(words, printed / HALF_AN_ORDER, printed * HALF_AN_ORDER)


def _orders(least: Any) -> Relation:
    return Relation("at least {low} orders of magnitude", least, np.inf, np.log10)


def _rising(by: Mapping[str, Any]) -> Relation:
    least = by.get("by", 0)
    words = f"rising over {by['over']}" + (f" by at least {least:.0%} of the mean" if least else "")
    return Relation(words, least, np.inf, lambda table: rise(table, by["over"]))


def _falling(by: Mapping[str, Any]) -> Relation:
    least = by.get("by", 0)
    words = f"falling over {by['over']}" + (f" by at least {least:.0%} of the mean" if least else "")
    return Relation(words, -np.inf, -least, lambda table: rise(table, by["over"]))


def _flat(by: Mapping[str, Any]) -> Relation:
    words = f"rising or falling over {by['over']} by at most {by['within']:.0%} of the mean"
    return Relation(words, -by["within"], by["within"], lambda table: rise(table, by["over"]))


NUMBER, PAIR, LINE = "a number", "two numbers [low, high]", "a mapping such as {over: window}"

RELATIONS: dict[str, tuple[Callable[[Any], Relation], str]] = {
    "at least": (_at_least, NUMBER),
    "at most": (_at_most, NUMBER),
    "exactly": (_exactly, NUMBER),
    "between": (_between, PAIR),
    "same order": (_same_order, "true"),
    "same order as": (_same_order_as, NUMBER),
    "orders": (_orders, NUMBER),
    "rising": (_rising, LINE),
    "falling": (_falling, LINE),
    "flat": (_flat, LINE),
}
"""By name: how one is made of its bound, and what that must be.

`same order`: a ratio within half an order of magnitude of 1; `same order as`: of a printed number. `orders`: a ratio's
decimal logarithm. `rising`, `falling` and `flat`: of the straight line over log2 of the key `over`, as a share of the
mean, least `by` or at most `within`.
"""


@dataclass(frozen=True)
class Statement:
    """One statement or printed number of a paper. Either it has a quantity and a relation, or `not_judged` says why."""

    panel: str
    claim: str
    says: str
    section: str = ""
    experiment: str = ""
    quantity: str = ""
    where: Mapping[str, Any] = field(default_factory=dict)
    relation: Mapping[str, Any] = field(default_factory=dict)
    unit: str = ""
    """Of the quantity; "%" shows a share as per cent."""
    tolerance: str = ""
    """Where the bound comes from: printed, or why it is taken so."""
    not_judged: str = ""

    @functools.cached_property
    def bound(self) -> Relation:
        ((name, bound),) = self.relation.items()
        return RELATIONS[name][0](bound)

    @property
    def place(self) -> str:
        """The panel and its section."""
        return f"{self.panel}, section {self.section}" if self.section else self.panel


REQUIRED = ("panel", "claim", "says")
JUDGED = ("experiment", "quantity", "relation", "tolerance")


@dataclass(frozen=True)
class Paper:
    """The statements of one folder, and the series that each of its experiments has in the paper."""

    statements: tuple[Statement, ...] = ()
    series: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def of(self, experiment: str) -> list[Statement]:
        """The statements that an experiment's rows decide."""
        return [statement for statement in self.statements if statement.experiment == experiment]


class _EachKeyOnce(yaml.SafeLoader):
    """YAML in which no mapping has a key twice: the second would win unseen."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """Checked before keys of other mappings are merged in, which may be given again. Raises ComposerError."""
        node = super().compose_mapping_node(anchor)
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.composer.ComposerError(None, None, f"{key.value} is given twice", key.start_mark)
            seen.add(key.value)
        return node


@functools.cache
def in_folder(folder: Path) -> Paper:
    """The statements in a paper's folder; none where there is no such file. Raises StatementError."""
    path = folder / FILE
    if not path.is_file():
        return Paper()
    try:
        content = _EachKeyOnce(path.read_text(encoding="utf-8")).get_single_data() or {}
    except yaml.YAMLError as error:
        raise StatementError(f"{path}: {error}") from None
    for name in content:
        if name not in ("series", "statements"):
            raise StatementError(f"{path}: {unknown('key', name, ('series', 'statements'))}")
    series = {name: tuple(values) for name, values in content.get("series", {}).items()}
    entries = content.get("statements", [])
    statements = tuple(_statement(f"{path.parent.name}/{FILE}, {n}", e) for n, e in enumerate(entries, 1))
    for statement in statements:
        if statement.experiment and statement.experiment not in series:
            raise StatementError(f"{path}: series has no {statement.experiment}; it must list what the paper compares")
    return Paper(statements, series)


def _statement(at: str, entry: Mapping[str, Any]) -> Statement:
    """A checked entry. Raises StatementError."""
    fields = {name.replace(" ", "_"): value for name, value in entry.items()}
    known = list(Statement.__dataclass_fields__)
    for name in fields:
        if name not in known:
            raise StatementError(f"{at}: {unknown('field', name, known)}")
    needed = REQUIRED if fields.get("not_judged") else (*REQUIRED, *JUDGED)
    if missing := [name for name in needed if not fields.get(name)]:
        raise StatementError(f"{at}: {', '.join(missing)} missing; a statement has {', '.join(needed)}")
    for name in ("panel", "claim", "says", "section"):
        fields[name] = str(fields.get(name, ""))
    if "relation" in fields:
        _check_relation(at, fields["relation"])
    return Statement(**fields)


def _check_relation(at: str, relation: Any) -> None:
    if not isinstance(relation, Mapping) or len(relation) != 1:
        raise StatementError(f"{at}: relation is {relation!r}; it must be one of {', '.join(RELATIONS)} with its bound")
    ((name, bound),) = relation.items()
    if name not in RELATIONS:
        raise StatementError(f"{at}: {unknown('relation', name, RELATIONS)}")
    wanted = RELATIONS[name][1]
    good = {
        NUMBER: is_real(bound),
        PAIR: isinstance(bound, list) and len(bound) == 2 and all(map(is_real, bound)) and bound[0] <= bound[-1],
        LINE: isinstance(bound, Mapping) and "over" in bound and set(bound) <= {"over", "by", "within"},
    }.get(wanted, bound is True)
    if not good or (name == "flat" and "within" not in bound):
        raise StatementError(f"{at}: relation {name} is {bound!r}; it must be {wanted}")
