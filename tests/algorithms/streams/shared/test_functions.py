"""Window functions of users, and the paper's example of the stock: compiled or not, and what they may not do."""

import datetime
from typing import NamedTuple

import numpy as np
import pytest

from algorithms import OrderError, QueryError, SharedAggregate, ValueKindError, operators, queries
from algorithms.kernel import PLAIN
from tests.algorithms.streams.shared.by_definition import COUNTED, LETTERS, periodic


class State(NamedTuple):
    records: int
    total: float


def until_ten(state, time, x):
    """A window ends when its x add up to ten."""
    if state.records > 0 and state.total + x <= 10:
        return State(state.records + 1, state.total + x), 0, 0
    return State(1, x + 0.0), 1, int(state.records > 0)


def overlapping(i, time, x):
    """Two windows begin with every third record, and from record 5 on one ends with each of the others."""
    return i + 1, 2 * (i % 3 == 0), int(i > 4 and i % 3 > 0)


def results(query, x, n=40, size=None):
    s, found = SharedAggregate([query], COUNTED), []
    for first in range(0, n, size or n):
        part = slice(first, min(first + (size or n), n))
        found += map(tuple, s.batch(None, LETTERS[part], x=x[part]))
    return found


X = np.random.default_rng(5).integers(0, 7, 40)


@pytest.mark.parametrize("size", [None, 1, 7])
@pytest.mark.parametrize(("function", "state"), [(until_ten, State(0, 0.0)), (overlapping, 0)])
def test_a_compiled_function_gives_what_python_gives(function, state, size):
    compiled = results(queries.user_defined(function, state, reads="x", compiled=True), X, size=size)
    assert compiled == results(queries.user_defined(function, state, reads="x", compiled=False), X)
    assert len(compiled) > 5


def test_windows_are_what_the_function_says():
    found = results(queries.user_defined(until_ten, State(0, 0.0), reads="x"), X)
    assert [begin for _, begin, _, _ in found] == [0, *(end for _, _, end, _ in found[:-1])]
    assert all(X[b:e].sum() <= 10 < X[b : e + 1].sum() for _, b, e, _ in found)


def test_any_state_will_do_in_python():
    def distinct(seen, time, x):
        """A window ends before a number that it has already."""
        return ({x}, 1, int(bool(seen))) if x in seen or not seen else (seen | {x}, 0, 0)

    found = results(queries.user_defined(distinct, frozenset(), reads="x"), X)
    assert found
    assert all(len(set(X[b:e])) == e - b and X[e] in X[b:e] for _, b, e, _ in found)


@pytest.mark.parametrize(
    ("function", "state", "reason"),
    [
        (until_ten, (0, 0.0), "must be an int, a float or a NamedTuple"),
        (lambda state, time, x: (x, 0, 0), 0, "given the state int64 and gives back float64"),
        (lambda state, time, x: (state, 0), 0, "instead of"),
        (lambda state, time, x: (state, x, 0), 0, "whole numbers"),
        (lambda state, time, x: (state, str(x).splitlines()[0].encode(), 0), 0, "cannot be compiled"),
    ],
)
def test_a_function_that_must_be_compiled_and_cannot_be_is_refused_with_the_reason(function, state, reason):
    if PLAIN:  # where nothing is compiled, nothing has to be
        assert queries.user_defined(function, state, compiled=True).make
    else:
        with pytest.raises(QueryError, match=reason):
            queries.user_defined(function, state, compiled=True)


def too_many(i, time, x):
    return i + 1, int(i == 2), int(i > 3)


def negative(i, time, x):
    return i + 1, 1 - 2 * (i == 5), 0


def fails(i, time, x):
    if i == 5:
        raise ArithmeticError("as it is meant to")
    return i + 1, 1, 0


def leaves(i, time, x):
    return i + 1, 2, 0


