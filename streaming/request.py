"""From a user's request to an Aggregation. Every refusal comes with its reason, before a query starts."""

import importlib.util
import inspect
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from algorithms import operators
from algorithms.moments import microseconds
from algorithms.streams.window_spec import ROW, WindowSpec
from algorithms.windows.contract import IN_ORDER, card
from safeguards.wrong_input import is_whole, unknown, whole
from streaming.advice import as_key, as_time, as_value
from streaming.aggregation import KEPT, ROWS, SLICES, VALUE_DTYPES, Aggregation
from streaming.choices import has_columns, paths_in
from streaming.plans import watermarked_columns

BY, ORDERS, NULL_TIMES = ("time", "count"), ("buffer", "refuse"), ("drop", "refuse")

MOST_BUCKETS = 2**15
"""How many buckets the state has at most."""

BUCKETS = 16
"""How many buckets there are at most where `buckets` is left out. Each takes some ten milliseconds of a trigger."""

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
ROCKS_DB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

INTERNAL = ("schema", "whole_times", "presorted", "partitions")
"""Arguments of `checked_aggregation` that are not for users."""


def checked_aggregation(
    schema: Any,
    *,
    whole_times: bool,
    presorted: bool,
    partitions: int,
    key: Any = None,
    time: str,
    value: Any = None,
    size: Any,
    slide: Any = None,
    operator: Any = "sum",
    algorithm: str = "fiba",
    by: str = "time",
    closed: str | None = None,
    offset: Any = None,
    order: str = "buffer",
    null_times: str = "drop",
    kept: str | None = None,
    buckets: int | None = None,
    counting: bool = False,
    **parameters: int,
) -> Aggregation:
    """The aggregation of columns of a StructType, with the arguments of `sliding_aggregate`.

    Raises ValueError that names the field, its value and what is allowed.
    """
    choices = (("by", by, BY), ("order", order, ORDERS), ("null_times", null_times, NULL_TIMES))
    for name, choice, known in (*choices, (KEPT, ROWS if kept is None else kept, (ROWS, SLICES))):
        if choice not in known:
            raise ValueError(unknown(name, choice, known))
    buckets = default_buckets(partitions) if buckets is None else whole("buckets", buckets, 1, MOST_BUCKETS)
    must_be_known(parameters, algorithm)
    keys = _names("key", key)
    if len(set(keys)) < len(keys):
        raise ValueError(f"key={key!r} names a column twice")
    by_result = _operators(operator, value)
    values = list(dict.fromkeys(name for _, columns in by_result.values() for name in _tuple(columns)))
    for field, names in (("key", keys), ("time", [time]), ("value", values)):
        _must_be_columns(field, names, schema)
    arrow = pa.schema([_in_arrow(schema[name]) for name in {*keys, time, *values}])
    _must_be_time(time, schema[time].dataType, arrow.field(time).type, whole_times)
    for name in values:
        if arrow.field(name).type not in VALUE_DTYPES:
            raise ValueError(_not_a_number(name, schema[name].dataType))
    for name in keys:
        _must_be_key(name, schema[name].dataType, arrow.field(name).type)
    length_of = _length_reader(by, pa.types.is_integer(arrow.field(time).type))
    aggregation = Aggregation(
        keys=pa.schema([arrow.field(name) for name in keys]),
        time=arrow.field(time),
        values=pa.schema([arrow.field(name) for name in values]),
        operators=by_result,
        windows=WindowSpec(
            size=length_of("size", size),
            slide=ROW if slide == ROW else length_of("slide", size if slide is None else slide),
            by=by,
            closed=closed,
            offset=None if offset is None else length_of("offset", offset),
        ),
        algorithm=algorithm,
        order=_order(algorithm, by, order),
        parameters=parameters,
        buckets=buckets if keys else 1,
        null_times=null_times,
        counting=counting,
        presorted=presorted,
        token=uuid.uuid4().hex,
    )
    aggregation = _of_slices(aggregation, kept)
    _must_be_distinct(aggregation.results.names)
    return aggregation


