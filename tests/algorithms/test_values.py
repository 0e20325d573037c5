"""One encoding of values for every class: what is taken, what is refused, and in which words; nothing is ever cast."""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from algorithms import (
    CapacityError,
    CompressedAggregate,
    SharedAggregate,
    SlidingAggregate,
    TimeError,
    ValueKindError,
    WindowError,
    catalogue,
    operators,
    queries,
    window,
)
from algorithms.windows.contract import ANY_ORDER

pytestmark = [pytest.mark.plain, pytest.mark.smoke]

MIXED = {"m": "max", "s": operators.make("sum", "int64")}
"""A part that takes floats and one that takes whole numbers."""


def through_window(op, values, n):
    w = window("recalc", op, capacity=n)
    w.insert_many(range(n), values)
    return w.query()


def through_sliding(op, values, n):
    s = SlidingAggregate("recalc", size=n, slide=1, by="count", operator=op)
    return s.batch(None, values)["value"][-1]


def through_records(op, values, n):
    s = SlidingAggregate("recalc", size=n, slide=1, by="count", operator=op)
    records = zip(*values, strict=True) if isinstance(values, tuple) else values
    return list(s.run((i, record) for i, record in enumerate(records)))[-1].value


def through_shared(op, values, n):
    s = SharedAggregate([queries.tumbling(n)], op)
    s.batch(None, values)
    (found,) = s.batch(None, tuple(column[:1] for column in values) if isinstance(values, tuple) else values[:1])
    return found.value


def through_compressed(op, values, n):
    c = CompressedAggregate(WA=n, WS=n, f_K=(), f_O=op)
    c.batch(np.arange(n), values)
    return c.flush()["value"][0]


THROUGH = [through_window, through_sliding, through_records, through_shared, through_compressed]


class Span(NamedTuple):
    low: float
    high: float


def span(name="span"):
    """An operator of one's own on records."""
    return operators.from_functions(
        lift=lambda v: Span(v[0], v[1]),
        combine=lambda a, b: Span(min(a.low, b.low), max(a.high, b.high)),
        lower=lambda a: a.high - a.low,
        identity=Span(math.inf, -math.inf),
        name=name,
    )


@pytest.mark.parametrize("through", THROUGH)
def test_a_product_of_mixed_kinds_truncates_nothing(through):
    values = ([1.5, 2.5, -0.5], [1, 2, 3])
    assert tuple(through(operators.product(**MIXED), values, 3)) == (2.5, 6)


@pytest.mark.parametrize("through", THROUGH)
def test_a_repeated_and_a_counted_product_are_taken_as_well(through):
    assert tuple(through(operators.repeated("max", 2), ([1.5, 2.5], [4.5, 3.5]), 2)) == (2.5, 4.5)
    assert tuple(through(operators.counting(operators.product(**MIXED)), ([1.5, 2.5], [1, 2]), 2)) == (2.5, 3)


def test_every_result_of_a_sliding_product_of_mixed_kinds():
    s = SlidingAggregate("recalc", size=2, slide=1, by="count", operator=operators.product(**MIXED))
    found = s.batch(None, ([1.5, 2.5, -0.5], [1, 2, 3]))["value"]
    assert [tuple(one) for one in found] == [(1.5, 1), (2.5, 3), (2.5, 5)]


def test_the_log_keeps_each_part_in_its_own_dtype_when_the_window_grows():
    s = SlidingAggregate("fiba", size=100, slide=100, capacity=1, operator=operators.product(**MIXED))
    s.batch(range(60), ([i + 0.5 for i in range(60)], [2**60] + [1] * 59))
    s.batch(range(60, 100), ([0.25] * 40, [1] * 40))
    assert tuple(s.flush()["value"][0]) == (59.5, 2**60 + 99)


@pytest.mark.parametrize("through", THROUGH)
def test_a_number_for_all_parts_of_a_product_of_mixed_kinds_must_be_whole(through):
    assert tuple(through(operators.product(**MIXED), [1.0, 4.0, 2.0], 3)) == (4.0, 7)
    with pytest.raises(ValueKindError, match="whole number"):
        through(operators.product(**MIXED), [1.0, 4.5, 2.0], 3)


TOO_LARGE = [9.3e18, 1e19, 2.0**63, -9.4e18, 1e300, math.inf, 2**63]


