"""Slicing techniques under many queries on one stream: combines, partial aggregates and slices counted, and time.

A cell's algorithm is a technique. The clock covers the aggregator, which takes columns: marks of periodic queries are
made in it, as they cost next to nothing; those of sessions, for which every record is looked at, are made before and
timed by themselves.
"""

import dataclasses
import functools
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import as_slots
from algorithms.streams.shared import ready_made as queries
from algorithms.streams.shared.aggregate import SharedAggregate
from algorithms.streams.shared.discretize import Query
from algorithms.streams.shared.query_group import joined
from experiments.cutty.measuring.techniques import TECHNIQUES
from experiments.harness.cell import Cell
from experiments.harness.feasibility import operator_called
from experiments.harness.measurement import measurement
from experiments.harness.measuring.rig import clocked, column, compiled
from experiments.harness.traces import trace_of
from workloads import workload
from workloads.queries import periodic, sessions

PERIODIC, SESSIONS, ONE_SLICE = "periodic", "sessions", "one slice"
"""What is asked: periodic count windows, drawn or one of given range and slide; sessions that
begin at the transitions of states; one window that never ends, so that all records go into one slice."""

PIECE = 1 << 18
"""Records that the discretizer of sessions, and the counting of combines, are given at once."""

LAPS = 5
"""A stream takes a few milliseconds: a single lap would tell more about what else the machine does."""

FOREVER = 1 << 40

COUNTED = ("combines", "update", "merge", "partials", "slices")
"""The functions that count."""


@functools.lru_cache(maxsize=1)
def transitions_of(name: str, parameters: str) -> list[np.ndarray]:
    """For each state of a workload the records at which it changes.

    Raises ValueError where none ever does, and what the workload raises.
    """
    found = workload({"name": name, **json.loads(parameters)}).transitions()
    if not any(map(len, found)):
        path = json.loads(parameters).get("path")
        source = f"{path}: no state" if path else f"no state of these {len(trace_of(name, parameters)):,} records"
        better = "a file whose states do" if path else "more records"
        raise ValueError(f"{source} ever changes, and sessions begin where one does; take {better}")
    return found


def check(cell: Cell) -> None:
    """Raise ValueError for sessions on a stream without any."""
    if cell.asked["ask"] == SESSIONS:
        transitions_of(*cell.source)


def ranges_and_slides(asked: dict[str, Any]) -> np.ndarray:
    """Range and slide of each periodic query, int64, shape (queries, 2): drawn ones are divided by `divide`."""
    if "range" in asked:
        return np.array([[asked["range"], asked["slide"]]])
    return periodic(asked["queries"]) // asked["divide"]


def queries_of(cell: Cell) -> list[Query]:
    """The cell's queries, as the library takes them."""
    asked = cell.asked
    if asked["ask"] == ONE_SLICE:
        return [queries.sliding(FOREVER, FOREVER)]
    if asked["ask"] == SESSIONS:
        return [queries.punctuation(f"state{k}") for k in states_of(cell).tolist()]
    return [queries.sliding(*map(int, pair)) for pair in ranges_and_slides(asked)]


def states_of(cell: Cell) -> np.ndarray:
    """The state whose transitions open the sessions of each query, drawn in proportion to their number."""
    return sessions(cell.asked["queries"], transitions_of(*cell.source))


def pieces(cell: Cell, records: int) -> Iterator[tuple[int, int, dict[str, np.ndarray]]]:
    """(first, last, columns) of one piece of the stream after the other: columns have 1 where a session begins."""
    asked = cell.asked["ask"]
    opened = {k: transitions_of(*cell.source)[k] for k in set(states_of(cell).tolist())} if asked == SESSIONS else {}
    for first in range(0, records, PIECE):
        last = min(first + PIECE, records)
        columns = {}
        for k, places in opened.items():
            begins = np.zeros(last - first)
            begins[places[slice(*np.searchsorted(places, [first, last]))] - first] = 1
            begins[0] += first == 0
            columns[f"state{k}"] = begins
        yield first, last, columns


def shared_aggregate(cell: Cell) -> SharedAggregate:
    """The cell's technique before the first record."""
    technique = TECHNIQUES[cell.algorithm]
    return SharedAggregate(queries_of(cell), operator_called(cell.operator), technique.slicing, technique.store)


