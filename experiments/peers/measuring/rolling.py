"""What a library takes for a column of answers, and how many of its answers are wrong."""

import functools
import math
from collections.abc import Iterator, Mapping
from time import perf_counter
from typing import Any

import numpy as np

from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring.rig import clocked, compiled, repeated
from experiments.peers.measuring.affording import FIRST, rows_for
from experiments.peers.measuring.columns import KEYED, KINDS, Column, column
from experiments.peers.measuring.exact import EXACT, TOLERANCE, Exact, relative_error
from experiments.peers.measuring.libraries import Call, module_of, not_installed, version_of

BUDGET, LIMIT = 0.12, 3.0
"""Seconds of a call: more rows would make the time per row no steadier; and with the fewest rows at most. A library's
module may have others; LEAST, the fewest rows; FIRST, the rows that are tried first; and WARMS_UP, if its calls become
quicker with time, so that one is done before those that are timed."""

QUICK = 0.02
"""Seconds of a call that is done once before those that are timed."""

LEAST_LAPS = 3
"""Of quick calls; the first has pages of memory to fetch."""

CHECKED, CHECKED_VALUES = 200, 4_000_000
"""Rows whose answers are checked, half of them among the first; fewer where their windows have more values in all."""

EARLY = 20_000
"""The first rows, which every library is given."""


def session_of(cell: Cell) -> str | None:
    """Spark's cells follow each other: its session is slow to start."""
    return "spark" if cell.algorithm == "sql_window_tree" else None


def modules_of(cell: Cell) -> tuple[str, ...]:
    return (module_of(cell.algorithm).__name__,)


def packages_of(cell: Cell) -> tuple[str, ...]:
    package = module_of(cell.algorithm).PACKAGE
    return (package,) if package else ()


def refusal_of(cell: Cell) -> str:
    return not_installed(module_of(cell.algorithm).PACKAGE)


def given(cell: Cell) -> Column:
    """The whole column of a cell."""
    return column(cell.stream["shape"], cell.stream["rows"], cell.window)


def call_of(cell: Cell, rows: int) -> Call:
    """The call for the first rows of a cell's column."""
    return _call(cell.algorithm, cell.operator, given(cell), cell.window, rows)


def _call(name: str, task: str, whole: Column, window: int, rows: int) -> Call:
    """The call for the first rows; its window is smaller where they would not fill two."""
    length = window if rows == len(whole.values) else max(2, min(window, rows // 2))
    return module_of(name).prepare(task, whole.first(rows), length)


def rows_of(cell: Cell) -> int:
    """How many rows the library is given. Raises TooSlowError."""
    return _rows(cell.algorithm, cell.operator, cell.stream["shape"], cell.stream["rows"], cell.window)


@functools.cache
def _rows(name: str, task: str, shape: str, rows: int, window: int) -> int:
    """The same for the time and for the answers."""
    module = module_of(name)
    fewest = rows if KINDS.get(shape) == KEYED else max(2 * window, getattr(module, "LEAST", FIRST))
    seconds = getattr(module, "BUDGET", BUDGET), getattr(module, "LIMIT", LIMIT)
    first = getattr(module, "FIRST", FIRST)
    return rows_for(
        lambda count: _call(name, task, column(shape, rows, window), window, count),
        rows, min(rows, fewest), *seconds, first,
    )  # fmt: skip


def facts_of(cell: Cell, rows: int) -> dict[str, Any]:
    module = module_of(cell.algorithm)
    return {"rows": rows, "version": version_of(module.PACKAGE), "threads": module.THREADS}


ASKED = {"session": session_of, "modules": modules_of, "packages": packages_of, "refuses": refusal_of}


@measurement("rolling.time", unit="ns", **ASKED)
def time(cell: Cell, task: Mapping[str, Any]) -> dict[str, Any]:
    """Nanoseconds of whole columns of answers; an operation is a row."""
    if task["operations"]:
        rows = task["operations"] // task["laps"]
        seconds = _warmed_up(cell, rows)
    else:
        begin = perf_counter()
        rows = rows_of(cell)
        seconds = perf_counter() - begin
    run = call_of(cell, rows).run
    clock = repeated(lambda: clocked(run)[0], rows, task, LEAST_LAPS)
    return clock | {"checksum": None, "compile_seconds": seconds, "facts": facts_of(cell, rows)}


def _warmed_up(cell: Cell, rows: int) -> float:
    """Seconds of calls that are not timed: of few rows, and of all if that is quick or the library's module says so."""
    few = call_of(cell, min(rows, FIRST)).run
    seconds, again = compiled(few), compiled(few)
    quick = again * rows / FIRST < QUICK or getattr(module_of(cell.algorithm), "WARMS_UP", False)
    return seconds + again + (compiled(call_of(cell, rows).run) if quick else 0.0)


@measurement("rolling.wrong", counted=True, **ASKED)
def wrong(cell: Cell, task: Mapping[str, Any]) -> dict[str, Any]:
    """Wrong answers (see measuring.exact) among those of a sample of the rows, the same rows for every library."""
    rows = rows_of(cell)
    call = call_of(cell, rows)
    errors = list(_errors(cell, rows, call.read(call.run())))
    largest, row, seen, answer = max(errors, default=(0.0, 0, 0.0, 0.0))
    worst = {"largest_error": _text(largest), "at_row": row, "answer": _text(seen), "exact": _text(answer)}
    count = sum(error > TOLERANCE for error, *_ in errors)
    return {"value": float(count), "operations": len(errors), "checksum": None, "facts": facts_of(cell, rows) | worst}


def _errors(cell: Cell, rows: int, found: Mapping[str, np.ndarray]) -> Iterator[tuple[float, int, float, float]]:
    """The relative error of each checked answer, its row, the answer and the exact one."""
    shape, most = cell.stream["shape"], cell.stream["rows"]
    for row in sample(most, cell.window):
        if given(cell).window_of(row, cell.window)[-1] >= rows:
            continue  # not given; of rows out of order, not all that belong to its window are
        for name, answers in found.items():
            exact = exact_at(shape, most, cell.window, name, row)
            if not math.isnan(exact.answer):
                seen = _seen(name, float(answers[row]), given(cell).values)
                yield relative_error(exact, seen), row, seen, exact.answer


def sample(rows: int, window: int) -> list[int]:
    """The rows that are checked, in order: full windows, half of them among the first."""
    random, count = np.random.default_rng(rows), max(10, min(CHECKED, CHECKED_VALUES // window))
    first = min(window, rows - 1)
    early = random.integers(first, max(first + 1, min(rows, max(2 * window, EARLY))), count // 2)
    return sorted({*early.tolist(), *random.integers(first, rows, count - count // 2).tolist()})


@functools.cache
def exact_at(shape: str, rows: int, window: int, task: str, row: int) -> Exact:
    """The exact answer for a row. O(window log window)."""
    whole = column(shape, rows, window)
    values = whole.values[whole.window_of(row, window)]
    present = values[~np.isnan(values)].tolist()
    return EXACT[task](present) if present else Exact(math.nan)


def _seen(task: str, answer: float, values: np.ndarray) -> float:
    """The answer; of a place, the value that is there."""
    return float(values[int(answer)]) if task == "argmax" and 0 <= answer < len(values) else answer


def _text(number: float) -> float | str:
    """A number as JSON has it: infinity and NaN are texts."""
    return number if math.isfinite(number) else str(number)