@pytest.mark.parametrize("value", TOO_LARGE)
@pytest.mark.parametrize("name", ["max", "sum", "arithmetic_mean", "affine", "arg_max"])
def test_int64_refuses_what_has_no_64_bits(name, value):
    op = operators.make(name, "int64")
    w = window("fiba", op, capacity=4)
    w.insert(0, 1)
    before = w.query()
    batches = [[value], np.array([value], object), (np.array([1]), np.array([value], object))[name != "arg_max" :]]
    if isinstance(value, float):
        batches.append(np.array([value]))
    for misuse in (lambda: w.insert(1, value), *(lambda given=given: w.insert_many([1], given) for given in batches)):
        with pytest.raises(ValueKindError):
            misuse()
    assert (len(w), w.query()) == (1, before)
    for through in THROUGH:
        with pytest.raises(ValueKindError, match="a whole number of at most 64 bits, not"):
            through(op, [1, value], 2)


def test_the_greatest_int64_and_the_greatest_float_below_it_are_taken():
    w = window("recalc", "max", capacity=4, dtype="int64")
    w.insert_many([1, 2], np.array([2.0**63 - 1024, -(2.0**63)]))
    assert w.query() == 2**63 - 1024
    w.insert_many([3, 4], [2**63 - 1, 2.0])
    assert w.query() == 2**63 - 1


@pytest.mark.parametrize("through", THROUGH)
def test_whole_numbers_beside_floats_in_a_list_stay_exact(through):
    assert through(operators.make("max", "int64"), [2**62 + 1, 2.0], 2) == 2**62 + 1


@pytest.mark.parametrize("through", THROUGH)
@pytest.mark.parametrize(("value", "times"), [(2**62, 3), (-(2**63), 4), (2**63 - 1, 5)])
def test_a_mean_of_whole_numbers_does_not_wrap_around(through, value, times):
    assert through(operators.make("arithmetic_mean", "int64"), [value] * times, times) == float(value)


@pytest.mark.parametrize("name", ["soe", "two_stacks_lite", "fiba"])
def test_what_left_a_mean_of_whole_numbers_is_gone(name):
    w = window(name, operators.make("arithmetic_mean", "int64"), capacity=4)
    for i, value in enumerate([-(2**63), 2**63 - 1, 5, 8]):
        w.insert(i, value)
    w.evict()
    w.evict()
    assert w.query() == 6.5


def test_an_empty_batch_is_legal_everywhere_and_changes_nothing():
    for op in (span(), "sum", operators.make("affine"), operators.product(**MIXED), operators.make("concat")):
        w = window("fiba", op, capacity=4)
        w.insert_many([], [])
        w.bulk_insert([], [])
        w.insert_many(np.zeros(0, int), ())
        assert len(w) == 0
        s = SlidingAggregate("fiba", size=3, operator=op)
        assert len(s.batch([], [])["value"]) == 0
        assert len(s.flush()["value"]) == 0
        assert len(SharedAggregate([queries.tumbling(3)], op).batch([], [])) == 0
        c = CompressedAggregate(WA=3, WS=3, f_K=(), f_O=op)
        assert len(c.batch([], [])["value"]) == 0


@pytest.mark.parametrize("through", THROUGH)
def test_plain_numbers_for_an_operator_on_pairs_are_answered(through):
    op = span()
    assert through(op, [(5.0, 6.0), (1.0, 2.0)], 2) == 5.0
    for values in ([5.0, 6.0], np.array([5.0, 6.0]), [1, 2]):
        with pytest.raises(ValueKindError, match="span: a value must be a pair of numbers, not"):
            through(op, values, 2)


def test_a_window_of_pairs_goes_on_after_what_it_refused():
    w = window("two_stacks_lite", span(), capacity=4)
    with pytest.raises(ValueKindError):
        w.insert_many([1, 2], [5.0, 6.0])
    w.insert_many([1, 2], ([5.0, 1.0], [6.0, 2.0]))
    assert (len(w), w.query()) == (2, 5.0)


WRONG_VALUES = {
    r"values\[1\] is 5, of another form than values\[0\], \(1, 2\)": [(1, 2), 5],
    r"values\[1\] is \(1, 2\), of another form than values\[0\], 5": [5, (1, 2)],
    r"values must be a column, such as a list or an array of one dimension, not generator": (x for x in (1, 2)),
    r"values must be a column, .* not int": 7,
    r"values must be a column, .* not NoneType": None,
    r"values must be a column, .* not an array of 2 dimensions": np.ones((2, 2)),
    r"arg_max: columns of 2 and 1 values": ([1, 2], [3]),
    r"a tuple of one column": ([1, 2],),
    r"3 columns of values are given, but arg_max: a value must be a number or a pair": ([1, 2],) * 3,
    r"values\[0\]: arg_max: a value must be a number, not 'a'": ["a", "b"],
    r"values\[1\]: arg_max: a value must be a number, not None": [1.0, None],
    r"values\[1\] is NaN": [(1.0, 2.0), (math.nan, 1.0)],
    r"values\[1\]\[0\] is NaN": ([1.0, 2.0], [math.nan, 1.0]),
}


