"""Queries for slicing: uniform ranges and slides, sessions by frequency of transitions."""

import numpy as np
import pytest

from workloads.queries import periodic, sessions


def test_ranges_and_slides_are_uniform_multiples_of_ten():
    ranges, slides = periodic(200_000, seed=1).T
    for values, low, high in ((ranges, 20_000, 80_000), (slides, 1_000, 20_000)):
        assert (values.min(), values.max()) == (low, high) and not (values % 10).any()
        counts = np.histogram(values, bins=10, range=(low, high + 1))[0]
        assert counts == pytest.approx(len(values) / 10, rel=0.04)
    assert abs(np.corrcoef(ranges, slides)[0, 1]) < 0.01


def test_a_longer_workload_begins_with_the_shorter_ones():
    transitions = [np.arange(5), np.arange(50)]
    for count in (1, 10, 99):
        assert (periodic(100)[:count] == periodic(count)).all()
        assert (sessions(100, transitions)[:count] == sessions(count, transitions)).all()
    assert (periodic(100) != periodic(100, seed=1)).any()


def test_sessions_are_drawn_in_proportion_to_transitions():
    transitions = [np.arange(n) for n in (0, 600, 0, 300, 100, 0)]
    counts = np.bincount(sessions(100_000, transitions), minlength=6)
    assert counts[[0, 2, 5]].tolist() == [0, 0, 0]
    assert counts[[1, 3, 4]] / 1e5 == pytest.approx([0.6, 0.3, 0.1], abs=0.01)


def test_impossible_queries_are_refused():
    with pytest.raises(ValueError, match="queries is 0; it must be at least 1"):
        periodic(0)
    with pytest.raises(ValueError, match="queries is -2"):
        sessions(-2, [np.arange(3)])
    for none in ([], [np.array([], int)]):
        with pytest.raises(ValueError, match="no transitions of any state"):
            sessions(1, none)
