"""The largest window that a process with limited memory can fill (MTA paper, experiment 4).

The process that keeps the window is a new one. It loads the project and the compiled loops, and then limits its own
private memory (RLIMIT_DATA: the system refuses more heap and anonymous mappings) to what it has by then and the memory
of the cell. It tries a window of the capacity, then, while memory is refused, one of seven eighths as many elements.
The first that it gets is filled, and its resident set is read.
"""

import json
import math
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from algorithms.kernel import Slots
from algorithms.windows import slide_policies as policies
from algorithms.windows.stored import stores
from algorithms.windows.stored.stores import StoreError
from experiments.harness.cell import Cell
from experiments.harness.executors import environment
from experiments.harness.measurement import measurement
from experiments.harness.measuring.rig import compiled
from experiments.mta.measuring.arrivals import Kept, dimensions, kept, run, takes

MEGABYTE = 1 << 20
SMALL = 64
"""Elements of the window that compiles the loops."""

SMALLER = 7 / 8
"""Of a window that did not fit, the next is so many times as large."""

STEP = 1 / 64
"""The least memory is known within this share."""

LEAST = 4096
"""Bytes below which no limit is tried: a page."""


STACK = 1 << 18
"""Bytes of the stack of the thread that writes to a store: the system's 8 MB would count, and are never touched."""


STUCK = 75
"""The exit code of a process that waits for what will not come."""

IDLE_SECONDS, NO_TIME = 30, 0.005
"""So long, and with less than so many seconds of processor time in each, a process is taken to be stuck. On a busy
machine it gets less time, and not none."""


@measurement("limited.reached", counted=True, takes=takes)
def reached(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Elements of the largest window; 0 if there is no room for one. The facts have its bytes and resident set."""
    seconds = compiled(lambda: _filled(cell, SMALL))  # into the on-disk cache: no compiler in the other process
    facts = _process(cell, cell.asked["memory"] * MEGABYTE)
    return _row(float(facts["elements"]), seconds, facts)


@measurement("limited.needed", unit="MB", takes=takes)
def needed(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The least memory (MB) in which the window reaches its capacity, within `STEP`.

    The search begins with what an unlimited process takes. Each trial is a process that loads the project. No count:
    that of KVS Log MTA differed by 5 % from run to run.
    """
    seconds = compiled(lambda: _filled(cell, SMALL))
    limit = max(1, _process(cell, None)["grown"])

    def enough(allowed: int) -> bool:
        return _process(cell, allowed, only_capacity=True)["elements"] == cell.window

    return _row(least_that_is(enough, limit) / MEGABYTE, seconds, {})


def least_that_is(enough: Callable[[int], bool], first: int) -> int:
    """The least number that is enough, within `STEP` above it; all larger ones are.

    The search leaves the first guess by `STEP`, by a quarter, then by doubling or halving, and bisects what it then
    knows: two trials where the guess is right, otherwise O(|log(least / first)|).
    """
    low, high, factor = first, first, 1 + STEP
    if enough(first):
        while (low := int(low / factor)) > LEAST and enough(low):
            high, factor = low, _larger(factor)
    else:
        while not enough(high := math.ceil(high * factor)):
            low, factor = high, _larger(factor)
    while high > low * (1 + STEP) + 1:
        middle = math.isqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _larger(factor: float) -> float:
    """The factor of the next step of a search: of a quarter, then of two."""
    return min(factor**16, 2.0)


def _row(value: float, seconds: float, facts: dict[str, int]) -> dict[str, Any]:
    return {"value": value, "operations": 1, "checksum": None, "compile_seconds": seconds, "facts": facts}


def _process(cell: Cell, allowed: int | None, only_capacity: bool = False) -> dict[str, int]:
    """What a new process says that may take so many bytes. Raises RuntimeError where it says nothing.

    Where one is stuck, the next begins with a smaller window.
    """
    task = {"cell": asdict(cell), "allowed": allowed, "only_capacity": only_capacity, "first": cell.window}
    while True:
        answer = subprocess.run(
            [sys.executable, "-m", "experiments.mta.measuring.limited"],
            input=json.dumps(task),
            capture_output=True,
            text=True,
            env=environment.for_workers(),
            check=False,
        )
        if answer.returncode == STUCK:
            task["first"] = _smaller(int(answer.stdout.splitlines()[-1]), only_capacity)
        elif answer.returncode:
            last = answer.stderr.strip().splitlines() or ["it said nothing"]
            raise RuntimeError(f"the process that keeps the window ended with code {answer.returncode}: {last[-1]}")
        else:
            return json.loads(answer.stdout.splitlines()[-1])


def _smaller(elements: int, only_capacity: bool) -> int:
    """What is tried after so many elements were too many; 0 is nothing."""
    return 0 if only_capacity else int(elements * SMALLER)


def bytes_of(filled: Kept) -> int:
    """Memory of a window by its layout, and of the values that its slider keeps."""
    return sum(field.nbytes for field in (*filled.window, filled.slider.lifted) if isinstance(field, Slots))


def _filled(cell: Cell, elements: int) -> Kept:
    filled = kept(cell, dimensions(), policies.max_size(), elements + 1)
    run(filled, 0, elements, elements)
    return filled


def _status(name: str) -> int:
    """Bytes of a line of /proc/self/status."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))


def watch(most: int = IDLE_SECONDS) -> None:
    """End this process once it has taken no processor time for so many seconds.

    Python waits forever for a thread that begins and gets no memory for its first function.
    """
    used, idle = time.process_time(), 0
    while idle < most:
        time.sleep(1)
        before, used = used, time.process_time()
        idle = idle + 1 if used - before < NO_TIME else 0
    os._exit(STUCK)


def main() -> None:
    """Keep as large a window as the memory allows: reads what `_process` writes, prints the facts as JSON."""
    task = json.load(sys.stdin)
    threading.stack_size(STACK)
    stores.ATTEMPTS = 1  # where memory is short, some attempts succeed: filling a window of 2^21 took half an hour so
    cell = Cell.of(task["cell"])
    _filled(cell, SMALL)
    threading.Thread(target=watch, daemon=True).start()
    private, before = _status("VmData"), _status("VmRSS")
    if task["allowed"] is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (private + task["allowed"], resource.RLIM_INFINITY))
    elements = task["first"]
    while elements:
        print(elements, flush=True)
        try:
            filled = _filled(cell, elements)
            break
        except (MemoryError, StoreError, RuntimeError):  # StoreError, RuntimeError: no memory for a store, for a thread
            elements = _smaller(elements, task["only_capacity"])
    size = bytes_of(filled) if elements else 0
    grown = _status("VmData") - private
    facts = {"elements": elements, "bytes": size, "resident": _status("VmRSS") - before, "private": private}
    print(json.dumps(facts | {"grown": grown}))


if __name__ == "__main__":
    main()