@pytest.mark.parametrize("through", [through_window, through_sliding, through_shared, through_compressed])
@pytest.mark.parametrize("message", WRONG_VALUES)
def test_the_same_words_for_the_same_misuse(through, message):
    with pytest.raises(ValueKindError, match=message):
        through("arg_max", WRONG_VALUES[message], 2)


WRONG_TIMES = [np.zeros((2, 2), int), [[1, 2], [3, 4]], [[1], [2, 3]], 5, (t for t in (1, 2)), None]


@pytest.mark.parametrize("times", WRONG_TIMES)
@pytest.mark.parametrize("kind", ["int64", "float64", "datetime64"])
def test_times_that_are_no_column(times, kind):
    w = window("fiba", "sum", capacity=4, time=kind)
    for misuse in (w.insert_many, w.bulk_insert):
        with pytest.raises((TimeError, WindowError), match="times must be a column"):
            misuse(times, [1, 2])


NO_OPERATORS = [None, max, 7, ["sum"], lambda a, b: a + b, operators.make]


@pytest.mark.parametrize("operator", NO_OPERATORS)
def test_what_is_no_operator(operator):
    makers = [
        lambda: window("fiba", operator),
        lambda: SlidingAggregate("fiba", size=3, operator=operator),
        lambda: SharedAggregate([queries.tumbling(3)], operator),
    ]
    for make in makers:
        with pytest.raises(ValueError, match="must be the name of an operator, or one made by operators"):
            make()


def test_a_dtype_beside_an_operator_that_is_made():
    op = operators.make("sum", "int64")
    makers = [
        lambda: window("fiba", op, dtype="float64"),
        lambda: SlidingAggregate("fiba", size=3, operator=op, dtype="float64"),
        lambda: SharedAggregate([queries.tumbling(3)], op, dtype="float64"),
        lambda: CompressedAggregate(WA=3, WS=3, f_O=op, dtype="float64"),
    ]
    for make in makers:
        with pytest.raises(ValueError, match="dtype='float64' is for an operator given by name; .* takes int64"):
            make()


ANY = [name for name, card in catalogue().items() if card.order == ANY_ORDER]


@pytest.mark.parametrize("name", ANY)
def test_a_full_window_of_any_order_takes_batches_at_times_that_are_there(name):
    w = window(name, "concat", capacity=3)
    w.insert_many([1, 3, 5], ["a", "c", "e"])
    w.insert(3, "C")
    w.insert_many([5, 1], ["E", "A"])
    w.bulk_insert([3, 1], ["!", "?"])
    assert (w.query(), len(w)) == ("aA?cC!eE", 3)
    w.check()
    for misuse in (w.insert_many, w.bulk_insert):
        with pytest.raises(CapacityError, match="3 entries and 2 more are too many for capacity 3"):
            misuse([1, 2], ["x", "y"])
    with pytest.raises(CapacityError):
        w.insert(4, "x")
    assert (w.query(), len(w)) == ("aA?cC!eE", 3)
    w.check()


FAR = ["400000-01-01", "-400000-01-01"]


@pytest.mark.parametrize("time", FAR)
def test_dates_beyond_64_bits_of_microseconds_do_not_wrap_around(time):
    w = window("fiba", "sum", capacity=4, time="datetime64")
    far = np.datetime64(time)
    for misuse in (lambda: w.insert(far, 1), lambda: w.insert_many(np.array([far]), [1]), lambda: w.insert(time, 1)):
        with pytest.raises(TimeError, match=f"time {time} is too far away"):
            misuse()
    w.insert_many(np.array(["2026-01-01T00:00:00.123456789"], "datetime64[ns]"), [1])
    w.insert("294246-12-31", 2)
    assert w.query() == 3.0 and w.youngest() == np.datetime64("294246-12-31", "us")


def test_columns_of_pandas_are_read_by_position():
    column = pd.Series([1.0, 3.0, 2.0], index=[7, 8, 9])
    w = window("recalc", "arg_max")
    w.insert_many([1, 2, 3], (column, column))
    assert w.query() == 3.0


@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_a_whole_number_that_no_float_reaches_is_refused(dtype):
    with pytest.raises(ValueKindError, match="a value must be a"):
        window("recalc", operators.make("sum", dtype)).insert(1, 10**400)


@pytest.mark.parametrize("missing", [None, math.nan, pd.NA], ids=str)
def test_a_missing_value_by_itself_is_taken_as_in_a_batch(missing):
    op = operators.skipping(operators.make("count"))
    one_by_one, batch = window("recalc", op), window("recalc", op)
    batch.insert_many([1, 2], [missing, 3.0])
    for time, value in ((1, missing), (2, 3.0)):
        one_by_one.insert(time, value)
    assert one_by_one.query() == batch.query() == 1
    assert len(one_by_one) == len(batch) == 2
