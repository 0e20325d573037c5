"""The aggregates that the compression experiments compare, and the texts by which rows give their D and rate."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from algorithms.streams.compressed.controller import LATENCY, MEMORY
from algorithms.streams.compressed.packed import CODECS
from algorithms.streams.compressed.serial import LAYOUTS

INFINITE = "inf"
"""The D of the ordinary aggregate, as rows have it: JSON has no infinity."""

SATURATING = "saturating"
"""The rate of a stream whose tuples are never waited for."""

GOAL = re.compile(r"(?:(memory)<=(\d+(?:\.\d+)?)MB|(latency)<=(\d+(?:\.\d+)?)ms)")
"""A D that a controller chooses, written as the controller's goal."""


class Contestant(NamedTuple):
    """An aggregate of the experiments: A_C, or A_C with a controller."""

    title: str

    def complete(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters with the defaults filled in. Raises ValueError."""
        for name in parameters:
            if name not in ("codec", "level", "layout"):
                own = "codec, level and layout"
                raise ValueError(f"{self.title} has no parameter {name!r}; it has {own}, and D is in sizes.D")
        completed = {"codec": CODECS[0], "layout": LAYOUTS[0], **parameters}
        for name, known in (("codec", CODECS), ("layout", LAYOUTS)):
            if completed[name] not in known:
                raise ValueError(f"{self.title}: {name} is {completed[name]!r}; it must be {', '.join(known)}")
        return completed


AGGREGATES = {"a_c": Contestant("A_C"), "a_c_controlled": Contestant("A_C with a controller")}


def aggregates() -> dict[str, Contestant]:
    """Every aggregate by name."""
    return AGGREGATES


class Goal(NamedTuple):
    """The goal of a controller: MEMORY and bytes, or LATENCY and ns."""

    quantity: str
    bound: float


def goal_of(age: str | float) -> Goal | None:
    """The goal that a D is written as; None if it is a number or INFINITE."""
    if not isinstance(age, str) or not (match := GOAL.fullmatch(age)):
        return None
    memory, megabytes, _, milliseconds = match.groups()
    return Goal(MEMORY, 1e6 * float(megabytes)) if memory else Goal(LATENCY, 1e6 * float(milliseconds))
