"""Every judge of the MTA experiments on made-up rows, in both directions; their plans and refusals."""

import copy
import functools
import json
import math

import numpy as np
import pytest

from experiments.harness import judgement
from experiments.harness.settings import Profile, Settings, SettingsError
from experiments.mta.analytics import mta_analytics
from experiments.mta.bulk import batches_of, mta_bulk
from experiments.mta.complexity import CONSTANT, METRICS, TABLE, mta_complexity
from experiments.mta.constant import mta_constant
from experiments.mta.dimensions import mta_dimensions
from experiments.mta.measuring.levels import pairs
from experiments.mta.memory import mta_memory
from experiments.mta.walkthrough import OPERATOR, mta_walkthrough
from tests.experiments.made_rows import frame, row, verdict

WINDOWS = (1, 16, 64, 512, 4096, 65536)
CONSTANT_SIZE = {
    "recalc": lambda n: 5 + n,
    "daba": lambda n: 25,
    "log_mta": lambda n: 20 + 12 * math.log2(n),
    "amta": lambda n: 20,
    "kvs_amta": lambda n: 600,
}


def constant(**other):
    lines = CONSTANT_SIZE | other
    return frame(row(name, window=n, ns=ns(n)) for name, ns in lines.items() for n in WINDOWS)


N = 1 << 16
BATCHES = (1, 16, 256, 1024, 4096, 16384, N - 1)
BULK = {
    "recalc": lambda m: 300_000,
    "daba": lambda m: 1200 + 100 * m / 4,
    "log_mta": lambda m: 40 + 10 * math.log2(m),
    "amta": lambda m: 50 + 15 * math.log2(m),
    "kvs_amta": lambda m: 1000 + 100 * math.log2(m),
}


def bulk(**other):
    lines = BULK | other
    return frame(
        row(name, window=N, batch=m, ns=ns(m), operations=3, samples=np.array([ns(m), ns(m), 50 * ns(m)]))
        for name, ns in lines.items()
        for m in BATCHES
    )


def counted(spoilt="", growth=None):
    orders = {CONSTANT: lambda n: 6, "O(log n)": math.log2, "O(n)": float}
    rows = []
    for name, printed in TABLE.items():
        for metric, order in zip(METRICS, printed):
            made = growth if name == spoilt else orders[order]
            rows += [
                row(name, window=n, metric=metric, operations=1, value=made(n)) for n in (64, 1024, 65536, 1 << 20)
            ]
    return frame(rows)


ANALYTICS = ("sum", "arithmetic_mean", "max", "lis")


def analysed(**other):
    lines = {"recalc": {"max": 15}, "daba": {"max": 20, "lis": 40}, "amta": {}, "log_mta": {}}
    usual = {"recalc": 9000, "daba": 11, "amta": 10, "log_mta": 100}
    return frame(
        row(name, operator=operator, window=4096, ns=other.get(name, {}).get(operator, own.get(operator, usual[name])))
        for name, own in lines.items()
        for operator in ANALYTICS
    )


CAPACITY = 1 << 20


def remembered(kvs=lambda mb: 1 << 20, daba=lambda mb: mb << 12, amta=lambda mb: mb << 13, resident=1.0):
    rows = []
    for name, reached in {"kvs_amta": kvs, "daba": daba, "amta": amta}.items():
        for mb in (1, 8, 64, 512):
            elements = min(CAPACITY, reached(mb))
            if name == "kvs_amta" and mb == 1:
                elements //= 2
            facts = json.dumps({"bytes": 48 * elements, "resident": resident * 48 * elements})
            given = json.dumps({"memory": mb})
            rows.append(row(name, metric="reached", operations=1, value=float(elements), window=CAPACITY, facts=facts,
                            workload_parameters=given))  # fmt: skip
    return frame(rows)


def dimensional(together=lambda k: 20 + 2 * k, apart=lambda k: 22 * k):
    return frame(
        row("amta", use, window=1024, ns=ns(k), workload_parameters=json.dumps({"dimensions": k}))
        for use, ns in (({}, together), ({"sharing": "separate"}, apart))
        for k in (1, 4, 16, 50)
    )


