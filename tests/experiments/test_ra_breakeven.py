"""ra_breakeven: the search, and the two kinds of windows that compete."""

import math
from collections import deque

import pytest

from experiments.harness.cell import Cell
from experiments.reactive_aggregator.measuring import breakeven, contestants
from experiments.reactive_aggregator.measuring.contestants import FRAMEWORK, LOOP


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


def test_a_row_tells_of_the_largest_window_that_was_tried():
    found = breakeven.ten_times(cell_of("sum", LOOP, 20), {"operations": None, "minimum_ns": 4000})
    facts = found["facts"]
    assert facts["largest"] == max(facts["windows"]) <= 20 and facts["ns_of_an_entry"] > 0
    pairs = list(zip(facts["windows"], found["samples"][::2], found["samples"][1::2], strict=True))
    there = [baseline / incremental for n, baseline, incremental in pairs if n == facts["largest"]]
    assert min(there) <= facts["speed_up"] <= max(there)


def test_a_search_ends_where_memory_does():
    cell = cell_of("collect", FRAMEWORK, 10**8)
    limit, refused = breakeven.limit_of(cell)
    assert 1000 < limit < 10**8 and "items need" in refused and "GiB" in refused
    assert breakeven.limit_of(cell_of("sum", FRAMEWORK, 50_000)) == (50_000, "")
    assert cell.entries == 11, "the cell itself is not refused"


@pytest.mark.parametrize("operator", ["count", "collect"])
def test_in_the_framework_too_the_baseline_reads_a_container(operator):
    """Answers of a window of three after the values 1 to 5; lists are given to the user as such."""
    run = contestants.contestant(cell_of(operator, FRAMEWORK, 3), "recalc", 3)
    last = run(5)["value"][-1]
    assert last == (3 if operator == "count" else [3, 4, 5])


@pytest.mark.parametrize("operator", ["sum", "collect"])
def test_in_the_framework_both_are_timed_in_whole_batches_of_one_size(operator):
    cell, n = cell_of(operator, FRAMEWORK), 10_000
    batch, (baseline, incremental) = (
        contestants.batch_of(cell, n),
        (contestants.burst_of(cell, name, n) for name in ("recalc", "reactive")),
    )
    assert baseline == batch and incremental % batch == 0 and n <= incremental < n + batch
    assert batch * contestants.operator_called(operator, n + 1).dtype.itemsize <= contestants.BATCH_BYTES
    assert contestants.burst_of(cell_of(operator, LOOP), "reactive", n) == n
