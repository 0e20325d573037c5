"""A trace replayed through a window of a time span, in its order of arrival."""

import functools
from collections.abc import Callable
from typing import Any

from algorithms.kernel import Slots, as_slots
from experiments.harness.cell import REPLAY, Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring import drivers
from experiments.harness.measuring.rig import compiled, new_window, timed_laps
from experiments.harness.traces import facts_of, most_in_span, span_of, trace_of


def most_of(cell: Cell) -> int:
    """The most entries that the window holds at once."""
    return most_in_span(*cell.source, span_of(cell))


@functools.lru_cache(maxsize=1)
def _columns_of(name: str, parameters: str) -> tuple[Slots, Slots]:
    """Times and values of a trace, for compiled loops, which only read them: the values lie in the trace itself.

    Times count from the earliest: none is negative, so that newest - span stays within 64 bits.
    """
    trace = trace_of(name, parameters)
    return as_slots(trace.times - trace.times.min()), as_slots(trace.values)


@measurement(REPLAY, unit="ns", replays=True, entries=most_of)
def time(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The whole trace through an empty window, again and again until the minimum duration is reached."""
    source = cell.source
    trace = trace_of(*source)
    if trace.hash != task["trace_hash"]:
        raise ValueError(f"the data of workload {cell.workload} changed while the experiment was running")
    (times, values), items, span = _columns_of(*source), len(trace), span_of(cell)
    seconds = compiled(lambda: drivers.replay(new_window(cell), times, values, 0, span))
    total, late = drivers.replay(new_window(cell), times, values, items, span)

    def lap() -> Callable[[], Any]:
        w = new_window(cell)
        return lambda: drivers.replay(w, times, values, items, span)

    return {
        **timed_laps(lap, items, task),
        "checksum": float(total),
        "compile_seconds": seconds,
        "facts": {**facts_of(*source), "late": int(late), "entries": cell.entries},
    }
