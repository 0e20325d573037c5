"""The bound of a sum's error, on a million windows of compiled code."""

import math

import numpy as np
import pytest

from algorithms import catalogue, operators
from algorithms.kernel import as_slots, driver
from algorithms.windows.contract import evict, insert, query
from experiments.numerics.measuring.hostile import SHAPES


@driver
def slide(w, values, n, rows, out):
    for i in range(rows):
        insert(w, i, values[i])
        if i >= n:
            evict(w)
        out[i] = query(w)


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("name", ["two_stacks_lite", "fiba"])
def test_a_million_windows_of_sums(name):
    """Compiled, each window against `math.fsum`, which is correctly rounded."""
    rng, rows, n = np.random.default_rng(9), 125_000, 8
    for make in SHAPES:
        values = make(rng, rows)
        out = as_slots(np.empty(rows))
        slide(catalogue()[name].new(operators.make("sum"), n + 2), as_slots(values), n, rows, out)
        windows = np.lib.stride_tricks.sliding_window_view(values, n)
        exact = np.array([math.fsum(w) for w in windows.tolist()])
        bound = (n + 1) * 2.0**-53 * np.abs(windows).sum(axis=1)  # one more eps, for that of fsum
        assert (np.abs(np.asarray(out)[n - 1 :] - exact) <= bound).all(), make.__name__
