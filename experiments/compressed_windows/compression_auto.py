"""Beyond the compressed-windows paper, which names both as future work: other codecs, and a D chosen at run time.

The stream of `compression` is fed without waiting, so that throughput is what A_C can do. Each codec is measured with
each D; and a controller (algorithms.streams.compressed.controller) picks D for a budget of memory, by the paper's
accounting, or for a bound on latency. It is judged by what D's that are fixed from beginning to end make of the same
goal: it must keep to the goal wherever one of them does, and come near the best of those that do.
"""

from collections.abc import Callable

import pandas as pd

from experiments.compressed_windows.grid import ages_of, fed_cell
from experiments.compressed_windows.judging import located
from experiments.compressed_windows.measuring.aggregates import LATENCY, MEMORY, aggregates, goal_of
from experiments.harness.cell import Cell
from experiments.harness.old_judgement import (
    NOT_REPRODUCED,
    PARTLY,
    REPRODUCED,
    Judgement,
    NotMeasuredError,
    judged,
    share,
)
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError

CONTROLLED = "a_c_controlled"

NEAR_BEST_THROUGHPUT = 0.8
"""Of the best fixed D that keeps to the budget: what the controller must reach."""

NEAR_BEST_MEMORY = 1.5
"""Times the least memory of a fixed D that keeps to the bound, means over the run: what the controller may take."""

DENSE, FAST = "zstd", ("snappy", "lz4")


@experiment("compression_auto", aggregates)
def compression_auto(settings: Settings) -> list[Cell]:
    """A cell for each codec and D, and for each codec with a controller and goal."""
    return [
        fed_cell(settings, algorithm, age)
        for algorithm in settings.algorithms
        for age in (goals_of(settings) if algorithm["name"] == CONTROLLED else ages_of(settings))
    ]


def goals_of(settings: Settings) -> list[str]:
    """What the controller is to keep to. Raises SettingsError."""
    goals = settings.sizes["goals"]
    if not isinstance(goals, list | tuple) or not goals:
        raise SettingsError(f"sizes.goals is {goals!r}; it must be a list such as [memory<=8MB, latency<=5ms]")
    for text in goals:
        goal = goal_of(text)
        if goal is None or goal.bound <= 0:
            raise SettingsError(f"sizes.goals has {text!r}; a goal is such as memory<=8MB or latency<=5ms")
    return list(dict.fromkeys(goals))


COST = {MEMORY: "throughput", LATENCY: "mean_memory"}
"""What is to be had at the goal: as much throughput, or as little memory over the whole run, as can be."""

BOUNDED = {MEMORY: "most_memory", LATENCY: "latency"}

FACTS = ("memory", "most_memory", "mean_memory", "latency")


def medians(rows: pd.DataFrame) -> pd.DataFrame:
    """A line for each algorithm, codec and D as the cell has it: medians of throughput and of the facts judged here.

    Raises NotMeasuredError where there are no rows.
    """
    fed_rows = located(rows)
    if fed_rows.empty:
        raise NotMeasuredError("nothing was fed")
    for name in FACTS:
        fed_rows[name] = [facts.get(name, float("nan")) for facts in fed_rows["facts"]]
    groups = fed_rows.groupby(["algorithm", "codec", "age"])
    return groups[["throughput", *FACTS]].median().reset_index()


def against_fixed(rows: pd.DataFrame, kind: str) -> pd.DataFrame:
    """A line for each goal of this kind that some fixed D of the same codec keeps to.

    Columns: `part`, what the controller had of the bound; `ratio`, its throughput or memory over that of the best
    fixed D that keeps to the goal; `best`, that D. Raises NotMeasuredError where there is none.
    """
    table = medians(rows).dropna(subset=[BOUNDED[kind], COST[kind]])
    controlled = table[table["algorithm"] == CONTROLLED]
    lines = {}
    for row in controlled.itertuples():
        goal = goal_of(row.age)
        if goal.quantity != kind:
            continue
        fixed = table[(table["algorithm"] != CONTROLLED) & (table["codec"] == row.codec)]
        keeping = fixed[fixed[BOUNDED[kind]] <= goal.bound]
        if keeping.empty:
            continue
        costs = keeping[COST[kind]]
        best = keeping.loc[costs.idxmax() if kind == MEMORY else costs.idxmin()]
        share_of_bound, ratio = getattr(row, BOUNDED[kind]) / goal.bound, getattr(row, COST[kind]) / best[COST[kind]]
        lines[f"{row.age} ({row.codec})"] = share_of_bound, ratio, best["age"]
    if not lines:
        raise NotMeasuredError(f"there is no goal of {kind} that a fixed D keeps to, with a controller beside it")
    return pd.DataFrame(lines, index=["part", "ratio", "best"]).T


