"""Cutty, Figure 8: up to a hundred periodic queries on one stream, through six techniques."""

import numpy as np

from experiments.cutty.comparing import (
    SERIES,
    combines_more,
    combines_ratio,
    compared,
    cost_of_queries,
    partials_more,
    partials_ratio,
    throughput,
    throughput_ratio,
)
from experiments.cutty.grid import cell_on_stream, streams_only
from experiments.cutty.measuring.counts import COUNTED
from experiments.cutty.measuring.queries import ONE_SLICE, PERIODIC, ranges_and_slides
from experiments.cutty.measuring.techniques import techniques
from experiments.harness.cell import Cell
from experiments.harness.fitting import rank_correlation
from experiments.harness.measured import Measured, NotMeasuredError, Table, lines_of, values_of
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, whole_numbers

TIMED = ("cutty", "pairs_plus", "ra")
"""The techniques of Figure 8d."""

LEAST_POINTS = 20
"""Of a rank correlation."""


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


for _quantity in (
    combines_more,
    combines_ratio,
    cost_of_queries,
    partials_more,
    partials_ratio,
    throughput,
    throughput_ratio,
):
    cutty_periodic.quantity(_quantity)


@cutty_periodic.quantity
def rank_correlation_with_throughput(measured: Measured) -> Table:
    """Of combines with throughput, over the techniques and numbers of queries that were timed."""
    rates = throughput(measured)
    combines = measured.total("combines", *SERIES).iloc[:, 0].reindex(rates.index).dropna()
    if len(combines) < LEAST_POINTS:
        raise NotMeasuredError(f"needs {LEAST_POINTS} techniques and numbers of queries, {len(combines)} measured")
    return rank_correlation(rates.loc[combines.index], combines)


@cutty_periodic.quantity
def merge_share(measured: Measured) -> Table:
    """The share of a technique's combines that merge windows; the others store slices."""
    return measured.total("merge", *SERIES) / measured.total("combines", *SERIES)


@cutty_periodic.quantity
def update_over_merge(measured: Measured) -> Table:
    """Combines that store slices over those that merge windows."""
    return measured.total("update", *SERIES) / measured.total("merge", *SERIES)


@cutty_periodic.quantity
def updates_ratio(measured: Measured) -> Table:
    """Combines that store slices, of a technique over those of another."""
    return compared(measured.total("update", *SERIES, algorithm=TIMED))


@cutty_periodic.quantity
def slices_ratio(measured: Measured) -> Table:
    """Slices that a technique stores in all over those of another."""
    return compared(measured.total("slices", *SERIES))


@cutty_periodic.quantity
def record_less_log2(measured: Measured) -> Table:
    """Combines by which RA stores a record, less the logarithm of the most records that it keeps."""
    records = measured.total("partials", "queries", algorithm="ra") / 2  # an eager store keeps two for a leaf
    return measured.each("update", "queries", algorithm="ra") - np.log2(records)


@cutty_periodic.reason(combines_ratio)
def merges_of_both(measured: Measured) -> str:
    """What merging windows takes of Cutty and of Pairs+ with the most queries, and the scale of the queries."""
    merges = measured.total("merge", *SERIES, algorithm=["cutty", "pairs_plus"])
    most = max(values_of(merges, "queries"))
    each = ", ".join(f"{name} {value:,.0f}" for (name,), value in lines_of(merges, queries=most).iloc[:, 0].items())
    divide = measured.key("divide").replace("", 1).max()
    scale = f"; ranges and slides are the paper's divided by {divide}" if divide > 1 else ""
    return f"combines that merge windows with {most} queries: {each}{scale}"


@cutty_periodic.reason(throughput_ratio)
def folding(measured: Measured) -> str:
    """The part of Cutty's time that folding records into slices takes by itself, the same for all that slice."""
    fold = float(measured.each("fold").median(axis=1).iloc[0])
    times = measured.each("time", "queries", algorithm="cutty").median(axis=1)
    shares = ", ".join(f"{min(fold / time, 1):.0%} with {queries}" for (queries,), time in times.iloc[[0, -1]].items())
    return f"folding records into slices takes of Cutty's time {shares} queries"
