"""Cutty, Figure 8: up to a hundred periodic queries on one stream, through six techniques."""

import json

import pandas as pd

from experiments.cutty.grid import cell_on_stream, streams_only
from experiments.cutty.judging import (
    in_words,
    judged,
    least,
    of_technique,
    over_queries,
    quotient,
    ratio,
    share_of_folding,
    within,
)
from experiments.cutty.measuring.counts import COUNTED
from experiments.cutty.measuring.queries import ONE_SLICE, PERIODIC, ranges_and_slides
from experiments.cutty.measuring.techniques import techniques
from experiments.harness.cell import Cell
from experiments.harness.old_judgement import NOT_REPRODUCED, PARTLY, REPRODUCED, Judgement, NotMeasuredError
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, whole_numbers

TIMED = ("cutty", "pairs_plus", "ra")
"""The techniques of Figure 8d."""

FEW = 10
"""Queries from which on the paper finds RA ahead of Naive."""


@experiment("cutty_periodic", techniques)
def cutty_periodic(settings: Settings) -> list[Cell]:
    """Counts and times over the number of queries; the queries; and the time of folding records into slices alone."""
    streams_only(settings, "debs12")
    numbers = whole_numbers("queries", settings.sizes["queries"], 1)
    divide = settings.sizes["divide"]
    names = [algorithm["name"] for algorithm in settings.algorithms]
    queries = [{"ask": PERIODIC, "queries": q, "divide": divide} for q in numbers]
    pairs = ranges_and_slides({"queries": max(numbers), "divide": divide}).tolist()
    return [
        *(cell_on_stream(settings, name, metric, query) for name in names for query in queries for metric in COUNTED),
        *(cell_on_stream(settings, name, "time", query) for name in names if name in TIMED for query in queries),
        *([cell_on_stream(settings, "cutty", "fold", {"ask": ONE_SLICE})] if "cutty" in names else []),
        *(
            cell_on_stream(settings, "", "slide", {"ask": PERIODIC, "query": k, "range": r, "slide": s}, window=r)
            for k, (r, s) in enumerate(pairs)
        ),
    ]


SAME_MERGES = "storing takes half, but both merge the same windows, Cutty over a tree that is one level lower"
COINCIDE = "all edges are multiples of 10: the more queries, the more of them cut at the same record"


def _scale_note(rows: pd.DataFrame) -> str:
    """What to add to a reason where the stream is too short for the paper's ranges."""
    divide = max((json.loads(text).get("divide", 1) for text in rows["workload_parameters"]), default=1)
    return f"; ranges and slides are a {divide}th of the paper's here" if divide > 1 else ""


@cutty_periodic.claim("Figure 8b", "Cutty makes nearly half of the combines of Pairs+", "about 0.5")
def half_the_combines(rows: pd.DataFrame) -> Judgement:
    return within(ratio(rows, "combines", "cutty", "pairs_plus"), 0, 0.6, "{:.2f}", SAME_MERGES)


@cutty_periodic.claim("Figure 8b", "RA makes about a thousand times the combines of Cutty", "over three decades")
def a_thousand_times(rows: pd.DataFrame) -> Judgement:
    reason = (
        "RA combines at every record however few queries there are, Cutty at windows: with more queries, more often"
    )
    ratios = ratio(rows, "combines", "ra", "cutty")
    return within(ratios, 1000, float("inf"), "{:,.0f}", reason + _scale_note(rows))


@cutty_periodic.claim("Figure 8b", "RA makes fewer combines than Naive only above 10 queries", "Naive ahead up to 10")
def naive_wins_with_few(rows: pd.DataFrame) -> Judgement:
    ratios = ratio(rows, "combines", "ra", "naive")
    few, many = ratios[ratios.index <= FEW] >= 1, ratios[ratios.index > FEW] < 1
    if few.empty or many.empty:
        raise NotMeasuredError(f"needs numbers of queries up to {FEW} and above")
    reason = (
        "a query of Naive combines range / slide times a record, RA as often as its tree is high: a few queries suffice"
    )
    return judged(pd.concat([few, many]), f"RA / Naive {in_words(ratios)}", reason)


@cutty_periodic.claim("Figure 8b", "Eager stores make over 10 times fewer combines than lazy ones", "over 10")
def eager_saves_combines(rows: pd.DataFrame) -> Judgement:
    ratios = least(ratio(rows, "combines", "cutty_lazy", "cutty"), ratio(rows, "combines", "pairs", "pairs_plus"))
    reason = "a lazy store merges all slices of a window, an eager one a logarithm of them: few queries, few slices"
    return within(ratios, 10, float("inf"), "{:.1f}", reason)


