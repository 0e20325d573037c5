"""What cannot be is refused by name, says what would be right, and changes nothing."""

import datetime
import inspect
from decimal import Decimal

import numpy as np
import pytest

from algorithms import MemoryEstimateError, OrderError, SlidingAggregate, TimeError, ValueKindError
from algorithms.operators import CutOffError
from algorithms.windows.contract import Card
from tests.algorithms.streams.sliding.streams import aggregate, pairs

pytestmark = [pytest.mark.plain, pytest.mark.smoke]

WRONG = {
    "unknown by 'hour'; there are: count, time, delta": {"by": "hour"},
    "unknown by 'x'; there are: count, time, delta, punctuation": {"by": "x"},
    "size must be a whole number of at least 1 .time., not 0": {"size": 0},
    "size must be a whole number of at least 1 .tuples., not 2.5": {"size": 2.5, "by": "count"},
    "size must be a length of time .*, of at least 1 microsecond, not 10": {"time": "datetime64"},
    "size must be a whole number .*, or with time=.datetime64. a length of time, not '5min'": {
        "size": "5min",
        "time": "int64",
    },
    "size must be a number above 0 .time., or with time=.datetime64. a length of time, not": {
        "size": "5min",
        "time": "float64",
    },
    "size must be a whole number of at least 1 .tuples., not '5min'": {"size": "5min", "by": "count"},
    "size='1 month': a month has no fixed length": {"size": "1 month"},
    "size must be a length of time .* of at least 1 microsecond, not '0s'": {"size": "0s", "slide": "1s"},
    "slide must be a whole number of at least 1 .time., not 'rows'": {"slide": "rows"},
    "slide must be a length of time .*, not 'rows'": {"size": "5min", "slide": "rows"},
    "slide must be a length of time .*, not 5": {"size": "5min", "slide": 5},
    "lateness must be a length of time .*: its unit is missing": {
        "size": "5min",
        "slide": "1s",
        "lateness": "30",
        "window": "fiba",
    },
    "slide must be a whole number of at least 1 .time., not -1": {"slide": -1},
    "slide_by='delta' does not go with by='time'": {"slide_by": "delta"},
    "slide='row' fires after every record; slide_by='time' does not go with it": {"slide": "row", "slide_by": "time"},
    "unknown parameter of two_stacks_lite 'silde'; did you mean slide": {"silde": 3},
    "closed='left' leaves out the tuple that fires": {"slide_by": "count", "closed": "left"},
    "one by count has no borders": {"by": "count", "closed": "both"},
    "unknown closed 'righ'; did you mean right": {"closed": "righ"},
    "unknown emit 'change'; did you mean changes": {"emit": "change"},
    "partial=False is for windows and slides by count": {"partial": False},
    "offset is for windows that slide by time": {"by": "count", "offset": 1},
    "lateness needs a window of any order, which two_stacks_lite is not; fiba is": {"lateness": 3},
    "lateness needs a window of any order, which b_int is not": {"window": "b_int", "lateness": 3},
    "lateness is for windows by time that slide by time or by row": {"slide": 2, "slide_by": "count", "lateness": 3},
    "lateness is for windows by time": {"by": "count", "lateness": 3, "window": "fiba"},
    "unknown algorithm 'reactiv'; did you mean reactive": {"window": "reactiv"},
    "unknown parameter of two_stacks_lite 'min_arity'": {"min_arity": 4},
    "unknown operator 'summ'": {"operator": "summ"},
    "soe needs an operator that is invertible, and max is not": {"window": "soe", "operator": "max"},
    "no keyword .* other than time and key, not 'time'": {"operator": {"time": "sum"}},
    "no keyword .* other than time and key, not 'class'": {"operator": {"class": "sum"}},
    "not begin with an underscore, .* not '_x'": {"operator": {"_x": "sum"}},
    "operator 'value' must be the name of an operator, .* not .'sum'.": {"operator": ["sum"]},
    "operator 'a' must be the name of an operator, .* not None": {"operator": {"a": None}},
    "size must be a whole number of at least 1 .time. and below 2..62, not 1000": {"size": 10**400},
    "size must be a number above 0 .time. and below 2..990, not 1000": {"size": 10**400, "time": "float64"},
    "slide 1e-09 is too short for size 100000000.0": {"size": 1e8, "slide": 1e-9, "time": "float64"},
    "size must be a length of time .* below 2..62, not datetime": {
        "time": "datetime64",
        "size": datetime.timedelta.max,
    },
    "capacity must be a whole number of at least 1, not 0": {"capacity": 0},
}


