"""Our aggregate operator for Spark beside Spark's own ways: window() and panes of a stream, SQL windows of a table.

Not a figure of a paper: the statements (statements.yaml) are goals that this project has set itself. In the stream a
row is an update of a slice for us and for panes, and of size / slide groups for Spark's window(); a slice is an update
of one tree for us, and a pane of size / slide groups. In the table a row is a step of a queue for us, and for Spark a
walk over the frame, or over the height of a segment tree.
"""

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.fitting import largest, smallest
from experiments.harness.measured import (
    Measured,
    NotMeasuredError,
    Table,
    keyed,
    lines_of,
    ratio,
    values_of,
    where,
    without,
)
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings
from experiments.spark.deque import PUBLISHED
from experiments.spark.grid import points_of, spark_cell, spark_only
from experiments.spark.measuring.ways import ways

SPARK = ("spark_window", "spark_window_in_memory")
OURS = ("sliding_aggregate", "sliding_sink")
PANES = ("spark_panes", "spark_panes_state")
BY_SLIDE = "sliding_by_slide"
OF_SLIDES = ("table_window", "table_panes", "table_panes_sql")

SIZES = ("window", "keys", "rows", "per_slide")
"""Of a stream: size / slide, keys, rows of a trigger, and rows of a key in a slide."""

SIZES_OF_TABLE = ("window", "keys", "rows")
"""Rows of a window, keys, and rows of the table."""


@experiment("spark_operator", ways)
def spark_operator(settings: Settings) -> list[Cell]:
    """Streams and tables in every way that suits them, unless the profile leaves it out."""
    spark_only(settings)
    return [spark_cell(settings, way, sizes) for way in settings.algorithms for sizes in points_of(settings, way)]


def ours_over(measured: Measured, others: tuple[str, ...]) -> Table:
    """Rows a second of a stream in each of our ways over those of the fastest of some others."""
    table = measured.rate("algorithm", *SIZES, algorithm=[*OURS, *others])
    return each_of_ours(table, largest(where(table, algorithm=others), "algorithm"))


def each_of_ours(table: Table, other: Table) -> Table:
    """The numbers of each of our ways over those of another."""
    ours = [name for name in values_of(table, "algorithm") if name in OURS]
    if not ours:
        raise NotMeasuredError(f"no rows of {' or '.join(OURS)}")
    return pd.concat([keyed(ratio(lines_of(table, algorithm=name), other), "algorithm", name) for name in ours])


def over_spark(measured: Measured) -> Table:
    """Rows a second of a stream in each of our ways over those of Spark's window() in the faster of its stores."""
    return ours_over(measured, SPARK)


def in_largest_triggers(table: Table, *further: str) -> pd.Series:
    """Whether a line has the most rows a trigger that were measured at its size / slide, keys and further ones."""
    frame = table.index.to_frame(index=False)
    most = frame.groupby(["window", "keys", "per_slide", *further])["rows"].transform("max")
    return (frame["rows"] == most).set_axis(table.index)


@spark_operator.quantity
def stream_over_spark(measured: Measured) -> Table:
    """Rows a second in our ways over those of Spark's window(), with the largest triggers."""
    table = over_spark(measured)
    return table[in_largest_triggers(table)]


@spark_operator.quantity
def sustained_over_spark(measured: Measured) -> Table:
    """Rows a second in our ways over those of Spark's window(), each with the largest triggers measured of it.

    A stream that falls behind has larger triggers, until a way keeps up or cannot gain any more.
    """
    table = measured.rate("algorithm", *SIZES, algorithm=[*OURS, *SPARK])
    table = without(table[in_largest_triggers(table, "algorithm")], "rows")
    return each_of_ours(table, largest(where(table, algorithm=SPARK), "algorithm"))


@spark_operator.quantity
def stream_over_panes(measured: Measured) -> Table:
    """Rows a second in our ways over those of the faster of the ways with panes, with the largest triggers."""
    table = ours_over(measured, PANES)
    return table[in_largest_triggers(table)]


@spark_operator.quantity
def processor_time_over_panes(measured: Measured) -> Table:
    """Processor time of the steady triggers in our ways, for the same rows, over the least of the ways with panes."""
    table = measured.fact("cpu_seconds", "algorithm", *SIZES, metric="time", algorithm=[*OURS, *PANES])
    return each_of_ours(table, smallest(where(table, algorithm=PANES), "algorithm"))


