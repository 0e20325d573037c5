"""Streams on windows whose operator counts: what each operation cost, in combines."""

import bisect
import random
from typing import Any, NamedTuple

import numpy as np

from algorithms.windows.contract import Card, card
from tests.algorithms.windows.program import (
    BULK_EVICT,
    BULK_INSERT,
    EVICT,
    EVICT_AT,
    INSERT,
    QUERY,
    RANGE,
    columns_of,
    counted_maps,
    execute,
)

HIGH = 1 << 40
"""Times of entries that stay at the young end: above those of all arrivals."""


def counted_window(name: str, capacity: int, **parameters: int) -> tuple[Card, Any]:
    found = card(name)
    return found, found.new(counted_maps(), capacity, **parameters)


def table(code: int, a: Any, b: Any = 0) -> np.ndarray:
    """Steps of one kind."""
    rows = np.zeros((len(a), 3), np.int64)
    rows[:, 0], rows[:, 1], rows[:, 2] = code, a, b
    return rows


class Rounds(NamedTuple):
    """Combines of each evict, insert and query, one a round."""

    evict: np.ndarray
    insert: np.ndarray
    query: np.ndarray

    def updates(self) -> np.ndarray:
        """Per operation that changes the window: half of evict and insert together."""
        return (self.evict + self.insert) / 2


def distance_rounds(name: str, n: int, d: int, rounds: int, **parameters: int) -> Rounds:
    """The distance protocol: n entries, d of them younger than every arrival; evict, insert, query in each round."""
    known, w = counted_window(name, n + 1, **parameters)
    execute(known, w, np.concatenate((table(INSERT, HIGH + np.arange(d)), table(INSERT, np.arange(n - d)))))
    steps = np.zeros((rounds, 3, 3), np.int64)
    steps[:, :, 0] = EVICT, INSERT, QUERY
    steps[:, 1, 1] = n - d + np.arange(rounds)
    _, costs = execute(known, w, steps.reshape(-1, 3))
    return Rounds(*costs.reshape(rounds, 3).T)


def random_distances(n: int, updates: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Inserts and evictions around a window of n entries, at distances spread evenly in log d from either end.

    Gives the steps, the n filling ones first, and the distance of each of the updates.
    """
    chance = random.Random(seed)
    times, steps, distances = list(range(0, 1000 * n, 1000)), [], []
    for update in range(updates):
        d = min(int(2 ** (chance.random() * np.log2(n))) - 1, len(times) - 1)
        at = d if chance.random() < 0.5 else len(times) - 1 - d
        if update % 2:
            time = times[at] + chance.randrange(1, 1000)
            place = bisect.bisect_left(times, time)
            if place == len(times) or times[place] != time:
                times.insert(place, time)
            d = min(place, len(times) - 1 - place)
            steps.append((INSERT, time, 1))
        else:
            steps.append((EVICT_AT, times.pop(at), 0))
        distances.append(d)
    return np.concatenate((table(INSERT, np.arange(0, 1000 * n, 1000)), np.array(steps))), np.array(distances)


def bulk_evictions(name: str, n: int, m: int, rounds: int, **parameters: int) -> np.ndarray:
    """Combines of each of a series of bulk evictions of m entries, m inserts in order following each."""
    known, w = counted_window(name, n, **parameters)
    execute(known, w, table(INSERT, np.arange(n)))
    turn = np.zeros((rounds, m + 1, 3), np.int64)
    turn[:, 0, 0], turn[:, 1:, 0] = BULK_EVICT, INSERT
    turn[:, 0, 1] = np.arange(1, rounds + 1) * m - 1
    turn[:, 1:, 1] = n + np.arange(rounds * m).reshape(rounds, m)
    _, costs = execute(known, w, turn.reshape(-1, 3))
    return costs.reshape(rounds, m + 1)[:, 0]


def batch_and_loop(name: str, n: int, d: int, m: int, spread: int, **parameters: int) -> tuple[int, int]:
    """Combines of one bulk insert of m entries, and of a loop: `spread` apart, the last d places from the end."""
    times = np.arange(n)[::-1] * 1000
    batch = np.sort(times[d] + 1 - 1000 * spread * np.arange(m) + (np.arange(m)[::-1] if spread == 0 else 0))
    found = []
    for steps in (np.array([(BULK_INSERT, 0, m)]), table(INSERT, batch)):
        known, w = counted_window(name, n + m, **parameters)
        execute(known, w, table(INSERT, times[::-1]))
        _, costs = execute(known, w, steps, columns_of(batch, np.ones(m)))
        found.append(int(costs.sum()))
    return tuple(found)


def range_costs(name: str, n: int, ranges: list[tuple[int, int]], **parameters: int) -> np.ndarray:
    """Combines of range queries over the entries of rank first to last of n entries."""
    known, w = counted_window(name, n, **parameters)
    execute(known, w, table(INSERT, np.arange(n)))
    _, costs = execute(known, w, [(RANGE, first, last) for first, last in ranges])
    return costs
