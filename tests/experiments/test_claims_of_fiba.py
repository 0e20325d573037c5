"""Every judge of fiba_ooo on made-up rows: the claim holds, does not hold, was not measured."""

import json
import math
import re

import pandas as pd
import pytest

from experiments.fiba.ooo import fiba_ooo
from experiments.harness import judgement, registry
from plots import claims
from results import empty_row

pytestmark = pytest.mark.smoke

N = 1024
DISTANCES = (0, 1, 4, 16, 64, 256, N)
ARITIES = (2, 4, 8)
OPERATORS = ("sum", "geometric_mean", "bloom")


def as_published(algorithm, arity, operator, d):
    """ns per item such that every claim holds."""
    worth = {2: 0, 4: 1, 8: 2}[arity] * (2 if operator == "bloom" else -2)
    steps = 0 if d == N else math.log2(1 + d)
    return worth + (100 - 20 * (d == N) if algorithm == "b_tree" else 30 + 4 * steps)


def rows_of(ns, distances=DISTANCES, workload="distance", algorithms=("b_tree", "fiba"), windows=(N,)):
    """Rows of two repetitions, one of them slower; `ns(algorithm, arity, operator, d)` per item."""
    rows = [
        empty_row()
        | {
            "experiment": "fiba_ooo",
            "algorithm": algorithm,
            "parameters": json.dumps({"min_arity": arity}),
            "operator": operator,
            "workload": workload,
            "window": window,
            "distance": d,
            "metric": "time",
            "status": "ok",
            "operations": 1000,
            "value": 1000 * ns(algorithm, arity, operator, d) * (1 + repetition / 100),
            "repetition": repetition,
        }
        for algorithm in algorithms
        for arity in ARITIES
        for operator in OPERATORS
        for window in windows
        for d in distances
        for repetition in (0, 1)
    ]
    return pd.DataFrame(rows).astype({"distance": "Int64"})


def verdicts(rows):
    return {verdict["claim"]: verdict for verdict in fiba_ooo.verdicts(rows)}


def verdict_on(words, rows):
    (found,) = [verdict for claim, verdict in verdicts(rows).items() if words in claim]
    return found


TRACE = "real out-of-order stream"
FLAT, AHEAD, FALLS, UPTICK = "mostly unaffected", "well ahead", "falls smoothly", "speeds up at d = n"
BLOOM, SUM = "With bloom", "With sum"
ON_DISTANCES = (FLAT, AHEAD, FALLS, UPTICK, BLOOM, SUM)


def test_rows_as_published_reproduce_every_claim_on_distances():
    rows = rows_of(as_published)
    for words in ON_DISTANCES:
        assert verdict_on(words, rows)["verdict"] == judgement.REPRODUCED, verdict_on(words, rows)


def flipped(words):
    """Times that contradict one claim."""

    def ns(algorithm, arity, operator, d):
        regular = as_published(algorithm, arity, operator, d)
        if words == FLAT:
            return regular * (1 + d) if algorithm == "b_tree" else regular
        if words == AHEAD:
            return 2 * regular if algorithm == "b_tree" else 2 * as_published("b_tree", arity, operator, 0)
        if words == FALLS:
            return 300 - as_published("fiba", arity, operator, d)
        if words == UPTICK:
            return regular + (200 if d == N else 0)
        return as_published(algorithm, {2: 8, 4: 4, 8: 2}[arity], operator, d)

    return rows_of(ns)


@pytest.mark.parametrize("words", ON_DISTANCES)
def test_rows_that_contradict_a_claim_do_not_reproduce_it(words):
    found = verdict_on(words, flipped(words))
    assert found["verdict"] == judgement.NOT_REPRODUCED, found
    assert found["reason"]


@pytest.mark.parametrize("words", [FLAT, FALLS, UPTICK])
def test_a_claim_that_holds_for_some_series_holds_partly(words):
    good, bad = rows_of(as_published), flipped(words)
    mixed = pd.concat([good[good["operator"] != "bloom"], bad[bad["operator"] == "bloom"]], ignore_index=True)
    found = verdict_on(words, mixed)
    assert found["verdict"] == judgement.PARTLY and "of" in found["measured"], found


@pytest.mark.parametrize("words", [*ON_DISTANCES, TRACE])
@pytest.mark.parametrize(
    "rows",
    [
        rows_of(as_published)[:0],
        rows_of(as_published).assign(status="failed"),
        rows_of(as_published, distances=(0,)),
        rows_of(as_published, algorithms=("recalc",)),
    ],
    ids=["none", "all failed", "one distance", "another algorithm"],
)
def test_without_the_rows_it_needs_no_claim_is_judged(words, rows):
    found = verdict_on(words, rows)
    assert found["verdict"] == judgement.NOT_MEASURED, found
    assert found["reason"] and not found["measured"]


def test_the_claim_on_traces_is_judged_on_traces_only():
    assert verdict_on(TRACE, rows_of(as_published))["verdict"] == judgement.NOT_MEASURED
    on_trace = rows_of(as_published, distances=(0,), workload="flights", windows=(10, 100)).assign(distance=pd.NA)
    assert verdict_on(TRACE, on_trace)["verdict"] == judgement.REPRODUCED
    slower = on_trace.assign(value=on_trace["value"] * (1 + 9 * (on_trace["algorithm"] == "fiba")))
    assert verdict_on(TRACE, slower)["verdict"] == judgement.NOT_REPRODUCED
    for words in ON_DISTANCES:
        assert verdict_on(words, on_trace)["verdict"] == judgement.NOT_MEASURED


def test_a_missing_point_leaves_the_others_to_judge():
    rows = rows_of(as_published)
    hole = (rows["algorithm"] == "fiba") & (rows["operator"] == "sum") & (rows["distance"] == 16)
    for words in ON_DISTANCES:
        assert verdict_on(words, rows[~hole])["verdict"] == judgement.REPRODUCED, verdict_on(words, rows[~hole])


@pytest.mark.parametrize(("words", "threshold"), [(FLAT, "1.5"), (AHEAD, "1.5"), (FALLS, "0.8"), (UPTICK, "1")])
def test_thresholds_are_in_the_text(words, threshold):
    assert re.search(rf"(at least|at most|above) {threshold}\b", verdict_on(words, rows_of(as_published))["measured"])


def test_the_words_are_those_of_the_table_of_claims():
    words = (judgement.REPRODUCED, judgement.PARTLY, judgement.NOT_REPRODUCED, judgement.NOT_MEASURED)
    assert words == claims.VERDICTS


def test_verdicts_of_every_experiment_fit_the_table_even_without_rows():
    nothing = rows_of(as_published)[:0]
    for experiment in registry.experiments().values():
        assert claims.checked(experiment.verdicts(nothing)) == list(experiment.verdicts(nothing))
        assert {verdict["verdict"] for verdict in experiment.verdicts(nothing)} <= {judgement.NOT_MEASURED}
