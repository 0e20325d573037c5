"""A result per row, with records that come late: the same as of the Spark operator's kernel, and of the definition."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms import OrderError, SlidingAggregate, catalogue, operators
from algorithms.streams.keyed import KeyedAggregate
from algorithms.streams.sliding.units import FARTHEST
from tests.algorithms.streams.keyed import brute
from tests.algorithms.streams.sliding.streams import aggregate, pairs

pytestmark = [pytest.mark.plain, pytest.mark.smoke]

RECORDS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 14), st.integers(-50, 50)), max_size=25)
SETTINGS = st.fixed_dictionaries({"size": st.integers(1, 8), "closed": st.sampled_from(["right", "both"])})


def watermarked(records: list[tuple], lateness: int, last: int = -FARTHEST) -> list[tuple]:
    """Each record as a batch of its own, and the watermark after it: no record at or before it will come."""
    newest, batches = -FARTHEST, []
    for record in records:
        newest = max(newest, record[1])
        batches.append(([record], newest - lateness - 1))
    return [*batches, ([], last)]


def by_key(results: list[tuple]) -> list[tuple]:
    """Results (time, key, value) as (key, time, value), key by key."""
    return sorted(((key, time, value) for time, key, value in results), key=lambda one: one[0])


def fed(s: SlidingAggregate, records: list[tuple], cuts: list[int]) -> list[tuple]:
    found = []
    for first, last in zip([0, *cuts], [*cuts, len(records)], strict=True):
        columns = [[record[i] for record in records[first:last]] for i in (1, 2, 0)]
        found += pairs(s.batch(*columns))
    return found


@given(RECORDS, st.integers(0, 6), SETTINGS, st.lists(st.integers(0, 25), max_size=3), st.booleans())
def test_results_are_those_of_the_definition_and_of_spark(records, lateness, settings, cuts, flush):
    settings |= {"slide": "row"}
    batches = watermarked(records, lateness, FARTHEST if flush else -FARTHEST)
    wanted = brute.expected(batches, settings)
    s = aggregate("two_stacks_lite", key=True, lateness=lateness, **settings)
    got = fed(s, records, sorted(min(cut, len(records)) for cut in cuts))
    assert [time for time, *_ in got] == sorted(time for time, *_ in got)
    assert by_key(got + (pairs(s.flush()) if flush else [])) == wanted
    assert s.late == brute.lateness(batches, settings)
    kernel, found = KeyedAggregate(operators={"value": operators.make("affine")}, **settings), []
    state = kernel.empty()
    for some, watermark in batches:
        fired, state, _ = kernel.take(state, *brute.columns(some), watermark)
        found += brute.results(fired)
    assert sorted(found, key=lambda one: one[0]) == wanted


@pytest.mark.parametrize("name", [name for name in catalogue() if not name.startswith("kvs")])
def test_every_window_takes_late_rows(name):
    op = operators.make("affine")
    op = operators.make("max", "int64") if catalogue()[name].refusal(op) else op
    rng = np.random.default_rng(3)
    t, v = np.arange(80) // 2 - rng.integers(0, 6, 80), rng.integers(-9, 9, 80)
    s, other = (SlidingAggregate(one, size=7, slide="row", lateness=4, operator=op) for one in (name, "recalc"))
    first = pairs(s.batch(t[:50], v[:50]))
    s = pickle.loads(pickle.dumps(s))
    got = first + pairs(s.batch(t[50:], v[50:])) + pairs(s.flush())
    assert got == pairs(other.batch(t, v)) + pairs(other.flush())
    assert len(got) + s.late == 80 and s.late == other.late > 0


def test_an_example_by_hand():
    """At 5 is a tie: both records are in each other's window. The record at 1 comes too late."""
    s = SlidingAggregate(size=3, slide="row", lateness=2, operator={"sum": "sum", "n": "count"})
    assert pairs(s.batch([5, 3, 6, 5], [1, 2, 4, 8])) == [(3, 2.0, 1)]
    assert pairs(s.batch([8, 1], [16, 32])) == [(5, 11.0, 3), (5, 11.0, 3)]
    assert s.late == 1
    assert pairs(s.advance(9)) == [(6, 13.0, 3)]
    assert pairs(s.flush()) == [(8, 20.0, 2)]
    assert pairs(s.batch([8, 9], [1, 1])) == [] and s.late == 2
    assert pairs(s.flush()) == [(9, 17.0, 2)]
    assert pairs(s.flush()) == []


def test_changes_and_dates():
    s = SlidingAggregate(operator="max", size="3s", slide="row", lateness="2s", emit="changes")
    moments = np.array(["2026-01-01T00:00:05", "2026-01-01T00:00:03", "2026-01-01T00:00:06"], "M8[us]")
    assert pairs(s.batch(moments, [1.0, 1.0, 2.0])) == [(moments[1].item(), 1.0)]
    found = s.flush()
    assert pairs(found) == [(moments[2].item(), 2.0)]
    assert found["time"].dtype == "M8[us]" == s.batch(moments[:0], [])["time"].dtype


def test_without_lateness_the_error_says_what_takes_such_records():
    with pytest.raises(OrderError, match="record 1 of the batch has time 3, older than 5 before it; lateness= takes"):
        SlidingAggregate(size=3, slide="row").batch([5, 3], [1, 2])
