"""Streams for the tests, and results as plain tuples."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

EVERY_D = (None, 1000, 30, 15, 1, 0)


def rows(columns: dict[str, np.ndarray]) -> list[tuple]:
    """Results as tuples, in their order."""
    return list(zip(*map(np.ndarray.tolist, columns.values()), strict=True))


def fed(a: Any, stream: list, bounds: Any = (), check: bool = True) -> list[tuple]:
    """All results of a stream of (time, key, value), split into batches at `bounds`; checked after each."""
    found, ends = [], [0, *sorted(min(bound, len(stream)) for bound in bounds), len(stream)]
    for i, j in zip(ends, ends[1:], strict=False):
        t, k, v = zip(*stream[i:j], strict=True) if i < j else ((), (), ())
        found += rows(a.batch(np.array(t, np.int64), np.array(v, float), list(k)))
        if check:
            a.check()
    return found


@st.composite
def ordered(draw: Any, most: int = 40, keys: Any = (5, -3, 7)) -> list[tuple]:
    """(time, key, value) in timestamp order, with gaps, equal times, and values that are often 0."""
    n = draw(st.integers(0, most))
    steps = draw(st.lists(st.sampled_from([0, 0, 1, 2, 7, 16, 31, 100_000]), min_size=n, max_size=n))
    times = (np.cumsum(steps) + draw(st.integers(-50, 50))).tolist()
    return [(t, draw(st.sampled_from(keys)), draw(st.sampled_from([0, 0, 3, 8]))) for t in times]


def traffic(seconds: int, vehicles: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, speeds and keys: every vehicle reports every 30 s for some minutes, then another one comes; some stand."""
    chance, found = np.random.default_rng(seed), []
    for key in range(vehicles):
        begin = int(chance.integers(0, seconds))
        times = np.arange(begin, min(begin + int(chance.integers(60, 900)), seconds), 30)
        speeds = np.where(chance.random(len(times)) < 0.2, 0, chance.integers(1, 100, len(times)))
        found.append(np.stack([times, speeds, np.full(len(times), key)]))
    times, speeds, keys = np.concatenate(found, axis=1)
    order = np.argsort(times, kind="stable")
    return times[order], speeds[order].astype(float), keys[order]
