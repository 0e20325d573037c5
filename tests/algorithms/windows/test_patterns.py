"""Ways in which streams really use a window: fill and empty, FIFO, sawtooth, thirds, distance d, batches."""

import random

import numpy as np
import pytest

from algorithms import catalogue
from algorithms.windows.contract import ANY_ORDER, IN_ORDER, card
from tests.algorithms.windows.oracle import NaiveWindow, affine
from tests.algorithms.windows.program import (
    BULK_EVICT,
    BULK_INSERT,
    ENDS,
    EVICT,
    INSERT,
    NO_COLUMNS,
    QUERY,
    RANGE,
    columns_of,
    counted_maps,
    execute,
)

CARDS = catalogue()
ANY = [name for name in CARDS if CARDS[name].order == ANY_ORDER]
every_window = pytest.mark.parametrize("name", CARDS)
every_window_of_any_order = pytest.mark.parametrize("name", ANY)
ARITIES = (2, 3, 64)
BATCHES = {"bulk_insert", "bulk_evict"}


class Pair:
    """A window of affine maps and the naive window. The steps are those of one program, which `check` runs compiled."""

    def __init__(self, name: str, capacity: int, columns=NO_COLUMNS, **parameters: int):
        self.card, self.columns = card(name), columns
        fitting = {key: value for key, value in parameters.items() if key in self.card.parameters}
        self.window = self.card.new(counted_maps(), capacity, **fitting)
        self.naive = NaiveWindow(affine, unique=self.card.order != IN_ORDER)
        self.steps: list[tuple[int, int, int]] = []
        self.expected: list[int] = []
        self.serial = 0

    def step(self, code: int, a: int = 0, b: int = 0, answer: int = 0) -> None:
        self.steps.append((code, a, b))
        self.expected.append(answer)

    def insert(self, time: int, value: int | None = None) -> None:
        self.serial += 1
        self.step(INSERT, time, self.serial if value is None else value)
        self.naive.insert(*self.steps[-1][1:])

    def evict(self) -> None:
        self.step(EVICT)
        self.naive.evict()

    def agree(self) -> None:
        self.step(QUERY, answer=self.naive.query())
        if self.naive.entries:
            times = self.naive.times()
            self.step(ENDS, answer=times[0] + 3 * times[-1] + 5 * len(times))

    def check(self) -> None:
        answers, _ = execute(self.card, self.window, self.steps, self.columns)
        assert answers.tolist() == self.expected
        self.card.check(self.window)
        self.steps, self.expected = [], []


@every_window
def test_an_empty_window_gives_the_identity(name):
    pair = Pair(name, 3)
    pair.step(QUERY, answer=1)
    pair.check()


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
        pair.check()


@every_window
@pytest.mark.parametrize("min_arity", ARITIES)
def test_first_in_first_out(name, min_arity):
    pair = Pair(name, 64, min_arity=min_arity)
    for time in range(300):
        if time >= 64:
            pair.evict()
        pair.insert(time)
        pair.agree()
    pair.check()


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
    pair.check()


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
    assert len(pair.naive) == 0
    pair.check()


@every_window
def test_many_entries_at_one_time(name):
    """They combine to one entry in a window of any order, and are entries of their own in order."""
    pair = Pair(name, 40)
    for time in (5, 5, 5, 6, 6, 9, 9, 9, 9):
        pair.insert(time)
        pair.agree()
    assert len(pair.naive) == (3 if name in ANY else 9)
    while len(pair.naive):
        pair.evict()
        pair.agree()
    pair.check()


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
    pair.check()


@every_window_of_any_order
@pytest.mark.parametrize("min_arity", ARITIES)
def test_descending_and_shuffled_inserts(name, min_arity):
    shuffled = random.Random(4).sample(range(500), 500)
    for times in (range(499, -1, -1), shuffled):
        pair = Pair(name, 500, min_arity=min_arity)
        for time in times:
            pair.insert(time)
        pair.agree()
        pair.check()


@pytest.mark.parametrize("name", [name for name in CARDS if BATCHES & set(CARDS[name].operations)])
@pytest.mark.parametrize("min_arity", ARITIES)
def test_a_batch_does_what_a_loop_does(name, min_arity):
    rng = np.random.default_rng(7)
    times = rng.integers(0, 300, 200)
    for batch in (slice(0, 50), slice(50, 200)) if name in ANY else (slice(0, 200),):
        times[batch] = np.sort(times[batch])
    values = rng.integers(-(2**40), 2**40, 200)
    pair = Pair(name, 200, columns_of(times, values), min_arity=min_arity)
    if "bulk_insert" in pair.card.operations:
        for time, value in zip(times.tolist(), values.tolist()):
            pair.naive.insert(time, value)
        pair.step(BULK_INSERT, 0, 50)
        pair.step(BULK_INSERT, 50, 200)
    else:
        for time, value in zip(times.tolist(), values.tolist()):
            pair.insert(time, value)
    pair.agree()
    pair.check()
    for time in (-1, 0, 10, 11, 150, 299, 300) if "bulk_evict" in pair.card.operations else ():
        pair.step(BULK_EVICT, time)
        while pair.naive.entries and pair.naive.times()[0] <= time:
            pair.naive.evict()
        pair.agree()
        pair.check()


@pytest.mark.parametrize("name", [name for name in CARDS if "range_query" in CARDS[name].operations])
@pytest.mark.parametrize("min_arity", ARITIES)
def test_every_range(name, min_arity):
    pair = Pair(name, 60, min_arity=min_arity)
    times = random.Random(2).sample(range(0, 90, 3), 30)
    for time in times if name in ANY else sorted(times):
        pair.insert(time)
    for first in range(-1, 92, 2):
        for last in range(-1, 92, 2):
            pair.step(RANGE, first, last, pair.naive.range_query(first, last))
    pair.check()
