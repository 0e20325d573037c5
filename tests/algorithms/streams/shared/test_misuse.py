"""What people pass in that cannot be: refused with the reason, and nothing has changed; or no longer usable."""

import datetime
from typing import NamedTuple

import numpy as np
import pytest

from algorithms import QueryError, SharedAggregate, TimeError, ValueKindError, operators, queries
from algorithms.streams.shared import query_group as part

pytestmark = pytest.mark.smoke

FIVE = np.arange(5)


def shared(operator="sum", *wanted):
    return SharedAggregate(wanted or [queries.sliding(3, 2)], operator)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("operator", "values", "message"),
    [
        ("arg_max", (FIVE / 2, FIVE[:2]), "arg_max: columns of 5 and 2 values; there must be as many of each"),
        (
            "arg_max",
            (FIVE, FIVE, FIVE),
            "3 columns of values are given, but arg_max: a value must be a number or a pair",
        ),
        ("arg_max", (FIVE,), "values are a tuple of one column: give the column itself"),
        ("sum", (FIVE, FIVE), "2 columns of values are given, but sum: a value must be a number, not a record of 2"),
        ("affine", (FIVE, FIVE), "2 columns of values are given, but affine: a value must be a number"),
        ("affine", FIVE / 2, "affine: a value must be a whole number"),
        ("sum", 5, "values must be a column, such as a list or an array of one dimension, not int"),
        ("sum", None, "values must be a column, .* not NoneType"),
        ("sum", np.ones((3, 2)), "values must be a column, .* not an array of 2 dimensions"),
    ],
)
def test_values_that_the_operator_does_not_take(operator, values, message):
    s = shared(operator)
    with pytest.raises(ValueKindError, match=message):
        s.batch(None, values)
    assert len(s.batch(None, FIVE)) == 1, "as if nothing had been"


@pytest.mark.plain
def test_columns_of_an_operator_on_whole_pairs_are_cast_to_whole_numbers():
    s = shared(operators.make("arg_max", "int64"))
    assert (
        s.batch(None, (FIVE * 1.0, FIVE)).value.tolist() == shared("arg_max").batch(None, (FIVE, FIVE)).value.tolist()
    )
    with pytest.raises(ValueKindError, match=r"values\[1\]\[1\]: arg_max: a value must be a whole number"):
        s.batch(None, (FIVE, FIVE / 2 + 1 * (FIVE == 0)))


class Mean(NamedTuple):
    total: float
    count: int


@pytest.mark.plain
def test_results_are_of_the_type_of_all_branches():
    mean = operators.from_functions(
        lift=lambda x: Mean(x, 1),
        combine=lambda a, b: Mean(a.total + b.total, a.count + b.count),
        lower=lambda a: a.total / a.count if a.count > 0 else 0,
        identity=Mean(0.0, 0),
    )
    assert shared(mean).batch(None, [1, 2, 4, 5, 6]).value.tolist() == [7 / 3]


@pytest.mark.plain
def test_operators_of_users_take_pairs_one_by_one():
    product = operators.from_functions(
        lift=lambda pair: pair[0] * pair[1], combine=lambda a, b: a + b, lower=lambda a: a, identity=0.0
    )
    pairs = [(2.0, 3.0), (1.0, 1.0), (5.0, 2.0), (0.0, 0.0)]
    assert shared(product).batch(None, pairs).value.tolist() == [17.0]
    with pytest.raises(ValueKindError, match="a value must be"):
        shared(product).batch(None, tuple(np.ones((3, 4))))


LARGE = 2**63 - 1


@pytest.mark.plain
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: queries.sliding(LARGE, 10),
            "sliding: range must be a whole number of at most 2.61, not 9223372036854775807",
        ),
        (lambda: queries.sliding(2**61 + 1, 10), "at most 2.61, not 2305843009213693953"),
        (lambda: queries.sliding(10, LARGE, "count", 5), "sliding: slide must be"),
        (lambda: queries.sliding(10, 2, "time", -LARGE), "sliding: origin must be"),
        (lambda: queries.session(LARGE), "session: gap must be"),
        (lambda: queries.sliding(datetime.timedelta(seconds=9), 3), 'sliding: range .*; time is over="time"'),
        (lambda: queries.last_records(np.timedelta64(3, "s"), 5), "last_records: records counts in 'count'"),
    ],
)
def test_parameters_that_cannot_be(make, message):
    with pytest.raises(QueryError, match=message):
        make()


@pytest.mark.plain
@pytest.mark.parametrize(
    ("range_", "slide", "origin"), [(2**61, 2**60, -(2**61)), (10, 2**61, 2**61), (2**61, 2**61, 0)]
)
@pytest.mark.parametrize("slicing", ["cutty", "pairs"])
def test_the_largest_parameters_and_measures(range_, slide, origin, slicing):
    s = SharedAggregate([queries.sliding(range_, slide, "time", origin)], "sum", slicing)
    far = 2**62 - 1
    times = [-far, -5, 0, 5, far]
    windows = [(begin, begin + range_) for begin in range(origin, far, slide)]
    wanted = [pair for pair in windows if pair[1] <= far and any(pair[0] <= time < pair[1] for time in times)]
    assert len(s.batch(times, FIVE)) == len(wanted)
    for late in (far + 1, 2**63 - 2):
        with pytest.raises(TimeError, match="time must be within"):
            s.batch([late], [1.0])


