"""Every refusal before a query starts names the field, its value, and what would be right. No JVM is needed."""

import datetime

import pyarrow as pa
import pytest
from pyspark.sql import types as t

from algorithms import operators
from streaming import SlidingAggregateSink, sliding_aggregate
from streaming.request import checked_aggregation

pytestmark = pytest.mark.smoke

SCHEMA = t.StructType(
    [
        t.StructField("user", t.StringType()),
        t.StructField("ts", t.TimestampType()),
        t.StructField("local", t.TimestampNTZType()),
        t.StructField("n", t.IntegerType()),
        t.StructField("v", t.DoubleType()),
        t.StructField("yes", t.BooleanType()),
        t.StructField("price", t.DecimalType(10, 2)),
        t.StructField("day", t.DateType()),
        t.StructField("many", t.ArrayType(t.LongType())),
        t.StructField("V2", t.FloatType()),
        t.StructField("window_end", t.LongType()),
        t.StructField("call", t.StructType().add("len", "double").add("at", "timestamp")),
        t.StructField("by_name", t.MapType(t.StringType(), t.LongType())),
        t.StructField("large", t.DecimalType(30, 4)),
        t.StructField("units", t.DecimalType(12, 0)),
        t.StructField("age", t.YearMonthIntervalType()),
    ]
)
MIXED = operators.product(m="max", s=operators.make("sum", "int64"))
GOOD = {
    "key": "user",
    "time": "ts",
    "value": "v",
    "size": "10 seconds",
    "slide": "2 seconds",
    "operator": "sum",
    "algorithm": "two_stacks_lite",
    "buckets": 4,
    "whole_times": False,
    "presorted": True,
    "partitions": 2,
}


def aggregation_of(**changes):
    return checked_aggregation(SCHEMA, **{**GOOD, **changes})


def test_a_missing_argument_is_missed_in_the_call_that_the_user_made():
    with pytest.raises(TypeError, match=r"sliding_aggregate\(\) missing .*: 'time'"):
        sliding_aggregate(None, size="1 hour")
    with pytest.raises(TypeError, match=r"SlidingAggregateSink.__init__\(\) missing .*: 'size'"):
        SlidingAggregateSink(None, "/folder", time="ts", watermark="1 minute")


@pytest.mark.parametrize(("partitions", "expected"), [(1, 1), (2, 2), (8, 8), (200, 16)])
def test_there_is_a_bucket_for_each_partition_by_default(partitions, expected):
    assert aggregation_of(buckets=None, partitions=partitions).buckets == expected
    assert aggregation_of(buckets=None, partitions=partitions, key=None).buckets == 1


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"key": "usr"}, "unknown column for key: 'usr'; did you mean user"),
        ({"key": 3}, "key must be the name of a column, or a list of names, not 3"),
        ({"key": ["user", "user"]}, "names a column twice"),
        ({"key": "many"}, r"key column 'many' is array<bigint>; a key must be .*: take F.to_json\('many'\)"),
        ({"key": "age"}, "column 'age' is interval year to month, which Arrow does not have: cast it to another type"),
        ({"time": "when"}, "unknown column for time: 'when'"),
        ({"time": "n"}, "time column 'n' is int; it must be a timestamp; of whole numbers take timestamp_micros"),
        ({"time": "n", "whole_times": True}, "size must be a whole number of units of the time column"),
        ({"time": "day"}, "time column 'day' is date; it must be a timestamp"),
        ({"value": "yes"}, "value column 'yes' is boolean; it must be a number .*: cast it to int"),
        ({"value": "price"}, r"'price' is decimal\(10,2\).*: take F.expr\(\"cast\(price \* 100 AS bigint\)\"\).*exact"),
        ({"value": "price"}, "divide results by 100; or cast it to double"),
        ({"value": "units"}, "'units' is decimal.*: cast it to bigint, which is exact, or cast it to double"),
        ({"value": "large"}, r"'large' is decimal.*: cast it to double, or first to decimal\(18, ...\) if"),
        ({"value": "call"}, "'call' is struct<.*: take a field of it, such as 'call.len'"),
        ({"value": "by_name"}, r"'by_name' is map<string,bigint>.*: take an entry of it, such as F.col\('by_name'\)"),
        ({"value": "call.ln"}, "unknown column for value: 'call.ln'; did you mean call.len"),
        ({"time": "call"}, "'call' is struct<.*; it must be a timestamp: take a field of it, such as 'call.at'"),
        ({"time": "user"}, "'user' is string; it must be a timestamp: cast it to timestamp"),
        ({"time": "price"}, r"'price' is decimal\(10,2\); it must be a timestamp$"),
        ({"key": "call"}, "a key must be of plain columns, several if need be: take a field of it, such as 'call.len'"),
        ({"key": "by_name"}, "'by_name' is map.*: take an entry of it"),
        ({"value": "day"}, "value column 'day' is date.*: take unix_date of it"),
        ({"value": "many"}, r"'many' is array<bigint>.*: take F.array_max\('many'\) or .* F.explode\('many'\)"),
        ({"value": None}, "operator 'sum' has no column: give value="),
        ({"value": None, "operator": {"a": ("sum", "w")}}, "unknown column for value: 'w'"),
        ({"size": "1 month"}, "size='1 month': a month has no fixed length"),
        ({"size": "0 seconds"}, "size must be longer than 0, not '0 seconds'"),
        ({"slide": datetime.timedelta()}, r"slide must be longer than 0, not datetime.timedelta\(0\)"),
        ({"slide": "5 parsecs"}, "slide must be a length of time .*, not '5 parsecs'"),
        ({"offset": 3}, "offset must be a length of time"),
        ({"operator": "summ"}, "unknown operator 'summ'; did you mean sum"),
        ({"operator": {"class": "sum"}}, "a result must be called an identifier"),
        ({"operator": {}}, "asks for nothing"),
        ({"operator": {"a": 3}}, "operator 'a' must be the name of an operator, or one made by operators, not 3"),
        ({"operator": {"a": MIXED}}, "a .*takes whole numbers, and column 'v' is float64"),
        ({"operator": "bloom"}, "operator 'bloom': what bloom of v gives cannot be a column"),
        ({"algorithm": "two_stack"}, "unknown algorithm 'two_stack'; did you mean two_stacks"),
        ({"algorithm": "soe", "operator": "max"}, "soe needs an operator that is invertible"),
        ({"min_arity": 4}, "unknown argument 'min_arity'"),
        ({"watermrk": "1 minute"}, "unknown argument 'watermrk'; did you mean watermark"),
        ({"operators": "max"}, "unknown argument 'operators'; did you mean operator"),
        ({"peers": False}, "unknown argument 'peers'"),
        ({"by": "delta"}, "unknown by 'delta'"),
        ({"by": "count"}, "size must be a whole number of rows"),
        ({"closed": "ajar"}, "unknown closed 'ajar'"),
        ({"order": "any"}, "unknown order 'any'; there are: buffer, refuse"),
        ({"null_times": "keep"}, "unknown null_times 'keep'"),
        ({"buckets": 0}, "buckets must be a whole number from 1 to 32768, not 0"),
        ({"slide": "row", "operator": {"v": "sum"}}, "two columns of the results would be called 'v'"),
        ({"slide": "row", "operator": {"v2": ("sum", "V2")}}, "two columns of the results would be called 'v2'"),
        ({"key": "window_end"}, "two columns of the results would be called 'window_end'"),
    ],
)
def test_refusals(changes, error):
    with pytest.raises(ValueError, match=error):
        aggregation_of(**changes)


