"""sliding_aggregate as a table function of Spark SQL, for tables that are not streams.

    register(spark)
    spark.sql(\"\"\"
        SELECT * FROM sliding_aggregate(TABLE(calls), key => 'user', time => 'ts', value => 'len',
                                        size => '1 hour', slide => '1 minute', operator => 'max')
    \"\"\")

Spark hands rows to a table function one by one, some microseconds each: the function of DataFrames is several times as
fast.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from streaming.aggregation import Aggregation
from streaming.choices import Field, as_names, field_of
from streaming.columns import quoted
from streaming.request import BUCKETS, INTERNAL, checked_aggregation, must_be_known
from streaming.sorting import aggregate_rows
from streaming.workers import opener

NAME = "sliding_aggregate"


NOT_HERE = {
    "kept": "the table function keeps rows",
    "watermark": "the table function is for tables that are not streams",
    "metrics": "the table function is for tables that are not streams",
}
"""Arguments of `sliding_aggregate` that the table function lacks, and why."""


def register(session: Any, name: str = NAME) -> None:
    """Register the table function with a Spark session, under a name. Arguments are those of `sliding_aggregate`."""
    from pyspark.sql.udtf import AnalyzeResult

    opened = opener((analyzed, results_of))

    class SlidingAggregate:
        """A table function; an instance aggregates the rows of a bucket of keys."""

        def __init__(self, result: AnalyzeResult):
            self.aggregation = result.aggregation
            self.rows: list[tuple[Any, ...]] = []

        @staticmethod
        def analyze(table: Any, **settings: Any) -> AnalyzeResult:
            analyzed, _ = opened()
            return analyzed(table, settings)

        def eval(self, table: Any, **settings: Any) -> None:
            self.rows.append(tuple(table))

        def terminate(self) -> Iterator[tuple[Any, ...]]:
            _, results_of = opened()
            yield from results_of(self.aggregation(), self.rows)

    from pyspark.sql.functions import udtf

    session.udtf.register(name, udtf(SlidingAggregate))


def analyzed(table: Any, settings: Mapping[str, Any]) -> Any:
    """What Spark must know of a call: the columns of its results, and how rows are selected and divided.

    Raises ValueError for arguments that would not work; Spark puts the message into its own.
    """
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import StructType
    from pyspark.sql.udtf import AnalyzeResult, PartitioningColumn, SelectedColumn

    if not isinstance(table.dataType, StructType) or not table.isTable:
        raise ValueError(f"the first argument must be a table: {NAME}(TABLE(calls), key => 'user', ...)")
    for name, argument in settings.items():
        if not argument.isConstantExpression:
            raise ValueError(f"{name} must be a constant, such as {name} => '1 hour'")
    arguments = {name: argument.value for name, argument in settings.items()}
    for name in ("time", "size"):
        if arguments.get(name) is None:
            raise ValueError(f"{name} is missing: {name} => ...")
    if isinstance(operators := arguments.get("operator"), Mapping):
        arguments["operator"] = {name: operators[name] for name in sorted(operators)}  # maps of Spark have no order
    for name, why in NOT_HERE.items():
        if name in arguments:
            raise ValueError(f"{name} is {arguments[name]!r}; {why}: leave it out")
    must_be_known({name: None for name in INTERNAL if name in arguments}, arguments.get("algorithm", "fiba"))
    fields, arguments, schema = fields_of(table.dataType, arguments)
    # The session's settings are not known here: as many buckets as there can be by default.
    aggregation = checked_aggregation(schema, whole_times=True, presorted=True, partitions=BUCKETS, **arguments)
    for field in (*aggregation.keys, aggregation.time):
        if pa.types.is_timestamp(field.type) and (field.type.tz is None or field is not aggregation.time):
            raise ValueError(f"column {field.name!r} is {field.type}: cast it to timestamp as time, to string as key")
    keys, times, values = (
        [fields[column.name].sql if column.name in fields else quoted(column.name) for column in some]
        for some in (aggregation.keys, [aggregation.time], aggregation.values)
    )
    keys = [
        f"({key} + cast(0 AS {column.type}))" if pa.types.is_floating(column.type) else key  # -0.0 is 0.0
        for key, column in zip(keys, aggregation.keys, strict=True)
    ]
    [time] = times
    time = f"unix_micros({time})" if pa.types.is_timestamp(aggregation.time.type) else f"cast({time} AS bigint)"
    columns = [
        f"cast({v} AS {_sql_type(f)})" for v, f in zip([*keys, time, *values], aggregation.arriving, strict=True)
    ]

    @dataclass
    class Analyzed(AnalyzeResult):
        aggregation: Any = None

    return Analyzed(
        schema=from_arrow_schema(aggregation.results),
        withSinglePartition=not keys,
        partitionBy=[PartitioningColumn(f"pmod(xxhash64({', '.join(keys)}), {aggregation.buckets})")] if keys else [],
        select=[SelectedColumn(c, name) for c, name in zip(columns, aggregation.arriving.names, strict=True)],
        aggregation=opener(aggregation),
    )


def fields_of(schema: Any, arguments: Mapping[str, Any]) -> tuple[dict[str, Field], dict[str, Any], Any]:
    """The fields of structs among the arguments, the arguments, and the schema, as if the fields were columns."""
    from pyspark.sql.types import StructField, StructType

    def new(choice: Any) -> tuple[str, Field] | None:
        field = field_of(schema, choice)
        return field and (field.name, field)

    fields, arguments = as_names(schema.names, arguments, new)
    added = [StructField(name, field.kind) for name, field in fields.items()]
    return fields, arguments, StructType([*schema, *added])


def results_of(aggregation: Aggregation, rows: list[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """The results of rows with the columns `aggregation.arriving`."""
    columns = zip(*rows, strict=True) if rows else [[] for _ in aggregation.arriving]
    arrays = [
        pa.array(column, field.type, from_pandas=False)
        for column, field in zip(columns, aggregation.arriving, strict=True)
    ]
    for batch in aggregate_rows(aggregation, pa.table(arrays, schema=aggregation.arriving).to_batches()):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _sql_type(field: pa.Field) -> str:
    from pyspark.sql.pandas.types import from_arrow_type

    return from_arrow_type(field.type).simpleString()
