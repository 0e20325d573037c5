"""The queries of a cell: periodic ones, sessions, or one window that never ends; and what is drawn of them."""

import functools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from algorithms.streams.shared import ready_made
from algorithms.streams.shared.aggregate import SharedAggregate
from algorithms.streams.shared.discretize import Query
from experiments.cutty.measuring.techniques import TECHNIQUES
from experiments.harness.cell import Cell
from experiments.harness.feasibility import operator_called
from experiments.harness.measurement import measurement
from experiments.harness.traces import trace_of
from workloads import workload
from workloads.queries import periodic, sessions

PERIODIC, SESSIONS, ONE_SLICE = "periodic", "sessions", "one slice"
"""The kinds of queries: periodic count windows, drawn or one of given range and slide; sessions that begin at the
transitions of states; one window that never ends, so that all records go into one slice."""

PIECE = 1 << 18
"""Records in one batch for the discretizer of sessions, and for the counting of combines."""

FOREVER = 1 << 40


@functools.lru_cache(maxsize=1)
def transitions_of(name: str, parameters: str) -> list[np.ndarray]:
    """For each state of a workload the records at which it changes.

    Raises ValueError where none ever does, and what the workload raises.
    """
    transitions = workload({"name": name, **json.loads(parameters)}).transitions()
    if not any(map(len, transitions)):
        path = json.loads(parameters).get("path")
        source = f"{path}: no state" if path else f"no state of these {len(trace_of(name, parameters)):,} records"
        remedy = "a file whose states do" if path else "more records"
        raise ValueError(f"{source} ever changes, and sessions begin where one does; take {remedy}")
    return transitions


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
        return [ready_made.sliding(FOREVER, FOREVER)]
    if asked["ask"] == SESSIONS:
        return [ready_made.punctuation(f"state{k}") for k in states_of(cell).tolist()]
    return [ready_made.sliding(*map(int, pair)) for pair in ranges_and_slides(asked)]


def states_of(cell: Cell) -> np.ndarray:
    """The state whose transitions open the sessions of each query, drawn in proportion to their number."""
    return sessions(cell.asked["queries"], transitions_of(*cell.source))


def pieces(cell: Cell, records: int) -> Iterator[tuple[int, int, dict[str, np.ndarray]]]:
    """(first, last, columns) of each piece of the stream in turn: columns have 1 where a session begins."""
    states = set(states_of(cell).tolist()) if cell.asked["ask"] == SESSIONS else ()
    opened = {k: transitions_of(*cell.source)[k] for k in states}
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
