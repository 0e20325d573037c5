"""What only compiled code can get wrong: pairs of columns, any order, keys, growing, no reference counts."""

import numba
import numpy as np
import pytest

from algorithms import SlidingAggregate, operators
from algorithms.kernel import OPTIONS, PLAIN, as_slots, machine_code_calls
from algorithms.streams.sliding.events import run
from algorithms.streams.sliding.partition import Partition, Results
from algorithms.streams.sliding.plan import plan_of
from algorithms.streams.window_spec import WindowSpec
from tests.algorithms.streams.sliding import brute
from tests.algorithms.streams.sliding.streams import aggregate, pairs, times, values


def test_pairs_of_columns():
    measure, argument = np.array(values(3, 50)), np.arange(50)
    s = SlidingAggregate(size=6, slide=2, by="count", operator="arg_max", dtype="int64", capacity=1)
    got = s.batch(None, (measure, argument))["value"].tolist()
    assert got == [max(0, n - 6) + int(measure[max(0, n - 6) : n].argmax()) for n in range(2, 51, 2)]


def test_three_columns_that_grow():
    op = operators.product(count="count", largest="max", total="sum")
    s = SlidingAggregate(size=3, slide=2, by="count", operator=op, capacity=1)
    got = s.batch(None, (np.zeros(5), np.array([3.0, 9, 1, 2, 4]), np.arange(5.0)))["value"].tolist()
    assert got == [(2, 9.0, 1.0), (3, 9.0, 6.0)]


def test_any_order_that_grows():
    t = (np.array(times(3, 300)) - np.random.default_rng(3).integers(0, 40, 300)).tolist()
    v = values(3, 300)
    newest = np.maximum.accumulate(t)
    kept = [(at, x) for at, x, top in zip(t, v, newest.tolist(), strict=True) if at >= top - 5]
    s = aggregate("recalc", size=9, slide=4, lateness=5, capacity=2)
    got = pairs(s.batch(t[:100], v[:100])) + pairs(s.batch(t[100:], v[100:]))
    assert got == brute.by_time(kept, 9, 4, now=int(newest[-1]) - 5)
    assert s.late == 300 - len(kept) > 0


def test_keys_and_growing():
    n = 400
    t, v, keys = times(1, n), values(1, n), np.random.default_rng(1).choice([5, -3, 7], n)
    s = aggregate(size=7, slide=3, key=True, capacity=1)
    got = pairs(s.batch(t, v, keys)) + pairs(s.flush())
    for key in (5, -3, 7):
        records = [(t[i], v[i]) for i in range(n) if keys[i] == key]
        assert [(at, x) for at, k, x in got if k == key] == brute.by_time(records, 7, 3)


@pytest.mark.skipif(PLAIN, reason="is about compiled code")
def test_the_loop_counts_no_references():
    op = operators.make("sum")
    partition = Partition(op, plan_of("recalc", WindowSpec(size=5, slide=2, closed="both"), "int64", {}), 1, 8)
    none = as_slots(np.zeros(0, np.int64))
    fresh = numba.njit(**OPTIONS)(run.py_func)  # of what comes from the cache on disk there is no LLVM to inspect
    fresh(partition.events, Results(op).out, none, none, as_slots(np.zeros(0)), 0, 0, 0)
    assert machine_code_calls(fresh, "define") > 0
    assert machine_code_calls(fresh, "NRT_incref") == machine_code_calls(fresh, "NRT_decref") == 0
