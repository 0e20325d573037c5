"""What a request chooses as key, time and values: names of columns, fields of structs, and Columns.

A field is named by its path, "call.len", as in Spark's own functions, and is called len then, as after a select. A
column whose own name is "call.len" comes first. Fields and Columns are added to the DataFrame as columns.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from streaming.columns import quoted

New = Callable[[Any], tuple[str, Any] | None]
"""The name of the new column that a choice makes, and the column, which as text says what it is; None for a name."""


def with_columns(df: Any, arguments: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The DataFrame with all fields and Columns among the arguments, and the arguments with names in their places.

    They may be key, time, value, in lists of these, and in `operator` beside an operator; `value` may define columns by
    a mapping. Raises ValueError for a new column that is called as another one.
    """
    from pyspark.sql import Column
    from pyspark.sql import functions as F

    schema = df.schema

    def new(choice: Any) -> tuple[str, Any] | None:
        if not isinstance(choice, Column):
            field = field_of(schema, choice)
            return field and (field.name, F.col(field.sql))
        name = df.select(choice).columns[0]
        return None if name in schema.names and str(choice) == f"Column<'{name}'>" else (name, choice)

    def column_of(choice: Any) -> Any:
        return df.select(choice).columns[0] if isinstance(choice, Column) else choice

    added, named = as_names(schema.names, arguments, new, column_of)
    return df.withColumns(added) if added else df, named


def as_names(
    names: Sequence[str], arguments: Mapping[str, Any], new: New, column_of: Callable[[Any], Any] = lambda name: name
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The new columns by their names, and the arguments with names of columns in their places.

    `column_of` gives the name of a choice that makes no new column. Raises ValueError for a new column that is called
    as one of `names`, or as another new one.
    """
    added: dict[str, Any] = {}

    def name_of(field: str, choice: Any) -> Any:
        if isinstance(choice, list | tuple):
            return type(choice)(name_of(field, one) for one in choice)
        if (made := new(choice)) is None:
            return column_of(choice)
        name, column = made
        if name in names or str(added.get(name, column)) != str(column):
            example = f": F.col({choice!r}).alias({choice.replace('.', '_')!r})" if isinstance(choice, str) else ""
            raise ValueError(
                f"{field}: there is a column {name!r} already; give the new one an alias of its own{example}"
            )
        added[name] = column
        return name

    named = {**arguments}
    if isinstance(value := arguments.get("value"), Mapping):
        named["value"] = tuple(value) if len(value) > 1 else next(iter(value), None)
        for name, column in value.items():
            if name in names:
                raise ValueError(f"value: there is a column {name!r} already; call the new one something else")
            added[name] = column
    for field in ("key", "time", "value"):
        if field in arguments and not isinstance(arguments[field], Mapping):
            named[field] = name_of(field, arguments[field])
    if isinstance(operator := arguments.get("operator"), Mapping):
        named["operator"] = {
            name: (choice[0], name_of(f"operator {name!r}", choice[1])) if has_columns(choice) else choice
            for name, choice in operator.items()
        }
    return added, named


def has_columns(choice: Any) -> bool:
    """Whether what is chosen as an operator is one with its own columns."""
    return type(choice) is tuple and len(choice) == 2


class Field(NamedTuple):
    """A field of a struct: its own name, its path in SQL, and its type."""

    name: str
    sql: str
    kind: Any


def field_of(schema: Any, choice: Any) -> Field | None:
    """The field of a struct of a StructType that is named by its path; None for a column, or anything else."""
    if not isinstance(choice, str) or choice in schema.names:
        return None
    return _field_of(schema, choice)


def _field_of(schema: Any, path: str) -> Field | None:
    """The column or field at a path; a name in it may have dots."""
    for outer in schema:
        if path == outer.name:
            return Field(outer.name, quoted(outer.name), outer.dataType)
        if outer.dataType.typeName() == "struct" and path.startswith(f"{outer.name}."):
            if inner := _field_of(outer.dataType, path[len(outer.name) + 1 :]):
                return inner._replace(sql=f"{quoted(outer.name)}.{inner.sql}")
    return None


def paths_in(schema: Any) -> Iterator[str]:
    """The names of all columns of a StructType, and the paths of all fields of structs."""
    for field in schema:
        yield field.name
        if field.dataType.typeName() == "struct":
            yield from (f"{field.name}.{inner}" for inner in paths_in(field.dataType))