def test_columns_of_results_have_the_types_of_their_operators():
    aggregation = aggregation_of(
        key=["user", "day"],
        operator={"total": ("sum", "n"), "mean": ("mean", "v"), "all": ("collect", "v")},
        slide="2 seconds",
    )
    types = {column.name: str(column.type) for column in aggregation.results}
    assert types == {
        "user": "string",
        "day": "date32[day]",
        "window_start": "timestamp[us, tz=UTC]",
        "window_end": "timestamp[us, tz=UTC]",
        "total": "int64",
        "mean": "double",
        "all": "list<item: double>",
    }


@pytest.mark.parametrize("presorted", [True, False])
@pytest.mark.parametrize(
    "changes",
    [
        {"by": "count", "size": 5},
        {"by": "count", "size": 5, "slide": 10**9},
        {"size": "3 seconds", "slide": "10 seconds", "offset": "4 seconds"},
        {"size": "3 seconds", "slide": "10 seconds", "offset": "4 seconds", "closed": "right"},
        {"size": "1 microseconds", "slide": "10 seconds", "offset": "9 seconds", "closed": "both"},
    ],
    ids=str,
)
def test_the_type_of_lists_is_known_whatever_rows_fire(changes, presorted):
    arguments = {**GOOD, "slide": None, **changes, "operator": "collect", "algorithm": "recalc", "presorted": presorted}
    assert checked_aggregation(SCHEMA, **arguments).results.field("collect").type == pa.list_(pa.float64())


def test_an_operator_with_several_answers_gives_a_struct():
    aggregation = aggregation_of(operator=operators.product(low="min", n="count"), algorithm="recalc")
    assert str(aggregation.results.field("value").type) == "struct<low: double, n: int64>"


def test_a_row_gives_out_its_time_and_values_as_they_are():
    aggregation = aggregation_of(time="local", slide="row", value="V2", operator="max")
    types = {column.name: str(column.type) for column in aggregation.results}
    assert types == {"user": "string", "local": "timestamp[us]", "V2": "float", "max": "double"}


def test_algorithms_of_any_order_take_rows_as_they_come():
    assert aggregation_of(order="refuse").order == "refuse"
    assert aggregation_of(order="refuse", algorithm="recalc").order == "any"
