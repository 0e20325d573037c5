"""The resident set of a process that keeps a window, sampled by another, beside the exact bytes of the window.

The process that keeps the window is a new one: it loads the project and the compiled loops, says so, and waits. Then it
makes the window, fills it and does rounds, while the measuring process reads /proc/PID/statm again and again.
"""

import json
import mmap
import select
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from algorithms.windows.contract import card
from experiments.harness.cell import Cell
from experiments.harness.executors import environment
from experiments.harness.feasibility import estimate, operator_of
from experiments.harness.measurement import measurement
from experiments.harness.measuring import drivers
from experiments.harness.measuring.prefill import table_of
from experiments.harness.measuring.rig import compiled

INTERVAL = 0.01
"""Seconds between two samples."""

BEFORE, AFTER = 5, 5
"""Samples at rest: before the window is made, and with the window full."""

LEAST_ROUNDS = 1000

PARTS = ("partial_aggregates", "times", "other")
"""Of a window's memory: its ring or tree of partial aggregates, its times, and all else, such as a reserve."""


@measurement("resident.resident", unit="bytes")
def resident(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The largest resident set in bytes; all samples, of which `before` were taken before the window was made.

    `process`: the largest of those. `own`: what the window added to it at most.
    """
    _, seconds = _compiled_window(cell)  # into the on-disk cache: the other process must not hold a compiler's memory
    command = [sys.executable, "-m", "experiments.reactive_aggregator.measuring.resident"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment.for_workers()
    ) as process:
        _say(process.stdin, json.dumps(asdict(cell)))
        _expect(process, "ready")
        samples = [_resident_set(process.pid) for _ in _pauses(process, BEFORE)]
        _say(process.stdin, "go")
        samples += [_resident_set(process.pid) for _ in _pauses(process)]
        _expect(process, "full")
        samples += [_resident_set(process.pid) for _ in _pauses(process, AFTER)]
        process.stdin.close()
    before, most = max(samples[:BEFORE]), max(samples)
    return {
        "value": float(most),
        "samples": [float(sample) for sample in samples],
        "operations": cell.window,
        "checksum": None,
        "compile_seconds": seconds,
        "facts": {"before": BEFORE, "interval_ms": 1000 * INTERVAL, "process": before, "own": most - before},
    }


@measurement("resident.bytes", unit="bytes", counted=True)
def bytes(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Memory of the window by its layout; in the facts that of its `PARTS`."""
    window = card(cell.algorithm)
    layout = window.layout(operator_of(cell), cell.entries, **window.complete(cell.parameters))
    sizes = {name: count * np.dtype(dtype).itemsize for name, (count, dtype) in layout.items()}
    tree, times = sizes.pop("agg"), sizes.pop("time")
    parts = dict(zip(PARTS, (tree, times, sum(sizes.values())), strict=True))
    return {"value": float(sum(parts.values())), "operations": cell.window, "checksum": None, "facts": parts}


def _compiled_window(cell: Cell) -> tuple[Any, float]:
    """An empty window, and the seconds of compiling or loading its loops. Its memory is not touched."""
    table = table_of(cell)
    w = card(cell.algorithm).new(operator_of(cell), estimate(cell).entries, **cell.parameters)
    seconds = compiled(lambda: drivers.insert_run(w, 0, 0, 0, table, len(table)))
    return w, seconds + compiled(lambda: drivers.rounds(w, 0, 0, 0, table, len(table)))


def _resident_set(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE


def _pauses(process: subprocess.Popen, count: int | None = None) -> Iterator[None]:
    """`count` pauses of an interval; without it, at least one and further ones until the process speaks or ends."""
    done = 0
    while count is None or done < count:
        spoke = bool(select.select([process.stdout], [], [], INTERVAL)[0])
        if spoke and count is not None:  # it only waits, so its output has ended
            raise RuntimeError(f"the process that keeps the window ended with code {process.wait()}")
        yield
        done += 1
        if spoke:
            return


def _say(stream: Any, line: str) -> None:
    stream.write(line + "\n")
    stream.flush()


def _expect(process: subprocess.Popen, word: str) -> None:
    if process.stdout.readline().strip() != word:
        raise RuntimeError(f"the process that keeps the window ended with code {process.wait()}, before it was {word}")


def main() -> None:
    """Keep a window: reads the cell from standard input, then a line as the sign to begin; ends with the input."""
    cell = Cell.of(json.loads(sys.stdin.readline()))
    table, n = table_of(cell), cell.window
    _compiled_window(replace(cell, window=1, stream={"distance": 0, "window": 1}))
    _say(sys.stdout, "ready")
    sys.stdin.readline()
    w, _ = _compiled_window(cell)
    drivers.insert_run(w, 0, n, 0, table, len(table))
    drivers.rounds(w, n, max(2 * n, LEAST_ROUNDS), n, table, len(table))
    _say(sys.stdout, "full")
    sys.stdin.read()


if __name__ == "__main__":
    main()