CLAIMS = [
    (mta_constant, "Naive's latency", constant(), constant(recalc=lambda n: 100)),
    (mta_constant, "AMTA's latency does not", constant(), constant(amta=lambda n: 10 + 5 * math.log2(n))),
    (mta_constant, "DABA's latency does not", constant(), constant(daba=lambda n: 10 + 5 * math.log2(n))),
    (mta_constant, "Log MTA's", constant(), constant(log_mta=lambda n: 20)),
    (mta_constant, "lowest latency", constant(), constant(amta=lambda n: 30)),
    (mta_constant, "key-value store costs", constant(), constant(kvs_amta=lambda n: 5000)),
    (mta_bulk, "DABA's latency grows", bulk(), bulk(daba=lambda m: 5000 * math.log2(2 * m))),
    (mta_bulk, "Naive's latency hardly", bulk(), bulk(recalc=lambda m: 1000 + m)),
    (mta_bulk, "an eighth of the window", bulk(), bulk(recalc=lambda m: 1e9)),
    (mta_bulk, "no faster than the logarithm", bulk(), bulk(log_mta=float, amta=float)),
    (mta_bulk, "mostly faster", bulk(), bulk(log_mta=lambda m: 1e4)),
    (mta_bulk, "faster than DABA throughout", bulk(), bulk(daba=lambda m: 10 + m / 1e6)),
    (mta_bulk, "far below DABA", bulk(), bulk(kvs_amta=lambda m: 1e7)),
    (mta_complexity, "Reactive Aggregator", counted(), counted("reactive", lambda n: 5)),
    (mta_complexity, "SWAG", counted(), counted("daba", math.log2)),
    (mta_complexity, "Log MTA", counted(), counted("log_mta", float)),
    (mta_complexity, "Amortised MTA", counted(), counted("amta", float)),
    (mta_analytics, "fastest on every row", analysed(), analysed(amta=dict.fromkeys(ANALYTICS, 50))),
    (mta_analytics, "gain most", analysed(), analysed(daba={"sum": 90, "max": 11, "lis": 11})),
    (mta_analytics, "second best on max", analysed(), analysed(recalc={"max": 9000})),
    (mta_analytics, "orders of magnitude", analysed(), analysed(recalc=dict.fromkeys(ANALYTICS, 12))),
    (mta_memory, "More memory", remembered(), remembered(lambda mb: 4, lambda mb: 4, lambda mb: 4)),
    (mta_memory, "no more than DABA", remembered(), remembered(amta=lambda mb: mb << 9)),
    (mta_memory, "resident set grows", remembered(), remembered(resident=3)),
    (mta_memory, "small fraction", remembered(), remembered(kvs=lambda mb: mb << 4)),
    (mta_dimensions, "grows linearly", dimensional(), dimensional(lambda k: 50 - k / 2)),
    (mta_dimensions, "far slower", dimensional(), dimensional(lambda k: 20 * k)),
    (mta_dimensions, "faster than k windows", dimensional(), dimensional(apart=lambda k: 10)),
]


@pytest.mark.parametrize(("experiment", "words", "good", "bad"), CLAIMS, ids=[claim[1] for claim in CLAIMS])
def test_claims(experiment, words, good, bad):
    assert verdict(experiment, words, good)["verdict"] == judgement.REPRODUCED, verdict(experiment, words, good)
    found = verdict(experiment, words, bad)
    assert found["verdict"] == judgement.NOT_REPRODUCED and found["reason"], found
    for rows in (good[:0], good.assign(status="failed"), good[good["algorithm"] == "b_int"]):
        assert verdict(experiment, words, rows)["verdict"] == judgement.NOT_MEASURED


def test_misses_are_told():
    facts = json.dumps({"misses": 3, "arrivals": 1000})
    found = verdict(mta_constant, "key-value store costs", constant().assign(facts=facts))
    assert "3 misses" not in found["measured"] and "90 misses in 30,000 arrivals" in found["measured"]


def test_policies_are_everybodys_here():
    assert verdict(mta_complexity, "slide by policies", counted())["verdict"] == judgement.PARTLY
    assert verdict(mta_complexity, "slide by policies", counted()[:0])["verdict"] == judgement.NOT_MEASURED


@pytest.mark.parametrize(
    "experiment", [mta_constant, mta_bulk, mta_complexity, mta_analytics, mta_memory, mta_dimensions]
)
def test_every_claim_is_tested(experiment):
    beside = experiment is mta_complexity
    assert len(experiment.claims) == sum(claim[0] is experiment for claim in CLAIMS) + beside


def settings(**given):
    usual = {"name": "x", "paper": "mta", "workload": {"name": "distance"}, "profile": Profile("smoke", 1, 1, 60),
             "executor": {"name": "inline"}, "operators": ("count",), "algorithms": ({"name": "amta"},)}  # fmt: skip
    return Settings(**(usual | given))