@pytest.mark.plain
def test_too_many_windows_at_once_change_nothing():
    s = shared("sum", queries.sliding(10**12, 1, "time"), queries.sliding(2, 2))
    with pytest.raises(QueryError, match="range 1000000000000.*: 1000000000000 windows begin at one record; at most"):
        s.batch([10**15], [1])
    assert [r.value for r in s.batch([5, 6, 7, 8], [1, 2, 3, 4]) if r.query == 1] == [3]
    with pytest.raises(QueryError, match="windows begin at one record"):
        s.batch([9, 9 + part.MOST_AT_ONCE + 1], [1, 1])
    mine = shared("sum", queries.user_defined(lambda i, time, x: (i, 2**40, 0), 0))
    with pytest.raises(QueryError, match="1099511627776 windows begin at record 0"):
        mine.batch(None, FIVE)


def test_an_aggregator_that_was_stopped_in_the_middle_says_so(monkeypatch):
    s = shared("sum")
    with monkeypatch.context() as patch:
        patch.setattr(part, "with_room", lambda store, more: (_ for _ in ()).throw(MemoryError("none left")))
        with pytest.raises(MemoryError):
            s.batch(None, FIVE)
    for use in (lambda: s.batch(None, FIVE), s.slices):
        with pytest.raises(
            RuntimeError, match=r"in the middle of a batch \(MemoryError: none left\); make another one"
        ):
            use()


def ends_at_once(i, time, x):
    return i + 1, 1, 1


def reports_twice(i, time, x):
    return i + 1, 0, 2 * int(i == 2)


def reports_nothing(i, time, x):
    return i + 1, int(i > 0), 1


@pytest.mark.parametrize(
    ("function", "deterministic", "message"),
    [
        (ends_at_once, True, "record 0, 1 windows begin and 1 windows end, but 0 were open before it"),
        (reports_twice, False, "record 2, 0 records leave and 2 reports"),
        (reports_nothing, False, "record 0, 0 records leave and 1 reports"),
    ],
)
@pytest.mark.parametrize("compiled", [False, None])
def test_windows_that_are_empty_or_not_there(function, deterministic, message, compiled):
    s = shared("sum", queries.user_defined(function, 0, deterministic=deterministic, compiled=compiled))
    with pytest.raises(QueryError, match=message):
        s.batch(None, FIVE)


@pytest.mark.parametrize("count", [1.7, -0.5, 0.0, "2", None, float("nan"), 2**70, -(2**70)])
@pytest.mark.parametrize("compiled", [False, None])
def test_counts_that_are_no_whole_numbers(count, compiled):
    def odd(i, time, x):
        return i + 1, count if i == 3 else 1, 0

    s = shared("sum", queries.user_defined(odd, 0, compiled=compiled))
    with pytest.raises(QueryError, match="odd: at record 3, begins and ends must be whole numbers .*, not "):
        s.batch(None, FIVE)


@pytest.mark.parametrize("given", [None, (1, 0), 5])
def test_a_function_that_gives_no_three(given):
    s = shared("sum", queries.user_defined(lambda i, time, x: given, 0, compiled=False))
    with pytest.raises(QueryError, match="at record 0, the function gives .* instead of"):
        s.batch(None, FIVE)


def test_counts_may_be_numpys_or_truth_values():
    s = shared("sum", queries.user_defined(lambda i, time, x: (i + 1, np.int64(1), i > 0), 0, compiled=False))
    assert len(s.batch(None, FIVE)) == 4


def test_a_state_that_changes_in_place_is_each_aggregators_own_and_rolled_back():
    def grows(seen, time, x):
        seen.append(x)
        if x == 9:
            raise KeyError("as it is meant to")
        return seen, 1, int(len(seen) > 1)

    query = queries.user_defined(grows, [])
    one, other = shared("sum", query), shared("sum", query)
    assert len(one.batch(None, [1, 2])) == 1
    with pytest.raises(KeyError):
        one.batch(None, [3, 9])
    assert [len(one.batch(None, [5])), len(other.batch(None, [5, 6]))] == [1, 1]
    assert one._parts[0].functions[0].state == [1, 2, 5]


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda: SharedAggregate(queries.sliding(3, 1)), QueryError, "queries must be a list of at least one query"),
        (
            lambda: SharedAggregate([queries.sliding(3, 1)], None),
            ValueError,
            "operator must be the name of an operator, or one made by",
        ),
        (lambda: shared("sum", queries.punctuation("count")).batch(None, FIVE), QueryError, "reads the column 'count'"),
        (lambda: shared("sum", queries.snapshot()).batch(np.zeros((5, 2), int), FIVE), TimeError, "2 dimensions"),
        (lambda: shared("sum", queries.snapshot()).batch(5, FIVE), TimeError, "0 dimensions"),
        (
            lambda: shared("sum", queries.sliding(2, 2, "k")).batch(None, FIVE, k=np.zeros((5, 2), int)),
            ValueKindError,
            "2 dim",
        ),
        (lambda: list(shared().stream([(1, 1)], size=0)), ValueError, "stream: size must be .* at least 1, not 0"),
    ],
)
def test_calls_that_cannot_be(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong()


def test_queries_may_come_from_any_iterable():
    assert len(SharedAggregate(query for query in [queries.sliding(3, 2)]).queries) == 1
