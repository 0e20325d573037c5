"""Every statement on codecs and on the controller of D on made-up rows: so, not so, and won by breaking the goal."""

import numpy as np
import pytest

from experiments.compressed_windows.compression_auto import compression_auto
from results.verdicts import HOLDS, NOT_MEASURED
from tests.experiments.made_rows import frame
from tests.experiments.test_claims_of_compression import AGES, LATER, LOST, REPETITIONS, fed, verdict_on, verdicts_on

DENSE = {"snappy": 1.0, "lz4": 1.1, "zstd": 0.9}
FAST = {"snappy": 1.0, "lz4": 1.1, "zstd": 0.2}
TAKEN = dict(zip(AGES, (3e6, 2.4e6, 2e6, 1e6, 9e5, 8e5)))


def taking(bytes_):
    return {"memory": bytes_, "most_memory": bytes_, "mean_memory": bytes_}


def goals(memory=0.95, throughput=0.9, latency=0.8, kept=1.2, dense=DENSE, fast=FAST, noise=0.005):
    """Fixed D's and codecs, and goals with what the controller makes of them, of the bound and of the best D."""
    random = np.random.default_rng(2)
    given, best = "a_c_controlled", 8e5 * (1 - 0.9 * LOST[600])
    runs_of = [
        (
            "a_c",
            age,
            codec,
            {"throughput": 8e5 * fast[codec] * (1 - 0.9 * LOST[age]), "latency": 1e6 * (1 + LATER[age])}
            | taking(TAKEN[age] * (1 if age == "inf" else dense[codec])),
        )
        for codec in DENSE
        for age in AGES
    ]
    runs_of += [
        (given, "memory<=2.1MB", "snappy", {"throughput": best * throughput, "latency": 3e6, **taking(2.1e6 * memory)}),
        (given, "latency<=3.2ms", "snappy", {"throughput": 5e5, "latency": 3.2e6 * latency, **taking(1e6 * kept)}),
        (given, "memory<=0.1MB", "snappy", {"throughput": 1e5, "latency": 3e6, **taking(8e5)}),
    ]
    return frame(
        fed(
            {name: number * random.lognormal(0, noise) for name, number in numbers.items()},
            repetition,
            {"codec": codec, "layout": "columns", "D": age},
            algorithm,
        )
        for algorithm, age, codec, numbers in runs_of
        for repetition in range(REPETITIONS)
    )


AUTO = {
    "keeps to the budget": goals(memory=1.05),
    "four fifths of the best": goals(throughput=0.7),
    "keeps to the bound": goals(latency=1.1),
    "half as much memory again": goals(kept=1.6),
    "Zstandard needs less": goals(dense=dict(DENSE, zstd=1.3)),
    "more throughput than Zstandard": goals(fast=dict(FAST, zstd=2)),
}


def test_all_hold_where_codecs_and_the_controller_do_as_they_should():
    found = verdicts_on(compression_auto, goals())
    assert {claim: v for claim, v in found.items() if v.word != HOLDS} == {}
    assert len(found) == len(AUTO) and all(verdict.panel.startswith("ours: ") for verdict in found.values())


@pytest.mark.parametrize("words", AUTO)
def test_claims_on_codecs_and_the_controller(words):
    found = verdict_on(compression_auto, words, AUTO[words])
    assert found.fails and not found.undecided, found
    good = goals()
    fixed_alone = good[good["algorithm"] == "a_c"]
    for rows in (good[:0], good.assign(status="failed"), fixed_alone[fixed_alone["parameters"].str.contains("snappy")]):
        assert verdict_on(compression_auto, words, rows).word == NOT_MEASURED


@pytest.mark.parametrize(("words", "broken"), [("four fifths", {"memory": 1.05}), ("half as much", {"latency": 1.1})])
def test_nothing_is_won_by_breaking_the_goal(words, broken):
    assert verdict_on(compression_auto, words, goals(**broken)).fails


def test_a_goal_that_no_fixed_d_keeps_to_does_not_count():
    assert "0.1MB" not in verdict_on(compression_auto, "keeps to the budget", goals()).measured


def test_rows_beside_columns_are_drawn_and_not_judged():
    good = goals()
    rows = good[good["parameters"].str.contains("snappy") & (good["algorithm"] == "a_c")]
    slower = rows.assign(
        parameters=rows["parameters"].str.replace("columns", "rows"), cell="rows", operations=rows["operations"] / 100
    )
    both = verdicts_on(compression_auto, frame([*good.to_dict("records"), *slower.to_dict("records")]))
    assert both == verdicts_on(compression_auto, good)