def test_evictions_go_from_one_to_all_but_one():
    assert batches_of(64, 1) == [1, 2, 4, 8, 16, 32, 63]
    assert batches_of(64, 4) == [1, 16, 32, 63]
    assert batches_of(1, 1) == batches_of(2, 1) == [1]


def test_naive_is_not_measured_in_windows_that_are_too_large_for_it():
    sizes = {"windows": [16, 4096], "recomputed": 64}
    cells = mta_constant.plan(settings(sizes=sizes, algorithms=({"name": "amta"}, {"name": "recalc"})))
    assert {(cell.algorithm, cell.window) for cell in cells} == {("amta", 16), ("amta", 4096), ("recalc", 16)}


def test_windows_in_a_store_are_not_kept_k_times():
    both = ({"name": "amta"}, {"name": "kvs_amta"})
    cells = mta_dimensions.plan(settings(sizes={"window": 16, "dimensions": [1, 5]}, algorithms=both))
    apart = {cell.algorithm for cell in cells if "sharing" in cell.uses}
    assert len(cells) == 6 and apart == {"amta"}


@pytest.mark.parametrize("experiment", [mta_constant, mta_bulk, mta_complexity, mta_memory, mta_dimensions])
def test_other_workloads_and_distances_are_refused(experiment):
    with pytest.raises(SettingsError, match="workload is 'flights'"):
        experiment.plan(settings(workload={"name": "flights"}))
    with pytest.raises(SettingsError, match="is in order: leave distances out"):
        experiment.plan(settings(distances=(4,)))


def test_analytics_are_of_memory_usage():
    with pytest.raises(SettingsError, match="measured on workload=memory_usage"):
        mta_analytics.plan(settings(sizes={"windows": [16]}))
    with pytest.raises(SettingsError, match="is in order: leave them out"):
        mta_analytics.plan(settings(distances=(4,)))


# ------------------------------------------------------------------------------------------------- the worked examples


@functools.cache
def played():
    cells = mta_walkthrough.plan(settings(operators=(OPERATOR,), algorithms=(), name="mta_walkthrough"))
    return [(cell.algorithm, pairs(cell, {})) for cell in cells]


def walkthrough(spoil=lambda facts: None):
    rows = []
    for algorithm, answer in played():
        facts = copy.deepcopy(answer["facts"])
        spoil(facts)
        rows.append(row(algorithm, metric="pairs", value=answer["value"], facts=json.dumps(facts)))
    return frame(rows)


def spoilt(figure, change):
    return walkthrough(lambda facts: change(facts["states"]) if facts["figure"] == figure else None)


def without_a_middle_node(facts):
    facts["states"][0]["levels"][0]["pairs"][1][0] = None


SPOILT = {
    "the oldest two go": spoilt("Section 3.2", lambda states: states[1]["elements"].pop()),
    "Every node": spoilt("Figure 1", lambda states: states[0]["levels"].pop()),
    "8 comes": spoilt("Figure 2", lambda states: states[1]["elements"].insert(0, "4")),
    "Result pair and stack": spoilt("Figure 4", lambda states: states[0]["stack"].reverse()),
    "one by one": spoilt("Figure 5", lambda states: states[2].update(answer="12")),
    "lacks its left node": walkthrough(without_a_middle_node),
}


@pytest.mark.parametrize("words", SPOILT)
def test_the_examples_come_out_as_printed(words):
    assert verdict(mta_walkthrough, words, walkthrough())["verdict"] == judgement.REPRODUCED
    found = verdict(mta_walkthrough, words, SPOILT[words])
    assert found["verdict"] == judgement.NOT_REPRODUCED and found["reason"]
    assert verdict(mta_walkthrough, words, walkthrough()[:0])["verdict"] == judgement.NOT_MEASURED


def test_every_claim_on_the_examples_is_tried():
    assert len(mta_walkthrough.claims) == len(SPOILT)


@pytest.mark.parametrize(
    "given", [{"window": 5}, {"distances": (0,)}, {"operators": ("max",)}, {"workload": {"name": "flights"}}]
)
def test_a_fixed_example_takes_nothing(given):
    with pytest.raises(SettingsError, match="is a fixed example"):
        mta_walkthrough.plan(settings(**{"operators": (OPERATOR,), "algorithms": (), **given}))
