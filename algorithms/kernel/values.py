"""Values and slots: a number, or a NamedTuple of numbers, from a slot into registers and back; rows of columns."""

import functools

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from algorithms.kernel.compiling import OPTIONS
from algorithms.kernel.memory import Slots


def partial_dtype(identity) -> np.dtype:
    """The dtype of slots that hold values like `identity`: a number, or a NamedTuple of numbers."""
    if not isinstance(identity, tuple):
        return np.dtype(type(identity))
    return _dtype_of_fields(identity._fields, tuple(map(type, identity)))


@functools.cache
def _dtype_of_fields(names: tuple[str, ...], kinds: tuple[type, ...]) -> np.dtype:
    return np.dtype([(name, np.dtype(kind)) for name, kind in zip(names, kinds, strict=True)], align=True)


def load(a: Slots, i: int, like):
    """Slot i as a value of the type of `like`: a number, or a NamedTuple read field by field into registers."""
    return as_like(a[i].item(), like) if isinstance(like, tuple) else a[i]


def store(dst: Slots, k: int, value) -> None:
    """dst[k] = value, a number or a NamedTuple of numbers."""
    dst[k] = tuple(value) if isinstance(value, tuple) else value


def as_like(value, like):
    """The value in the type of `like`, a number or a NamedTuple of numbers: 32 bits of a whole number wrap around.

    Compiled code adds numbers of 32 bits in 64; what is kept in a register is brought back so, as a slot does it.
    """
    if isinstance(like, tuple):
        wide = _WIDE.issuperset(map(type, like))
        return tuple.__new__(type(like), value if wide else map(as_like, value, like))
    return np.asarray(value).astype(like.dtype)[()] if isinstance(like, np.generic) else value


_WIDE = {int, float, bool}
"""Types of numbers that nothing brings back to fewer bits."""


@intrinsic
def _as_like(typing, value, like):
    def codegen(context, builder, signature, args):
        source, target = signature.args
        if not isinstance(target, types.BaseTuple):
            return context.cast(builder, args[0], source, target)
        pairs = enumerate(zip(source.types, target.types, strict=True))
        fields = [context.cast(builder, builder.extract_value(args[0], n), *both) for n, both in pairs]
        return context.make_tuple(builder, target, fields)

    return like(value, like), codegen


@overload(as_like, jit_options=OPTIONS)
def _(value, like):
    return lambda value, like: _as_like(value, like)


@intrinsic
def _fields_of(typing, record, like):
    def codegen(context, builder, signature, args):
        source, tuple_type = signature.args[0], signature.return_type
        values = []
        for name, field_type in zip(tuple_type.fields, tuple_type.types, strict=True):
            pointer = cgutils.get_record_member(
                builder, args[0], source.offset(name), context.get_data_type(field_type)
            )
            values.append(context.unpack_value(builder, field_type, pointer))
        return context.make_tuple(builder, tuple_type, values)

    return like(record, like), codegen


@intrinsic
def _put_fields(typing, record, value):
    def codegen(context, builder, signature, args):
        target, tuple_type = signature.args
        for n, name in enumerate(tuple_type.fields):
            kind = target.typeof(name)
            field = context.cast(builder, builder.extract_value(args[1], n), tuple_type.types[n], kind)
            pointer = cgutils.get_record_member(builder, args[0], target.offset(name), context.get_data_type(kind))
            context.pack_value(builder, kind, field, pointer)
        return context.get_dummy_value()

    return types.void(record, value), codegen


@overload(load, jit_options=OPTIONS)
def _(a, i, like):
    if isinstance(like, types.BaseTuple):
        return lambda a, i, like: _fields_of(a[i], like)
    return lambda a, i, like: a[i]


@overload(store, jit_options=OPTIONS)
def _(dst, k, value):
    def put_tuple(dst, k, value):
        _put_fields(dst[k], value)

    def put_number(dst, k, value):
        dst[k] = value

    return put_tuple if isinstance(value, types.BaseTuple) else put_number


def row(columns, i: int):
    """Row i of a column of values, or of a tuple of columns (then a tuple, one value a column)."""
    return tuple(row(column, i) for column in columns) if isinstance(columns, tuple) else columns[i]


@overload(row, jit_options=OPTIONS)
def _(columns, i):
    if not isinstance(columns, types.BaseTuple):
        return lambda columns, i: columns[i]
    if len(columns) == 1:
        return lambda columns, i: (row(columns[0], i),)
    if len(columns) == 2:
        return lambda columns, i: (row(columns[0], i), row(columns[1], i))
    return lambda columns, i: (row(columns[0], i), *row(columns[1:], i))


def put_row(columns, i: int, value) -> None:
    """Row i of a column of values, or of a tuple of columns, becomes the value; the other way round than `row`."""
    if isinstance(columns, tuple):
        for column, item in zip(columns, value, strict=True):
            put_row(column, i, item)
    else:
        columns[i] = value


@overload(put_row, jit_options=OPTIONS)
def _(columns, i, value):
    def put_number(columns, i, value):
        columns[i] = value

    def put_last(columns, i, value):
        put_row(columns[0], i, value[0])

    def put_each(columns, i, value):
        put_row(columns[0], i, value[0])
        put_row(columns[1:], i, value[1:])

    if not isinstance(columns, types.BaseTuple):
        return put_number
    return put_last if len(columns) == 1 else put_each


def has_nan(value) -> bool:
    """Whether a number is NaN, or any number of a tuple."""
    return any(map(has_nan, value)) if isinstance(value, tuple) else value != value


@overload(has_nan, jit_options=OPTIONS)
def _(value):
    if not isinstance(value, types.BaseTuple):
        return lambda value: value != value
    if len(value) == 1:
        return lambda value: has_nan(value[0])
    return lambda value: has_nan(value[0]) or has_nan(value[1:])
