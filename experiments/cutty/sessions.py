"""Cutty, Figure 9: up to a hundred queries for sessions, which begin when a sensor's state changes; Cutty and RA."""

import json

import pandas as pd

from experiments.cutty.grid import cell_on_stream, streams_only
from experiments.cutty.judging import of_technique, quotient, ratio, within
from experiments.cutty.measuring.counts import COUNTED
from experiments.cutty.measuring.queries import SESSIONS
from experiments.cutty.measuring.techniques import TECHNIQUES, techniques
from experiments.harness.cell import Cell
from experiments.harness.old_judgement import NOT_REPRODUCED, REPRODUCED, Judgement, NotMeasuredError
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
            for metric in (*COUNTED, "time")
        ),
        *(cell_on_stream(settings, "", "transitions", {"ask": SESSIONS, "state": k}) for k in range(ACTIVE)),
    ]


@cutty_sessions.claim(
    "Figure 9a", "Sensors change their state at frequencies of several orders of magnitude", "as drawn"
)
def frequencies_differ(rows: pd.DataFrame) -> Judgement:
    transitions = rows[rows["metric"] == "transitions"]
    if transitions.empty:
        raise NotMeasuredError("no rows of transitions")
    counts = transitions.groupby("workload_parameters")["value"].first()
    decades = float(counts.max() / max(counts.min(), 1))
    measured = f"{counts.max():,.0f} to {counts.min():,.0f} transitions of {len(counts)} states"
    holds = decades >= 100
    reason = "" if holds else "the stream has too few records for the states that change least"
    return Judgement(REPRODUCED if holds else NOT_REPRODUCED, measured, reason)


@cutty_sessions.claim("Figure 9b", "From one query on, Cutty is orders of magnitude faster than RA", "several")
def cutty_is_faster(rows: pd.DataFrame) -> Judgement:
    ratios = ratio(rows, "time", "ra", "cutty")
    reason = (
        "a record costs RA a walk to the root, compiled some tens of ns; with many queries both merge the same windows"
    )
    judgement = within(ratios, 100, float("inf"), "{:.0f}", reason)
    return judgement._replace(
        measured=f"{judgement.measured}; finding sessions, for both, {_discretizer(rows)} ns a record"
    )


def _discretizer(rows: pd.DataFrame) -> str:
    """ns a record that the window functions of the most queries took: the same for every technique, and not timed."""
    timed = rows[rows["metric"] == "time"]
    queries = timed["workload_parameters"].map(lambda text: json.loads(text)["queries"])
    durations = timed.loc[queries == queries.max(), "facts"].map(
        lambda text: json.loads(text)["discretizer_ns_per_record"]
    )
    return f"{durations.median():.0f} at {queries.max()}"


@cutty_sessions.claim("Figure 9c", "RA stores orders of magnitude more partial aggregates than Cutty", "several")
def cutty_stores_less(rows: pd.DataFrame) -> Judgement:
    reason = "a slice lasts until a session of any query begins: the more queries, the shorter the slices"
    return within(ratio(rows, "partials", "ra", "cutty"), 100, float("inf"), "{:,.0f}", reason)


@cutty_sessions.claim("Figure 9d", "Cutty makes about a thousand times fewer combines", "three orders of magnitude")
def a_thousand_times_fewer(rows: pd.DataFrame) -> Judgement:
    reason = "the windows that end, and what merging them costs, are the same for both; they grow with the queries"
    return within(ratio(rows, "combines", "ra", "cutty"), 1000, float("inf"), "{:,.0f}", reason)


@cutty_sessions.claim("Figure 9d", "RA's merges are about as many combines as Cutty's updates and merges", "similar")
def merges_are_alike(rows: pd.DataFrame) -> Judgement:
    ratios = quotient(of_technique(rows, "merge", "ra"), of_technique(rows, "combines", "cutty").clip(lower=1))
    reason = "RA merges records, over a tree that is as many levels higher as a slice has binary digits of records"
    return within(ratios, 0.5, 2, "{:.1f}", reason)