@pytest.mark.parametrize("message", WRONG)
def test_settings(message):
    with pytest.raises(ValueError, match=message):
        SlidingAggregate(**{"size": 10, "slide": 5, **WRONG[message]})


def test_a_size_is_needed():
    with pytest.raises(TypeError, match="size is missing"):
        SlidingAggregate(slide=5)


def test_a_slide_by_row_is_one_by_one_record():
    by_row, by_count = SlidingAggregate(size=3, slide="row"), SlidingAggregate(size=3, slide=1, slide_by="count")
    for s in (by_row, by_count):
        assert pairs(s.batch([1, 2, 5, 5], [1, 2, 3, 4])) == [(1, 1.0), (2, 3.0), (5, 3.0), (5, 7.0)]


def test_help_lists_what_is_passed_on():
    known = inspect.signature(SlidingAggregate).parameters
    assert {"window", "operator", "size", "slide", "lateness", "emit"} <= set(known)
    assert known["size"].default is inspect.Parameter.empty and known["by"].default == "time"


BATCHES = {
    "record 2 of the batch has time 3, older than 5": (OrderError, ([4, 5, 3], [1, 2, 3])),
    "record 0 of the batch has time 1, older than 2": (OrderError, ([1], [1])),
    "2 times and 1 values": (ValueKindError, ([4, 5], [1])),
    "times are missing": (ValueKindError, (None, [1])),
    "values.1. is NaN": (ValueKindError, ([4, 5], [1.0, np.nan])),
    "values.1.: sum: a value must be a number, not None": (ValueKindError, ([4, 5], [1.0, None])),
    "time 4.5 is not a whole number": (TimeError, ([4.5], [1])),
    "keys are given, but key=False": (ValueKindError, ([4], [1], ["a"])),
    "2 columns of values are given, but sum: a value must be a number": (ValueKindError, ([5], ([1.0], [2.0]))),
    "values must be a column, .* not NoneType": (ValueKindError, ([4], None)),
    "values must be a column, .* not float": (ValueKindError, ([4], 5.0)),
    "values must be a column, .* not generator": (ValueKindError, ([4], (x for x in [1.0]))),
    "times must be a column, .* not int": (ValueKindError, (4, [1.0])),
    "times must be a column, of one dimension, not of 2": (TimeError, ([[4, 5]], [1.0])),
}


@pytest.mark.parametrize("message", BATCHES)
def test_batches_are_refused_whole(message):
    kind, arguments = BATCHES[message]
    s = SlidingAggregate(size=10, slide=5)
    s.batch([1, 2], [1, 2])
    with pytest.raises(kind, match=message):
        s.batch(*arguments)
    assert pairs(s.batch([5], [4])) == [(5, 3.0)]
    assert pairs(s.flush()) == [(10, 7.0), (15, 4.0)]


def test_a_stream_that_goes_on_after_its_end_does_not_fire_a_window_twice():
    s = SlidingAggregate(size=10, slide=5)
    s.batch([1, 2], [1, 2])
    assert pairs(s.flush()) == [(5, 3.0), (10, 3.0)]
    with pytest.raises(OrderError):
        s.batch([3], [4])
    assert pairs(s.batch([10, 21], [8, 1])) == [(15, 8.0), (20, 8.0)]


def test_columns_that_are_not_there():
    s = SlidingAggregate(size=10, operator={"longest": ("max", "len")})
    with pytest.raises(ValueKindError, match="there is no column 'len' for longest; there are: length"):
        s.batch([1], {"length": [1]})
    with pytest.raises(ValueKindError, match="each value must be a mapping with 'len'"):
        list(s.run([(1, 2)]))