def _listed(table: pd.DataFrame, column: str, form: str) -> str:
    return ", ".join(f"{form.format(value)} for {goal}" for goal, value in table[column].items())


def _keeps(rows: pd.DataFrame, kind: str, heading: str, reason: str) -> Judgement:
    """How many goals of a kind the controller keeps to, of those that a fixed D keeps to."""
    table = against_fixed(rows, kind)
    return share(table["part"] <= 1, f"{heading}: {_listed(table, 'part', '{:.0%}')}", reason)


def _near(rows: pd.DataFrame, kind: str, enough: Callable[[pd.Series], pd.Series], form: str, reason: str) -> Judgement:
    """At how many goals of a kind it keeps to it comes near the best fixed D; breaking one would buy what is judged."""
    table = against_fixed(rows, kind)
    best = ", ".join(dict.fromkeys(f"D = {age}" for age in table["best"]))
    text = f"{_listed(table, 'ratio', form)}; best: {best}"
    return share(enough(table["ratio"]) & (table["part"] <= 1), text, reason)


@compression_auto.claim(
    "future work", "The controller keeps to the budget of memory wherever a fixed D does", "not in the paper"
)
def keeps_to_budget(rows: pd.DataFrame) -> Judgement:
    return _keeps(rows, MEMORY, "most memory, of the budget", "more came in one block than the controller keeps free")


@compression_auto.claim(
    "future work",
    f"At a budget of memory it has {NEAR_BEST_THROUGHPUT} of the best fixed D's throughput",
    "not in the paper",
)
def near_the_best_throughput(rows: pd.DataFrame) -> Judgement:
    reason = "windows compressed early are decompressed at each output"
    return _near(rows, MEMORY, lambda ratio: ratio >= NEAR_BEST_THROUGHPUT, "{:.2f} of it", reason)


@compression_auto.claim(
    "future work", "The controller keeps to the bound on latency wherever a fixed D does", "not in the paper"
)
def keeps_to_bound(rows: pd.DataFrame) -> Judgement:
    reason = "a window that is compressed stays so until its vehicle reports again"
    return _keeps(rows, LATENCY, "mean latency, of the bound", reason)


@compression_auto.claim(
    "future work",
    f"At a bound on latency it takes at most {NEAR_BEST_MEMORY} of the best fixed D's memory",
    "not in the paper",
)
def near_the_best_memory(rows: pd.DataFrame) -> Judgement:
    reason = "it leaves a margin below the bound, which costs memory"
    return _near(rows, LATENCY, lambda ratio: ratio <= NEAR_BEST_MEMORY, "{:.2f} times it, mean over the run", reason)


def _codecs(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """A line for each D that compresses, columns codecs. Raises NotMeasuredError unless all were measured."""
    table = medians(rows)
    table = table[(table["algorithm"] != CONTROLLED) & (table["age"] != "inf")]
    of_codecs = table.pivot_table(index="age", columns="codec", values=name)
    if missing := [codec for codec in (DENSE, *FAST) if codec not in of_codecs]:
        raise NotMeasuredError(f"no rows of {', '.join(missing)}")
    return of_codecs.dropna()


@compression_auto.claim("future work", "Zstandard needs the least memory of the codecs", "not in the paper")
def dense_codec(rows: pd.DataFrame) -> Judgement:
    table = _codecs(rows, "memory")
    ratio = table[DENSE] / table[list(FAST)].min(axis=1)
    text = f"of the better of Snappy and LZ4: {ratio.min():.2f} to {ratio.max():.2f}"
    return share(ratio < 1, text, "windows are short, and a frame of Zstandard has a header")


@compression_auto.claim("future work", "Snappy and LZ4 have more throughput than Zstandard", "not in the paper")
def fast_codecs(rows: pd.DataFrame) -> Judgement:
    table = _codecs(rows, "throughput")
    ratio = table[list(FAST)].min(axis=1) / table[DENSE]
    best, worst = ratio.max(), ratio.min()
    verdict = REPRODUCED if worst > 1 else PARTLY if best > 1 else NOT_REPRODUCED
    reason = "the call of a codec costs about as much as its work on a short window"
    return judged(verdict, f"the slower of them over Zstandard: {worst:.2f} to {best:.2f}", reason)