class Counted(NamedTuple):
    """What the whole stream took: combines of records with the open slice, of storing slices and of final look-ups; the
    most partial aggregates as Table 1 counts them, and as slots; slices stored in all; windows that ended."""

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
    """Counted once in a process for all metrics: a stream through Naive under a hundred queries takes its time."""
    return _counted(dataclasses.replace(cell, measurement=""))


def _row(cell: Cell, value: float) -> dict[str, Any]:
    made = counted(cell)
    facts = {name: number for name, number in made._asdict().items() if name not in ("checksum", "records")}
    return {"value": float(value), "operations": made.records, "checksum": made.checksum, "facts": facts}


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


@measurement("slicing.time", unit="ns", check=check)
def time(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of the whole stream, again and again until the minimum duration; an operation is a record."""
    values = column(trace_of(*cell.source).values.astype(operator_called(cell.operator).takes))
    n = len(values)
    marked, discretizer = _marked(cell, n)
    seconds = compiled(lambda: _run(shared_aggregate(cell), values[:1], marked))
    ended = _run(shared_aggregate(cell), values, marked)  # a lap beforehand: memory is warm, all is compiled
    laps: list[dict[str, Any]] = []
    while not _enough(laps, n, task):
        s = shared_aggregate(cell)
        laps.append(clocked(lambda s=s: _run(s, values, marked))[0])
    results = s._results([one for found, _ in ended for one in found], [one for _, ends in ended for one in ends])
    return {
        **{name: sum(lap[name] for lap in laps) for name in ("value", "cpu_seconds", "involuntary_switches")},
        "operations": len(laps) * n,
        "checksum": float(results.value.sum()),
        "compile_seconds": seconds,
        "facts": {"discretizer_ns_per_record": discretizer / n, "windows": len(results)},
    }


def _enough(laps: Sequence[dict[str, Any]], n: int, task: dict[str, Any]) -> bool:
    """As many laps as the task says; where it does not, LAPS or as long as LAPS times the minimum duration."""
    total = sum(lap["value"] for lap in laps)
    if task["operations"]:
        return len(laps) * n >= task["operations"] and total >= task["minimum_ns"]
    return total >= task["minimum_ns"] and (len(laps) >= LAPS or total >= LAPS * task["minimum_ns"])


@measurement("slicing.fold", unit="ns", check=check)
def fold(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The time of what every technique that slices has in common: see ONE_SLICE."""
    return time(cell, task)


def _marked(cell: Cell, records: int) -> tuple[list[list[Any]], float]:
    """Marks of the queries that are not periodic, by part, and the nanoseconds that they took."""
    s, elapsed = shared_aggregate(cell), 0.0
    found: list[list[list[Any]]] = [[[] for _ in part.functions] for part in s._parts]
    if cell.asked["ask"] != SESSIONS:
        return [[] for _ in s._parts], elapsed
    for first, last, columns in pieces(cell, records):
        read = {("float64", name): as_slots(one) for name, one in columns.items()}
        read["time"] = as_slots(np.arange(first, last))
        for part, lists in zip(s._parts, found, strict=True):
            clock, marks = clocked(lambda part=part, n=last - first: part.discretize(read, n, first))  # noqa: B023
            elapsed += clock["value"]
            for one, more in zip(lists, marks, strict=True):
                one.append(more)
    return [[_joined(lists)] for lists in found], elapsed


def _joined(lists: Sequence[Sequence[Any]]) -> Any:
    """The marks of several queries in order of records and queries: what a discretizer passes downstream."""
    marks = joined([one for several in lists for one in several]).view(np.ndarray)
    return joined([marks[np.lexsort((marks["query"], marks["at"]))]])


def _run(s: SharedAggregate, values: Any, marked: Sequence[Sequence[Any]]) -> list[tuple]:
    return [part.run(values, {}, len(values), 0, given) for part, given in zip(s._parts, marked, strict=True)]


@measurement("slicing.slide", counted=True, check=check)
def slide(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The slide of one of the drawn queries; the cell's window is its range."""
    return {"value": float(cell.asked["slide"]), "operations": 1, "checksum": None}


@measurement("slicing.transitions", counted=True, check=check)
def transitions(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Transitions in the whole stream of the state that has the most, the second most ...; an operation is a record."""
    counts = np.array([len(places) for places in transitions_of(*cell.source)])
    state = int(np.argsort(-counts, kind="stable")[cell.asked["state"]])
    facts = {"state": state}
    return {"value": float(counts[state]), "operations": len(trace_of(*cell.source)), "checksum": None, "facts": facts}
