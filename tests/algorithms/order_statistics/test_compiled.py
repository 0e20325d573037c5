"""Compiled, windows of order statistics say the same as in plain Python, and count no references."""

import json

import numba
import numpy as np
import pytest

from algorithms.kernel import OPTIONS, PLAIN, as_slots, machine_code_calls
from algorithms.order_statistics import OrderedWindow, rolling
from algorithms.order_statistics.contract import counted_tree
from tests import scripts


def said():
    """What windows of up to 900 entries say, as JSON."""
    answers, rng = [], np.random.default_rng(8)
    for order in ("in order", "any"):
        w = OrderedWindow(900, order=order)
        for begin in range(0, 1200, 200):
            times = begin + rng.integers(0, 200, 200)
            w.insert_many(np.sort(times) if order == "in order" else times, rng.normal(size=200).round(1))
            w.bulk_evict(begin - 300)
            w.evict()
            w.check()
            answers += [
                len(w),
                w.median(),
                w.quantile(0.1, "higher"),
                w.mode(),
                w.distinct(),
                w.rank(0.1),
                w.smallest(5),
            ]
        answers += [] if order == "in order" else [sum(w.evict_at(time) for time in range(900, 1000)), w.median()]
    column = rng.normal(size=500).round(1)
    for answer in (rolling.rolling_median, rolling.rolling_rank, rolling.rolling_distinct, rolling.rolling_mode):
        answers += answer(column, 130).tolist()
    return json.dumps(answers)


PLAIN_SAID, CHECKED_SAID = (
    scripts.script("algorithms.order_statistics.test_compiled", **life) for life in (scripts.PLAIN, scripts.CHECKED)
)


@PLAIN_SAID
def test_both_lives_say_the_same():
    assert scripts.printed(PLAIN_SAID) == json.loads(said())


@pytest.mark.slow
@pytest.mark.thorough
@CHECKED_SAID
def test_no_index_is_outside_the_slots():
    assert scripts.printed(CHECKED_SAID) == json.loads(said())


@pytest.mark.skipif(PLAIN, reason="there is no machine code")
@pytest.mark.parametrize("late", [False, True])
def test_no_references_are_counted(late):
    tree, numbers = counted_tree(64), as_slots(np.arange(9))
    column = rolling.Late(numbers, numbers, numbers) if late else rolling.InOrder(numbers)
    fresh = numba.njit(**OPTIONS)(rolling._select.py_func)
    fresh(tree, column, 0, 0, numbers, numbers, numbers, numbers, numbers, 0, 0, 1)
    assert machine_code_calls(fresh, "define") > 0
    assert machine_code_calls(fresh, "NRT_incref") == machine_code_calls(fresh, "NRT_decref") == 0


if __name__ == "__main__":
    print(said())
