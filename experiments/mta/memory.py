"""Monoid Tree Aggregator, section 5.7, Figure 8: the largest window that a process of limited memory can fill."""

import json

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import in_order_only, point
from experiments.harness.old_judgement import NOT_REPRODUCED, PARTLY, REPRODUCED, Judgement, NotMeasuredError, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, whole_numbers
from experiments.mta.constant import STORED

SMALL_PART = 1 / 8
"""A small fraction of the memory; in the paper 0.5 of 16 and 32 GB."""


@experiment("mta_memory")
def mta_memory(settings: Settings) -> list[Cell]:
    """A process for each algorithm and limit; the window is the capacity that it wants."""
    in_order_only(settings)
    capacity = settings.window or settings.sizes["capacity"]
    return [
        point(settings, algorithm, operator, capacity, 0, measurement="limited.reached", asked={"memory": limit})
        for operator in settings.operators
        for limit in whole_numbers("sizes.memory", settings.sizes["memory"], 1)
        for algorithm in settings.algorithms
    ]


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """Elements reached: a line for each algorithm, columns MB given. Raises NotMeasuredError."""
    reached = rows[(rows["metric"] == "reached") & rows["value"].notna()]
    if reached.empty:
        raise NotMeasuredError("no process was given a limit")
    memory = [json.loads(text)["memory"] for text in reached["workload_parameters"]]
    return reached.assign(memory=memory).pivot_table(index="algorithm", columns="memory", values="value", aggfunc="min")


def _needed(reached: pd.DataFrame, capacity: int) -> pd.Series:
    """The least memory that lets each algorithm reach the capacity; those that never do are left out."""
    return reached.apply(lambda line: min(line.index[line >= capacity], default=None), axis=1).dropna()


@mta_memory.claim("Figure 8", "More memory gives larger windows, up to the capacity", "all series rise to 2^25")
def grows_with_memory(rows: pd.DataFrame) -> Judgement:
    reached = table(rows).dropna(axis=1)
    if reached.shape[1] < 2:
        raise NotMeasuredError("needs two limits")
    capacity = int(rows["window"].max())
    holds = reached.apply(lambda line: line.is_monotonic_increasing and line.iloc[-1] > line.iloc[0], axis=1)
    needed = _needed(reached, capacity)
    text = ", ".join(f"{name} {value:,.0f} MB" for name, value in needed.items()) or "none"
    return share(holds, f"the capacity of {capacity:,} is reached with: {text}", "all limits give the same window")


@mta_memory.claim("Figure 8", "In memory, MTA needs no more than DABA", "32 GB each")
def no_more_than_daba(rows: pd.DataFrame) -> Judgement:
    reached = table(rows)
    in_memory = [name for name in STORED.values() if name in reached.index]
    if "daba" not in reached.index or not in_memory:
        raise NotMeasuredError("needs DABA and MTA in memory")
    holds = (reached.loc[in_memory] >= reached.loc["daba"]).all(axis=1)
    text = ", ".join(
        f"{name} reaches as much as DABA with {len(reached.columns)} limits" for name in holds.index[holds]
    )
    return share(holds, text or "each reaches less with some limit", "Log MTA has as many nodes as elements above them")


@mta_memory.claim("Figure 8", "In memory, the resident set grows as the bytes of the window", "not printed")
def resident_as_bytes(rows: pd.DataFrame) -> Judgement:
    in_memory = rows[(rows["metric"] == "reached") & ~rows["algorithm"].isin(list(STORED))]
    facts = [json.loads(text) for text in in_memory["facts"]]
    facts = [process for process in facts if process.get("bytes", 0) >= 1 << 23]
    if not facts:
        raise NotMeasuredError("needs a window of 8 MB")
    ratio = pd.Series([process["resident"] / process["bytes"] for process in facts])
    text = f"resident over exact bytes {ratio.min():.2f} to {ratio.max():.2f} (as: 0.5 to 1.25)"
    return share(ratio.between(0.5, 1.25), text, "what is reserved and never touched takes no memory")


@mta_memory.claim(
    "Figure 8", "In a key-value store the capacity is reached with a small fraction of the memory", "0.5 of 32 GB"
)
def store_needs_little(rows: pd.DataFrame) -> Judgement:
    reached, capacity = table(rows), int(rows["window"].max())
    stored = [name for name in STORED if name in reached.index]
    in_memory = [name for name in reached.index if name not in STORED]
    if not stored or not in_memory:
        raise NotMeasuredError("needs a window in a key-value store and one in memory")
    needed = _needed(reached, capacity)
    least = needed.reindex(in_memory).min()
    if pd.isna(least):
        least = 2 * max(reached.columns)  # at least: none in memory reached it
    fractions = needed.reindex(stored) / least
    text = ", ".join(f"{name} {value:.3f}" for name, value in fractions.items())
    verdict = REPRODUCED if (fractions <= SMALL_PART).all() else PARTLY if fractions.notna().all() else NOT_REPRODUCED
    reason = "" if verdict == REPRODUCED else "limits are too far apart, or buffers and caches weigh in a small window"
    return Judgement(verdict, f"of the least that one in memory needs: {text} (small: {SMALL_PART:.3f})", reason)
