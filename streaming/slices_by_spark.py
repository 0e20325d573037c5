"""Slices of a table that Spark makes itself, before any row leaves the JVM.

To hand a row to a worker takes Spark longer than to aggregate it: of the time of a table with hundreds of rows in each
slice, that is most (docs/streaming.md). So where Spark has a function for every field of the partial aggregates, slices
are the groups of a `groupBy`, which Spark aggregates before and after its shuffle, and workers get slices alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

from algorithms.operators.arithmetic import ArithmeticMean, Count, Sum, WholeMean
from algorithms.operators.extremes import Max, Min
from algorithms.operators.monoid import value_dtypes
from algorithms.streams.keyed import SliceTimes
from algorithms.streams.sliding.units import FARTHEST
from streaming.aggregation import Aggregation
from streaming.columns import quoted

Partials = Callable[[Any, Any], tuple[Any, ...]]


def sliced_by_spark(df: Any, aggregation: Aggregation, keys: list[Any], time: Any) -> tuple[Any, Aggregation] | None:
    """The slices of a batch DataFrame, with the columns keys, time and partials, and their aggregation.

    `keys` and `time` are its Columns, checked. None where Spark cannot make these slices: of operators that it lacks,
    of timestamps without a zone, which are no number in Spark, or where a row without a time is to be refused.
    """
    from pyspark.sql import functions as F

    kind = aggregation.time.type
    if aggregation.null_times != "drop" or (pa.types.is_timestamp(kind) and kind.tz is None):
        return None
    partials = _partials(aggregation)
    if partials is None or _collated(df, aggregation.keys.names):
        return None
    number = time if pa.types.is_integer(kind) else F.unix_micros(time)
    of_slice = _time_of_slice(aggregation.slicing.times, number.cast("long")).alias("time")
    grouped = [key.alias(f"key{i}") for i, key in enumerate(keys)]
    columns = [column.alias(f"value{i}") for i, column in enumerate(partials)]
    slices = df.where(F.col(quoted(aggregation.time.name)).isNotNull()).groupBy(*grouped, of_slice).agg(*columns)
    return slices, replace(aggregation, rows=None, token=f"{aggregation.token} by Spark")


def _partials(aggregation: Aggregation) -> list[Any] | None:
    """The columns of `aggregation.values`, as Spark aggregates them; null in a slice where no row has a value."""
    from pyspark.sql import functions as F

    assert aggregation.rows is not None
    partials: list[Any] = []
    for name, (op, _) in aggregation.operators.items():
        column = aggregation.rows.operators[name][1]
        of_spark = PARTIALS.get(type(op.op))
        if of_spark is None or not isinstance(column, str):
            return None
        of_column = aggregation.rows.dtypes[column]
        taken = "float64" if value_dtypes(op.op, 1) == ("float64",) else of_column  # as workers add whole numbers, too
        partials += of_spark(op.op, F.col(quoted(column)).cast(SPARK_TYPES[taken]))
    return partials


def _time_of_slice(times: SliceTimes, time: Any) -> Any:
    """`SliceTimes.of` as a Column."""
    from pyspark.sql import functions as F

    if times.closed:
        ahead = [F.pmod(F.lit(border) - time, F.lit(times.slide)) for border in times.borders]
        return F.least(time + _least(ahead), F.lit(FARTHEST - 1))
    behind = [F.pmod(time - F.lit(border), F.lit(times.slide)) for border in times.borders]
    return F.greatest(time - _least(behind), F.lit(1 - FARTHEST))


def _least(columns: list[Any]) -> Any:
    from pyspark.sql import functions as F

    return columns[0] if len(columns) == 1 else F.least(*columns)


def _collated(df: Any, names: list[str]) -> bool:
    """Whether Spark compares a column in a way of its own, as strings that ignore case."""
    return any("collate" in df.schema[name].dataType.simpleString() for name in names)


# ---------------------------------------------------------------------- the fields of partials, as Spark computes them


def _count(op: Any, value: Any) -> tuple[Any, ...]:
    from pyspark.sql import functions as F

    return (F.nullif(F.count(value), F.lit(0)),)


def _sum(op: Any, value: Any) -> tuple[Any, ...]:
    """Whole numbers wrap around as ours do, where Spark's own sum fails: their halves are added, then put together."""
    from pyspark.sql import functions as F

    if isinstance(op.identity, float):
        return (F.sum(value),)
    high, low = _halves(value)
    carried = high + F.shiftright(low, 32)
    return (F.shiftleft(carried, 32).bitwiseOR(low.bitwiseAND(LOW)),)


def _mean(op: Any, value: Any) -> tuple[Any, ...]:
    from pyspark.sql import functions as F

    return *_count(op, value), F.sum(value)


def _whole_mean(op: Any, value: Any) -> tuple[Any, ...]:
    return *_count(op, value), *_halves(value)


def _max(op: Any, value: Any) -> tuple[Any, ...]:
    from pyspark.sql import functions as F

    return (F.max(_known(op, value)),)


def _min(op: Any, value: Any) -> tuple[Any, ...]:
    from pyspark.sql import functions as F

    return (F.min(_known(op, value)),)


def _halves(value: Any) -> tuple[Any, Any]:
    """The sums of the high and the low 32 bits, which fit into 64 bits each (`WideTotal`)."""
    from pyspark.sql import functions as F

    return F.sum(F.shiftright(value, 32)), F.sum(value.bitwiseAND(LOW))


def _known(op: Any, value: Any) -> Any:
    """The value, or the identity for NaN, as `extremes.known`."""
    from pyspark.sql import functions as F

    return F.nanvl(value, F.lit(op.identity)) if isinstance(op.identity, float) else value


LOW = 0xFFFFFFFF

SPARK_TYPES = {"int64": "long", "float64": "double"}

PARTIALS: Mapping[type, Partials] = {
    Count: _count,
    Sum: _sum,
    Max: _max,
    Min: _min,
    ArithmeticMean: _mean,
    WholeMean: _whole_mean,
}
"""For an operator the fields of its partials, of the operator and a Column, as `fields_of_partial` has them."""
