"""Counts of the combines, partial aggregates and slices of a technique under many queries on one stream."""

import dataclasses
import functools
from typing import Any, NamedTuple

from experiments.cutty.measuring.queries import check, pieces, shared_aggregate
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.traces import trace_of

COUNTED = ("combines", "update", "merge", "partials", "slices")
"""The measurements below."""


class Counted(NamedTuple):
    """Counts over the whole stream: combines of records with the open slice, of storing slices and of final look-ups;
    the most partial aggregates as Table 1 counts them, and as slots; slices stored in all; windows that ended."""

    folds: int
    update: int
    merge: int
    partials: int
    slots: int
    slices: int
    windows: int
    records: int
    checksum: float


@functools.cache
def _counted(cell: Cell) -> Counted:
    values, s = trace_of(*cell.source).values, shared_aggregate(cell)
    windows, total = 0, 0.0
    for first, last, columns in pieces(cell, len(values)):
        results = s.batch(None, values[first:last], **columns)
        windows, total = windows + len(results), total + float(results.value.sum())
    slices = sum(int(part.a.store.ends[0].end) for part in s._parts)
    partials = s.partials
    return Counted(*s.counts, partials.most, partials.most_slots, slices, windows, len(values), total)


def counted(cell: Cell) -> Counted:
    """Counted once per process for all metrics: Naive takes long for a stream under a hundred queries."""
    return _counted(dataclasses.replace(cell, measurement=""))


def _row(cell: Cell, value: float) -> dict[str, Any]:
    counts = counted(cell)
    facts = {name: number for name, number in counts._asdict().items() if name not in ("checksum", "records")}
    return {"value": float(value), "operations": counts.records, "checksum": counts.checksum, "facts": facts}


@measurement("slicing.combines", counted=True, check=check)
def combines(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Combines of storing slices and of final look-ups, the paper's reduce calls; an operation is a record."""
    return _row(cell, counted(cell).update + counted(cell).merge)


@measurement("slicing.update", counted=True, check=check)
def update(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Combines of storing slices."""
    return _row(cell, counted(cell).update)


@measurement("slicing.merge", counted=True, check=check)
def merge(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Combines of final look-ups."""
    return _row(cell, counted(cell).merge)


@measurement("slicing.partials", counted=True, check=check)
def partials(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The most partial aggregates that are kept, as Table 1 counts them."""
    return _row(cell, counted(cell).partials)


@measurement("slicing.slices", counted=True, check=check)
def slices(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Slices stored in all."""
    return _row(cell, counted(cell).slices)
