"""Fields of structs, decimals, and time zones: along every path, as Spark itself has them."""

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import types as t

from streaming import sliding_aggregate
from streaming.choices import field_of, paths_in
from streaming.sql import register
from tests.streaming import made, paths

OF_ARRAY = t.ArrayType(t.StructType().add("x", "integer"))
INNER = t.StructType().add("b", "integer").add("c.d", t.StructType().add("e", "double")).add("l", OF_ARRAY)
NESTED = t.StructType().add("a", INNER).add("a.b", "string")


@pytest.mark.smoke
def test_a_field_is_found_by_its_path_and_a_column_of_that_name_comes_first():
    assert field_of(NESTED, "a.b") is None  # a column
    found = field_of(t.StructType(NESTED.fields[:1]), "a.b")
    assert (found.name, found.sql, found.kind) == ("b", "`a`.`b`", t.IntegerType())
    assert field_of(NESTED, "a.c.d.e").sql == "`a`.`c.d`.`e`"
    for unknown in ("a", "a.", "a.x", "a.c", "a.l.x", ".b", "", None, 3):
        assert field_of(NESTED, unknown) is None
    assert list(paths_in(NESTED)) == ["a", "a.b", "a.c.d", "a.c.d.e", "a.l", "a.b"]


def nested(df):
    """The rows of `made.table`, their columns in structs."""
    return df.selectExpr("named_struct('who', named_struct('user', user), 'len', v) AS call", "struct(ts) AS at")


ARGUMENTS = {"key": "call.who.user", "time": "at.ts", "value": "call.len", "size": "4 seconds", "slide": "1 second"}
ARGUMENTS |= {"algorithm": "two_stacks_lite"}
PLAIN = {**ARGUMENTS, "key": "user", "time": "ts", "value": "len"}


@pytest.fixture(scope="module")
def some():
    rows = made.rows(300, ["a", "b", None], spread=60, disorder=2, seed=8)
    rows[7], rows[9] = ("a", None, 1.0), ("b", rows[9][1], None)
    return rows


def as_text(df):
    """The rows of a DataFrame, sorted, times as microseconds."""
    columns = [f"unix_micros({c})" if c in ("ts", "window_start", "window_end") else c for c in df.columns]
    return sorted(str(tuple(row)) for row in df.selectExpr(*columns).collect())


@pytest.mark.slow
@pytest.mark.parametrize("slide", ["1 second", pytest.param("row", marks=pytest.mark.thorough)])
@pytest.mark.parametrize("path", paths.STREAMING)
def test_a_backfill_of_fields_gives_the_rows_of_the_batch(spark, tmp_path, some, path, slide):
    """availableNow over files with rows out of order, nulls, and a row without a time: each row of the batch, once."""
    for i in range(4):
        made.write(tmp_path / "in", i, some[75 * i : 75 * i + 75])
    made.write(tmp_path / "in", 4, [(None, paths.FAR, None)])
    operator = {"total": "sum", "most": ("max", "call.len"), "n": ("count", "call.len")}
    arguments = {**ARGUMENTS, "slide": slide, "operator": operator}
    source = nested(paths.source(spark, tmp_path, "user string, ts timestamp, v double"))
    told = {"watermark": "3 seconds", "buckets": 2}
    found, _ = paths.run(source, tmp_path, path, **told, **arguments)
    batch = spark.createDataFrame(made.table(some))
    wanted = sliding_aggregate(nested(batch), **arguments)
    by_hand = {**PLAIN, "slide": slide, "operator": {**operator, "most": ("max", "len"), "n": ("count", "len")}}
    assert as_text(wanted) == as_text(sliding_aggregate(batch.withColumnRenamed("v", "len"), **by_hand))
    assert found.drop("batch").columns == wanted.columns and found.columns[0] == "user"
    assert as_text(found.drop("batch")) == as_text(wanted) and wanted.count() > 150


