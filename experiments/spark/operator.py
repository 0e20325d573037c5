"""Our aggregate operator for Spark beside Spark's own ways: window() of a stream, SQL window functions of a table.

Not a figure of a paper: the claims are goals that this project has set itself. In the stream a row is an update of one
tree for us, and of size / slide groups for Spark; in the table it is a step of a queue for us, and for Spark a walk
over the frame, or over the height of a segment tree.
"""

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.old_judgement import Judgement, NotMeasuredError
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError
from experiments.spark.grid import sizes_of, spark_cell, spark_only
from experiments.spark.judging import at_least, medians, quotient, rates
from experiments.spark.measuring.ways import BY_ROW, STREAM, WAYS, ways
from safeguards.wrong_input import unknown

SPARK = ("spark_window", "spark_window_in_memory")
OURS = {"sliding_aggregate": "its state in Spark's store", "sliding_sink": "a sink with state files of its own"}
GOALS = {10: 1.0, 100: 5.0, 600: 20.0}
"""How many times as fast as Spark's own way a stream should be, by size / slide."""

OVER_TREE = 1.5
"""How many times as fast as a segment tree a table should be."""

OUTPUT_COSTS = "what both pay alike weighs in: a trigger's fixed half second, and results that Spark writes"
STAGES = "a trigger takes half a second however few its rows are, and ours runs Python in three of its stages"
SHUFFLE_COSTS = "what both pay alike weighs in: reading and shuffle of the rows"


@experiment("spark_operator", ways)
def spark_operator(settings: Settings) -> list[Cell]:
    """Streams and tables in every way that suits them, up to the largest window that the profile asks of it."""
    spark_only(settings)
    largest = settings.sizes.get("most", {})
    for name in largest:
        if name not in WAYS:
            raise SettingsError(unknown("algorithm in most", name, WAYS))
    cells = [spark_cell(settings, way, sizes) for way in settings.algorithms for sizes in sizes_of(settings, way)]
    return [cell for cell in cells if cell.window <= largest.get(cell.algorithm, cell.window)]


def streams(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows a second of streams, by size / slide, keys, and rows of a trigger. Raises NotMeasuredError."""
    of_streams = rows[rows["algorithm"].isin([name for name, way in WAYS.items() if way.does == STREAM])]
    return rates(of_streams, "window", "keys", "rows")


def tables(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows a second of tables, by the rows of a window. Raises NotMeasuredError."""
    return rates(rows[rows["algorithm"].isin([name for name, way in WAYS.items() if way.does == BY_ROW])], "window")


def ratios_at(ratios: pd.Series, window: int, largest: bool = True) -> pd.Series:
    """The ratios at one size / slide, for each number of keys with the largest triggers, or with all that are smaller.

    Raises NotMeasuredError if there are none.
    """
    at_window = ratios[ratios.index.get_level_values("window") == window].droplevel("window")
    rows = at_window.index.get_level_values("rows").to_series(index=at_window.index)
    at_window = at_window[(rows == rows.groupby("keys").transform("max")) == largest]
    if at_window.empty:
        raise NotMeasuredError(f"size / slide = {window} is not measured{'' if largest else ' so'} at this profile")
    return at_window


for _name, _state in OURS.items():
    for _window, _goal in GOALS.items():

        @spark_operator.claim(
            "goal: stream",
            f"{_name} ({_state}) is at least {_goal:g} times as fast as Spark's window() at size / slide = {_window}",
            f"{_goal:g}, a goal of this project",
        )
        def _(rows: pd.DataFrame, name: str = _name, window: int = _window, goal: float = _goal) -> Judgement:
            return at_least(ratios_at(quotient(streams(rows), name, SPARK), window), goal, OUTPUT_COSTS)


for _name in OURS:

    @spark_operator.claim(
        "goal: stream",
        f"{_name} is no slower than Spark's window() at size / slide = 10 with small triggers, too",
        "1, a goal of this project",
    )
    def _(rows: pd.DataFrame, name: str = _name) -> Judgement:
        return at_least(ratios_at(quotient(streams(rows), name, SPARK), 10, largest=False), 1, STAGES)


@spark_operator.claim(
    "goal: stream", "sliding_aggregate keeps no more bytes of state than Spark's window()", "1, a goal of this project"
)
def state_bytes(rows: pd.DataFrame) -> Judgement:
    table = medians(rows, "state_bytes", "window", "keys", "rows")
    reason = "we keep the rows of a window, Spark its groups: with few keys there are fewer groups than rows"
    return at_least(1 / quotient(table, "sliding_aggregate", ("spark_window",), "min"), 1, reason)


@spark_operator.claim(
    "goal: table",
    f"A window for each row is at least {OVER_TREE:g} times as fast as with Spark's segment tree",
    f"{OVER_TREE:g}, a goal of this project",
)
def over_the_tree(rows: pd.DataFrame) -> Judgement:
    return at_least(quotient(tables(rows), "sliding_by_row", ("sql_window_tree",)), OVER_TREE, SHUFFLE_COSTS)


@spark_operator.claim(
    "goal: table", "It is faster than Spark's window functions as they are by default", "1, a goal of this project"
)
def over_the_default(rows: pd.DataFrame) -> Judgement:
    return at_least(quotient(tables(rows), "sliding_by_row", ("sql_window",)), 1, SHUFFLE_COSTS)
