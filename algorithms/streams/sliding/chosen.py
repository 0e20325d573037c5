"""The window of a SlidingAggregate("auto", ...): chosen by what its spec says of order, size and slide."""

from collections.abc import Iterable
from typing import Any

from algorithms.streams.sliding.extent_trigger import EveryTuples, WithinAnyOrder
from algorithms.streams.sliding.plan import Plan
from algorithms.streams.window_spec import COUNT, WindowSpec
from algorithms.windows.choosing.choice import Choice, choice

STAND_IN = "fiba"
"""A window of any order for every operator, with which a spec is read before the window is chosen."""

ENTRIES = 1024
"""Of a window by time, whose number of entries no one knows: as many as it has room for at first."""


def chosen_for(
    operators: Iterable[Any], plan: Plan, spec: WindowSpec, capacity: int | None, hints: dict[str, int]
) -> Choice:
    """The choice for all operators. Only a window that gets late tuples, at ends, must take any order."""
    entries = plan.extent.size if plan.by == COUNT else capacity or ENTRIES
    slide = plan.trigger.slide if isinstance(plan.trigger, EveryTuples) else 1
    distance = hints.get("distance")
    if not isinstance(plan.extent, WithinAnyOrder):
        distance = 0
    elif distance is not None:
        distance = max(1, distance)
    batch = hints.get("batch", max(1, min(slide, entries)))
    return choice(list(operators), entries, distance, batch, trial=hints.get("trial"))
