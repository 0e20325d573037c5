"""The counted tree: every short history, and long random ones, against a sorted list, with check() after each step."""

import bisect
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.order_statistics import counted, timed
from algorithms.order_statistics.contract import CARDS, counted_tree
from algorithms.order_statistics.tree import LEVELS, NOTHING, fewest
from algorithms.order_statistics.tree_check import check_tree, items
from tests.algorithms.order_statistics import naive
from tests.examples import examples

pytestmark = [pytest.mark.plain, pytest.mark.smoke]

BITS = 2
"""Rows of four: a handful of keys makes a tree of several levels."""


def save(tree):
    return tuple(np.asarray(field).tobytes() for field in tree)


def restore(tree, memory):
    for field, saved in zip(tree, memory, strict=True):
        np.asarray(field).view(np.uint8)[:] = np.frombuffer(saved, np.uint8)


def shape(tree):
    """What two trees must share so that one stands for both: the rows and what is in them."""

    def below(y, level):
        first = y << int(tree.head[0].bits)
        slots = range(first, first + int(tree.filled[y]))
        if level == 0:
            return tuple((int(tree.key[p]), int(tree.load[p])) for p in slots)
        return tuple(below(int(tree.load[p]), level - 1) for p in slots)

    return below(int(tree.head[0].root), int(tree.head[0].height))


def compare(tree, values, strangers=()):
    """All answers, against a sorted list."""
    check_tree(tree)
    assert (tree.head[0].entries, tree.head[0].keys) == (len(values), len(set(values)))
    for k, value in enumerate(values):
        assert counted.select(tree, k) == value
        assert counted.select_two(tree, k) == (value, values[min(k + 1, len(values) - 1)])
    for value in {*values, *strangers}:
        left = bisect.bisect_left(values, value)
        assert counted.smaller_and_equal(tree, value) == (left, bisect.bisect_right(values, value) - left)
    if values:
        assert counted.most_frequent(tree) == (naive.mode(values), values.count(naive.mode(values)))


def every_history(most, times, steps):
    """From every tree reached within `steps`: add each of `most` values, or remove each, each at most `times` times."""
    tree = counted_tree(64, BITS)
    level, seen, heights, done = [(save(tree), ())], {shape(tree)}, set(), 0
    for _ in range(steps):
        reached = []
        for memory, values in level:
            for value, adding in itertools.product(range(0, 2 * most, 2), (True, False)):
                if values.count(value) not in (range(times) if adding else range(1, times + 1)):
                    continue
                restore(tree, memory)
                (counted.add if adding else counted.remove)(tree, value)
                after = [*values]
                bisect.insort(after, value) if adding else after.remove(value)
                compare(tree, after, strangers=(-1, value, value + 1))
                done += 1
                if shape(tree) not in seen:
                    seen.add(shape(tree))
                    heights.add(int(tree.head[0].height))
                    reached.append((save(tree), tuple(after)))
        level = reached
    return len(seen), done, max(heights)


@pytest.mark.parametrize(("most", "times", "steps"), [(3, 3, 9), (5, 2, 8), (8, 1, 10)])
def test_every_short_history(most, times, steps):
    shapes, done, height = every_history(most, times, steps)
    assert shapes >= (times + 1) ** most - int(steps < times * most) * 200
    assert done > 4 * shapes
    assert height == int(most > 3)  # long histories have trees of more levels


@settings(max_examples=examples(15))
@given(st.data(), st.sampled_from([3, 30, 10**6]), st.sampled_from([2, 3]))
def test_long_histories(data, span, bits):
    tree, values = counted_tree(200, bits), []
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    for growing in (True, False, True, False):
        for _ in range(100):
            if not values or rng.random() < (0.8 if growing else 0.25):
                value = int(rng.integers(span))
                counted.add(tree, value)
                bisect.insort(values, value)
            else:
                value = values.pop(int(rng.integers(len(values))))
                counted.remove(tree, value)
            check_tree(tree)
        compare(tree, values, strangers=(-1, span))


