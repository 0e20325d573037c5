"""The ways to aggregate sliding windows in Spark that are compared: ours and Spark's own, by name."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from algorithms.window import catalogue

STREAM, BY_ROW, JOBS = "spark_streams", "spark_rows", "spark_jobs"
"""What a way does: windows of a stream for each slide; a window for each row of a table; cells as jobs of Spark. The
module beside this one that measures it."""


class Way(NamedTuple):
    """A way to aggregate. `window`: the window of the catalogue that it uses unless told otherwise; "" if none."""

    does: str
    ours: bool
    window: str = ""

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters with defaults filled in. Raises ValueError for one that the way has not."""
        known = {"window": self.window} if self.window else {}
        for name in given:
            if name not in known:
                offer = f"it has {', '.join(known)}" if known else "this one has none"
                raise ValueError(f"a way to aggregate in Spark has no parameter {name!r}; {offer}")
        if given.get("window", self.window) not in ("", *catalogue()):
            raise ValueError(f"window is {given['window']!r}; it must be one of {', '.join(catalogue())}")
        return {**known, **given}


WAYS = {
    "sliding_aggregate": Way(STREAM, True, "fiba"),
    "sliding_sink": Way(STREAM, True, "fiba"),
    "spark_window": Way(STREAM, False),
    "spark_window_in_memory": Way(STREAM, False),
    "sliding_by_row": Way(BY_ROW, True, "two_stacks_lite"),
    "sql_window": Way(BY_ROW, False),
    "sql_window_tree": Way(BY_ROW, False),
    "cells": Way(JOBS, True, "fiba"),
}


def ways() -> dict[str, Way]:
    """Every way by name."""
    return WAYS
