"""A large table in Spark, made in the workers as it is read: how long its windows take, and how much memory.

Nothing is collected and no input is stored: a row is computed from its number, by Spark, in chunks. Keys have the skew
of Zipf's law. What workers hold is sampled while the one action runs, a checksum over all results.
"""

import itertools
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring.rig import clocked
from experiments.spark.measuring.actions import ELSEWHERE
from experiments.spark.measuring.checksum import checksum
from experiments.spark.measuring.inputs import MOST
from experiments.spark.measuring.session import (
    cores_of,
    processor_seconds_since,
    processor_times,
    session_for,
    window_of,
)

CHUNK = 1_000_000
"""Rows that a task makes."""

PERIOD, SEARCHED = 0.1, 10
"""Seconds from one look at the workers' memory to the next; looks from one search for workers to the next, which reads
a file for each process of the machine, on the cores that work for Spark."""

BATCH, BATCH_BYTES = "spark.sql.execution.arrow.maxBytesPerBatch", 2**26
"""The option that limits what Spark hands to a worker at once. Without a limit, as in the sessions of streams, it hands
over 10,000 packs of slices that workers have made, which may be all of a partition, in the JVM and in the worker."""

TENTHS = 10


@measurement("spark_tables.time", unit="ns", session=cores_of, takes=window_of)
def time(cell: Cell, task: Mapping[str, Any]) -> dict[str, Any]:
    """Nanoseconds of the windows of all rows; facts: processor time, and the most memory of workers (see `watched`)."""
    from pyspark.sql import functions as F

    from streaming import sliding_aggregate

    session = session_for(cell)
    limit = session.conf.get(BATCH)

    def run(rows: int) -> tuple[float, int]:
        table = made(session, cell.stream["keys"], rows, cell.stream["slides"])
        windows = {"size": f"{cell.window} seconds", "slide": "1 second", "operator": cell.operator}
        own = {"algorithm": cell.parameters["window"], "kept": cell.parameters["kept"]}
        found = sliding_aggregate(table, key="key", time="time", value="value", **windows, **own)
        return checksum(found, "key", *map(F.unix_micros, ("window_start", "window_end")), F.col(cell.operator))

    session.conf.set(BATCH, str(BATCH_BYTES))
    try:
        run(min(1000, cell.stream["rows"]))  # starts workers and compiles
        before = processor_times()
        with watched() as megabytes:
            clock, (total, results) = clocked(lambda: run(cell.stream["rows"]))
    finally:
        session.conf.set(BATCH, limit)
    spent = processor_seconds_since(before)
    memory = {"worker_mb": max(megabytes), "worker_mb_tenths": _tenths(megabytes)}
    facts = {"outputs": results, "cpu_seconds": spent, **memory}
    return clock | ELSEWHERE | {"operations": cell.stream["rows"], "checksum": total, "facts": facts}


def made(session: Any, keys: int, rows: int, slides: int) -> Any:
    """Rows in order of time: key k of 0 .. keys - 1 for about a share 1 / (k + 1) of ln(keys), time, and value."""
    unit = "(xxhash64(id) & 9007199254740991) / 9007199254740992D"  # 53 bits: uniform in [0, 1)
    numbers = session.range(0, rows, 1, -(-rows // CHUNK))
    return numbers.selectExpr(
        f"cast(pow({keys}D, {unit}) AS bigint) - 1 AS key",
        f"timestamp_micros(cast(id * {slides * 1_000_000 / rows!r}D AS bigint)) AS time",
        f"pmod(xxhash64(id, 1), {MOST}) AS value",
    )


@contextmanager
def watched() -> Iterator[list[float]]:
    """Samples of the memory of the largest Python worker of this session while the block runs, in MB.

    It is what the process has for itself: pages of files, which the system takes back at will, do not count.
    """
    samples, done = [_largest(_workers())], threading.Event()

    def look() -> None:
        workers: list[Path] = []
        for n in itertools.takewhile(lambda _: not done.wait(PERIOD), itertools.count()):
            if n % SEARCHED == 0:
                workers = _workers()
            samples.append(_largest(workers))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield samples
    finally:
        done.set()
        thread.join()


def _workers() -> list[Path]:
    """The folders in /proc of this session's Python workers."""
    found, session = [], os.getsid(0)
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            own = int(path.read_text().rpartition(")")[2].split()[3]) == session
            if own and b"pyspark.daemon" in (path.parent / "cmdline").read_bytes():
                found.append(path.parent)
    return found


def _largest(workers: list[Path]) -> float:
    largest = 0.0
    for process in workers:
        with suppress(OSError, ValueError):  # it has ended
            status = (process / "status").read_text().split()
            largest = max(largest, int(status[status.index("RssAnon:") + 1]) / 1e3)
    return largest


def _tenths(samples: list[float]) -> list[float]:
    """The largest sample of each tenth of the time."""
    ends = [round(i * len(samples) / TENTHS) for i in range(TENTHS + 1)]
    return [max(samples[first:end], default=0.0) for first, end in zip(ends, ends[1:], strict=False)]
