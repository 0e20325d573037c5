"""One action over a table in Spark that needs every result: a checksum over all rows, timed in laps."""

from collections.abc import Callable, Mapping
from typing import Any

from experiments.harness.measuring.rig import clocked, repeated
from experiments.spark.measuring.warming import warm

LONGER = 300
"""A lap is a query of seconds: laps go on for so many times as long as a profile times compiled loops."""

ELSEWHERE = {"page_faults": None}
"""What this process says of itself and not of the JVM and its workers, which do the work."""


def timed_action(session: Any, task: Mapping[str, Any], run: Callable[[], tuple[float, int]], rows: int) -> dict:
    """Nanoseconds of an action over so many rows, which gives a checksum and a number of results.

    It has run once before, in a session that is warm.
    """
    warm(session, "tables", task, run)
    first, (total, results) = clocked(run)
    longer = {**task, "minimum_ns": LONGER * task["minimum_ns"]}
    clock = repeated(lambda: clocked(run)[0], rows, longer)
    compiling = first["value"] / 1e9
    return clock | ELSEWHERE | {"checksum": total, "compile_seconds": compiling, "facts": {"outputs": results}}
