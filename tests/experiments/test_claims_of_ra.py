"""Judges of ra_throughput, ra_cost, ra_tumbling and ra_resize on made-up rows, in both directions; their refusals."""

import json
import math

import pytest

from experiments.harness import judgement
from experiments.harness.settings import Profile, Settings, SettingsError
from experiments.reactive_aggregator.cost import ra_cost
from experiments.reactive_aggregator.resize import ra_resize
from experiments.reactive_aggregator.throughput import ra_throughput
from experiments.reactive_aggregator.tumbling import ra_tumbling
from tests.experiments.made_rows import frame, row, verdict

OPERATORS = ("max", "population_stddev")
SCHEMES = ("reactive", "recalc")
FRAMEWORKS = ({}, {"framework": "sliding_aggregate"})


def counted(algorithm, n, combines, **columns):
    columns = {"metric": "combines", "value": 1000.0 * combines, "batch": 1, **columns}
    return row(algorithm, columns.pop("parameters", {}), window=n, **columns)


def throughput(small=1.02, large=12, combines=20):
    """RA over recomputation in time: `small` at n <= 16, and `large` times faster at 1024."""
    ratio = {1: small, 16: small, 1024: 1 / large}
    timed = [
        row(name, use, operator=operator, window=n, ns=100 * (ratio[n] if name == "reactive" else 1), repetition=r)
        for name in SCHEMES for use in FRAMEWORKS for operator in OPERATORS for n in ratio for r in (0, 1)
    ]  # fmt: skip
    return frame([*timed, counted("recalc", 1024, 1023), counted("reactive", 1024, combines)])


WINDOWS = (1, 8, 32, 128, 512, 2048, 8192)


def cost(ns=lambda n: 20 + 5 * math.log2(n), combines=lambda n: 2 * math.log2(n) + 1):
    timed = [row("reactive", operator=operator, window=n, ns=ns(n)) for operator in OPERATORS for n in WINDOWS]
    return frame([*timed, *(counted("reactive", n, combines(n)) for n in WINDOWS)])


def tumbling(scheme=1.2, operator=1.3, more=0):
    factor = {"reactive": scheme, "recalc": 1, "population_stddev": operator, "max": 1}
    timed = [
        row(name, operator=op, window=n, batch=n, metric="firing", value=1000.0 * n * factor[name] * factor[op])
        for name in SCHEMES for op in OPERATORS for n in WINDOWS
    ]  # fmt: skip
    combines = [
        counted(name, n, (n - 1 + (more if name == "reactive" else 0)) / n, batch=n)
        for name in SCHEMES
        for n in WINDOWS
    ]
    return frame(timed + combines)


def resizing(slower=0.9, resizes=2, more=0.5, power=1.0):
    rows = []
    for n in (64, 512, 4096):
        for capacity, time, facts in (("fixed", 1, {"resizes": 0}), ("oscillating", slower, {"swings": 10})):
            use = {"capacity": capacity}
            facts = json.dumps(facts | ({"resizes": 10 * resizes} if "swings" in facts else {}))
            rows += [row("reactive", use, operator=op, window=n, ns=50 * time, facts=facts) for op in OPERATORS]
            rows.append(counted("reactive", n, 10 + more * ("swings" in facts), parameters=use))
        samples = [float(n) ** power] * 5
        rows.append(row("reactive", {}, operator="max", window=n, metric="resize", value=None, samples=samples))
    return frame(rows)


LITTLE, MUCH, COUNTED = "On small windows RA", "times (Max), over", "combines over 10 times less"
LINEAR, COUNTED_LINEAR, KNEE = "cost of a tuple is linear", "Combines for a tuple", "no knee"
SCHEME, OPERATOR, COMBINES = "same with RA as without", "whichever the operator", "no more than recomputation"
SWINGS, SLOWER, AMORTISED, POWER = "does oscillate", "no slower than fixed", "at most a constant more", "linear in n"

CLAIMS = [
    (ra_throughput, LITTLE, throughput(), throughput(small=1.5)),
    (ra_throughput, MUCH, throughput(), throughput(large=1)),
    (ra_throughput, COUNTED, throughput(), throughput(combines=900)),
    (ra_cost, LINEAR, cost(), cost(ns=lambda n: 20 + math.log2(n) ** 8)),
    (ra_cost, COUNTED_LINEAR, cost(), cost(combines=lambda n: n)),
    (ra_cost, KNEE, cost(), cost(ns=lambda n: 20 + math.log2(n) + 9 * max(0, math.log2(n) - 8))),
    (ra_tumbling, SCHEME, tumbling(), tumbling(scheme=5)),
    (ra_tumbling, OPERATOR, tumbling(), tumbling(operator=5)),
    (ra_tumbling, COMBINES, tumbling(), tumbling(more=10)),
    (ra_resize, SWINGS, resizing(), resizing(resizes=0)),
    (ra_resize, SLOWER, resizing(), resizing(slower=2)),
    (ra_resize, AMORTISED, resizing(), resizing(more=50)),
    (ra_resize, POWER, resizing(), resizing(power=2)),
]


@pytest.mark.parametrize(("experiment", "words", "good", "bad"), CLAIMS, ids=[claim[1] for claim in CLAIMS])
def test_claims(experiment, words, good, bad):
    assert verdict(experiment, words, good)["verdict"] == judgement.REPRODUCED
    found = verdict(experiment, words, bad)
    assert found["verdict"] in (judgement.NOT_REPRODUCED, judgement.PARTLY) and found["reason"], found
    for rows in (good[:0], good.assign(status="failed")):
        assert verdict(experiment, words, rows)["verdict"] == judgement.NOT_MEASURED


@pytest.mark.parametrize("experiment", [ra_throughput, ra_cost, ra_tumbling, ra_resize])
def test_every_claim_is_tested(experiment):
    assert len(experiment.claims) == sum(claim[0] is experiment for claim in CLAIMS)


def test_the_paper_s_three_and_ten_times_are_asked_of_each_operator():
    found = verdict(ra_throughput, MUCH, throughput(large=5))
    assert found["verdict"] == judgement.PARTLY and "holds for 1 of 2" in found["measured"]


def test_a_straight_line_has_no_knee_and_a_bend_is_found_where_it_is():
    found = verdict(ra_cost, KNEE, cost(ns=lambda n: 20 + math.log2(n) + 9 * max(0, math.log2(n) - 7)))
    assert "10.0 times as steep from n = 128 on" in found["measured"]


def settings(**changes):
    given = {
        "name": "probe", "paper": "reactive_aggregator", "workload": {"name": "distance"}, "executor": {},
        "profile": Profile("smoke", 1, 1, 60), "operators": ("max",), "algorithms": ({"name": "reactive"},),
        "sizes": {"windows": [8, 64]},
    }  # fmt: skip
    return Settings(**(given | changes))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"window": 12}, "window is 12; a capacity swings between powers of two, from 8 on"),
        ({"window": 4}, "window is 4; a capacity swings"),
        ({"algorithms": ({"name": "daba"},)}, "algorithms has daba; only reactive resizes itself"),
        ({"workload": {"name": "flights"}}, "workload is 'flights'"),
        ({"distances": (3,)}, "in order: leave distances out"),
    ],
)
def test_what_cannot_swing_is_refused(changes, words):
    with pytest.raises(SettingsError, match=words):
        ra_resize.plan(settings(**changes))
