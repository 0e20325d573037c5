"""What cannot be is refused by name, says what would be right, and changes nothing."""

import numpy as np
import pytest
from streams import aggregate, pairs

from algorithms import OrderError, SlidingAggregate, TimeError, ValueKindError

WRONG = {
    "unknown by 'hour'; did you mean count": {"by": "hour"},
    "unknown by 'x'; there are: count, time, delta, punctuation": {"by": "x"},
    "size must be a whole number of at least 1 .time., not 0": {"size": 0},
    "size must be a whole number of at least 1 .tuples., not 2.5": {"size": 2.5, "by": "count"},
    "size must be a timedelta": {"time": "datetime64"},
    "slide must be a whole number of at least 1 .time., not -1": {"slide": -1},
    "slide_by='delta' does not go with by='time'": {"slide_by": "delta"},
    "closed='left' leaves out the tuple that fires": {"slide_by": "count", "closed": "left"},
    "one by count has no borders": {"by": "count", "closed": "both"},
    "unknown closed 'righ'; did you mean right": {"closed": "righ"},
    "unknown emit 'change'; did you mean changes": {"emit": "change"},
    "partial=False is for windows and slides by count": {"partial": False},
    "offset is for windows that slide by time": {"by": "count", "offset": 1},
    "lateness needs a window with range_query, which two_stacks_lite has not; fiba has": {"lateness": 3},
    "lateness is for windows by time": {"by": "count", "lateness": 3, "window": "fiba"},
    "unknown algorithm 'reactiv'; did you mean reactive": {"window": "reactiv"},
    "unknown parameter of two_stacks_lite 'min_arity'": {"min_arity": 4},
    "unknown operator 'summ'": {"operator": "summ"},
    "soe needs an operator that is invertible, and max is not": {"window": "soe", "operator": "max"},
    "the name of a result must be an identifier but time or key, not 'time'": {"operator": {"time": "sum"}},
    "capacity must be a whole number of at least 1, not 0": {"capacity": 0},
}


@pytest.mark.parametrize("message", WRONG)
def test_settings(message):
    with pytest.raises(ValueError, match=message):
        SlidingAggregate(**{"size": 10, "slide": 5, **WRONG[message]})


BATCHES = {
    "record 2 of the batch has time 3, older than 5": (OrderError, ([4, 5, 3], [1, 2, 3])),
    "record 0 of the batch has time 1, older than 2": (OrderError, ([1], [1])),
    "2 times and 1 values": (ValueKindError, ([4, 5], [1])),
    "times are missing": (ValueKindError, (None, [1])),
    "values.1. is NaN": (ValueKindError, ([4, 5], [1.0, np.nan])),
    "values.1.: sum: a value must be a number, not None": (ValueKindError, ([4, 5], [1.0, None])),
    "time 4.5 is not a whole number": (TimeError, ([4.5], [1])),
    "keys are given, but key=False": (ValueKindError, ([4], [1], ["a"])),
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
