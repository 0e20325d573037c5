"""ra_breakeven: the search, the break-even points that pairs give, the two kinds of windows, and the claims."""

import math
from collections import deque

import numpy as np
import pytest

from experiments.harness import judgement
from experiments.harness.cell import Cell, canonical
from experiments.reactive_aggregator.breakeven import PAPER, crossing, ra_breakeven, table_of
from experiments.reactive_aggregator.measuring import breakeven, contestants
from experiments.reactive_aggregator.measuring.contestants import FRAMEWORK, LOOP
from tests.experiments.made_rows import frame, row, verdict


@pytest.mark.parametrize("limit", [10, 25, 320, 1000])
@pytest.mark.parametrize("at", [1, 10, 11, 20, 95, 300, 321, 990, 2000])
@pytest.mark.parametrize("target", [1, 10])
def test_the_search_finds_the_smallest_multiple_of_ten(at, target, limit):
    tried = []

    def speed_up(n):
        tried.append(n)
        return target * n / at

    found = breakeven.smallest(speed_up, target, limit)
    expected = -(-at // 10) * 10
    assert found == (expected if expected <= limit // 10 * 10 else limit if at <= limit else None)
    assert max(tried) <= limit and len(tried) <= 2 * math.log2(limit) + 2


def test_a_lucky_measurement_below_does_not_end_the_search():
    found = breakeven.smallest(lambda n: 1.01 if n == 10 else n / 300, 1, 10_000)
    assert found == 300


def test_what_is_never_reached_is_tried_up_to_the_limit():
    tried = []
    assert breakeven.smallest(lambda n: tried.append(n) or 0.5, 1, 500) is None
    assert tried == [10, 20, 40, 80, 160, 320, 500]


def cell_of(operator, framework, n=40):
    protocol, uses = {"window": n, "distance": 0}, {"framework": framework}
    return Cell("p", "e", "reactive", {}, operator, "distance", protocol, n, "breakeven.break_even", 0, uses=uses)


def sums(n, first, count):
    """Answers of `count` rounds of sum, the first of which inserts item number `first`."""
    values = [1 + i % 101 for i in range(first + count)]
    return [sum(values[max(0, end + 1 - n) : end + 1]) for end in range(first, first + count)]


@pytest.mark.parametrize("algorithm", ["recalc", "reactive"])
@pytest.mark.parametrize("operator", ["sum", "sum:float64"])
def test_rounds_in_the_loop_and_in_the_framework_give_the_answers_of_brute_force(algorithm, operator):
    loop = contestants.contestant(cell_of(operator, LOOP), algorithm, 40)
    assert loop(50) == sum(sums(40, 40, 50))
    framed = contestants.contestant(cell_of(operator, FRAMEWORK), algorithm, 40)
    framed(40)
    window = deque([1 + i % 101 for i in range(40)], 40)
    expected = [window.append(1 + i % 101) or sum(window) for i in range(50)]
    assert framed(50)["value"].tolist() == expected


def test_the_baseline_reads_its_container():
    assert contestants.contestant(cell_of("count", LOOP), "recalc", 40)(7) == 7 * 40
    collected = contestants.contestant(cell_of("collect", LOOP), "recalc", 40)
    assert collected(3) == sum(1 + i % 101 for i in (1, 2, 3))  # the oldest of each list


@pytest.mark.parametrize("framework", [LOOP, FRAMEWORK])
def test_a_search_keeps_every_pair(framework):
    found = breakeven.break_even(cell_of("population_stddev", framework), {"operations": None, "minimum_ns": 4000})
    assert len(found["samples"]) == 2 * found["operations"] == 2 * len(found["facts"]["windows"])
    assert all(ns > 0 for ns in found["samples"])
    assert found["value"] is None or found["value"] in found["facts"]["windows"]


def test_where_a_line_of_speed_ups_crosses():
    n = np.array([100.0, 200, 400, 800])
    lines = np.log(np.column_stack([n / 300, n / 30, 300 / n]))
    assert crossing(n, lines, 1)[:2] == pytest.approx([300, 30]) and np.isnan(crossing(n, lines, 1)[2])
    assert crossing(n, lines, 10)[:2] == pytest.approx([3000, 300])


COST = {name: 5000 / even for name, (even, _) in PAPER.items()}
COST_BY_ONE = dict.fromkeys(PAPER, 1.0)


def rows_of(even=lambda name: PAPER[name][0], never=True, cost=COST):
    """Searches whose pairs have speed-ups n / even, give or take 2 %."""
    rows = []
    limits = {**dict.fromkeys(PAPER, 20_000), "count": 20_000, "collect": 320}
    for framework in (LOOP, FRAMEWORK):
        for operator, limit in limits.items():
            at = even(operator) if operator in PAPER else (10**9 if never else 50)
            for metric, target in (("break_even", 1), ("ten_times", 10)):
                windows, ns = [], []
                for n in (10, 20, 40, 80, 160, 300, 320, 640, 1280, 2500, 2560, 5120, 10_000, limit):
                    for wobble in (0.98, 1, 1.02):
                        windows.append(n)
                        ns += [cost.get(operator, 1) * n, cost.get(operator, 1) * at * wobble]
                value = float(target * at) if target * at <= limit else None
                use, facts = {"framework": framework}, canonical({"windows": windows})
                columns = {"window": limit, "metric": metric, "value": value, "samples": ns, "facts": facts}
                rows.append(row("reactive", use, operator=operator, **columns))
    return frame(rows)


NEVER, EVEN, TEN, SOONER = "never break even", "even in small windows", "ten times faster", "The costlier"
CONTRARY = {
    NEVER: rows_of(never=False),
    EVEN: rows_of(even=lambda name: 3000),
    TEN: rows_of(even=lambda name: 3000),
    SOONER: rows_of(cost={name: 1 / cost for name, cost in COST.items()}),
}


@pytest.mark.parametrize("where", ["against a bare loop", "both in SlidingAggregate"])
@pytest.mark.parametrize("words", CONTRARY)
def test_claims(words, where):
    experiment = judging_of(where)
    assert verdict(experiment, words, rows_of())["verdict"] == judgement.REPRODUCED
    found = verdict(experiment, words, CONTRARY[words])
    assert found["verdict"] == judgement.NOT_REPRODUCED and found["reason"], found
    for rows in (rows_of()[:0], rows_of().assign(status="failed")):
        assert verdict(experiment, words, rows)["verdict"] == judgement.NOT_MEASURED


def judging_of(where):
    """The experiment with the claims of one of the two baselines."""
    chosen = [claim for claim in ra_breakeven.claims if where in claim.says]
    assert len(chosen) == len(CONTRARY) == len(ra_breakeven.claims) / 2
    return type(ra_breakeven)(ra_breakeven.name, ra_breakeven.plan, chosen)


def test_break_even_points_come_with_an_interval_and_beside_the_paper_s():
    table = table_of(rows_of(), "break_even", LOOP)
    assert table["count"] is None and table["collect"] is None
    assert table["sum"].low <= 370 <= table["sum"].high and table["sum"].high - table["sum"].low < 40
    said = verdict(judging_of("bare loop"), EVEN, rows_of())["measured"]
    assert "sum 370 (" in said and "[370]" in said
    assert "not up to 320" in verdict(judging_of("bare loop"), NEVER, rows_of())["measured"]


def test_a_search_that_did_not_go_far_enough_decides_nothing():
    short = rows_of(even=lambda name: 3000)
    short.loc[short["operator"].isin(list(PAPER)), "window"] = 2000
    assert verdict(judging_of("bare loop"), EVEN, short)["verdict"] == judgement.NOT_REPRODUCED
    found = verdict(judging_of("bare loop"), TEN, short)
    assert found["verdict"] == judgement.NOT_MEASURED and "up to 5,810 items" in found["reason"]
