"""Windows for each slide of a table in Spark: our operator, window(), and panes as an expert writes them.

The input is that of a stream, as files with many rows of a key in each slide: a window by SQL ends where a pane with
rows does, so that keys without rows in a slide would have fewer windows. All windows that end by the last pane count.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.spark.measuring.actions import timed_action
from experiments.spark.measuring.checksum import checksum
from experiments.spark.measuring.inputs import SECOND, Stream, by_slide, write_stream
from experiments.spark.measuring.session import cores_of, session_for, window_of

SEED = 1


@measurement("spark_slides.time", unit="ns", session=cores_of, takes=window_of)
def time(cell: Cell, task: Mapping[str, Any]) -> dict[str, Any]:
    """Nanoseconds of the windows of all rows; a window is `window` slides of a second."""
    from pyspark.sql import functions as F

    from streaming.baselines import segment_tree

    session = session_for(cell)
    keys, rows, per_slide = (cell.stream[name] for name in ("keys", "rows", "per_slide"))
    stream = Stream(keys, cell.window, rows, 1, per_slide)
    start, end = (F.unix_micros(f"window_{border}") for border in ("start", "end"))
    with tempfile.TemporaryDirectory() as folder, segment_tree(session, True):

        def run() -> tuple[float, int]:
            windows = WAYS[cell.algorithm](session.read.parquet(folder), cell)
            return checksum(windows.where(end <= stream.slides * SECOND), "key", start, end, F.col(cell.operator))

        write_stream(Path(folder), stream, SEED)
        return timed_action(session, task, run, stream.rows)


def by_operator(rows: Any, cell: Cell) -> Any:
    """Our operator: slices in the workers, divided by key, and aggregated there by a compiled loop."""
    from streaming import sliding_aggregate

    own = {"algorithm": cell.parameters["window"], "kept": cell.parameters["kept"]}
    return sliding_aggregate(rows, **by_slide(cell.window, cell.operator), **own)


def by_window(rows: Any, cell: Cell) -> Any:
    """Spark's groupBy(window(...), key)."""
    from streaming import baselines

    return baselines.by_window(rows, **by_slide(cell.window, cell.operator))


def by_panes(rows: Any, cell: Cell) -> Any:
    """Two levels of Spark's groupBy(window(...), key)."""
    from streaming import baselines

    return baselines.by_panes(rows, **by_slide(cell.window, cell.operator))


def by_panes_in_sql(rows: Any, cell: Cell) -> Any:
    """Panes, and a SQL window function over them with the segment tree."""
    from streaming import baselines

    return baselines.by_panes_in_sql(rows, **by_slide(cell.window, cell.operator))


WAYS = {
    "sliding_by_slide": by_operator,
    "table_window": by_window,
    "table_panes": by_panes,
    "table_panes_sql": by_panes_in_sql,
}
