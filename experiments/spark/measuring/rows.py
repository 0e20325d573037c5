"""A window for each row of a table in Spark: our operator, and SQL window functions with a segment tree and without.

The input is a Parquet file, in random order; each way sorts it by key and time itself.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.spark.measuring.actions import timed_action
from experiments.spark.measuring.checksum import checksum
from experiments.spark.measuring.inputs import write_table
from experiments.spark.measuring.session import cores_of, session_for, window_of

SEED = 1

COLUMNS = {"key": "key", "time": "time", "value": "value"}


@measurement("spark_rows.time", unit="ns", session=cores_of, takes=window_of)
def time(cell: Cell, task: Mapping[str, Any]) -> dict[str, Any]:
    """Nanoseconds of the aggregates of all rows; a window is the last `window` rows of a key."""
    from pyspark.sql import functions as F

    from streaming.baselines import segment_tree

    session = session_for(cell)
    keys, rows = cell.stream["keys"], cell.stream["rows"]
    with tempfile.TemporaryDirectory() as folder, segment_tree(session, cell.algorithm.endswith("_tree")):

        def run() -> tuple[float, int]:
            results = WAYS[cell.algorithm](session.read.parquet(folder), cell)
            return checksum(results, "key", "time", F.col(cell.operator))

        write_table(Path(folder), keys, rows, SEED)
        return timed_action(session, task, run, rows)


def by_operator(frame: Any, cell: Cell, by: str = "count") -> Any:
    """Our operator: sorted by key and time in the workers, and aggregated there by a compiled loop (mapInArrow)."""
    from streaming import sliding_aggregate

    algorithm = cell.parameters["window"]
    spec = {"size": cell.window, "by": by, "slide": "row", "operator": cell.operator, "algorithm": algorithm}
    return sliding_aggregate(frame, **COLUMNS, **spec)


def by_spark(frame: Any, cell: Cell) -> Any:
    """A SQL window function."""
    from streaming.baselines import by_row

    return by_row(frame, **COLUMNS, rows=cell.window, operator=cell.operator)


def by_operator_over_range(frame: Any, cell: Cell) -> Any:
    """Our operator with a window by time, which holds as many rows here: a key has a row at each time."""
    return by_operator(frame, cell, by="time")


def by_range(frame: Any, cell: Cell) -> Any:
    """A SQL window function over a range of time."""
    from streaming import baselines

    return baselines.by_range(frame, **COLUMNS, span=cell.window, operator=cell.operator)


def by_pandas(frame: Any, cell: Cell) -> Any:
    """pandas' rolling, a key at a time (applyInPandas)."""
    from streaming import baselines

    return baselines.by_pandas(frame, **COLUMNS, rows=cell.window, operator=cell.operator)


WAYS = {
    "sliding_by_row": by_operator,
    "sql_window": by_spark,
    "sql_window_tree": by_spark,
    "sliding_by_range": by_operator_over_range,
    "sql_range_tree": by_range,
    "pandas_rolling": by_pandas,
}