def test_records_of_the_wrong_form():
    s = aggregate(size=10, key=True)
    with pytest.raises(ValueKindError, match="a record must be .time, key, value., not .1, 2."):
        list(s.run([(1, 2)]))
    with pytest.raises(ValueKindError, match="keys are missing"):
        s.batch([1], [2])
    with pytest.raises(ValueKindError, match="keys.1.: .*cannot be a key"):
        s.batch([1, 2], [2, 3], ["a", [1]])


def test_a_heartbeat_is_for_windows_by_time():
    with pytest.raises(ValueError, match="advance is for windows that slide by time, not by count"):
        aggregate(size=3, by="count").advance(4)


def test_columns_of_unequal_length():
    s = SlidingAggregate(size=10, operator={"a": ("sum", "x"), "b": ("max", "y")})
    with pytest.raises(ValueKindError, match="column 'y' for b has 3 values, and the column for a 500"):
        s.batch(range(500), {"x": np.ones(500), "y": np.ones(3)})


@pytest.mark.parametrize("far", [1e17, 1e300, -1e300])
def test_float_times_at_which_ends_are_no_longer_apart(far):
    s = SlidingAggregate(size=1.0, slide=0.5, time="float64")
    with pytest.raises(TimeError, match="more than 2..52 slides of 0.5 from 0"):
        s.batch([far], [1.0])
    with pytest.raises(TimeError, match="advance.0. is"):
        s.advance(far)


def test_more_room_than_there_is_memory():
    with pytest.raises(MemoryEstimateError):
        SlidingAggregate(size=10, capacity=10**12)


def test_nothing_has_changed_when_a_window_finds_no_room(monkeypatch):
    s = SlidingAggregate(size=10, slide=5, key=True)

    def refuse(*_):
        raise MemoryEstimateError("no room")

    with monkeypatch.context() as patched:
        patched.setattr(Card, "must_fit", refuse)
        with pytest.raises(MemoryEstimateError, match="no room"):
            s.batch([5], [1.0], ["a"])
    assert s.batch([3], [1.0], ["b"])["time"].tolist() == []
    assert s.keys == ["b"]


def test_the_field_that_is_wrong_is_named():
    s = SlidingAggregate(size=4, by="delta")
    with pytest.raises(TimeError, match="attributes.0. is 0.5, where the window goes by whole numbers"):
        s.batch(None, [1.0], attributes=[0.5])
    with pytest.raises(OrderError) as error:
        s.batch(None, [1.0, 1.0], attributes=[2, 1])
    assert "lateness" not in str(error.value)


def test_what_goes_wrong_in_the_middle_of_a_batch_stops_the_aggregate():
    s = SlidingAggregate(size=1000, slide="row", operator="collect", key=True)
    with pytest.raises(CutOffError):
        s.batch(range(70), [1.0] * 70, [0] * 66 + [1] * 4)
    for again in (lambda: s.batch([70], [9.0], [1]), s.flush, lambda: next(s.run([(70, 1, 9.0)]))):
        with pytest.raises(RuntimeError, match="stopped in the middle of a batch .CutOffError"):
            again()


def test_times_are_a_column_also_where_the_window_counts():
    s = SlidingAggregate(size=2, by="count")
    with pytest.raises(TimeError, match="times must be a column, of one dimension, not of 2"):
        s.batch([(1, 2), (3, 4)], [1.0, 2.0])
    assert s.batch([1, 3], [1.0, 2.0])["value"].tolist() == [3.0]


@pytest.mark.parametrize("wrong", ["1.5", None, np.datetime64("2020"), datetime.date(2020, 1, 1)], ids=repr)
def test_positions_that_are_floats_are_numbers(wrong):
    aggregate = SlidingAggregate(size=2.0, slide=1.0, time="float64")
    with pytest.raises(TimeError, match=r"times\[1\] is .*, where positions are numbers"):
        aggregate.batch([1.0, wrong], [1.0, 2.0])
    with pytest.raises(TimeError, match="times must be numbers that a float64 holds"):
        aggregate.batch([1, 10**400], [1.0, 2.0])
    aggregate.batch([1.0, Decimal("2.5")], [1.0, 2.0])