@pytest.mark.parametrize("order", ["up", "down", "inwards", "outwards"])
def test_as_many_nodes_as_the_layout_has_are_enough(order):
    """Sorted streams leave half-full nodes behind; then all but every fourth key goes."""
    n = 160
    keys = {
        "up": range(n),
        "down": range(n)[::-1],
        "inwards": [k for pair in zip(range(n // 2), range(n)[::-1], strict=False) for k in pair],
        "outwards": [k for pair in zip(range(n // 2)[::-1], range(n // 2, n), strict=True) for k in pair],
    }[order]
    tree = counted_tree(n, BITS)
    for _ in range(2):
        for key in keys:
            counted.add(tree, key)
        check_tree(tree)
        gone = [key for key in keys if key % 4]
        for key in gone:
            counted.remove(tree, key)
            check_tree(tree)
        for key in keys:
            if key % 4 == 0:
                counted.remove(tree, key)
        assert tree.head[0].entries == 0 and tree.head[0].height == 0


def test_any_tree_of_that_capacity_fits_into_the_nodes():
    for bits in (2, 3, 6):
        least = fewest(1 << bits)
        for capacity in (1, 5, 64, 10**6):
            tree_leaves = max(capacity // least, 1)
            inners, row = 0, tree_leaves
            while row > 1:
                row = max(row // least, 1)
                inners += row
            tree = counted_tree(capacity, bits)
            leaves = len(tree.filled) - int(tree.head[0].first_leaf)
            assert leaves > tree_leaves and int(tree.head[0].first_leaf) > inners
            assert inners == 0 or np.log2(tree_leaves) / np.log2(least) < LEVELS


def test_extreme_keys():
    tree, info = counted_tree(20, BITS), np.iinfo(np.int64)
    values = sorted([int(info.min), int(info.min) + 1, -1, 0, 1, int(info.max) - 1, int(info.max)])
    for value in values:
        counted.add(tree, value)
    compare(tree, values)


# --------------------------------------------------------------------------------------------------------------- times


def compare_times(tree, entries):
    check_tree(tree)
    assert items(tree) == entries
    if entries:
        assert tree.key[timed.first_slot(tree)] == entries[0][0]
        assert tree.key[timed.last_slot(tree)] == entries[-1][0]


def put_at(entries, time, code):
    entries.insert(bisect.bisect_right([t for t, _ in entries], time), (time, code))


def every_history_of_times(most, steps):
    """Insert at each of `most` times, evict the oldest, evict at each time; from every tree reached within `steps`."""
    tree = CARDS["any"].make(64, BITS).times
    level, seen, done = [(save(tree), ())], {()}, 0
    for step in range(steps):
        reached = []
        for memory, entries in level:
            operations = [("put", t) for t in range(most)] + [("at", t) for t in range(most)] + [("first", 0)]
            for operation, time in operations:
                restore(tree, memory)
                after = list(entries)
                if operation == "put":
                    timed.put_at(tree, time, step)
                    put_at(after, time, step)
                elif operation == "at":
                    there = [i for i, (t, _) in enumerate(after) if t == time]
                    p = timed.slot_at(tree, time)
                    assert (p >= 0) == bool(there)
                    if there:
                        assert timed.take_from(tree, p) == after.pop(there[-1])[1]
                elif after:
                    assert timed.take_from(tree, timed.first_slot(tree)) == after.pop(0)[1]
                compare_times(tree, after)
                done += 1
                times_only = str(shape(tree)) if len(after) < 5 else str([[k for k, _ in x] for x in shape(tree)])
                if times_only not in seen:
                    seen.add(times_only)
                    reached.append((save(tree), tuple(after)))
        level = reached
    return done


def test_every_short_history_of_times():
    assert every_history_of_times(3, 7) > 5_000


@settings(max_examples=examples(10))
@given(st.integers(0, 2**32), st.sampled_from([2, 40, 10**6]))
def test_long_histories_of_times(seed, span):
    rng, tree, entries = np.random.default_rng(seed), CARDS["any"].make(200, BITS).times, []
    for step in range(300):
        kind, time = rng.random(), int(rng.integers(span))
        if not entries or kind < (0.8 if step // 75 % 2 == 0 else 0.2):
            timed.put_at(tree, time, step)
            put_at(entries, time, step)
        elif kind < 0.9:
            time = entries[int(rng.integers(len(entries)))][0]
            last = bisect.bisect_right([t for t, _ in entries], time) - 1
            assert timed.take_from(tree, timed.slot_at(tree, time)) == entries.pop(last)[1]
        else:
            assert timed.take_from(tree, timed.first_slot(tree)) == entries.pop(0)[1]
        compare_times(tree, entries)


# ---------------------------------------------------------------------------------------------- check() finds mistakes


def broken(spoil):
    tree = counted_tree(64, BITS)
    for key in range(20):
        counted.add(tree, key)
    check_tree(tree)
    spoil(tree, int(tree.head[0].root) << BITS)
    with pytest.raises(AssertionError) as said:
        check_tree(tree)
    return str(said.value)


def test_check_finds_what_is_wrong():
    def set_to(field, value):
        return lambda tree, p: getattr(tree, field).__setitem__(p, value)

    leaf = lambda tree: int(tree.head[0].first_leaf) << BITS  # noqa: E731
    assert "total and most" in broken(set_to("total", 3))
    assert "total and most" in broken(set_to("most", 2))
    assert "least key" in broken(set_to("key", -7))
    assert "least key" in broken(lambda tree, p: tree.key.__setitem__(leaf(tree), 5))
    assert "occurs twice" in broken(lambda tree, p: tree.key.__setitem__(leaf(tree) + 1, 0))
    assert "descend" in broken(lambda tree, p: tree.key.__setitem__(leaf(tree) + 1, 9))
    assert "does not occur" in broken(lambda tree, p: tree.load.__setitem__(leaf(tree), 0))
    assert "slots" in broken(lambda tree, p: tree.filled.__setitem__(int(tree.head[0].first_leaf), 1))
    assert "nodes are lost" in broken(lambda tree, p: tree.head[0].__setattr__("leaves", NOTHING))
    assert "entries" in broken(lambda tree, p: tree.head[0].__setattr__("entries", 3))
    assert "keys" in broken(lambda tree, p: tree.head[0].__setattr__("keys", 3))