@pytest.mark.parametrize(
    ("function", "deterministic", "message"),
    [
        (too_many, True, "record 5, 0 windows begin and 1 windows end, but 0 were open"),
        (negative, True, "record 5, -1 windows begin and 0 windows end, but 5 were open"),
        (leaves, False, "record 0, 2 records leave and 0 reports, but 0 had left"),
        (fails, True, "as it is meant to"),
    ],
)
@pytest.mark.parametrize("compiled", [False, None])
def test_a_function_that_says_the_impossible_changes_nothing(function, deterministic, message, compiled):
    mine = queries.user_defined(function, 0, reads="x", deterministic=deterministic, compiled=compiled)
    s = SharedAggregate([queries.session(3), queries.sliding(2, 1), mine], COUNTED)
    before = s.counts, s.partials, repr(s)
    with pytest.raises((QueryError, ArithmeticError), match=message):
        s.batch(range(0, 40, 4), "abcdefghij", x=X[:10])
    assert (s.counts, s.partials, repr(s)) == before
    if function is not leaves:
        assert len(s.batch(range(0, 12, 4), "abc", x=X[:3])) == 2 + 1, "as if nothing had been"


def test_the_stock_of_the_papers_example():
    minutes = np.arange(41)
    price = np.where(minutes >= 25, 9.0, 11.0)
    s = SharedAggregate([queries.stock(10.0, dear=(10, 5), cheap=(5, 2), reads="price")], COUNTED)
    found = [(r.begin, r.end) for r in s.batch(minutes, LETTERS[:41], price=price)]
    dear = [(0, 10), (5, 15), (10, 20)]
    falls = [(15, 25), (20, 25)]  # at 25 the range is 5: both are old enough
    cheap = [(begin, begin + 5) for begin in range(25, 36, 2)]
    assert found == [*dear, *falls, *cheap]


@pytest.mark.parametrize(
    ("price", "ranges"), [(9.0, {"dear": (3, 2), "cheap": (30, 1)}), (11.0, {"dear": (30, 1), "cheap": (3, 2)})]
)
def test_the_stock_has_room_for_as_many_windows_as_are_open(price, ranges):
    s = SharedAggregate([queries.stock(10.0, **ranges, reads="price")], COUNTED)
    found = [(r.begin, r.end) for r in s.batch(range(41), LETTERS[:41], price=[price] * 41)]
    assert found == [(begin, begin + 30) for begin in range(11)]


def test_the_volume_weighted_price():
    class Traded(NamedTuple):
        money: float
        volume: float

    vwap = operators.from_functions(
        lift=lambda trade: Traded(trade[0] * trade[1], trade[1]),
        combine=lambda a, b: Traded(a.money + b.money, a.volume + b.volume),
        lower=lambda a: a.money / a.volume,
        identity=Traded(0.0, 0.0),
        name="vwap",
    )
    price, volume = np.array([11.0, 12.0, 9.0, 8.0]), np.array([1.0, 3.0, 2.0, 2.0])
    s = SharedAggregate([queries.sliding(2, 1)], vwap)
    assert s.batch(None, (price, volume)).value.tolist() == [11.75, 10.8]


def test_dates_and_time_spans():
    day = np.datetime64("2012-02-22T16:46")
    times = day + np.arange(8).astype("timedelta64[m]")
    minute = datetime.timedelta(minutes=1)
    s = SharedAggregate([queries.sliding(3 * minute, 2 * minute, "time"), queries.session(minute)], COUNTED)
    found = s.batch(times, "abcdefgh")
    whole = times.astype("datetime64[us]").astype(int).tolist()
    begin = whole[0] - 3 * 60_000_000  # windows are counted from 1970, and the first ones are over
    begin -= begin % 120_000_000
    assert [(r.begin, r.end) for r in found] == periodic(whole, 180_000_000, 120_000_000, begin)
    assert len(s.batch(times[-1:] + np.timedelta64(2, "m"), "i")) == 2