def _of_slices(aggregation: Aggregation, kept: str | None) -> Aggregation:
    """The aggregation of slices where they are asked for, or suffice in a stream, which packs rows anyway."""
    if kept == ROWS or (kept is None and aggregation.presorted):
        return aggregation
    try:
        of_slices = aggregation.of_slices()
        _ = of_slices.kernel  # which says whether the algorithm goes with them
        return of_slices
    except ValueError as error:
        if kept == SLICES:
            raise ValueError(f"kept='slices': {error}") from None
        return aggregation


def default_buckets(partitions: int) -> int:
    """How many buckets the state has in a session whose shuffles have so many partitions, unless the user says."""
    return min(partitions, BUCKETS)


def must_be_ready(df: Any, time: str, watermark: Any, metrics: Any) -> None:
    """Raise ValueError if something that a stateful stream needs is missing: a watermark, the state store, protobuf."""
    if df.schema[time].dataType.simpleString() == "timestamp_ntz":
        raise ValueError(
            f"time column {time!r} is timestamp_ntz, for which Spark has no watermark: cast it to timestamp, or take "
            "SlidingAggregateSink"
        )
    marked = watermarked_columns(df)
    if watermark is None and time not in marked:
        raise ValueError(
            f"watermark is missing: say how late rows of {time!r} may come, as in watermark='10 minutes' "
            "(windows of a stream are given out when it has passed them)"
        )
    if watermark is not None and marked:
        raise ValueError(f"watermark={watermark!r}: the stream has one already, on {marked[0]!r}; leave this one out")
    if watermark is not None:
        microseconds("watermark", watermark)
    if metrics is not None and not (isinstance(metrics, str) and metrics):
        raise ValueError(f"metrics must be a name, such as 'calls', not {metrics!r}")
    provider = df.sparkSession.conf.get(PROVIDER)
    if not provider.endswith("RocksDBStateStoreProvider"):
        raise ValueError(
            f"the state store is {provider.rpartition('.')[2]}, and Spark's transformWithState needs RocksDB: "
            f'spark.conf.set("{PROVIDER}", "{ROCKS_DB}")'
        )
    if importlib.util.find_spec("google") is None or importlib.util.find_spec("google.protobuf") is None:
        raise ValueError(
            "the package protobuf is missing, which PySpark's transformWithState needs: pip install protobuf"
        )


# --------------------------------------------------------------------------------------------------------------- names


def must_be_known(parameters: Mapping[str, Any], algorithm: str) -> None:
    """Every name that is not an argument must be a parameter of the algorithm."""
    known = card(algorithm).parameters
    for name in parameters:
        if name not in known:
            public = [
                a for a in inspect.signature(checked_aggregation).parameters if a not in (*INTERNAL, "parameters")
            ]
            raise ValueError(unknown("argument", name, [*public, "watermark", *known]))


def _names(field: str, columns: Any) -> list[str]:
    names = [] if columns is None else [columns] if isinstance(columns, str) else columns
    if not isinstance(names, Iterable) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{field} must be the name of a column, or a list of names, not {columns!r}")
    return list(names)


def _tuple(columns: Any) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else tuple(columns)


