"""The README's table of windows on Spark, from measured rows: thousand rows a second of each way, in Markdown.

python -m plots.spark_table [FOLDER OF ROWS] [PROFILE]     results/data and laptop, unless told otherwise

Medians over repetitions. Each way counts with the most rows in a trigger, or in the table, that were measured of it at
these sizes, and Spark's window() with the faster of its state stores; the quickest of a column is bold.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from plots.columns import column
from plots.markdown_tables import NoRowsError, lines_of_table, printed
from results import OK
from results.laps import typical_values
from results.origin import of_one_origin

EXPERIMENT = "spark_operator"

STREAM = {
    "sliding_aggregate": "`sliding_aggregate`",
    "sliding_sink": "`SlidingAggregateSink`",
    "spark_window": "Spark's `window()`",
    "spark_window_in_memory": "Spark's `window()`",
    "spark_panes": "panes: two levels of `window()`",
    "spark_panes_state": "panes: a state of one's own, or SQL",
}
BY_SLIDE = {
    "sliding_by_slide": "`sliding_aggregate`",
    "table_window": "Spark's `window()`",
    "table_panes": "panes: two levels of `window()`",
    "table_panes_sql": "panes: a state of one's own, or SQL",
}
BY_ROW = {
    "sliding_by_row": "`sliding_aggregate`",
    "sql_window": "SQL window function",
    "sql_window_tree": "SQL window function, segment tree",
    "pandas_rolling": "pandas' rolling in `applyInPandas`",
}
"""The lines of the table, by the ways that are in them."""


class Point(NamedTuple):
    """A column of the table: its title, the lines of its ways, and where they were measured."""

    title: str
    lines: Mapping[str, str]
    window: int
    sizes: Mapping[str, Any]


POINTS = (
    Point("stream, size/slide 10", STREAM, 10, {"keys": 1000, "per_slide": 1}),
    Point("100", STREAM, 100, {"keys": 1000, "per_slide": 1}),
    Point("600", STREAM, 600, {"keys": 1000, "per_slide": 1}),
    Point("60, with 400 rows of a key in a slide", STREAM, 60, {"keys": 10, "per_slide": 400}),
    Point("table, a window for each slide, the same", BY_SLIDE, 60, {"keys": 10, "per_slide": 400}),
    Point("60, with 20 rows", BY_SLIDE, 60, {"keys": 1000, "per_slide": 20}),
    Point("table, a window of 1,000 rows for each row", BY_ROW, 1000, {}),
    Point("of 100,000 rows", BY_ROW, 100_000, {}),
)


def rates(rows: pd.DataFrame) -> pd.DataFrame:
    """Thousand rows a second: a line for each way or group of ways, a column for each point that has rows."""
    columns = {}
    for point in POINTS:
        found = rows[(rows["window"] == point.window) & rows["algorithm"].isin(list(point.lines))]
        for name, value in point.sizes.items():
            found = found[column(found, f"workload_parameters.{name}") == value]
        if found.empty:
            continue
        found = found.assign(
            rate=1e6 * found["operations"] / typical_values(found),
            most=column(found, "workload_parameters.rows").astype(int),
        )
        found = found[found["most"] == found.groupby("algorithm")["most"].transform("max")]
        of_each = found.groupby("algorithm")["rate"].median()
        columns[point.title] = of_each.groupby(point.lines).max()
    if not columns:
        raise NoRowsError(f"no rows of {EXPERIMENT}: python run.py experiment={EXPERIMENT}")
    order = list(dict.fromkeys(line for lines in (STREAM, BY_SLIDE, BY_ROW) for line in lines.values()))
    table = pd.DataFrame(columns)
    return table.reindex([line for line in order if line in table.index])


def markdown(rows: pd.DataFrame) -> str:
    """The table. Raises NoRowsError."""
    table = rates(of_one_origin(rows[rows["status"] == OK]))
    most = table.max()
    lines = [["thousand rows/s", *table.columns]]
    lines += [[str(name), *map(_cell, line, most)] for name, line in table.iterrows()]
    return "\n".join(lines_of_table(lines)) + "\n"


def _cell(rate: float, most: float) -> str:
    if pd.isna(rate):
        return "–"
    text = f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"
    return f"**{text}**" if rate == most else text


if __name__ == "__main__":
    printed(EXPERIMENT, markdown)
