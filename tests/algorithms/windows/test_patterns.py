"""Ways in which streams really use a window: fill and empty, FIFO, sawtooth, thirds, distance d, batches."""

import random

import numpy as np
import pytest

from algorithms import catalogue, window
from algorithms.windows.contract import ANY_ORDER, IN_ORDER, card
from tests.algorithms.windows.oracle import NaiveWindow, affine

CARDS = catalogue()
ANY = [name for name in CARDS if CARDS[name].order == ANY_ORDER]
every_window = pytest.mark.parametrize("name", CARDS)
every_window_of_any_order = pytest.mark.parametrize("name", ANY)
ARITIES = (2, 3, 64)


class Pair:
    """A window of affine maps and the naive window; each step is done on both and the answers are compared."""

    def __init__(self, name: str, capacity: int, **parameters: int):
        fitting = {key: value for key, value in parameters.items() if key in card(name).parameters}
        self.window = window(name, "affine", capacity, **fitting)
        self.naive = NaiveWindow(affine, unique=card(name).order != IN_ORDER)
        self.serial = 0

    def insert(self, time: int) -> None:
        self.serial += 1
        self.window.insert(time, self.serial)
        self.naive.insert(time, self.serial)

    def evict(self) -> None:
        self.window.evict()
        self.naive.evict()

    def agree(self) -> None:
        assert len(self.window) == len(self.naive)
        assert self.window.query() == self.naive.query()
        if self.naive.entries:
            times = self.naive.times()
            assert (self.window.oldest(), self.window.youngest()) == (times[0], times[-1])


@every_window
def test_an_empty_window_gives_the_identity(name):
    w = window(name, "affine", 3)
    assert (len(w), w.query()) == (0, 1)


@every_window
@pytest.mark.parametrize("min_arity", ARITIES)
def test_evict_to_empty_and_refill(name, min_arity):
    pair = Pair(name, 100, min_arity=min_arity)
    time = 0
    for n in (1, 2, 3, 7, 100, 5, 99, 1):
        for _ in range(n):
            time += 1
            pair.insert(time)
        pair.agree()
        for _ in range(n):
            pair.evict()
            pair.agree()
        pair.window.check()


@every_window
@pytest.mark.parametrize("min_arity", ARITIES)
def test_first_in_first_out(name, min_arity):
    pair = Pair(name, 64, min_arity=min_arity)
    for time in range(300):
        if time >= 64:
            pair.evict()
        pair.insert(time)
        pair.agree()
    pair.window.check()


@every_window
@pytest.mark.parametrize("min_arity", ARITIES)
def test_sawtooth(name, min_arity):
    """Grow one by one, drop to a tenth at once, again and again."""
    pair = Pair(name, 80, min_arity=min_arity)
    for time in range(400):
        pair.insert(time)
        if len(pair.naive) == 80:
            while len(pair.naive) > 8:
                pair.evict()
        pair.agree()
    pair.window.check()


@every_window
@pytest.mark.parametrize("min_arity", ARITIES)
def test_thirds(name, min_arity):
    """A third of the steps only insert, a third insert and evict, a third only evict."""
    pair, n = Pair(name, 90, min_arity=min_arity), 90
    for time in range(3 * n):
        if time < 2 * n:
            if time >= n:
                pair.evict()
            pair.insert(time)
        else:
            pair.evict()
        pair.agree()
    assert len(pair.window) == 0
    pair.window.check()


@every_window
def test_many_entries_at_one_time(name):
    """They combine to one entry in a window of any order, and are entries of their own in order."""
    pair = Pair(name, 40)
    for time in (5, 5, 5, 6, 6, 9, 9, 9, 9):
        pair.insert(time)
        pair.agree()
    assert len(pair.window) == (3 if name in ANY else 9)
    while len(pair.naive):
        pair.evict()
        pair.agree()


@every_window_of_any_order
@pytest.mark.parametrize("min_arity", ARITIES)
@pytest.mark.parametrize("d", [0, 1, 48, 96], ids=["0", "1", "n/2", "n"])
def test_the_distance_protocol(name, min_arity, d):
    """n = 96: each round evicts the oldest and inserts with d younger entries in the window."""
    pair, n, high = Pair(name, 96, min_arity=min_arity), 96, 10_000
    for time in (*range(high, high + d), *range(n - d)):
        pair.insert(time)
    for time in range(n - d, 4 * n):
        pair.evict()
        pair.insert(time)
        pair.agree()
    pair.window.check()


@every_window_of_any_order
@pytest.mark.parametrize("min_arity", ARITIES)
def test_descending_and_shuffled_inserts(name, min_arity):
    shuffled = random.Random(4).sample(range(500), 500)
    for times in (range(499, -1, -1), shuffled):
        pair = Pair(name, 500, min_arity=min_arity)
        for time in times:
            pair.insert(time)
        pair.agree()
        pair.window.check()


@every_window
@pytest.mark.parametrize("min_arity", ARITIES)
def test_a_batch_does_what_a_loop_does(name, min_arity):
    rng = np.random.default_rng(7)
    times = np.sort(rng.integers(0, 300, 200)) if name not in ANY else rng.integers(0, 300, 200)
    values = rng.integers(-(2**40), 2**40, 200)
    parameters = {"min_arity": min_arity} if "min_arity" in card(name).parameters else {}
    looped, many, bulk = (window(name, "affine", 200, **parameters) for _ in range(3))
    for time, value in zip(times.tolist(), values.tolist()):
        looped.insert(time, value)
    many.insert_many(times, values)
    assert (len(many), many.query()) == (len(looped), looped.query())
    if "bulk_insert" in card(name).operations:
        bulk.bulk_insert(times[:50], values[:50])
        bulk.bulk_insert(np.sort(times[50:]) if name not in ANY else times[50:], values[50:])
        bulk.check()
        assert (len(bulk), bulk.query()) == (len(looped), looped.query())
    if "bulk_evict" in card(name).operations:
        for time in (-1, 0, 10, 11, 150, 299, 300):
            removed = many.bulk_evict(time)
            one_by_one = 0
            while len(looped) and looped.oldest() <= time:
                looped.evict()
                one_by_one += 1
            many.check()
            assert (removed, len(many), many.query()) == (one_by_one, len(looped), looped.query())


@pytest.mark.parametrize("name", [name for name in CARDS if "range_query" in CARDS[name].operations])
@pytest.mark.parametrize("min_arity", ARITIES)
def test_every_range(name, min_arity):
    pair = Pair(name, 60, min_arity=min_arity)
    times = random.Random(2).sample(range(0, 90, 3), 30)
    for time in times if name in ANY else sorted(times):
        pair.insert(time)
    for first in range(-1, 92, 2):
        for last in range(-1, 92, 2):
            assert pair.window.range_query(first, last) == pair.naive.range_query(first, last)
