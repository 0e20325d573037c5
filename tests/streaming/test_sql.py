"""The table function of Spark SQL: the results of the function of DataFrames, and its errors in Spark's."""

import pytest

from streaming import sliding_aggregate
from streaming.sql import register
from tests.streaming import made

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def calls(spark):
    some = made.rows(300, ["a", "b", None], spread=60, disorder=2, seed=6)
    some[7] = ("a", None, 1.0)
    some[9] = ("b", some[9][1], None)
    df = spark.createDataFrame(made.table(some))
    df.createOrReplaceTempView("calls")
    register(spark)
    return df


def sorted_rows(df):
    return sorted((tuple(map(str, row)) for row in df.collect()), key=str)


@pytest.mark.parametrize("slide", ["1 second", "row"])
def test_the_table_function_gives_what_the_function_gives(spark, calls, slide):
    found = spark.sql(
        f"""SELECT * FROM sliding_aggregate(TABLE(calls), key => 'user', time => 'ts', value => 'v',
                                            size => '4 seconds', slide => '{slide}',
                                            operator => map('total', 'sum', 'most', 'max'))"""
    )
    arguments = {"key": "user", "time": "ts", "value": "v", "size": "4 seconds", "slide": slide}
    wanted = sliding_aggregate(calls, **arguments, operator={"most": "max", "total": "sum"})
    assert found.schema.simpleString() == wanted.schema.simpleString()
    assert sorted_rows(found) == sorted_rows(wanted) and found.count() > 100


def test_without_a_key_by_whole_number_times(spark, calls):
    spark.range(20).selectExpr("id AS t", "id AS n").createOrReplaceTempView("numbers")
    found = spark.sql(
        "SELECT * FROM sliding_aggregate(TABLE(numbers), time => 't', value => 'n', size => 10, slide => 10)"
    )
    assert sorted(map(tuple, found.collect())) == [(0, 10, 45), (10, 20, 145)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("TABLE(calls), time => 'ts', value => 'v'", "size is missing: size => ..."),
        ("TABLE(calls), time => 'ts', value => 'w', size => '1 hour'", "unknown column for value: 'w'"),
        ("TABLE(calls), time => 'ts', value => 'v', size => '1 hour', operator => 'summ'", "did you mean sum"),
        ("TABLE(calls), time => 'ts', value => 'v', size => '1 fortnight'", "size must be a length of time"),
        (
            "TABLE(calls), time => 'ts', value => 'v', size => '1 hour', watermark => '1 day'",
            "watermark is '1 day'; the",
        ),
        (
            "TABLE(calls), time => 'ts', value => 'v', size => '1 hour', partitions => 2",
            "unknown argument 'partitions'",
        ),
        ("1, time => 'ts', value => 'v', size => '1 hour'", "the first argument must be a table"),
    ],
)
def test_wrong_calls_are_refused_by_name(spark, calls, arguments, said):
    with pytest.raises(Exception, match=said):
        spark.sql(f"SELECT * FROM sliding_aggregate({arguments})")


def test_zero_is_one_key_whatever_its_sign(spark, calls):
    rows = [(0.0, 1, 2.0), (-0.0, 2, 3.0)]
    spark.createDataFrame(rows, "k double, t long, v double").createOrReplaceTempView("zeros")
    found = spark.sql(
        "SELECT * FROM sliding_aggregate(TABLE(zeros), key => 'k', time => 't', value => 'v', size => 10, slide => 10)"
    )
    assert [tuple(row)[-1] for row in found.collect()] == [5.0]
