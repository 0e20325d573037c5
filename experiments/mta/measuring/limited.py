"""The largest window that a process with limited memory can fill (MTA paper, experiment 4).

The process that keeps the window is a new one. It loads the project and the compiled loops, and then limits its own
private memory (RLIMIT_DATA: the system refuses more heap and anonymous mappings) to what it has by then and the memory
of the cell. It tries a window of the capacity, then, while memory is refused, one of half as many elements. The first
that it gets is filled, and its resident set is read.
"""

import json
import resource
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from algorithms.kernel import Slots
from algorithms.windows import slide_policies as policies
from algorithms.windows.stored.stores import StoreError
from experiments.harness.cell import Cell
from experiments.harness.executors import environment
from experiments.harness.measurement import measurement
from experiments.harness.measuring.rig import compiled
from experiments.mta.measuring.arrivals import Kept, dimensions, kept, run, takes

MEGABYTE = 1 << 20
SMALL = 64
"""Elements of the window that compiles the loops."""


@measurement("limited.reached", counted=True, takes=takes)
def reached(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Elements of the largest window; 0 if there is no room for one. The facts have its bytes and resident set."""
    seconds = compiled(lambda: _filled(cell, SMALL))  # into the on-disk cache: no compiler in the other process
    answer = subprocess.run(
        [sys.executable, "-m", "experiments.mta.measuring.limited"],
        input=json.dumps(asdict(cell)),
        capture_output=True,
        text=True,
        env=environment.for_workers(),
        check=False,
    )
    if answer.returncode:
        last = answer.stderr.strip().splitlines() or ["it said nothing"]
        raise RuntimeError(f"the process that keeps the window ended with code {answer.returncode}: {last[-1]}")
    facts = json.loads(answer.stdout)
    return {
        "value": float(facts["elements"]),
        "operations": 1,
        "checksum": None,
        "compile_seconds": seconds,
        "facts": facts,
    }


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


def main() -> None:
    """Keep as large a window as the memory allows: reads the cell from standard input, prints the facts as JSON."""
    cell = Cell.of(json.load(sys.stdin))
    _filled(cell, SMALL)
    allowed = cell.asked["memory"] * MEGABYTE
    private, before = _status("VmData"), _status("VmRSS")
    resource.setrlimit(resource.RLIMIT_DATA, (private + allowed,) * 2)
    elements = cell.window
    while elements:
        try:
            filled = _filled(cell, elements)
            break
        except (MemoryError, StoreError):  # a store without memory to open raises an error of its own
            elements //= 2
    size = bytes_of(filled) if elements else 0
    facts = {"elements": elements, "bytes": size, "resident": _status("VmRSS") - before, "private": private}
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
