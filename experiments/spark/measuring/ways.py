"""The ways to aggregate sliding windows in Spark that are compared: ours and Spark's own, by name."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from algorithms.windows.contract import catalogue
from safeguards.wrong_input import is_whole
from streaming.aggregation import ROWS, SLICES
from streaming.request import MOST_BUCKETS, default_buckets

STREAM, BY_ROW, BY_SLIDE = "spark_streams", "spark_rows", "spark_slides"
JOBS, TABLE = "spark_jobs", "spark_tables"
"""The tasks of the ways: windows of a stream for each slide; a window for each row of a table, or for each slide; cells
as jobs of Spark; windows of a large table for each slide. The names of their measurements begin so."""


PARTITIONS = 2
"""Of a shuffle, in the sessions that are measured: as many as there are cores at most."""

BUCKETS = default_buckets(PARTITIONS)
"""How many buckets the state of a stream has unless an experiment says: as many as a user gets who does not say."""


class Way(NamedTuple):
    """A way to aggregate, and its parameters with their defaults: `window`, of the catalogue, and state `buckets`."""

    does: str
    ours: bool
    parameters: Mapping[str, Any] = {}

    def complete(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters with defaults filled in. Raises ValueError for an unknown or a wrong one."""
        for name in parameters:
            if name not in self.parameters:
                offer = f"it has {', '.join(self.parameters)}" if self.parameters else "this one has none"
                raise ValueError(f"a way to aggregate in Spark has no parameter {name!r}; {offer}")
        complete = {**self.parameters, **parameters}
        if complete.get("window", "fiba") not in catalogue():
            raise ValueError(f"window is {complete['window']!r}; it must be one of {', '.join(catalogue())}")
        buckets = complete.get("buckets", 1)
        if not is_whole(buckets) or not 1 <= buckets <= MOST_BUCKETS:
            raise ValueError(f"buckets is {buckets!r}; it must be a whole number from 1 to {MOST_BUCKETS}")
        if complete.get("kept", ROWS) not in (ROWS, SLICES):
            raise ValueError(f"kept is {complete['kept']!r}; it must be {ROWS} or {SLICES}")
        return complete


WAYS = {
    "sliding_aggregate": Way(STREAM, True, {"window": "fiba", "buckets": BUCKETS}),
    "sliding_sink": Way(STREAM, True, {"window": "fiba", "buckets": BUCKETS}),
    "spark_window": Way(STREAM, False),
    "spark_window_in_memory": Way(STREAM, False),
    "spark_panes": Way(STREAM, False),
    "spark_panes_state": Way(STREAM, False),
    "sliding_by_row": Way(BY_ROW, True, {"window": "two_stacks_lite"}),
    "sql_window": Way(BY_ROW, False),
    "sql_window_tree": Way(BY_ROW, False),
    "sliding_by_range": Way(BY_ROW, True, {"window": "two_stacks_lite"}),
    "sql_range_tree": Way(BY_ROW, False),
    "pandas_rolling": Way(BY_ROW, False),
    "sliding_table": Way(TABLE, True, {"window": "two_stacks_lite", "kept": ROWS}),
    "sliding_by_slide": Way(BY_SLIDE, True, {"window": "two_stacks_lite", "kept": SLICES}),
    "table_window": Way(BY_SLIDE, False),
    "table_panes": Way(BY_SLIDE, False),
    "table_panes_sql": Way(BY_SLIDE, False),
    "cells": Way(JOBS, True, {"window": "fiba"}),
}


def ways() -> dict[str, Way]:
    """Every way by name."""
    return WAYS