def _operators(operator: Any, value: Any) -> dict[str, tuple[Any, Any]]:
    """For each result an operator and its columns: those of `value`, unless the operator comes with its own."""
    default = None if value is None else value if isinstance(value, str) else tuple(_names("value", value))
    if isinstance(operator, str):
        operator = {operator: operator}
    elif not isinstance(operator, Mapping):
        name = getattr(operator, "name", None)
        operator = {name if operators.is_field(name) else "value": operator}
    if not operator:
        raise ValueError("operator={} asks for nothing: give at least one, as in operator='sum'")
    by_result = {}
    for name, choice in operator.items():
        if not operators.is_field(name):
            raise ValueError(f"operator: a result must be called {operators.FIELD}, not {name!r}")
        op, columns = choice if has_columns(choice) else (choice, default)
        if columns is None or columns == ():
            raise ValueError(f"operator {name!r} has no column: give value=, or {{{name!r}: ({op!r}, 'column')}}")
        if not isinstance(op, str):
            operators.must_be_operator(f"operator {name!r}", op)
        else:
            op = operators.own_name(op)
        if not isinstance(columns, str):
            columns = tuple(_names(f"the columns of {name!r}", columns))
        by_result[name] = (op, columns)
    return by_result


def _must_be_columns(field: str, names: list[str], schema: Any) -> None:
    for name in names:
        if name not in schema.names:
            raise ValueError(unknown(f"column for {field}:", name, paths_in(schema)))
        if schema.names.count(name) > 1:
            raise ValueError(f"{field}: there are {schema.names.count(name)} columns {name!r}; rename all but one")


def _must_be_distinct(names: list[str]) -> None:
    """Raise ValueError if two columns of the results have the same name: Spark ignores case."""
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise ValueError(
                f"two columns of the results would be called {name!r}; name results yourself, as in "
                f"operator={{'other': ...}}, or rename the column"
            )
        seen.add(name.lower())


# --------------------------------------------------------------------------------------------------------------- types


def _in_arrow(field: Any) -> pa.Field:
    """A column of Spark as one of Arrow. Raises ValueError for a type that Arrow does not have."""
    from pyspark.errors import PySparkTypeError
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    try:
        return to_arrow_schema(StructType([field]), timezone="UTC").field(0)
    except PySparkTypeError:
        kind = field.dataType.simpleString()
        raise ValueError(
            f"column {field.name!r} is {kind}, which Arrow does not have: cast it to another type"
        ) from None


def _must_be_time(name: str, kind: Any, arrow: pa.DataType, whole_times: bool) -> None:
    if pa.types.is_timestamp(arrow):
        return
    if pa.types.is_integer(arrow) and whole_times:
        return
    allowed = "a timestamp or a whole number" if whole_times else "a timestamp"
    raise ValueError(f"time column {name!r} is {kind.simpleString()}; it must be {allowed}{as_time(name, kind)}")


def _not_a_number(name: str, kind: Any) -> str:
    wanted = "it must be a number (byte to long, float, double)"
    return f"value column {name!r} is {kind.simpleString()}; {wanted}: {as_value(name, kind)}"


def _must_be_key(name: str, kind: Any, arrow: pa.DataType) -> None:
    if pa.types.is_nested(arrow) or pa.types.is_null(arrow):
        raise ValueError(
            f"key column {name!r} is {kind.simpleString()}; a key must be of plain columns, several if need be"
            f"{as_key(name, kind)}"
        )


# -------------------------------------------------------------------------------------------------------------- window


def _length_reader(by: str, whole_times: bool) -> Any:
    """The function that reads a length, in rows, units of whole-number times, or microseconds."""
    if by == "time" and not whole_times:
        return _duration

    def whole_length(field: str, length: Any) -> int:
        if not is_whole(length):
            unit = "rows (by='count')" if by == "count" else "units of the time column, which is of whole numbers"
            raise ValueError(f"{field} must be a whole number of {unit}, not {length!r}")
        return int(length)

    return whole_length


def _duration(field: str, length: Any) -> int:
    """In microseconds; only an offset may be 0."""
    duration = microseconds(field, length)
    if duration == 0 and field != "offset":
        raise ValueError(f"{field} must be longer than 0, not {length!r}")
    return duration


def _order(algorithm: str, by: str, order: str) -> str:
    """How the kernel handles rows that are out of order: windows of any order take them as they come."""
    return order if card(algorithm).order == IN_ORDER or by == "count" else "any"