@spark_operator.quantity
def state_over_panes(measured: Measured) -> Table:
    """Bytes of our operator's state over the fewest of the ways with panes, of both their levels."""
    table = measured.fact("state_bytes", "algorithm", *SIZES, metric="time", algorithm=[OURS[0], *PANES])
    return ratio(lines_of(table, algorithm=OURS[0]), smallest(where(table, algorithm=PANES), "algorithm"))


@spark_operator.quantity
def shuffled_over_panes(measured: Measured) -> Table:
    """Bytes that our ways write for shuffles, over the fewest of the ways with panes; with all rows of a query."""
    table = measured.fact("shuffled_bytes", "algorithm", *SIZES, metric="time", algorithm=[*OURS, *PANES])
    return each_of_ours(table, smallest(where(table, algorithm=PANES), "algorithm"))


@spark_operator.quantity
def state_of_spark_over_ours(measured: Measured) -> Table:
    """Bytes of state of Spark's window(), in the store that our operator needs, over those of our operator."""
    table = measured.fact("state_bytes", "algorithm", *SIZES, metric="time", algorithm=["spark_window", OURS[0]])
    return ratio(lines_of(table, algorithm="spark_window"), lines_of(table, algorithm=OURS[0]))


def by_row_over(measured: Measured, other: str, ours: str = "sliding_by_row") -> Table:
    """Rows a second of a table with our way to have a window for each row over those of another."""
    table = measured.rate("algorithm", *SIZES_OF_TABLE, algorithm=[ours, other])
    return ratio(lines_of(table, algorithm=ours), lines_of(table, algorithm=other))


@spark_operator.quantity
def table_over_segment_tree(measured: Measured) -> Table:
    """Rows a second of a table in our way over those of Spark's window function with its segment tree."""
    return by_row_over(measured, "sql_window_tree")


@spark_operator.quantity
def table_over_deque(measured: Measured) -> Table:
    """Rows a second of a table in our way over those of Spark's coming deque: the tree's, times what is published."""
    table = where(table_over_segment_tree(measured), window=PUBLISHED)
    faster = [PUBLISHED[window].faster for window in table.index.get_level_values("window")]
    return table.div(faster, axis=0)


@spark_operator.reason(table_over_deque)
def rates_beside_the_deque(measured: Measured) -> str:
    """Thousand rows a second of the deque, scaled by the tree of this run, and ours."""
    tree, ours = (
        1e3 * measured.rate("window", algorithm=name, window=list(PUBLISHED)).median(axis=1).groupby("window").median()
        for name in ("sql_window_tree", "sliding_by_row")
    )
    return "; ".join(
        f"at {window:,} rows the deque would have {PUBLISHED[window].faster * tree[window]:,.0f} thousand rows/s, by"
        f" the tree of this run; ours has {ours[window]:,.0f}"
        for window in tree.index.intersection(ours.index)
    )


@spark_operator.quantity
def table_of_slides_over_spark(measured: Measured) -> Table:
    """Rows a second of a table with windows for each slide in our way, over those of the fastest of Spark's ways."""
    table = measured.rate("algorithm", *SIZES_OF_TABLE, "per_slide", algorithm=[BY_SLIDE, *OF_SLIDES])
    return ratio(lines_of(table, algorithm=BY_SLIDE), largest(where(table, algorithm=OF_SLIDES), "algorithm"))


@spark_operator.quantity
def table_over_default(measured: Measured) -> Table:
    """Rows a second of a table in our way over those of Spark's window function as it is by default."""
    return by_row_over(measured, "sql_window")


@spark_operator.quantity
def table_over_pandas(measured: Measured) -> Table:
    """Rows a second of a table in our way over those of pandas' rolling, a key at a time."""
    return by_row_over(measured, "pandas_rolling")


@spark_operator.quantity
def range_over_segment_tree(measured: Measured) -> Table:
    """Rows a second of a table with windows by time in our way over those of Spark's window function over a range."""
    return by_row_over(measured, "sql_range_tree", "sliding_by_range")
