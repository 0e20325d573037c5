"""Single rows of a stream, one after the other, as Python code calls: insert, evict, ask. A pause is a result.

Libraries that take whole columns have no single rows.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from algorithms.order_statistics.window import OrderedWindow
from algorithms.windows.make import window as new_window
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.peers.measuring.columns import column
from experiments.peers.measuring.libraries import in_river, not_installed, version_of

ROWS = 10_000
"""Rows that are timed, after as many as fill the window."""

TASKS = {"daba_lite": ("sum", "max"), "ordered_window": ("median",), "river": ("sum", "max", "median")}
"""What each of the libraries of streams is asked."""


def packages_of(cell: Cell) -> tuple[str, ...]:
    return (in_river.PACKAGE,) if cell.algorithm == "river" else ()


def refusal_of(cell: Cell) -> str:
    return "".join(map(not_installed, packages_of(cell)))


Step = Callable[[int, float], Any]
"""What a row costs: from its time and value to the answer."""


def filled(cell: Cell, values: list[float]) -> Step:
    """A full window, and what is done for the next rows."""
    if cell.algorithm == "river":
        return _river(cell, values)
    w: Any = OrderedWindow(capacity=cell.window + 1, order="in order")
    if cell.algorithm == "daba_lite":
        w = new_window("daba_lite", operator=cell.operator, capacity=cell.window + 1)
    ask = w.median if cell.algorithm == "ordered_window" else w.query
    w.insert_many(range(len(values)), values)

    def step(now: int, value: float) -> Any:
        w.insert(now, value)
        w.evict()
        return ask()

    for now, value in enumerate(values[:100], len(values)):  # compiles
        step(now, value)
    return step


def _river(cell: Cell, values: list[float]) -> Step:
    kept = in_river.statistic(cell.operator, cell.window)
    for value in values:
        kept.update(value)

    def step(now: int, value: float) -> Any:
        kept.update(value)
        return kept.get()

    return step


@measurement("online.latency", unit="ns", packages=packages_of, refuses=refusal_of)
def latency(cell: Cell, task: Mapping[str, Any]) -> dict[str, Any]:
    """Nanoseconds of each row, between two readings of the clock."""
    values = column(cell.stream["shape"], cell.window + ROWS, cell.window).values.tolist()
    begin = time.perf_counter()
    step = filled(cell, values[: cell.window])
    seconds = time.perf_counter() - begin
    samples, clock = np.empty(ROWS), time.perf_counter_ns
    for place, value in enumerate(values[cell.window :]):
        now = 2 * cell.window + 100 + place
        before = clock()
        step(now, value)
        samples[place] = clock() - before
    facts = {"version": version_of(in_river.PACKAGE) if cell.algorithm == "river" else ""}
    return {
        "value": samples.sum(),
        "operations": ROWS,
        "samples": samples,
        "checksum": None,
        "compile_seconds": seconds,
        "facts": facts,
    }
