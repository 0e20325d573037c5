"""A_C against its definition, with its invariants checked after every batch."""

import datetime
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import CompressedAggregate, OrderError, TimeError, ValueKindError, operators
from algorithms.streams.compressed.table import home
from tests.algorithms.streams.compressed import by_definition
from tests.algorithms.streams.compressed.streams import EVERY_D, fed, ordered, rows
from tests.examples import examples

pytestmark = [pytest.mark.plain, pytest.mark.smoke]

OF = {"stops": by_definition.stops, "affine": by_definition.affine}


def made(f_O: str, WA: int, WS: int, D, **more) -> CompressedAggregate:
    dtype = "int64" if f_O == "affine" else None
    return CompressedAggregate(WA, WS, D, f_O=f_O, dtype=dtype, **{"start": None, **more})


SIZES = st.sampled_from([(1, 1), (3, 10), (10, 10), (4, 60), (60, 61), (7, 3), (50, 20)])


@settings(max_examples=examples(80), deadline=None)
@given(st.data())
def test_results_are_those_of_definition_1_for_every_D(data):
    stream, (WA, WS) = data.draw(ordered()), data.draw(SIZES)
    f_O, codec = data.draw(st.sampled_from(sorted(OF))), data.draw(st.sampled_from(["snappy", "lz4", "zstd"]))
    layout = data.draw(st.sampled_from(["columns", "rows"]))
    start = data.draw(st.sampled_from([None, -60, 0 if not stream or stream[0][0] >= 0 else -100]))
    bounds = data.draw(st.lists(st.integers(0, len(stream)), max_size=4))
    same = []
    for D in (None, 0, data.draw(st.sampled_from(EVERY_D))):
        a = made(f_O, WA, WS, D, codec=codec, layout=layout, start=start)
        before = fed(a, stream, bounds)
        assert sorted(before) == by_definition.results(
            stream, WA, WS, OF[f_O], start, stream[-1][0] if stream else 0
        ), D
        found = before + rows(a.flush())
        a.check()
        assert sorted(found) == by_definition.results(stream, WA, WS, OF[f_O], start), D
        assert len({(time, key) for time, key, _ in found}) == len(found), "a window instance was put out twice"
        assert [time for time, *_ in found] == sorted(time for time, *_ in found)
        same.append(found)
    assert all(found == same[0] for found in same), "results stand in another order"


@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_counts_are_those_of_algorithm_1(data):
    stream, (WA, WS) = data.draw(ordered()), data.draw(st.sampled_from([(3, 10), (10, 10), (4, 60)]))
    D = data.draw(st.sampled_from([math.inf, 30, 15, 1, 0]))
    bounds = data.draw(st.lists(st.integers(0, len(stream)), max_size=4))
    a, plain = made("stops", WA, WS, D), by_definition.Algorithm1(WA, WS, D, by_definition.stops)
    found = fed(a, stream, bounds)
    for t in stream:
        plain.process(*t)
    assert sorted(found) == sorted(plain.forwarded)
    c = a.counts
    assert (c.compressions, c.decompressions) == (plain.compressions, plain.decompressions)
    assert (c.uncompressed, c.compressed) == (len(plain.uncomp), len(plain.comp))
    assert c.tuples == sum(map(len, [*plain.uncomp.values(), *plain.comp.values()]))
    assert (c.records, c.results, c.windows) == (len(stream), len(found), c.uncompressed + c.compressed)


