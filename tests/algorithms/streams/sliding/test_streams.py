"""Streams: batches of any split, keys, changes, late records, several operators, records one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import MARK, OrderError, SlidingAggregate, catalogue, operators
from algorithms.streams.sliding.keys import by_key
from algorithms.windows.contract import IN_ORDER
from tests.algorithms.streams.sliding import brute
from tests.algorithms.streams.sliding.streams import aggregate, pairs, times, values
from tests.examples import examples

pytestmark = [pytest.mark.plain, pytest.mark.slow, pytest.mark.smoke]

KINDS = {
    "count": {"size": 5, "slide": 2, "by": "count"},
    "time": {"size": 7, "slide": 3, "closed": "both"},
    "row": {"size": 7, "slide_by": "count"},
    "delta": {"size": 4, "slide": 2, "by": "delta"},
    "punctuation": {"size": 2, "slide": 1, "by": "punctuation"},
    "late": {"window": "fiba", "size": 7, "slide": 3, "lateness": 4},
}


def feed(s: SlidingAggregate, kind: str, t: list, v: list, keys: list | None, cuts: list) -> list[tuple]:
    chosen = {"punctuation": cuts} if kind == "punctuation" else {}
    return pairs(s.batch(t, v, keys, **chosen))


@settings(max_examples=examples(150), deadline=None)
@given(st.data())
def test_the_split_into_batches_does_not_matter(data):
    kind = data.draw(st.sampled_from(sorted(KINDS)))
    n = data.draw(st.integers(0, 40))
    steps = data.draw(st.lists(st.sampled_from([0, 0, 1, 2, 9]), min_size=n, max_size=n))
    t = np.cumsum(steps).astype(int).tolist()
    if kind == "late":
        t = [at - data.draw(st.integers(0, 6)) for at in t]
    v = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    keys = data.draw(st.one_of(st.none(), st.lists(st.sampled_from("abc"), min_size=n, max_size=n)))
    cuts = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    made = {**KINDS[kind], "key": keys is not None, "emit": data.draw(st.sampled_from(["all", "changes"]))}
    made["operator"] = data.draw(st.sampled_from(["affine", "max"]))  # max repeats itself
    made["dtype"], made["capacity"] = "int64", data.draw(st.sampled_from([None, 1]))
    whole, split = aggregate(**made), aggregate(**made)
    bounds = [0, *sorted(data.draw(st.lists(st.integers(0, n), max_size=6))), n]
    got = []
    for i, j in zip(bounds, bounds[1:], strict=False):
        got += feed(split, kind, t[i:j], v[i:j], keys and keys[i:j], cuts[i:j])
    assert got == feed(whole, kind, t, v, keys, cuts)
    assert pairs(split.flush()) == pairs(whole.flush())
    assert (split.late, split.keys) == (whole.late, whole.keys)


def test_each_key_has_a_window_of_its_own():
    n = 300
    t, v = times(1, n), values(1, n)
    keys = np.random.default_rng(1).choice([5, -3, 7], n)
    for kind in ("time", "count"):
        s = aggregate(**KINDS[kind], key=True)
        got = pairs(s.batch(t, v, keys)) + pairs(s.flush())
        for key in (5, -3, 7):
            mine = [i for i in range(n) if keys[i] == key]
            records = [(t[i], v[i]) for i in mine]
            if kind == "time":
                expected = brute.by_time(records, 7, 3, "both")
            else:
                expected = [(t[mine[k]], x) for k, x in brute.by_count([x for _, x in records], 5, 2)]
            assert [(at, x) for at, k, x in got if k == key] == expected
        assert [at for at, *_ in got] == sorted(at for at, *_ in got)


def test_windows_that_ran_empty_are_forgotten():
    s = aggregate(size=10, slide=5, key=True)
    s.batch(np.arange(1000), np.arange(1000), np.arange(1000) // 2)  # two records for each key
    assert s.keys == [495, 496, 497, 498, 499]  # those of the windows that end at 1000 and 1005
    s.advance(2000)
    assert s.keys == []


def test_time_goes_on_without_records():
    s = aggregate(size=10, slide=5, operator="count", dtype="int64")
    assert pairs(s.batch([1, 2], [0, 0])) == []
    assert pairs(s.advance(7)) == [(5, 2)]
    assert pairs(s.advance(6)) == []
    assert pairs(s.batch([10], [0])) == [(10, 2)]


def test_changes_are_results_that_differ_from_the_one_before():
    v = [1, 5, 5, 2, 7, 7, 7, 1, 1]
    s = aggregate(size=3, slide=1, by="count", operator="max", dtype="int64", emit="changes")
    assert pairs(s.batch(None, v)) == [(0, 1), (1, 5), (4, 7)]
    assert pairs(s.batch(None, [1])) == [(9, 1)]


def test_a_window_that_was_empty_in_between_has_changed():
    s = aggregate(size=2, slide=1, operator="max", dtype="int64", emit="changes")
    assert pairs(s.batch([0, 0, 1, 9], [4, 4, 4, 4])) == [(1, 4)]
    assert pairs(s.flush()) == [(10, 4)]


@pytest.mark.parametrize("closed", ["left", "right", "both"])
def test_records_within_the_lateness_count_and_later_ones_do_not(closed):
    for seed, lateness in ((1, 0), (2, 5), (3, 50)):
        t, v = times(seed, 200), values(seed, 200)
        rng = np.random.default_rng(seed)
        t = [at - int(rng.integers(0, 12)) for at in t]
        newest = np.maximum.accumulate(t)
        kept = [(at, x) for at, x, top in zip(t, v, newest.tolist(), strict=True) if at >= top - lateness]
        for size, slide in ((8, 3), (5, 5), (2, 9)):
            s = aggregate("fiba", size=size, slide=slide, closed=closed, lateness=lateness, capacity=4)
            got = pairs(s.batch(t, v))
            assert got == brute.by_time(kept, size, slide, closed, now=int(newest[-1]) - lateness)
            assert got + pairs(s.flush()) == brute.by_time(kept, size, slide, closed)
            assert s.late == len(t) - len(kept)


def test_a_window_grows_as_needed_and_is_the_same():
    n = 5000
    t, v = (np.arange(n) // 50).tolist(), values(4, n)  # 1,000 records in a window, made for 2
    got = pairs(aggregate(size=20, slide=7, capacity=2).batch(t, v))
    assert got == brute.by_time(list(zip(t, v, strict=True)), 20, 7, now=t[-1])


def test_more_results_than_are_read_at_once():
    s = aggregate(size=60_000, slide=1)
    got = s.batch([0, 40_000], [3, 4])
    assert got["time"].tolist() == list(range(1, 40_001))
    assert set(got["value"].tolist()) == {brute.affine([3])}
    assert len(s.flush()["time"]) == 60_000


@pytest.mark.parametrize("name", [name for name, card in catalogue().items() if card.order == IN_ORDER])
def test_every_in_order_window_gives_the_same(name):
    t, v = times(6, 60), values(6, 60)
    op = operators.make("affine")
    if catalogue()[name].refusal(op):
        op = operators.make("max", "int64")
    expected = pairs(SlidingAggregate("recalc", size=9, slide=2, operator=op).batch(t, v))
    assert pairs(SlidingAggregate(name, size=9, slide=2, operator=op).batch(t, v)) == expected
    assert len(expected) > 20


CALLS = {"longest": ("max", "len"), "calls": ("max_count", "len"), "first": ("arg_max", ("len", "caller"))}


def test_calls_of_the_paper():
    """Figure 1: the longest call of the last 24 hours, how many were as long, and who made the first; each minute."""
    rng, day = np.random.default_rng(7), 24 * 60
    seconds = np.sort(rng.integers(0, 2 * day * 60, 400))
    length, caller = rng.integers(1, 12, 400).astype(float), rng.integers(0, 50, 400)
    s = SlidingAggregate("reactive", size=day * 60, slide=60, closed="both", operator=CALLS, emit="changes")
    columns = {"len": length, "caller": caller}
    got = pairs(s.batch(seconds, columns)) + pairs(s.flush())
    expected = []
    for end in range(0, int(seconds[-1]) + day * 60 + 120, 60):
        held = np.flatnonzero((seconds >= end - day * 60) & (seconds <= end))
        if len(held):
            most = length[held].max()
            best = held[length[held] == most]
            result = (most, len(best), caller[best[0]])
            if not expected or expected[-1][1:] != result:
                expected.append((end, *result))
    assert got == expected
    assert len(got) > 15


def test_records_one_by_one():
    calls = [(5, {"len": 3.0, "caller": 7}), (30, {"len": 3.0, "caller": 8}), (70, {"len": 9.0, "caller": 9})]
    s = SlidingAggregate(size=120, slide=60, operator=CALLS)
    first, *others = s.run(calls, at_once=2)
    assert (first.time, first.longest, first.calls, first.first) == (60, 3.0, 2, 7.0)
    assert others == []
    assert s.flush()["first"].tolist() == [9.0, 9.0]


def test_marks_among_records_cut_the_stream():
    records = [MARK, (1, "x", 1), (2, "y", 2), MARK, (3, "x", 3), MARK, MARK, (4, "x", 4)]
    for at_once in (1, 3, 100):
        s = aggregate(size=2, slide=1, by="punctuation", operator="sum", dtype="int64", key=True)
        got = [tuple(one) for one in s.run(records, at_once)]
        assert got == [(2, "x", 1), (2, "y", 2), (3, "x", 4), (3, "y", 2), (4, "x", 3)]


def test_strings_as_results():
    s = SlidingAggregate(size=3, slide=1, by="count", operator="concat", emit="changes")
    assert s.batch(None, list("abbbb"))["value"].tolist() == ["a", "ab", "abb", "bbb"]


def test_a_count_beyond_memory_starts_small():
    s = SlidingAggregate(size=10**12, slide=1, by="count")
    assert s.batch(None, np.ones(3000))["value"].tolist() == list(range(1, 3001))


def test_three_columns_and_results_as_people_see_them():
    op = operators.product(count="count", largest="max", total="sum")
    columns = (np.zeros(5), np.array([3.0, 9, 1, 2, 4]), np.arange(5.0))
    for given_as in (columns, list(zip(*map(np.ndarray.tolist, columns), strict=True))):
        s = SlidingAggregate(size=3, slide=1, by="count", operator=op, capacity=1)
        shown = s.batch(None, given_as)["value"].tolist()
        assert shown == [(1, 3.0, 0.0), (2, 9.0, 1.0), (3, 9.0, 3.0), (3, 9.0, 6.0), (3, 4.0, 9.0)]
    assert shown[0].largest == 3.0


def test_the_longest_run_is_shown_with_its_times():
    s = SlidingAggregate(size=4, slide=4, by="count", operator="lis", dtype="int64")
    assert s.batch(None, [5, 1, 2, 3])["value"].tolist() == [(3, 1, 3)]


def test_whole_times_beyond_what_floats_can_tell_apart():
    base = 2**60 + 200  # as a float 56 more
    s = aggregate(size=2, slide=1)
    got = pairs(s.batch([base, base + 1, base + 3], [1, 2, 3])) + pairs(s.flush())
    assert got == brute.by_time([(base, 1), (base + 1, 2), (base + 3, 3)], 2, 1)


def test_series_are_read_by_position():
    pandas = pytest.importorskip("pandas")
    s = SlidingAggregate(size=10, slide=5, key=True)
    index = [7, 8]
    columns = (pandas.Series(given, index) for given in ([1, 2], [3.0, 4.0], ["a", "b"]))
    s.batch(*columns)
    assert pairs(s.flush()) == [(5, "a", 3.0), (5, "b", 4.0), (10, "a", 3.0), (10, "b", 4.0)]


@pytest.mark.parametrize("emit", ["all", "changes"])
def test_names_of_keys_are_forgotten_with_their_windows(emit):
    s = SlidingAggregate(size=10, slide=5, key=True, emit=emit)
    for start in range(0, 5000, 50):
        t = np.arange(start, start + 50)
        got = s.batch(t, np.ones(50), [f"key {at}" for at in t])
        assert all(name == f"key {int(name[4:])}" for name in got["key"])
        assert len(s._reader.keys._names) < 400
    assert s.keys == [f"key {at}" for at in range(4990, 5000)]


@pytest.mark.parametrize("closed", ["left", "right", "both"])
@pytest.mark.parametrize("time", ["int64", "float64"])
def test_no_window_fires_twice_after_a_flush(closed, time):
    s = SlidingAggregate(size=10, slide=5, closed=closed, time=time)
    fired = pairs(s.batch([1, 4], [1.0, 2.0])) + pairs(s.flush())
    last = fired[-1][0]
    with pytest.raises(OrderError, match="record 0 of the batch has time 4"):
        s.batch([4], [4.0])
    s.batch([last + (closed != "left")], [4.0])
    assert pairs(s.flush())[0] == (last + 5, 4.0)


def test_after_a_flush_older_records_are_late_and_stretches_are_new():
    s = SlidingAggregate("fiba", size=10, slide=5, lateness=3)
    s.batch([1, 4], [1.0, 2.0])
    assert pairs(s.flush()) == [(5, 3.0), (10, 3.0)]
    assert pairs(s.flush()) == []
    s.batch([9, 10], [4.0, 4.0])
    assert (s.late, pairs(s.flush())) == (1, [(15, 4.0), (20, 4.0)])
    s = SlidingAggregate(size=2, slide=1, by="punctuation")
    s.batch(None, [1.0])
    assert pairs(s.flush()) == [(1, 1.0), (2, 1.0)]
    s.batch(None, [5.0])
    assert pairs(s.flush()) == [(3, 5.0), (4, 5.0)]


@pytest.mark.parametrize("spread", [3, 2**15, 2**16, 2**20, 2**40, 2**62])
def test_the_order_by_key_is_stable_whatever_the_codes(spread):
    rng = np.random.default_rng(spread)
    codes = rng.choice(rng.integers(-spread // 2, spread, 40), 2000)
    assert by_key(codes).tolist() == np.argsort(codes, kind="stable").tolist()
    assert by_key(codes[:0]).tolist() == []


@pytest.mark.parametrize("slide", ["row", 7])
def test_results_do_not_share_memory_with_what_was_given(slide):
    t, v = np.arange(40), np.ones(40)
    s = SlidingAggregate(size=5, slide=slide)
    got = s.batch(t, v)
    before = pairs(got)
    t[:], v[:] = -1, 7
    s.batch([50], [2.0])
    assert pairs(got) == before and len(before) > 4


@pytest.mark.parametrize("key", [False, True])
def test_many_more_results_than_rows(key):
    s = aggregate(size=50, slide=1, key=key)
    t, v, keys = [0, 3, 200], [1, 2, 3], ([1, 1, 1] if key else None)
    got = [(at, x) for at, *_, x in pairs(s.batch(t, v, keys)) + pairs(s.flush())]
    assert got == brute.by_time(list(zip(t, v, strict=True)), 50, 1)
    assert len(got) > 100
