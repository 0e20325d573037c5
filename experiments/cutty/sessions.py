"""Cutty, Figure 9: up to a hundred queries for sessions, which begin when a sensor's state changes; Cutty and RA."""

from experiments.cutty.comparing import (
    SERIES,
    combines_ratio,
    compared,
    cost_of_queries,
    partials_ratio,
    throughput_ratio,
)
from experiments.cutty.grid import cell_on_stream, streams_only
from experiments.cutty.measuring.counts import COUNTED
from experiments.cutty.measuring.queries import SESSIONS
from experiments.cutty.measuring.techniques import TECHNIQUES, techniques
from experiments.harness.cell import Cell
from experiments.harness.measured import Measured, Table, ratio
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError, whole_numbers

ACTIVE = 20
"""States of the paper's stream that change often enough to be drawn; ours are assumed, on a log scale."""

PERIODIC_ONLY = ("panes", "pairs")


@experiment("cutty_sessions", techniques)
def cutty_sessions(settings: Settings) -> list[Cell]:
    """Counts and times over the number of queries, and the transitions of the states that change most."""
    streams_only(settings, "debs12")
    names = [algorithm["name"] for algorithm in settings.algorithms]
    for name in names:
        if TECHNIQUES[name].slicing in PERIODIC_ONLY:
            raise SettingsError(f"algorithms has {name!r}, which slices for periodic queries only; sessions are not")
    queries = [{"ask": SESSIONS, "queries": q} for q in whole_numbers("queries", settings.sizes["queries"], 1)]
    return [
        *(
            cell_on_stream(settings, name, metric, query)
            for name in names
            for query in queries
            for metric in (*COUNTED, "time", "aggregator")
        ),
        *(cell_on_stream(settings, "", "transitions", {"ask": SESSIONS, "state": k}) for k in range(ACTIVE)),
    ]


for _quantity in (combines_ratio, cost_of_queries, partials_ratio, throughput_ratio):
    cutty_sessions.quantity(_quantity)


@cutty_sessions.quantity
def aggregator_throughput_ratio(measured: Measured) -> Table:
    """As `throughput_ratio`, of the aggregator alone, on a stream that is marked already."""
    return compared(measured.rate(*SERIES, metric="aggregator"))


@cutty_sessions.quantity
def merges_of_ra_over_combines_of_cutty(measured: Measured) -> Table:
    """RA's combines that merge windows over all that Cutty makes."""
    return ratio(
        measured.total("merge", "queries", algorithm="ra"), measured.total("combines", "queries", algorithm="cutty")
    )


@cutty_sessions.reason(throughput_ratio)
def window_functions(measured: Measured) -> str:
    """The part of Cutty's time that its window functions take, which are the same for every technique."""
    marking = measured.fact("discretizer_ns_per_record", "queries", metric="time", algorithm="cutty").median(axis=1)
    times = measured.each("time", "queries", algorithm="cutty").median(axis=1)
    ends = (f"{marking[at]:.0f} of {times[at]:.0f} ns with {at[0]}" for at in (times.index[0], times.index[-1]))
    return f"of Cutty's time of a record, window functions take {', '.join(ends)} queries"
