"""Streams with ties, gaps and bursts, and ways to feed them."""

import numpy as np

from algorithms import SlidingAggregate


def aggregate(window: str = "two_stacks_lite", **settings) -> SlidingAggregate:
    return SlidingAggregate(window, **{"operator": "affine", **settings})


def times(seed: int, n: int, low: int = -20) -> list[int]:
    """Whole times that do not decrease: ties, runs of consecutive ones, gaps longer than any window."""
    steps = np.random.default_rng(seed).choice([0, 0, 1, 1, 1, 2, 3, 7, 40], n)
    return (low + np.cumsum(steps)).tolist()


def values(seed: int, n: int) -> list[int]:
    return np.random.default_rng(seed + 1000).integers(-50, 50, n).tolist()


def pairs(columns: dict) -> list[tuple]:
    """Results as tuples."""
    return list(zip(*(column.tolist() for column in columns.values()), strict=True))