@pytest.mark.slow
def test_fields_are_columns_functions_and_arguments_of_sql(spark, some):
    from pyspark.sql import functions as F

    df = nested(spark.createDataFrame(made.table(some)))
    wanted = as_text(sliding_aggregate(df, **ARGUMENTS, operator={"total": "sum"}))
    columns = {"key": F.col("call.who.user"), "time": df["at.ts"], "value": F.col("call")["len"].alias("len")}
    assert as_text(sliding_aggregate(df, **{**ARGUMENTS, **columns}, operator={"total": "sum"})) == wanted
    df.createOrReplaceTempView("nested_calls")
    register(spark)
    settings = ", ".join(f"{name} => '{value}'" for name, value in ARGUMENTS.items())
    sql = f"SELECT * FROM sliding_aggregate(TABLE(nested_calls), {settings}, operator => map('total', 'sum'))"
    assert as_text(spark.sql(sql)) == wanted
    with pytest.raises(PySparkException, match=r"unknown column for value: 'call.ln'; did you mean call.len"):
        spark.sql(sql.replace("call.len", "call.ln"))


@pytest.mark.slow
def test_two_fields_of_one_name_are_refused_with_the_way_out(spark, some):
    df = spark.createDataFrame(made.table(some)).selectExpr("struct(v) AS a", "struct(v) AS b", "v", "ts")
    said = r"value: there is a column 'v' already; .* alias of its own: F.col\('a.v'\).alias\('a_v'\)"
    with pytest.raises(ValueError, match=said):
        sliding_aggregate(df, **{**PLAIN, "key": None, "value": "a.v"}, operator="sum")
    two = {"x": ("sum", "a.v"), "y": ("sum", "b.v")}
    with pytest.raises(ValueError, match=r"operator 'y': there is a column 'v' already"):
        sliding_aggregate(df.drop("v"), **{**PLAIN, "key": None, "value": None}, operator=two)


@pytest.mark.slow
def test_decimals_are_keys_and_exact_as_whole_numbers_of_their_last_digit(spark):
    """By the expression that the refusal offers, beside Spark's own sum of decimals."""
    from pyspark.sql import functions as F

    df = spark.range(300).selectExpr(
        "cast(id % 3 AS decimal(5,1)) AS shop",
        "timestamp_seconds(id) AS ts",
        "cast(id * 0.01 AS decimal(18,2)) AS price",
    )
    with pytest.raises(ValueError) as refused:
        sliding_aggregate(df, key="shop", time="ts", value="price", size="1 minute", slide="20 seconds")
    expression = str(refused.value).partition("take ")[2].partition(", which")[0]
    whole = eval(expression, {"F": F})  # as a user would copy it
    found = sliding_aggregate(
        df, key="shop", time="ts", value=whole, size="1 minute", slide="20 seconds", operator={"total": "sum"}, **FEW
    )
    found = found.withColumn("total", (F.col("total") / 100).cast("decimal(28,2)"))
    window = F.window("ts", "1 minute", "20 seconds")
    theirs = df.groupBy(window, "shop").agg(F.sum("price").alias("total"))
    wanted = theirs.selectExpr("shop", "window.start AS window_start", "window.end AS window_end", "total")
    assert found.schema.simpleString() == wanted.schema.simpleString()
    assert as_text(found) == as_text(wanted)


FEW = {"algorithm": "two_stacks_lite"}


@pytest.mark.slow
@pytest.mark.parametrize("path", paths.STREAMING)
def test_a_stream_goes_on_under_another_time_zone(spark, tmp_path, some, path):
    """The zone is how times are shown: a state that was written under one is read under another."""
    arguments = {"key": "user", "time": "ts", "value": "v", "size": "4 seconds", "slide": "1 second", **FEW}
    arguments |= {"operator": {"total": "sum"}, "watermark": "3 seconds", "buckets": 2}
    schema, zone = "user string, ts timestamp, v double", spark.conf.get("spark.sql.session.timeZone")
    made.write(tmp_path / "in", 0, some[:150])
    paths.run(paths.source(spark, tmp_path, schema), tmp_path, path, flush=False, **arguments)
    made.write(tmp_path / "in", 1, some[150:])
    made.write(tmp_path / "in", 2, [(None, paths.FAR, None)])
    spark.conf.set("spark.sql.session.timeZone", "Asia/Kolkata")  # half an hour off all others
    try:
        found, _ = paths.run(paths.source(spark, tmp_path, schema), tmp_path, path, **arguments)
        found = as_text(found.drop("batch"))
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
    arguments = {name: value for name, value in arguments.items() if name != "watermark"}
    assert found == as_text(sliding_aggregate(spark.createDataFrame(made.table(some)), **arguments))
