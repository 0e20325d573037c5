"""Rebalancing steps: splits, merges and moves never exceed two for each operation so far.

FiBA paper, Lemma C.1: coins billed for an insert or an evict never exceed 2, and every step spends one. The tree starts
without coins, so that the steps of any prefix of any sequence are bounded by twice its length.
"""

import random
from typing import Any

import numpy as np
import pytest

from tests.algorithms.windows.counts.measured import counted_window, table
from tests.algorithms.windows.program import EVICT, EVICT_AT, INSERT, execute

every_tree = pytest.mark.parametrize("name", ["fiba", "fiba_folds", "b_tree"])
every_arity = pytest.mark.parametrize("min_arity", [2, 3, 4])


def steps_taken(w: Any) -> int:
    header = w.tree[0]
    return int(header.splits + header.merges + header.moves)


def save(w: Any) -> list[np.ndarray]:
    return [np.array(field) for field in w[1:]]


def restore(w: Any, saved: list[np.ndarray]) -> None:
    for field, kept in zip(w[1:], saved):
        np.asarray(field)[:] = kept


@every_tree
@every_arity
def test_random_sequences_stay_within_their_coins(name, min_arity):
    """Growing, shrinking and staying, at random places or all at one."""
    known, w = counted_window(name, 400, min_arity=min_arity)
    chance, times, done = random.Random(min_arity), [], 0
    for phase in range(40):
        share, place = chance.choice((0.1, 0.5, 0.9)), chance.choice((None, chance.random()))
        for _ in range(100):
            at = int((chance.random() if place is None else place) * len(times))
            if not times or (chance.random() < share and len(times) < 400):
                time = (times[at - 1] if at else 0) + 1 + chance.randrange(1000)
                step = (INSERT, time, 1)
                times = sorted({*times, time})
            else:
                step = (EVICT_AT, times.pop(min(at, len(times) - 1)), 0)
            execute(known, w, [step])
            done += 1
            assert steps_taken(w) <= 2 * done, f"phase {phase}"
    known.check(w)


@every_tree
@every_arity
def test_a_greedy_adversary_stays_within_its_coins(name, min_arity):
    """Of all inserts and evictions it makes the one that takes the most steps; it starts with no coins saved up."""
    known, w = counted_window(name, 60, min_arity=min_arity)
    chance, times = random.Random(5), []
    for turn in range(150):
        growing = turn % 50 < 30
        gaps = [(a + b) // 2 for a, b in zip([0, *times], [*times, 1 << 40])]
        candidates = [(INSERT, time, 1) for time in gaps] if growing else [(EVICT_AT, time, 0) for time in times]
        before, saved, taken = steps_taken(w), save(w), {}
        for step in chance.sample(candidates, min(20, len(candidates))):
            execute(known, w, [step])
            taken[step] = steps_taken(w) - before
            restore(w, saved)
        step = max(taken, key=taken.get)
        execute(known, w, [step])
        times = sorted({*times, step[1]} if growing else {*times} - {step[1]})
        assert steps_taken(w) <= 2 * (turn + 1), f"turn {turn}"
    known.check(w)


@every_tree
@every_arity
def test_first_in_first_out_and_its_mirror(name, min_arity):
    """In order, and last in first out at the young end."""
    known, w = counted_window(name, 1000, min_arity=min_arity)
    fill, rounds = table(INSERT, np.arange(1000)), np.zeros((4000, 3), np.int64)
    rounds[0::2, 0], rounds[1::2, 0], rounds[1::2, 1] = EVICT, INSERT, 1000 + np.arange(2000)
    execute(known, w, np.concatenate((fill, rounds)))
    assert 0 < steps_taken(w) <= 2 * 5000
    execute(known, w, table(EVICT_AT, np.arange(2999, 1999, -1)))
    assert steps_taken(w) <= 2 * 6000
