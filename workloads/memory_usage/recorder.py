"""Record this machine's memory in use, and say how likely equal and rising readings are.

    python -m workloads.memory_usage.recorder used.csv --seconds 3600

The file has the columns time (seconds since 1970) and used (MiB), which workload=file takes as they are; Ctrl-C ends
the recording early and keeps what there is. In use is what is not available: MemTotal - MemAvailable of /proc/meminfo.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from safeguards.files import replacing
from workloads.memory_usage.statistics import chances

MEMINFO = Path("/proc/meminfo")


def used(text: str) -> int:
    """MiB in use, of the text of /proc/meminfo. Raises ValueError where it has no MemTotal or MemAvailable."""
    kib = {}
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        kib[name] = rest.split()[0] if rest.split() else ""
    for name in ("MemTotal", "MemAvailable"):
        if not kib.get(name, "").isdigit():
            raise ValueError(f"{MEMINFO} has no {name}; only Linux since 3.14 tells how much memory is in use")
    return (int(kib["MemTotal"]) - int(kib["MemAvailable"])) // 1024


def readings(seconds: int) -> Iterator[tuple[int, int]]:
    """Times and readings, one at the start of each second that follows, until so many or Ctrl-C."""
    start, begun = int(time.time()), time.monotonic()  # a clock that is set back must not make it wait
    try:
        for number in range(1, seconds + 1):
            time.sleep(max(0.0, begun + number - time.monotonic()))
            yield start + number, used(MEMINFO.read_text(encoding="ascii"))
    except KeyboardInterrupt:
        return


def record(path: Path, samples: Iterable[tuple[int, int]]) -> np.ndarray:
    """Write readings to a file, which appears when all are there; gives the readings. Raises OSError."""
    values = []
    with replacing(path) as temporary, open(temporary, "w", encoding="ascii") as file:
        file.write("time,used\n")
        for second, mib in samples:
            file.write(f"{second},{mib}\n")
            values.append(mib)
    return np.array(values, np.int64)


def main() -> int:
    program = "python -m workloads.memory_usage.recorder"
    parser = argparse.ArgumentParser(prog=program, description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="CSV file to write")
    parser.add_argument("--seconds", type=int, default=3600, help="how long, from 2 on (default: an hour)")
    arguments = parser.parse_args()
    if arguments.seconds < 2:
        parser.error(f"--seconds is {arguments.seconds}; steps from reading to reading need at least 2")
    try:
        values = record(arguments.file, readings(arguments.seconds))
        equal, rising = chances(values)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{arguments.file}: {len(values):,} readings from {values.min():,} to {values.max():,} MiB")
    print(f"as settings: workload.equal={equal:.3f} workload.rising={min(max(rising, 0.1), 0.9):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