@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_late_tuples_are_sorted_or_left_out(data):
    n, lateness = data.draw(st.integers(0, 40)), data.draw(st.sampled_from([0, 3, 20]))
    stream = [
        (t + data.draw(st.integers(-9, 9)), data.draw(st.sampled_from("ab")), data.draw(st.integers(0, 3)))
        for t in np.cumsum(data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))).tolist()
    ]
    kept, newest = [], -math.inf
    for t in stream:
        newest = max(newest, t[0])
        if t[0] >= newest - lateness:
            kept.append(t)
    kept.sort(key=lambda t: t[0])
    whole, split = (made("affine", 3, 10, 5, order="sort", lateness=lateness) for _ in range(2))
    found = fed(whole, stream)
    assert sorted(found) == by_definition.results(kept, 3, 10, by_definition.affine, None, newest - lateness)
    assert found == fed(split, stream, data.draw(st.lists(st.integers(0, n), max_size=6)))
    assert whole.counts == split.counts
    assert whole.counts.late == n - len(kept)
    rest = rows(whole.flush())
    assert rest == rows(split.flush())
    whole.check()
    assert sorted(found + rest) == by_definition.results(kept, 3, 10, by_definition.affine, None)


def test_a_tuple_at_the_watermark_does_not_wait():
    stream = [(t // 3, t % 4, 0) for t in range(60)]
    sorting, refusing = made("stops", 3, 10, 5, order="sort", lateness=0), made("stops", 3, 10, 5)
    assert fed(sorting, stream, range(0, 60, 7)) == fed(refusing, stream, range(0, 60, 7))
    assert sorting.counts == refusing.counts
    waiting = made("stops", 3, 10, 5, order="sort", lateness=2)
    fed(waiting, stream)
    assert (waiting.counts.records, waiting.counts.held) == (54, 6)  # of times 18 and 19, when the newest is 19


def test_tuples_older_than_what_a_flush_has_put_out_are_late():
    a = made("stops", 5, 10, 0, order="sort", lateness=4)
    assert [time for time, *_ in fed(a, [(3, 1, 0), (1, 1, 0)]) + rows(a.flush())] == [4, 9]
    fed(a, [(9, 1, 0), (10, 1, 0)])
    assert (a.counts.late, [time for time, *_ in rows(a.flush())]) == (1, [14, 19])


def test_keys_of_tuples_that_wait_keep_their_names():
    a = made("stops", 5, 10, 0, order="sort", lateness=1000)
    a.batch([2000], [0], ["waits"])
    for i in range(1, 90):
        times = [2000 + 10 * i, *range(1000 + 10 * i, 1010 + 10 * i)]
        a.batch(times, [0] * 11, ["newest", *(f"soon gone {time}" for time in times[1:])])
    assert len(a._keys._keys._names) < 600  # of 892
    assert "waits" in a.flush()["key"]


@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_D_may_change_between_batches(data):
    stream = data.draw(ordered())
    a, plain = made("affine", 4, 60, None), made("affine", 4, 60, None)
    found = []
    for i in range(0, len(stream), 5):
        a.D = data.draw(st.sampled_from(EVERY_D))
        a.check()
        found += fed(a, stream[i : i + 5])
        due = stream[min(i + 5, len(stream)) - 1][0] - a.D
        kept = np.asarray(a._windows.a.gamma)[a._windows.alive()]
        assert not (kept["latest"][kept["room"] > 0] <= due).any(), "a window that was due is not compressed"
    assert found == fed(plain, stream)


def test_gaps_of_years_and_times_at_the_edges():
    far = 2**62 - 1
    stream = [(-far, 1, 0), (-5, 2, 0), (0, 1, 3), (10**15, 1, 0), (10**15 + 9, 2, 0), (far - 1, 1, 0), (far, 1, 4)]
    for D in (None, 5, 0):
        for WA, WS in ((1, 5), (10, 10), (3, 7)):
            a = made("stops", WA, WS, D)
            found = fed(a, stream, range(len(stream))) + rows(a.flush())
            assert sorted(found) == by_definition.results(stream, WA, WS, by_definition.stops, None)
    a = made("stops", far, far, 0)
    assert sorted(fed(a, stream) + rows(a.flush())) == by_definition.results(
        stream, far, far, by_definition.stops, None
    )


def test_a_tuple_at_the_right_border_is_not_in_the_window():
    """L11 as printed stores it first, and then puts the window out."""
    a = made("stops", 10, 10, None)
    assert fed(a, [(0, 1, 0), (9, 1, 5), (10, 1, 0)]) == [(9, 1, 1)]


def test_after_a_flush_no_window_instance_comes_again():
    a = made("stops", 5, 20, 0)
    found = fed(a, [(3, 1, 0), (8, 1, 0)]) + rows(a.flush())
    assert [time for time, *_ in found] == [4, 9, 14, 19, 24]  # the last epoch with a tuple is [5, 25)
    with pytest.raises(OrderError, match="record 0 of the batch has time 24, older than 25"):
        fed(a, [(24, 1, 0)])
    assert [time for time, *_ in fed(a, [(25, 1, 0)]) + rows(a.flush())] == [29, 34, 39, 44]
    assert rows(a.flush()) == []


def test_time_goes_on_without_tuples():
    a = made("stops", 5, 10, 3)
    assert fed(a, [(3, 1, 0), (9, 2, 0)]) == [(4, 1, 1)]
    assert rows(a.advance(14)) == [(9, 1, 1), (9, 2, 1)]
    assert rows(a.advance(12)) == []
    a.check()
    with pytest.raises(OrderError):
        fed(a, [(13, 1, 0)])
    assert rows(a.advance(1000)) == [(14, 2, 1)]
    assert a.counts.windows == 0


def test_a_flush_ends_where_f_S_keeps_tuples_for_ever():
    def everything(times, values, first, last, left):
        return first

    a = made("stops", 5, 10, 0, f_S=everything)
    found = fed(a, [(3, 1, 0), (8, 1, 5)], check=False) + rows(a.flush())
    assert [time for time, *_ in found] == [4, 9, 14]
    assert a.counts.windows == 1 and rows(a.flush()) == []


def test_a_flush_leaves_nothing_waiting_though_no_window_is_left():
    a = CompressedAggregate(10, 3, order="sort", lateness=100, f_O="sum")
    assert rows(a.batch([11, 15], [1, 2], [1, 1])) == []
    assert rows(a.flush()) == [(12, 1, 1.0)]
    assert (a.counts.held, a.counts.records) == (0, 2)
    assert rows(a.flush()) == [] and a.counts.records == 2
    a.batch([14, 15], [1, 1], [1, 1])
    assert (a.counts.late, a.counts.held, a.counts.outside) == (1, 0, 2)  # time has come to 15


KEYS = {
    "strings": ("key", lambda i: f"vehicle {i}"),
    "pairs": (("xway", "vid"), lambda i: (i % 2, i - 3)),
    "pairs that do not go into one number": (("xway", "vid"), lambda i: (i - 2, 2**31 - 3 + i)),
    "pairs of other things": (("road", "vid"), lambda i: ("AB"[i % 2], i)),
    "triples": (("a", "b", "c"), lambda i: (i, -i, 7)),
    "large numbers": ("key", lambda i: 2**63 - 1 - i * 2**60),
    "none": ((), lambda i: ()),
}


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("as_arrays", [False, True])
def test_keys_of_every_kind(kind, as_arrays):
    f_K, key = KEYS[kind]
    chance = np.random.default_rng(5)
    stream = [(int(t), key(int(chance.integers(0, 6))), int(chance.integers(0, 3))) for t in np.arange(300) // 3]
    a, found = made("affine", 4, 12, 2, f_K=f_K), []
    for i in range(0, len(stream), 50):
        t, k, v = zip(*stream[i : i + 50], strict=True)
        columns = [list(one) for one in zip(*k, strict=True)] if isinstance(f_K, tuple) else [list(k)]
        columns = tuple(map(np.array, columns)) if as_arrays else tuple(columns)
        keys = columns if isinstance(f_K, tuple) else columns[0]
        found += rows(a.batch(t, v, keys if f_K else None))
    found += rows(a.flush())
    expected = by_definition.results(stream, 4, 12, by_definition.affine, None)
    if isinstance(f_K, tuple):
        expected = [(time, *k, x) for time, k, x in expected]
    assert sorted(found) == expected


EQUAL = {
    "lists": ([1, 1.0, True, np.True_, np.int8(1), np.float32(1), Fraction(1)], [2, 2.0, 2, 2, 2, 2, 2]),
    "floats": (np.ones(7), np.full(7, 2.0)),
    "booleans": (np.ones(7, bool), [2] * 7),
    "large": ([2**40, 2.0**40] * 3 + [2**40], [2] * 7),
    "halves": (np.full(7, 0.5), [0.0, 0, False] * 2 + [0]),
}


@pytest.mark.parametrize("kind", EQUAL)
def test_pairs_that_are_equal_are_one_key(kind):
    a = made("stops", 5, 5, None, f_K=("x", "v"))
    high, low = EQUAL[kind]
    a.batch([0] * 4, [0, 1, 0, 1], (high[:4], low[:4]))
    a.batch([0] * 3, [0, 1, 0], (high[4:], low[4:]))
    ((_, x, v, stops),) = rows(a.flush())
    assert (x, v, stops) == (high[0], low[0], 4)


@pytest.mark.parametrize("key", [math.nan, math.inf, -math.inf, "1", None, 2**70])
def test_pairs_with_what_is_no_whole_number(key):
    a = made("stops", 5, 5, None, f_K=("x", "v"))
    a.batch([0, 0], [0, 0], ([key, 1], [2, 2]))
    assert [v for _, _, v, _ in rows(a.flush())] == [2, 2]
    if isinstance(key, float):
        a.batch([10, 10], [0, 0], (np.array([key, 1]), [2, 2]))
        assert len(rows(a.flush())) == 2


def test_names_of_keys_are_forgotten_with_their_windows():
    a = made("stops", 5, 10, 0, f_K=("road", "vid"))
    for start in range(0, 4000, 50):
        t = np.arange(start, start + 50)
        got = a.batch(t, np.zeros(50), (["A1"] * 50, t))
        assert (got["vid"] <= got["time"]).all() and (got["vid"] > got["time"] - 10).all()
    assert len(a._keys._keys._names) < 400
    assert a.memory().measured < 200_000


def test_stamps_say_what_triggered_a_result():
    stream = [(t, t % 3, 0) for t in range(0, 60, 2)]
    a = made("stops", 4, 10, 3, stamps=True)
    found = fed(a, stream, (3, 11)) + rows(a.flush())
    assert {by for *_, by, _, _ in found if by < 0} == {-1}
    for time, _, _, by, fed_at, forwarded_at in found:
        if by >= 0:
            assert stream[by - 1][0] <= time < stream[by][0]
        assert 0 < fed_at <= forwarded_at


def test_several_columns_of_values_and_operators_that_take_pairs():
    a = CompressedAggregate(4, 8, 1, f_O="arg_max", start=None)
    first = rows(a.batch([0, 1], ([3.0, 9.0], [7.0, 8.0]), [1, 1]))
    assert first + rows(a.batch([4], ([1.0], [5.0]), [1])) + rows(a.flush()) == [(3, 1, 8.0), (7, 1, 8.0), (11, 1, 5.0)]
    a = CompressedAggregate(4, 4, 0, f_O=operators.product(n="count", largest="max"), start=None)
    shown = rows(a.batch([0, 1, 4], ([3.0, 9.0, 1.0], [7.0, 8.0, 2.0]), ["a"] * 3)) + rows(a.flush())
    assert shown == [(3, "a", (2, 8.0)), (7, "a", (1, 2.0))]


def test_columns_of_another_number():
    a = CompressedAggregate(5, 10, f_O="arg_max", f_K=("xway", "vid"))
    with pytest.raises(ValueKindError, match="keys must be a tuple of 2 columns: xway, vid"):
        a.batch([1], [2.0], [3])
    a.batch([1], ([2.0], [3.0]), ([0], [1]))
    with pytest.raises(ValueKindError, match="values were 2 to a tuple so far, and now are 1"):
        a.batch([1], [2.0], ([0], [1]))
    with pytest.raises(ValueKindError, match="a record must be .time, key, value., not .1, 2."):
        list(a.run([(1, 2)]))


def test_room_for_results_is_memory():
    a = CompressedAggregate(60, 60, f_O="stops", start=None)
    a.batch(np.zeros(1000, np.int64), np.zeros(1000), np.arange(1000))
    before = a.memory().measured
    assert len(a.flush()["value"]) == 1000
    assert a.memory().measured == before + 1000 * 24  # of each the left boundary, the key and the count


def test_narrow_columns_take_less():
    memory = {}
    for dtype in ("float64", "int16"):
        a = CompressedAggregate(60, 600, f_O="stops", dtype=dtype, f_K=(), start=None)
        a.batch(np.arange(500), np.arange(500) % 2)
        memory[dtype] = a.memory().accounted
        assert a.flush()["value"].tolist()[0] == 250
    assert memory == {"float64": 500 * 16, "int16": 500 * 10}
    assert a.memory(tuple_bytes=100).accounted == 0


def test_keys_find_their_windows_around_the_end_of_the_table():
    """Three keys whose first place is the table's last one."""
    a = CompressedAggregate(60, 60, f_O="stops", start=None)
    a.batch([0], [0.0], [0])
    table = a._windows.a
    last = len(table.table) - 1
    keys = [key for key in range(1, 100 * len(table.table)) if home(table, np.int64(key)) == last][:3]
    for _ in range(2):
        a.batch(np.zeros(3, np.int64), np.zeros(3), keys)
        a.check()
    assert a._windows.a.table[last].window > 0
    assert len(a.flush()["value"]) == 4


def test_compressed_windows_are_memory():
    """Numbers at random do not become smaller; all else that is kept is the same."""
    memory = []
    for values in (np.zeros(200), np.random.default_rng(1).random(200)):
        a = CompressedAggregate(60, 60, f_O="stops", D=0, start=None)
        a.batch(np.zeros(200, np.int64), values, np.arange(200) % 2)
        memory.append(a.memory(tuple_bytes=0))
    same, random = memory
    assert random.accounted - same.accounted > 1000
    assert random.measured - same.measured > 1000


def test_records_one_by_one():
    a = made("stops", 10, 10, 0, f_K=("xway", "vid"))
    records = [(1, (0, 7), 0.0), (3, (0, 8), 5.0), (12, (0, 7), 0.0)]
    first, second = a.run(records, at_once=2)
    assert (first.time, first.xway, first.vid, first.value) == (9, 0, 7, 1)
    assert tuple(second) == (9, 0, 8, 0)
    assert rows(a.flush()) == [(19, 0, 7, 1)]


def test_dates_and_times():
    minutes = np.timedelta64(1, "m")
    a = CompressedAggregate(minutes, 3 * minutes, minutes, time="datetime64", f_K=(), start=None)
    start = np.datetime64("2024-05-01T12:00:00", "us")
    got = a.batch(start + np.arange(5) * minutes, [0, 4, 0, 4, 0])
    assert got["time"].tolist()[0] == (start + minutes - np.timedelta64(1, "us")).item()
    assert got["value"].tolist() == [1, 1, 2, 1]
    a.D = a.D
    given = [minutes, 3 * minutes, minutes]
    assert given == [a.WA, a.WS, a.D]
    assert f"D={minutes}" in repr(a)
    a.D = None
    assert a.D in (math.inf,)


def only_changes(times, values, first, last, time, value):
    """f_A: store a tuple only if its value is another than the one before."""
    if first < last and values[last - 1] == value:
        return last
    times[last] = time
    values[last] = value
    return last + 1


def nothing_below_8(times, values, first, last, time, value):
    """f_A: store large values only."""
    times[last] = time
    values[last] = value
    return last + int(value >= 8)


def beyond(times, values, first, last, time, value):
    """f_A: claim more than the one tuple there is room for."""
    return last + 3


def before_first(times, values, first, last, time, value):
    return first - 1


def past_last(times, values, first, last, left):
    """f_S: remove more than there is."""
    return last + 3


@pytest.mark.parametrize("D", [None, 0])
@pytest.mark.parametrize(
    ("functions", "said"),
    [
        ({"f_A": beyond}, "f_A gave {}, which does not lie between first = {} and last . 1 = {}"),
        ({"f_A": before_first}, "f_A gave {}, which does not lie between first = {} and last . 1 = {}"),
        ({"f_S": past_last}, "f_S gave {}, which does not lie between first = {} and last = {}"),
    ],
)
def test_positions_outside_a_window_are_refused(D, functions, said):
    a = made("stops", 5, 10, D, **functions)
    with pytest.raises(operators.OperatorError, match=said.format(*[r"-?\d+"] * 3)):
        fed(a, [(t, 1, 0) for t in range(20)], check=False)
    for use in (a.flush, a.check, lambda: a.advance(99), lambda: a.batch([99], [1], [1])):
        with pytest.raises(RuntimeError, match="stopped in the middle of a batch .OperatorError: f_"):
            use()


def all_or_nothing(times, values, first, last, left):
    """f_S: forget the whole window as soon as its first tuple leaves."""
    return last if first < last and times[first] < left else first


@settings(max_examples=examples(40), deadline=None)
@given(ordered(), st.sampled_from([only_changes, nothing_below_8, None]), st.sampled_from([all_or_nothing, None]))
def test_results_do_not_depend_on_D_whatever_f_A_and_f_S(stream, add, slide):
    found = [fed(made("affine", 4, 60, D, f_A=add, f_S=slide), stream, (5, 9)) for D in (None, 15, 0)]
    assert all(one == found[0] for one in found)
    large = [t for t in stream if t[2] >= 8]
    if add is nothing_below_8 and slide is None:
        expected = by_definition.results(large, 4, 60, by_definition.affine, None, stream[-1][0] if stream else 0)
        assert [one for one in sorted(found[0]) if one[2] != 1] == expected


def test_a_function_of_ones_own_is_a_class_of_its_own_once():
    def first_value(times, values, first, last):
        return values[first]

    def last_value(times, values, first, last):
        return values[last - 1]

    stream = [(0, 1, 3), (1, 1, 8), (2, 1, 5)]
    one, same, other = (made(f, 5, 5, None) for f in (first_value, first_value, last_value))
    assert [rows(a.flush()) for a in (one, same, other) if fed(a, stream) == []] == [[(4, 1, x)] for x in (3, 3, 5)]
    assert type(one._f) is type(same._f) is not type(other._f)


def test_lengths_as_text_and_results_in_the_zone_of_the_times():
    times = pd.date_range("2026-10-25 00:00", periods=9, freq="10min", tz="UTC")
    values = np.arange(9.0)
    plain, zoned = (
        CompressedAggregate("30min", "1h", "30min", time="datetime64", f_K=(), start=None) for _ in range(2)
    )
    expected = plain.batch(times.tz_convert(None), values)
    found = zoned.batch(times.tz_convert("Europe/Berlin"), values)
    assert str(found["time"].tz) == "Europe/Berlin" and len(found["time"]) > 1
    assert found["time"].tz_convert(None).tolist() == expected["time"].tolist()
    with pytest.raises(
        TimeError, match="times have no time zone, and those of the stream so far have the time zone Eu"
    ):
        zoned.batch([datetime.datetime(2026, 10, 26)], [1.0])
    with pytest.raises(TimeError, match="advance have the time zone UTC, and those of the stream so far have no time"):
        plain.advance(datetime.datetime(2026, 10, 26, tzinfo=datetime.UTC))
    records = [(time, 1.0) for time in times[:2].tz_convert("Europe/Berlin").shift(12, "h")]
    assert all(str(result.time.tzinfo) == "Europe/Berlin" for result in zoned.run(records))
