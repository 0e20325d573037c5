"""B-Int's combines: of every stretch of a window, of arrivals, and of a window that fills its ring to the last slot."""

import numpy as np
import pytest

from algorithms import operators
from algorithms.windows.contract import card
from tests.algorithms.windows.program import EVICT, INSERT, QUERY, RANGE, execute

pytestmark = pytest.mark.smoke

B_INT = card("b_int")


def most_for(n: int) -> float:
    """Two base intervals of each size but the largest, less one: the bound of a query over n elements."""
    return max(2 * np.log2(n + 2) - 3, 0)


def window_of(capacity: int):
    op = operators.counting(operators.make("affine"))
    return op, B_INT.new(op, capacity)


@pytest.mark.parametrize("front", [0, 1, 5, 64])
def test_every_stretch_takes_at_most_two_base_intervals_of_each_size(front):
    capacity, reached = 64, set()
    _, w = window_of(capacity)
    steps = [(INSERT, i, i) for i in range(front)] + [(EVICT, 0, 0)] * front
    execute(B_INT, w, steps + [(INSERT, i, i) for i in range(front, front + capacity)])
    stretches = [(i, j) for i in range(front, front + capacity) for j in range(i, front + capacity)]
    _, costs = execute(B_INT, w, [(RANGE, i, j) for i, j in stretches])
    for (i, j), cost in zip(stretches, costs):
        assert cost <= most_for(j - i + 1), (i, j)
        if cost == most_for(j - i + 1) and cost:
            reached.add(j - i + 1)
    assert reached >= {2, 6, 14, 30}, "the bound is reached where it is a whole number"


@pytest.mark.parametrize("capacity", [1, 2, 3, 8, 100, 128])
def test_arrivals_compute_each_interval_once(capacity):
    """Element number i completes as many intervals as i + 1 has factors of 2, up to the size of the ring."""
    _, w = window_of(capacity)
    most = max(capacity - 1, 0).bit_length()
    steps = [step for i in range(5 * capacity) for step in [(EVICT, 0, 0)] * (i >= capacity) + [(INSERT, i, i)]]
    _, costs = execute(B_INT, w, steps)
    codes = np.array(steps)[:, 0]
    completed = [min((-n & n).bit_length() - 1, most) for n in range(1, 5 * capacity + 1)]
    assert costs[codes == INSERT].tolist() == completed
    assert not costs[codes == EVICT].any()
    assert costs.sum() < 5 * capacity


@pytest.mark.parametrize("n", [1, 2, 8, 64, 256])
def test_a_ring_full_to_the_last_slot_answers_right_and_in_one_piece_if_it_can(n):
    """Capacity n exactly, n a power of two: when the front is a multiple of n the window is one base interval."""
    _, w = window_of(n)
    oracle = operators.make("affine")
    whole = card("recalc").new(oracle, n + 1)
    fill = [(INSERT, i, i * i) for i in range(n)]
    execute(B_INT, w, fill), execute(card("recalc"), whole, fill)
    rounds = [step for i in range(n, 3 * n + 1) for step in ((QUERY, 0, 0), (EVICT, 0, 0), (INSERT, i, i * i))]
    answers, costs = execute(B_INT, w, rounds)
    expected, _ = execute(card("recalc"), whole, rounds)
    assert (answers == expected).all()
    queries = costs[::3]
    assert (queries[::n] == 0).all()
    assert (queries <= 2 * np.log2(n)).all()
    B_INT.check(w)


def test_a_query_after_a_round_takes_less_than_the_reactive_at_any_size():
    """Arasu and Widom's look-up pays log n once, the Reactive's tree a path for each end and a suffix + prefix."""
    for n in (8, 100, 1024):
        sums = {}
        for name in ("b_int", "reactive"):
            op = operators.counting(operators.make("affine"))
            w = card(name).new(op, n + 1)
            execute(card(name), w, [(INSERT, i, i) for i in range(n)] + [(QUERY, 0, 0)])
            op.reset()
            execute(
                card(name), w, [step for i in range(n) for step in ((EVICT, 0, 0), (INSERT, n + i, i), (QUERY, 0, 0))]
            )
            sums[name] = op.combines() / n
        assert sums["b_int"] <= 1 + 2 * np.log2(n)
        assert sums["reactive"] > sums["b_int"]
