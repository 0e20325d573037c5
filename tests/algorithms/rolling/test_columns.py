"""What is given back is of the kind that was given, and columns are read wherever and however they lie."""

import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from algorithms import operators, rolling

WANTED = [1.0, 3.0, 5.0, 7.0]
"""Sums of two of 1, 2, 3, 4, with min_count=1."""


def sums(values, **arguments):
    return rolling(values, 2, "sum", min_count=1, **arguments)


def layouts():
    plain = np.array([1.0, 2.0, 3.0, 4.0])
    fixed = plain.copy()
    fixed.flags.writeable = False
    yield "strided", np.repeat(plain, 3)[::3]
    yield "backwards", plain[::-1].copy()[::-1]
    yield "read-only", fixed
    yield "byte-swapped", plain.astype(">f8")
    yield "float16", plain.astype("f2")
    yield "float32", plain.astype("f4")
    yield "column of a matrix", np.stack([plain, plain], axis=1)[:, 1]
    for kind in ("i1", "u2", ">i4", "u8"):
        yield kind, plain.astype(kind)
    yield "list", plain.tolist()


@pytest.mark.parametrize(("kind", "values"), list(layouts()), ids=lambda x: x if isinstance(x, str) else "")
def test_numpy(kind, values):
    before = np.array(values)
    got = sums(values)
    assert type(got) is np.ndarray
    assert got.tolist() == WANTED
    assert got.dtype == ("int64" if np.asarray(values).dtype.kind in "iu" else "float64")
    assert np.array_equal(values, before)


def test_booleans_are_counted():
    assert rolling(np.array([True, False, True]), 2, "sum", min_count=1).tolist() == [1, 1, 1]


@pytest.mark.parametrize("values", [[], [5.0], [5.0, 6.0]])
def test_few_rows(values):
    got = rolling(np.array(values), 1000, ["sum", "max", "mean", "std"], min_count=1)
    assert got["sum"].tolist() == np.cumsum(values).tolist()
    assert got["max"].tolist() == values
    assert len(got["std"]) == len(values)
    assert rolling(np.array(values), 10**12, "max_count", min_count=0).tolist() == [1] * len(values)


def test_no_rows():
    """Of any kind, and in every kind of window."""
    for arguments in ({"window": 3}, {"window": "5min", "times": []}, {"window": 5, "times": []}):
        for keys in (None, []):
            assert rolling([], operator="sum", by=keys, **arguments).tolist() == []
            assert rolling(np.array([], int), operator="max_count", by=keys, **arguments).tolist() == []
    index = pd.DatetimeIndex([])
    assert rolling(pd.Series([], dtype=float, index=index), "5min", "max").index.equals(index)
    assert len(rolling(pd.Series([], dtype=float), 3, ["sum", "max"])) == 0
    assert rolling(pa.array([], pa.int64()), 3, ["sum", "mean"]).to_pylist() == []


def test_whole_numbers_with_rows_that_lack_a_result():
    assert rolling(np.array([1, 2, 3]), 2, "sum").tolist()[1:] == [3.0, 5.0]
    assert rolling(np.array([1, 2, 3]), 2, "sum").dtype == float
    large = np.array([2**53, 1, 1])
    for beyond in (large, -large):
        with pytest.raises(ValueError, match=r"beyond 2\^53, and some rows have no result.*min_count=1"):
            rolling(beyond, 2, "sum")
    assert rolling(np.array([-(2**53), 0, 2**53]), 2, "sum").tolist()[1:] == [-(2.0**53), 2.0**53]
    assert sums(large).tolist() == [2**53, 2**53 + 1, 2]
    assert rolling(pa.array(large), 2, "sum").to_pylist() == [None, 2**53 + 1, 2]


def test_large_whole_numbers_are_not_rounded_for_any_operator():
    values = np.array([2**53, 2**53 + 1, 2**53 + 1])
    for name, wanted in (("max_count", [1, 1, 2]), ("last", values.tolist()), ("max", values.tolist())):
        assert rolling(values, 3, name, min_count=1).tolist() == wanted
        assert rolling(values, 3, name, times=np.array([1, 2, 2])).tolist() == wanted


def test_series():
    series = pd.Series([1.0, 2, 3, 4], index=list("abcd"), name="speed")
    got = sums(series)
    assert (got.name, got.index.tolist(), got.tolist()) == ("speed", list("abcd"), WANTED)
    frame = rolling(series, 2, ["sum", "max"], min_count=1)
    assert frame.columns.tolist() == ["sum", "max"]
    assert frame.index.tolist() == list("abcd")
    assert rolling(series, 2, {"top": "max"}, min_count=1)["top"].tolist() == [1.0, 2, 3, 4]


def test_series_of_other_kinds():
    whole = sums(pd.Series([1, 2, None, 4], dtype="Int64", name="v"))
    assert (str(whole.dtype), whole.name, whole.tolist()) == ("Int64", "v", [1, 3, 2, 4])
    whole = rolling(pd.Series([1, 2, None, 4], dtype="Int64"), 2, ["sum", "mean"])
    assert whole["sum"].isna().tolist() == [True, False, True, True]
    assert str(whole["mean"].dtype) == "Float64"
    of_arrow = rolling(pd.Series([1, 2, None, 4], dtype=pd.ArrowDtype(pa.int64())), 2, "max")
    assert str(of_arrow.dtype) == "int64[pyarrow]"
    assert of_arrow.isna().tolist() == [True, False, True, True]