@cutty_periodic.claim("Figure 8c", "Cutty stores half as many partial aggregates as Pairs+", "0.5")
def half_the_partials(rows: pd.DataFrame) -> Judgement:
    return within(ratio(rows, "partials", "cutty", "pairs_plus"), 0.45, 0.55, "{:.2f}", COINCIDE)


@cutty_periodic.claim("Figure 8c", "Cutty with an eager store keeps as many as Pairs with a lazy one", "they coincide")
def coincides_with_pairs(rows: pd.DataFrame) -> Judgement:
    return within(ratio(rows, "partials", "cutty", "pairs"), 0.9, 1.1, "{:.2f}", COINCIDE)


@cutty_periodic.claim("Figure 8c", "Eager stores keep twice as many partial aggregates as lazy ones", "exactly 2")
def eager_keeps_twice(rows: pd.DataFrame) -> Judgement:
    ratios = least(ratio(rows, "partials", "cutty", "cutty_lazy"), ratio(rows, "partials", "pairs_plus", "pairs"))
    return within(
        ratios, 1.8, 2.0, "{:.2f}", "the open slice is kept once in both stores: it counts where slices are few"
    )


@cutty_periodic.claim("Figure 8d", "Cutty has at least twice the throughput of Pairs+", "at least 2")
def twice_the_throughput(rows: pd.DataFrame) -> Judgement:
    ratios = ratio(rows, "time", "pairs_plus", "cutty")
    try:
        share = in_words(share_of_folding(rows, "cutty"), "{:.0%}")
        common = f"folding records, the same for both, is {share} of Cutty's time"
    except NotMeasuredError:
        common = "how much of the time folding records takes was not measured"
    return within(
        ratios, 2, float("inf"), "{:.2f}", f"{common}, and both merge the same windows: only storing is halved"
    )


@cutty_periodic.claim("Figure 8d", "A hundred times the queries cost a factor of 5 to 6", "Cutty and Pairs+: 5 to 6")
def queries_cost(rows: pd.DataFrame) -> Judgement:
    times = over_queries(rows, "time")
    of_both = times.reindex(columns=["cutty", "pairs_plus"]).dropna(axis="columns", how="all")
    if not {1, 100} <= set(times.index) or of_both.empty:
        raise NotMeasuredError("needs times of cutty or pairs_plus with 1 and with 100 queries")
    costs = of_both.loc[100] / of_both.loc[1]
    measured = ", ".join(f"{name} {cost:.1f}" for name, cost in costs.items())
    reason = "a record inside a slice costs so little here that the work on slices and windows shows sooner"
    return judged((costs >= 4) & (costs <= 7), measured, reason + _scale_note(rows))


@cutty_periodic.claim(
    "Figure 8d", "RA has the lowest throughput, about the same with few queries as with many", "lowest"
)
def ra_is_lowest(rows: pd.DataFrame) -> Judgement:
    ratios, times = ratio(rows, "time", "ra", "cutty"), of_technique(rows, "time", "ra")
    change = float(times.max() / times.min())
    lowest = (ratios > 1).all()
    verdict = REPRODUCED if lowest and change < 2 else PARTLY if lowest else NOT_REPRODUCED
    measured = f"Cutty / RA {in_words(ratios, '{:.1f}')}; RA varies by a factor of {change:.2f}"
    return Judgement(verdict, measured, "" if verdict == REPRODUCED else "with many queries merging costs RA as well")


def updates(rows: pd.DataFrame, name: str) -> pd.Series:
    """The share of updates in the combines of a technique."""
    return quotient(of_technique(rows, "update", name), of_technique(rows, "combines", name))


@cutty_periodic.claim("Figure 8e", "Of Cutty's combines most are merges", "merge dominates")
def cutty_merges(rows: pd.DataFrame) -> Judgement:
    reason = "storing walks to the root, merging from two leaves to where they meet: in a low tree that is as much"
    return within(1 - updates(rows, "cutty"), 0.5, 1, "{:.0%}", reason)


@cutty_periodic.claim("Figure 8f", "Of the combines of Pairs+ most are updates", "update dominates")
def pairs_update(rows: pd.DataFrame) -> Judgement:
    return within(
        updates(rows, "pairs_plus"), 0.5, 1, "{:.0%}", "merging windows takes more than storing the slices of both"
    )


@cutty_periodic.claim("Figure 8g", "Of RA's combines almost all are updates", "almost all")
def ra_updates(rows: pd.DataFrame) -> Judgement:
    reason = "the windows of many queries together end so often that merging shows" + _scale_note(rows)
    return within(updates(rows, "ra"), 0.95, 1, "{:.0%}", reason)


@cutty_periodic.claim("Figure 8h", "Pairs+ makes twice the slices of Cutty", "2")
def twice_the_slices(rows: pd.DataFrame) -> Judgement:
    return within(ratio(rows, "slices", "pairs_plus", "cutty"), 1.8, 2.2, "{:.2f}", COINCIDE)
