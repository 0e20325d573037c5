"""Slices that Spark makes of a table give what slices made in the workers give, and what rows give."""

import datetime
import math

import pytest
from pyspark.sql import functions as F
from pyspark.sql import types as T

from algorithms import operators
from streaming import dataframes, sliding_aggregate
from streaming.slices_by_spark import PARTIALS, sliced_by_spark

pytestmark = pytest.mark.slow

WHOLE = {"sum": "sum", "count": "count", "most": "max", "least": "min", "mean": "mean"}
LARGEST = 2**63 - 1


def row(result):
    return tuple("nan" if isinstance(value, float) and math.isnan(value) else value for value in result)


def rows_of(results):
    ends = [F.col(name).cast("string") if name.startswith("window") else F.col(name) for name in results.columns]
    return sorted(map(row, results.select(*ends).collect()), key=repr)


@pytest.fixture
def made(monkeypatch):
    """What Spark made slices of, and how often it did not."""
    found = []

    def watched(*arguments):
        found.append(sliced_by_spark(*arguments))
        return found[-1]

    monkeypatch.setattr(dataframes, "sliced_by_spark", watched)
    return found


@pytest.fixture(scope="module")
def calls(spark):
    """Rows in and around the epoch, with nulls, extremes, NaN, keys that are null, NaN and -0.0, and no time."""
    start = datetime.datetime(1969, 12, 31, 23, 59, tzinfo=datetime.UTC)
    keys = [None, 0.0, -0.0, math.nan, 1.5]
    numbers = [LARGEST, LARGEST, -LARGEST - 1, -1, 7, None]
    floats = [1.5, math.nan, -2.0, None, math.inf]
    rows = [
        (
            keys[i % 5],
            f"k{i % 3}",
            None if i % 29 == 0 else start + datetime.timedelta(milliseconds=377 * i),
            None if i % 29 == 0 else 377 * i - 60_000,
            numbers[i * i % 6] if i < 240 else None,
            floats[i % 5] if i % 7 else None,
            i % 100 - 50,
        )
        for i in range(300)
    ]
    columns = "k double, name string, ts timestamp, n long, whole long, part float, short short"
    return spark.createDataFrame(rows, columns).repartition(3)


SETTINGS = {
    "slides": {"time": "ts", "size": "12 seconds", "slide": "4 seconds"},
    "pairs": {"time": "ts", "size": "10 seconds", "slide": "4 seconds"},
    "right": {"time": "ts", "size": "12 seconds", "slide": "4 seconds", "closed": "right"},
    "right pairs": {"time": "ts", "size": "9 seconds", "slide": "4 seconds", "closed": "right", "offset": "1 second"},
    "gaps": {"time": "ts", "size": "2 seconds", "slide": "5 seconds"},
    "numbers": {"time": "n", "size": 12_000, "slide": 4_000, "offset": 500},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_spark_makes_the_slices_that_workers_make(spark, calls, made, monkeypatch, name):
    arguments = {**SETTINGS[name], "key": ["k", "name"], "value": "whole", "operator": WHOLE}
    by_spark = rows_of(sliding_aggregate(calls, **arguments, kept="slices"))
    assert made.pop() is not None
    of_rows = rows_of(sliding_aggregate(calls, **arguments, kept="rows"))
    assert not made
    assert by_spark == of_rows and len(by_spark) > 100
    sums = {values[-5] for values in by_spark}
    assert None in sums and (name == "gaps" or not sums.isdisjoint({-2, -3}))  # the sum of two of LARGEST wraps
    monkeypatch.setattr(dataframes, "sliced_by_spark", lambda *arguments: None)
    assert rows_of(sliding_aggregate(calls, **arguments, kept="slices")) == of_rows


def test_floats_and_short_numbers(calls, made):
    arguments = {"time": "ts", "size": "12 seconds", "slide": "4 seconds"}
    arguments["operator"] = {
        **{f"part_{name}": (name, "part") for name in ("sum", "count", "max", "min", "mean")},
        **{f"short_{name}": (name, "short") for name in ("sum", "count", "max", "min", "mean")},
    }
    by_spark = rows_of(sliding_aggregate(calls, **arguments, kept="slices"))
    assert made.pop() is not None
    assert by_spark == rows_of(sliding_aggregate(calls, **arguments))
    assert any("nan" in values for values in by_spark)


def test_every_operator_has_the_fields_of_its_partials(calls, made):
    for name in operators.names():
        for column, dtype in (("whole", "int64"), ("part", "float64")):
            if dtype in operators.versions(name) and type(operators.make(name, dtype)) in PARTIALS:
                arguments = {"key": "name", "time": "ts", "value": column, "size": "8 seconds", "slide": "4 seconds"}
                assert "window_end" in sliding_aggregate(calls, **arguments, operator=name, kept="slices").columns
                assert made.pop() is not None, name


@pytest.mark.parametrize(
    "change",
    [
        {"operator": {"most": "max", "times": "max_count"}},
        {"null_times": "refuse"},
        {"time": "local"},
        {"key": "any_case"},
    ],
    ids=lambda change: "max_count" if "operator" in change else next(iter(change.values())),
)
def test_where_spark_cannot_make_them_workers_do(spark, calls, made, change):
    there = calls.where("ts is not null").withColumns(
        {
            "local": F.col("ts").cast("timestamp_ntz"),
            "any_case": F.col("name").cast(T.StringType("UTF8_LCASE")),
        }
    )
    arguments = {"time": "ts", "value": "short", "size": "8 seconds", "slide": "4 seconds", "operator": {"most": "max"}}
    key = change.get("key", "name")
    slices = sliding_aggregate(there, **{**arguments, "key": [key], **change}, kept="slices")
    assert made.pop() is None
    assert rows_of(slices) == rows_of(sliding_aggregate(there, **{**arguments, "key": [key], **change}))


def test_times_that_have_no_window_are_refused_as_ever(spark):
    times = spark.createDataFrame([(2**62, 1), (5, 1)], "t long, v long")
    slices = sliding_aggregate(times, time="t", value="v", size=10, slide=5, operator="sum", kept="slices")
    with pytest.raises(Exception, match="times must lie within 2\\*\\*62 of 0"):
        slices.collect()


def test_floats_of_whole_numbers_are_added_as_floats(spark, made):
    """Six times of this century in nanoseconds are more than a long holds."""
    rows = spark.range(6).selectExpr("id AS t", "2000000000000000000 + id AS n")
    for operator in ("sum", "mean"):
        arguments = {"time": "t", "size": 10, "slide": 10, "value": "n", "operator": operators.make(operator)}
        by_spark = rows_of(sliding_aggregate(rows, **arguments, kept="slices"))
        assert made.pop() is not None and by_spark == rows_of(sliding_aggregate(rows, **arguments, kept="rows"))
