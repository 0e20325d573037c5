"""What cannot be is refused by name, says what would be right, and changes nothing."""

import numpy as np
import pytest

from algorithms import CompressedAggregate, OrderError, TimeError, ValueKindError, operators
from tests.algorithms.streams.compressed.streams import rows

pytestmark = [pytest.mark.plain, pytest.mark.smoke]

WRONG = {
    "WA must be a whole number of at least 1 .time., not 0": {"WA": 0},
    "WS must be a whole number of at least 1 .time., not 2.5": {"WS": 2.5},
    "WS must be a whole number of at least 1 .time. and below 2..62, not 9223372036854775808": {"WS": 2**63},
    "stamps must be True or False, not 1": {"stamps": 1},
    'stamps=True is for order="refuse"': {"stamps": True, "order": "sort", "lateness": 3},
    "gives=0 says what a function f_O gives, and f_O is 'sum', no function": {"f_O": "sum", "gives": 0},
    "D must be a whole number of at least 0 .time., not -1; None and infinity are never": {"D": -1},
    "D must be .* not nan": {"D": float("nan")},
    "WA must be a length of time": {"time": "datetime64"},
    "unknown time 'float64'; did you mean": {"time": "float64"},
    "unknown codec 'snapy'; did you mean snappy": {"codec": "snapy"},
    "unknown layout 'row'; did you mean rows": {"layout": "row"},
    "level=3: snappy has no levels": {"level": 3},
    "level of zstd must be a whole number from -131072 to 22, not 99": {"codec": "zstd", "level": 99},
    "unknown order 'sorted'; did you mean sort": {"order": "sorted"},
    "lateness says how long .* order='sort' and lateness=None": {"order": "sort"},
    "lateness says how long .* order='refuse' and lateness=3": {"lateness": 3},
    "start: time 0.5 is not a whole number": {"start": 0.5},
    "unknown f_O 'stop'; did you mean stops": {"f_O": "stop"},
    "f_O must be the name of an operator": {"f_O": 3},
    "f_K must be the name of the key column or a tuple of different ones": {"f_K": ("a", "a")},
    "f_K must be .* not 7": {"f_K": 7},
    "f_K: 'value' is what a column of the results is called already": {"f_K": "value"},
    "f_K: 'time' is what a column": {"f_K": ("vid", "time")},
    "dtype must be one of int8, .* not 'float16'": {"dtype": "float16"},
    "dtype: stops are counted in one column, of speeds, not in 2": {"dtype": ("int8", "int8")},
    "dtype='int64' is for an operator given by name": {"f_O": operators.make("sum"), "dtype": "int64"},
    "sum: no version for dtype 'int8'": {"f_O": "sum", "dtype": "int8"},
    "f_A must be a function f_A.times, values, first, last, time, value., not 'add'": {"f_A": "add"},
    "gives must be an int, a float or a NamedTuple of them, not 'x'": {
        "f_O": lambda times, values, first, last: 0,
        "gives": "x",
    },
}


@pytest.mark.parametrize("message", WRONG)
def test_parameters(message):
    with pytest.raises(ValueError, match=message):
        CompressedAggregate(**{"WA": 5, "WS": 10, "D": 5, **WRONG[message]})


BATCHES = {
    'record 1 of the batch has time 4, older than 9 before it; order="sort"': (OrderError, ([9, 4], [1, 1], [1, 1])),
    "record 0 of the batch has time 1, older than 3": (OrderError, ([1], [1], [1])),
    "times.1. is -4, and epochs begin at 0": (TimeError, ([9, -4], [1, 1], [1, 1])),
    "time 4.5 is not a whole number": (TimeError, ([4.5], [1], [1])),
    "times must lie within 2..62": (TimeError, ([2**62], [1], [1])),
    "values.1. is NaN, which has no place in a window": (ValueKindError, ([4, 5], [1, np.nan], [1, 1])),
    "values must be a column of numbers": (ValueKindError, ([4], ["x"], [1])),
    "values must be a column, of one dimension, not of 2": (ValueKindError, ([4], [[1.0]], [1])),
    "2 values and 1 times": (ValueKindError, ([4], [1, 2], [1])),
    "2 keys 'key' and 1 times": (ValueKindError, ([4], [1], [1, 2])),
    "keys are missing: f_K=.'key',": (ValueKindError, ([4], [1])),
    "there is no key column 'key'; there are: vid": (ValueKindError, ([4], [1], {"vid": [1]})),
    "keys.0.: .*cannot be a key": (ValueKindError, ([4], [1], [[1]])),
}


@pytest.mark.parametrize("message", BATCHES)
def test_batches_are_refused_whole(message):
    kind, arguments = BATCHES[message]
    a = CompressedAggregate(5, 10)
    a.batch([1, 3], [0, 7], [1, 2] if "cannot be a key" not in message else ["a", "b"])
    before = a.counts
    with pytest.raises(kind, match=message):
        a.batch(*arguments)
    a.check()
    assert a.counts == before
    assert [(time, value) for time, _, value in rows(a.advance(10))] == [(9, 1), (9, 0)]


def test_values_that_a_narrow_column_does_not_have():
    for message, value in {"2.5, which int16 does not have": 2.5, "40000, which int16 does not have": 40_000}.items():
        with pytest.raises(ValueKindError, match=f"values.1. is {message}"):
            CompressedAggregate(5, 10, dtype="int16").batch([4, 4], [1, value], [1, 1])
    with pytest.raises(ValueKindError, match="values must be a tuple of 2 columns: int8, int8"):
        CompressedAggregate(5, 10, f_O=newest, dtype=("int8", "int8")).batch([4], [1], [1])


def newest(times, values, first, last):
    return times[last - 1]


def test_D_that_cannot_be_is_not_taken_over():
    a = CompressedAggregate(5, 10, 3)
    with pytest.raises(ValueError, match="D must be a whole number of at least 0 .time., not 'x'"):
        a.D = "x"
    assert a.D == 3


def test_what_stops_a_batch_half_way_is_said_from_then_on(monkeypatch):
    a = CompressedAggregate(5, 10, 0)

    def breaks(*_):
        raise MemoryError("no memory for this window")

    a._packed.codec = type("Breaking", (), {"compress": breaks, "decompress": breaks})
    with pytest.raises(MemoryError, match="no memory for this window"):
        a.batch([1], [1], [1])
    for use in (lambda: a.batch([2], [1], [1]), a.flush, a.check, lambda: a.advance(9)):
        with pytest.raises(RuntimeError, match="stopped in the middle of a batch .MemoryError: no memory for this"):
            use()