def test_arrow():
    array = pa.array([9.0, 1, None, 3, 4, 9])
    assert sums(array.slice(1, 4)).to_pylist() == [1.0, 1.0, 3.0, 7.0]
    whole = pa.array([9, 1, None, 3, 4, 9])
    assert sums(whole.slice(1, 4)).to_pylist() == [1, 1, 3, 7]
    pieces = pa.chunked_array([[1, 2], [], [3, 4]], pa.int32())
    got = sums(pieces)
    assert isinstance(got, pa.ChunkedArray)
    assert got.to_pylist() == [1, 3, 5, 7]
    assert sums(pa.chunked_array([], pa.float64())).to_pylist() == []
    assert sums(pa.array([True, None, True])).to_pylist() == [1, 1, 1]
    assert rolling(array, 2, "mean").null_count == 3
    struct = rolling(whole, 2, ["sum", "std"])
    assert struct.type == pa.struct([("sum", pa.int64()), ("std", pa.float64())])


class FromElsewhere:
    """A column of a library that this project does not know, but that speaks Arrow's interface."""

    def __arrow_c_stream__(self, requested_schema=None):
        return pa.chunked_array([[1.0, 2.0], [3.0, 4.0]]).__arrow_c_stream__(requested_schema)


def test_whatever_speaks_arrow():
    assert sums(FromElsewhere()).to_pylist() == WANTED
    assert sums(FromElsewhere(), by=FromElsewhere()).to_pylist() == [1.0, 2, 3, 4]


def test_no_copy_where_the_layout_allows():
    """The address that the kernels read from is the column's own."""
    from algorithms.rolling.reading import read

    values = np.arange(4.0)
    for column in (values, pd.Series(values, copy=False), pa.array(values), pa.array(values).slice(1)):
        numbers = read("values", column)[0].numbers
        assert np.shares_memory(numbers, values)


TIMES = ["2024-03-31T00:00", "2024-03-31T00:59", "2024-03-31T01:00", "2024-03-31T01:01"]


@pytest.mark.parametrize("unit", ["m", "s", "ms", "us", "ns"])
def test_kinds_of_time(unit):
    values, times = np.array([1.0, 2, 3, 4]), np.array(TIMES, f"datetime64[{unit}]")
    window = datetime.timedelta(minutes=1, seconds=30)
    for column in (
        times,
        pd.Series(times),
        pd.DatetimeIndex(times.astype("datetime64[ns]")),
        times.astype(f">M8[{unit}]"),
    ):
        assert rolling(values, window, "sum", times=column).tolist() == [1, 2, 5, 7]
    assert rolling(values, "1m 30s", "sum", times=pa.array(times.astype("datetime64[ns]"))).tolist() == [1, 2, 5, 7]
    assert rolling(values, "1min", "sum", times=times, closed="both").tolist() == [1, 2, 5, 7]
    assert rolling(values, np.timedelta64(1, "m"), "sum", times=times).tolist() == [1, 2, 3, 4]


def test_a_time_zone_is_not_dropped():
    """When clocks go forward an hour is missing: 01:59 and 03:00 are a minute apart."""
    clock = pd.Series(pd.to_datetime(["2024-03-31 01:59", "2024-03-31 03:00"]).tz_localize("Europe/Berlin"))
    assert rolling(np.ones(2), "2min", "count", times=clock).tolist() == [1, 2]
    assert rolling(pd.Series([1.0, 1.0], index=clock), "2min", "count").tolist() == [1, 2]
    assert rolling(np.ones(2), "2min", "count", times=clock.dt.tz_localize(None)).tolist() == [1, 1]


def test_keys_of_any_kind():
    values, wanted = np.array([1.0, 2, 3, 4]), [1.0, 2, 4, 6]
    for keys in (
        ["a", "b", "a", "b"],
        np.array([7, -1, 7, -1]),
        np.array([7, -1, 7, -1], ">i4"),
        np.array([0.5, 0.1, 0.5, 0.1]),
        pd.Series(["x", "y", "x", "y"], dtype="category"),
        pd.Series([True, False, True, False]),
        pa.array(["x", "y", "x", "y"]),
        pa.array(["x", "y", "x", "y"]).dictionary_encode(),
        pa.chunked_array([["x"], ["y", "x", "y"]]),
        np.array(TIMES, "M8[s]")[[0, 1, 0, 1]],
    ):
        assert sums(values, by=keys).tolist() == wanted


def test_many_rows_and_keys_in_threads():
    """Enough rows for several threads, which must not change a bit."""
    random = np.random.default_rng(5)
    values, keys = random.normal(size=450_000), random.integers(0, 50, 450_000)
    got = rolling(values, 100, "sum", by=keys, min_count=1)
    for key in (0, 17, 49):
        assert np.array_equal(got[keys == key], rolling(values[keys == key], 100, "sum", min_count=1))


def test_an_operator_of_ones_own():
    spread = operators.from_functions(
        lift=lambda v: v, combine=lambda a, b: a * b, lower=lambda a: a, identity=1.0, name="product"
    )
    assert rolling(np.array([2.0, 3, np.nan, 5]), 2, spread, min_count=1).tolist() == [2.0, 6, 3, 5]
    both = rolling(np.array([2.0, 3, 4, 5]), 2, [spread, "max"], min_count=1)
    assert list(both) == ["product", "max"]


def test_polars():
    """Polars is no dependency: this runs where somebody has it."""
    polars = pytest.importorskip("polars")
    column = polars.Series("v", [1, 2, None, 4])
    got = rolling(column, 2, "sum", by=polars.Series(["a", "b", "a", "b"]), min_count=1)
    assert isinstance(got, polars.Series)
    assert (got.name, got.to_list()) == ("v", [1, 2, 1, 6])
    several = rolling(column, 2, ["sum", "mean"], min_count=2)
    assert several.to_list()[:2] == [{"sum": None, "mean": None}, {"sum": 3, "mean": 1.5}]
