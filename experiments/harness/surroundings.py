"""What may disturb a measurement from outside: other load, stolen time, throttling; and whether a run was restless."""

import json
import math
import os
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # pandas takes a third of the time in which a worker starts
    import pandas as pd

REFERENCE_RUNS, REFERENCE_LENGTH = 5, 10_000
"""A fixed loop is timed so many times before a cell and after it: about 0.2 ms each."""

SLOW, PAUSE, PATIENCE = 1.35, 0.005, 0.3
"""A moment is slow if the fixed loop takes so many times as long as it did at best; seconds to wait, and in all.

Another guest on a core makes compiled loops 1.6 to 1.9 times as slow, mostly for 10 to 160 ms, and the fixed loop as
well, by 1.5 times at least; in other moments that varies by a fifth.
"""

DECIDING_NS = 20_000_000
"""A profile that times cells for less decides nothing, and does not wait for quick moments or warm sessions."""

RESTLESS_LOAD = 1.25
"""Load average for each core: above it, others were measured beside."""

RESTLESS_STEAL, RESTLESS_SPREAD = 0.02, 1.5
"""Share of processor time taken by other machines; the slowest over the median time of the fixed loop."""

RESTLESS_SHARE = 0.1
"""A run is restless if more than this share of its rows was disturbed."""


@cache
def of_the_processor() -> dict[str, Any]:
    """What does not change: the frequency policy, where the system shows it, and the cores that may be used."""
    policy = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return {"frequency_policy": policy.read_text().strip() if policy.is_file() else "not shown", "affinity": cores}


def _processor_time() -> tuple[int, int]:
    """Ticks of all cores, and of these stolen by other machines; zeros where the system does not tell."""
    try:
        ticks = [int(text) for text in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        return sum(ticks), ticks[7]
    except (OSError, ValueError, IndexError):
        return 0, 0


def _reference(runs: int = REFERENCE_RUNS) -> list[int]:
    times = []
    for _ in range(runs):
        start = time.perf_counter_ns()
        sum(range(REFERENCE_LENGTH))
        times.append(time.perf_counter_ns() - start)
    return times


class _Moments:
    """Nanoseconds of the fixed loop at best in this process; seconds waited in the present measurement, and at most."""

    best: float = math.inf
    waited: float = 0.0
    patience: float = PATIENCE


def wait_for_a_quick_moment() -> None:
    """Return when the fixed loop is about as quick as at best, or when the patience of this measurement is used up.

    The loop knows nothing of what is measured, so that waiting favours no algorithm. Not for use inside the clock.
    """
    while _is_slow() and _Moments.waited < _Moments.patience:
        time.sleep(PAUSE)
        _Moments.waited += PAUSE


def _is_slow() -> bool:
    now = min(_reference(2))
    _Moments.best = min(now, _Moments.best)
    return now > SLOW * _Moments.best


def process() -> str:
    """An id of this process that no later one has, even with the same number."""
    try:
        started = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        started = "0"
    return f"{os.getpid()}-{started}"


def watched(measure: Callable[[], dict[str, Any]], minimum_ns: int = DECIDING_NS) -> dict[str, Any]:
    """The columns of a measurement, with `process` and `surroundings` from right before it to right after it."""
    _Moments.patience = PATIENCE if minimum_ns >= DECIDING_NS else 0.0
    load, before, times = os.getloadavg()[0], _processor_time(), _reference()
    _Moments.waited = 0.0
    columns = measure()
    times += _reference()
    total, stolen = (after - earlier for after, earlier in zip(_processor_time(), before))
    found = {
        **of_the_processor(),
        "load_before": round(load, 2),
        "load_after": round(os.getloadavg()[0], 2),
        "steal": round(stolen / total, 4) if total else 0.0,
        "calibration_spread": round(max(times) / sorted(times)[len(times) // 2], 3),
        "waited": round(_Moments.waited, 3),
        "cores": os.cpu_count(),
    }
    return {**columns, "process": process(), "surroundings": json.dumps(found)}


def disturbed(text: str) -> list[str]:
    """What disturbed a row, in words, from its column `surroundings`; nothing if the row does not say."""
    known = json.loads(text)
    problems = []
    if max(known.get("load_before", 0), known.get("load_after", 0)) > RESTLESS_LOAD * known.get("cores", 1):
        problems.append("other load")
    if known.get("steal", 0) > RESTLESS_STEAL:
        problems.append("stolen processor time")
    if known.get("calibration_spread", 1) > RESTLESS_SPREAD:
        problems.append("an uneven clock rate")
    return problems


def restless(rows: "pd.DataFrame") -> str:
    """Why a run cannot be trusted as one on a quiet machine can, in a sentence; empty if it can."""
    timed = rows[~rows["counted"] & (rows["status"] == "ok")]
    if timed.empty:
        return ""
    found = timed["surroundings"].map(disturbed)
    share = (found.map(len) > 0).mean()
    if share <= RESTLESS_SHARE:
        return ""
    kinds = sorted({kind for problems in found for kind in problems})
    return f"restless machine: {' and '.join(kinds)} in {share:.0%} of the timed repetitions"


WHAT_TO_DO = "stop what runs beside, then measure again with force=true"