def test_iterables():
    s = SharedAggregate([queries.tumbling(4)], COUNTED)
    assert [r.value for r in s.stream(zip(range(13), "abcdefghijklm"), size=3)] == ["abcd", "efgh", "ijkl"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([], "sum"), QueryError, "at least one query"),
        ((["sliding"], "sum"), QueryError, "made by algorithms.queries"),
        (([queries.session(3)], "sum", "pairs"), QueryError, "pairs slices for periodic queries only"),
        (([queries.tumbling(3)], "sum", "pair"), ValueError, "unknown slicing 'pair'; did you mean pairs"),
        (([queries.tumbling(3)], "sum", "cutty", "eagre"), ValueError, "unknown store 'eagre'; did you mean eager"),
        (([queries.tumbling(3), queries.tumbling(3, "time")], "sum", "panes"), QueryError, "panes need one measure"),
    ],
)
def test_what_cannot_be_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        SharedAggregate(*arguments)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: queries.sliding(0, 3), "sliding: range must be a whole number of at least 1, not 0"),
        (lambda: queries.sliding(10, 2.5), "sliding: slide must be a whole number of at least 1, not 2.5"),
        (lambda: queries.session(-1), "session: gap"),
        (lambda: queries.delta(0.0), "delta: threshold must be a number above 0"),
        (lambda: queries.stock(10.0, (5, 10), (5, 2)), "stock: range of dear must be a whole number of at least 10"),
        (lambda: queries.last_records(10, 0), "last_records: every"),
        (lambda: queries.user_defined("f", 0), "function must be a function"),
    ],
)
def test_queries_that_cannot_be(make, message):
    with pytest.raises(QueryError, match=message):
        make()


@pytest.mark.parametrize(
    ("times", "values", "columns", "error", "message"),
    [
        ([2, 3], "ab", {"km": [1, 2]}, OrderError, "time: 2 follows 5 of the batch before"),
        ([5, 7, 6], "abc", {"km": [1, 2, 3]}, OrderError, r"time\[2\] is 6 and follows 7"),
        ([5, 7], "ab", {"km": [3, 2]}, OrderError, r"km\[1\] is 2 and follows 3"),
        ([5, 7], "ab", {"km": [0.5, 2]}, ValueKindError, "km: a measure must be whole numbers"),
        ([5, 7], "ab", {"miles": [1, 2]}, QueryError, "reads the column 'km'; there is: miles, value, time"),
        ([5], "ab", {"km": [1, 2]}, ValueKindError, "time: 1 records, and 2 values"),
        ([5, 6], [1, "ab\0"], {"km": [1, 2]}, ValueKindError, "concat: a value must be"),
    ],
)
def test_a_batch_that_cannot_be_changes_nothing(times, values, columns, error, message):
    s = SharedAggregate([queries.sliding(2, 1, "km"), queries.session(1)], COUNTED)
    s.batch([1, 5], "ab", km=[0, 1])
    before = s.counts, s.partials, repr(s)
    with pytest.raises(error, match=message):
        s.batch(times, values, **columns)
    assert (s.counts, s.partials, repr(s)) == before


def test_nan_is_refused_where_values_are_numbers():
    s = SharedAggregate([queries.sliding(2, 1)], "sum")
    with pytest.raises(ValueKindError, match=r"values\[1\] is NaN"):
        s.batch(None, [1.0, np.nan])
    assert repr(s) == "<cutty, eager: sum of 1 query, 0 records so far>"


def test_nan_is_refused_where_a_query_reads_numbers():
    s = SharedAggregate([queries.delta(1, "mark")], "sum")
    with pytest.raises(ValueKindError, match=r"mark\[2\] is NaN"):
        s.batch(None, [1, 2, 3], mark=[0, 1, np.nan])


@pytest.mark.parametrize("store", ["eager", "lazy"])
def test_stored_slices_are_shown_with_the_open_one(store):
    """Windows of five records every two: Cutty cuts where they begin."""
    s = SharedAggregate([queries.sliding(5, 2)], COUNTED, store=store)
    s.batch(None, LETTERS[:9])
    letters = "".join(LETTERS[:9])
    assert [(begin, end) for begin, end, _ in s.slices()] == [(4, 6), (6, 8), (8, 9)]
    assert [part for _, _, part in s.slices()] == [letters[4:6], letters[6:8], letters[8:9]]


@pytest.mark.parametrize("store", ["eager", "lazy"])
def test_a_store_that_grows_has_nothing_in_its_new_slots(store):
    """Of negative numbers the maximum is not 0, which a slot without a partial aggregate would be."""
    values = -1.0 - np.arange(300) % 7
    s = SharedAggregate([queries.sliding(200, 1), queries.sliding(3, 1)], "max", store=store)
    found = {(r.begin, r.end): r.value for part in np.split(values, 20) for r in s.batch(None, part)}
    assert len(found) == 100 + 297  # the last of each query ends with a record that does not come
    assert all(value == values[begin:end].max() for (begin, end), value in found.items())
