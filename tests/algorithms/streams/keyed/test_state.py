"""What keyed windows keep from batch to batch: no more than a later window holds, and whatever a restart needs."""

import numpy as np
import pytest

from algorithms.streams.keyed import KeyedAggregate
from algorithms.streams.sliding.units import FARTHEST
from tests.algorithms.streams.keyed.brute import columns, expected, results

pytestmark = [pytest.mark.plain, pytest.mark.slow, pytest.mark.smoke]


def test_keys_are_dropped_with_their_last_row():
    k = KeyedAggregate(size=10, slide=5, operators="count")
    kept = k.empty()
    for n in range(20):
        t = np.arange(50 * n, 50 * n + 50)
        fired, kept, counts = k.take(kept, t, t, {"value": np.ones(50)}, int(t[-1]))
        assert counts.keys == len(kept.codes) <= 20
        assert counts.bytes == kept.bytes
    assert k.take(kept, *columns([]), FARTHEST)[2].keys == 0


def test_a_restart_with_a_window_in_order_sorts_what_one_of_any_order_has_kept():
    fiba = KeyedAggregate("fiba", size=10, operators="affine", order="any")
    stacks = KeyedAggregate("two_stacks_lite", size=10, operators="affine", order="buffer")
    batches = [([(1, 7, 2), (1, 3, 5), (1, 5, 6)], 0), ([(1, 4, 8)], 10)]
    _, kept, _ = fiba.take(fiba.empty(), *columns(batches[0][0]), 0)
    assert kept.positions.tolist() == [7, 3, 5]
    assert results(stacks.take(kept, *columns(batches[1][0]), 10)[0]) == expected(batches, {"size": 10, "slide": 10})


def test_the_count_of_a_key_outlasts_its_rows():
    chosen = {"by": "count", "size": 1, "slide": 3}
    k = KeyedAggregate("recalc", order="buffer", operators="affine", **chosen)
    batches = [one for t in range(7) for one in (([(1, t, t)], t), ([], t))]
    kept, got = k.empty(), []
    for rows, watermark in batches:
        fired, kept, counts = k.take(kept, *columns(rows), watermark)
        assert (counts.keys, counts.kept) == (1, 0)
        got += results(fired)
    assert got == expected(batches, chosen) == [(1, 2, 7), (1, 5, 31)]


@pytest.mark.parametrize(
    ("chosen", "positions"),
    [
        ({"size": 4, "slide": 2}, [8, 9]),  # the next window begins at 8
        ({"size": 4, "slide": 2, "closed": "right"}, [9]),  # just after 8
        ({"size": 4, "slide": "row"}, [7, 8, 9]),  # the next row is at 10 at the least
        ({"size": 4, "slide": "row", "closed": "both"}, [6, 7, 8, 9]),
        ({"by": "count", "size": 4, "slide": 2}, [7, 8, 9]),
    ],
)
def test_no_more_is_kept_than_what_a_later_window_holds(chosen, positions):
    k = KeyedAggregate("recalc", order="buffer", **chosen)
    watermark = 9 if k.at_ends is False else 11 if chosen.get("closed") == "right" else 10
    _, kept, counts = k.take(k.empty(), [1] * 10, range(10), {"value": np.ones(10)}, watermark)
    assert kept.positions.tolist() == positions
    assert counts.kept == len(positions)


def test_rows_of_equal_time_wait_for_the_next_piece():
    chosen = {"size": 5, "slide": "row"}
    k = KeyedAggregate(order="buffer", operators="affine", **chosen)
    rows = [(1, 3, 1), (1, 4, 2), (1, 4, 3), (1, 4, 4), (2, 4, 5)]
    first, kept, _ = k.take_sorted(k.empty(), *columns(rows[:3]))
    second, _, _ = k.take_sorted(kept, *columns(rows[3:]), last=True)
    assert [len(results(one)) for one in (first, second)] == [1, 4]
    assert results(first) + results(second) == expected([(rows, FARTHEST)], chosen)
