"""Kernels: one source that Numba compiles and Python runs. With disk_cache and fours, all that knows Numba's internals.

Two ideas carry every algorithm of this package.

*Slots* are flat typed memory (scalars, or records with named fields). Python sees a NumPy array; compiled code sees one
bare pointer: no reference counts, no shape and strides to pass along, no test for negative indices. With ordinary Numba
arrays a two-stacks round took 29-50 ns, with Slots 1.5 ns.

*Generic functions* pick their implementation by the class of their first argument: in Python by a table, in compiled
code at compile time. So `combine` is inlined into `insert`, `insert` into the event loop, and the loop is one native
function, while each algorithm and each operator stays in its own file.

Windows and operators are NamedTuples of Slots and parameters. With NUMBA_DISABLE_JIT=1 the same lines run as plain
Python. With SLOTS_CHECKED=1 compiled code tests every index and raises IndexError naming the slots.

Compiled code has one kind of integer, int64: Numba turns a mix of signed and unsigned into float64.
"""

import ctypes
import functools
import hashlib
import inspect
import operator
import os
import platform
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import llvmlite
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import (
    NativeValue,
    intrinsic,
    models,
    overload,
    register_jitable,
    register_model,
    typeof_impl,
    unbox,
)

from algorithms.disk_cache import IMPLEMENTED, DiskCache
from safeguards.files import cache_folder, can_write

PLAIN = bool(numba.config.DISABLE_JIT)
"""True when kernels run as plain Python (NUMBA_DISABLE_JIT=1)."""

CHECKED = os.environ.get("SLOTS_CHECKED", "") not in ("", "0")
"""True when compiled code tests every index (SLOTS_CHECKED=1). Plain Python always does."""

OPTIONS = {
    "error_model": "numpy",  # x / 0 is inf or nan, as in NumPy, instead of a branch and an exception
    "no_cfunc_wrapper": True,  # nobody calls a kernel from C; of FiBA's drivers it is a seventh of the time to compile
}


# ---------------------------------------------------------------------------------------------------------- the cache


def sources_hash() -> str:
    """Sixteen hex digits over every source file of this package and the versions that shape machine code.

    Numba notices an edit in the file of a cached function but not in a file that function calls into, so the cache
    directory itself is named by this hash.
    """
    versions = [each.__version__ for each in (numba, llvmlite, np)]
    digest = hashlib.sha256(f"{versions} {platform.python_version()} checked={CHECKED}".encode())
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _use_cache() -> None:
    """Point Numba's on-disk cache at a directory of our own that can be written (NUMBA_CACHE_DIR wins as the base).

    Numba unpickles and runs what it finds there: nobody else may write to it.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    with suppress(OSError):  # without any such folder all is compiled anew
        directory = Path(given or cache_folder()) / sources_hash()
        if not can_write(directory):
            directory = cache_folder() / sources_hash()
            directory.mkdir(exist_ok=True)
        numba.config.CACHE_DIR = str(directory)


_use_cache()


# -------------------------------------------------------------------------------------------------------------- slots


class Slots(np.ndarray):
    """A flat array that compiled kernels see as a bare pointer. Made by `slots`; indexed by integers 0 .. n-1 only.

    Records are read and written by field: `node[y].end += 1`. Slots are pickled and copied with their contents; two
    that share memory do not share it afterwards.
    """

    name: str

    def __array_finalize__(self, source: object) -> None:
        self.name = getattr(source, "name", "slots")

    @functools.cached_property
    def address(self) -> int:
        """Where the memory begins. Asked for once: NumPy takes a microsecond, a field, at every call from Python."""
        return self.__array_interface__["data"][0]

    def __reduce__(self):
        # NumPy would keep `address`, and name a class of records that another process has not made.
        return as_slots, (np.asarray(self).view(_layout(self.dtype)), self.name)

    def __deepcopy__(self, memo):
        return as_slots(np.array(self), self.name)

    def __getitem__(self, i):
        if isinstance(i, _WHOLE) and not 0 <= i < len(self):
            raise self._outside(i)
        return _get_item(self, i)

    def __setitem__(self, i, value):
        if isinstance(i, _WHOLE) and not 0 <= i < len(self):
            raise self._outside(i)
        _set_item(self, i, value)

    def _outside(self, i) -> IndexError:
        return IndexError(f"{self.name}: index {i} outside 0..{len(self) - 1}")


_WHOLE = (int, np.integer)
_get_item, _set_item = np.ndarray.__getitem__, np.ndarray.__setitem__


def _of_records(dtype: np.dtype) -> np.dtype:
    """The dtype, with records whose fields are attributes if it has fields.

    NumPy's own np.record looks each field up in Python: a third of the time of plain Python went there.
    """
    return np.dtype((_record(_layout(dtype)), dtype)) if dtype.names else dtype


@functools.cache
def _record(layout: np.dtype) -> type:
    def field_named(name: str) -> property:
        return property(operator.itemgetter(name), lambda record, value: operator.setitem(record, name, value))

    names = [name for name in layout.names if not hasattr(np.void, name)]
    return type("Record", (np.void,), {"__slots__": (), **{name: field_named(name) for name in names}})


@functools.cache
def _layout(dtype: np.dtype) -> np.dtype:
    """The same fields as a plain structure of NumPy's. (np.dtype(dtype.fields) would lose padding at the end.)"""
    if not dtype.names:
        return dtype
    kinds, offsets = zip(*(dtype.fields[field][:2] for field in dtype.names), strict=True)
    return np.dtype({"names": dtype.names, "formats": kinds, "offsets": offsets, "itemsize": dtype.itemsize})


def slots(n: int, dtype, name: str = "slots") -> Slots:
    """`n` zeroed slots of a scalar or record dtype. Memory is only taken from the system when it is first written.

    A field of a record may be an array of fixed length: `node[y].bits[3]`. Fields that kernels read by name must not be
    called as something that NumPy's records have (`size`, `item`): in plain Python NumPy's own would answer.
    """
    array = np.zeros(n, _of_records(np.dtype(dtype))).view(Slots)
    array.name = name
    return array


def as_slots(array: np.ndarray, name: str = "column") -> Slots:
    """An array as compiled code reads it: in the array's own memory, if that is contiguous."""
    return _inside(np.ascontiguousarray(array), name)


class SlotsType(types.Type):
    """Numba's type of Slots. In checked mode the name is part of the type, so that an IndexError can say it."""

    def __init__(self, dtype: types.Type, name: str, stride: int = 0):
        self.dtype, self.slots_name, self.stride = dtype, name, stride
        kind = hashlib.sha256(str(dtype).encode()).hexdigest()[:8] if isinstance(dtype, types.Record) else dtype
        apart = f", {stride} bytes apart" if stride else ""
        super().__init__(name=f"Slots({kind}{apart}{', ' + name if CHECKED else ''})")


@functools.cache
def _slots_type(dtype: np.dtype, name: str) -> SlotsType:
    return SlotsType(numba.from_dtype(_layout(dtype)), name)


@typeof_impl.register(Slots)
def _(value, context):
    return _slots_type(value.dtype, value.name if CHECKED else "")


@register_model(SlotsType)
class _SlotsModel(models.StructModel):
    def __init__(self, manager, slots_type):
        members = [("data", types.voidptr)] + ([("length", types.intp)] if CHECKED else [])
        super().__init__(manager, slots_type, members)


@unbox(SlotsType)
def _(slots_type, value, context):
    struct = cgutils.create_struct_proxy(slots_type)(context.context, context.builder)
    address = context.pyapi.object_getattr_string(value, "address")
    struct.data = context.pyapi.long_as_voidptr(address)
    context.pyapi.decref(address)
    if CHECKED:
        size = context.pyapi.object_getattr_string(value, "size")
        struct.length = context.pyapi.long_as_longlong(size)
        context.pyapi.decref(size)
    return NativeValue(struct._getvalue())


def _element(context, builder, slots_type, value, index, index_type):
    """The LLVM pointer to slot `index`."""
    data = cgutils.create_struct_proxy(slots_type)(context, builder, value=value).data
    index = context.cast(builder, index, index_type, types.intp)
    is_record = isinstance(slots_type.dtype, types.Record)
    kind = context.get_value_type(slots_type.dtype)  # a pointer already
    if not is_record:
        kind = context.get_data_type(slots_type.dtype).as_pointer()
    if is_record or slots_type.stride:
        step = ir.Constant(index.type, slots_type.stride or slots_type.dtype.size)
        return builder.bitcast(cgutils.pointer_add(builder, data, builder.mul(index, step)), kind)
    return builder.gep(builder.bitcast(data, kind), [index], inbounds=True)


@intrinsic
def _get(typing, array, i):
    def codegen(context, builder, signature, args):
        pointer = _element(context, builder, signature.args[0], args[0], args[1], signature.args[1])
        if isinstance(signature.return_type, types.Record):
            return pointer
        return context.unpack_value(builder, signature.return_type, pointer)

    return array.dtype(array, i), codegen


@intrinsic
def _set(typing, array, i, value):
    def codegen(context, builder, signature, args):
        pointer = _element(context, builder, signature.args[0], args[0], args[1], signature.args[1])
        if isinstance(signature.args[2], types.Record):
            size = context.get_constant(types.intp, signature.args[2].size)
            cgutils.raw_memmove(builder, pointer, args[2], size, 1)
        else:
            context.pack_value(builder, signature.args[2], args[2], pointer)
        return context.get_dummy_value()

    return types.void(array, i, array.dtype), codegen


@intrinsic
def _length(typing, array):
    def codegen(context, builder, signature, args):
        return cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0]).length

    return types.intp(array), codegen


def _is_slots(array, i) -> bool:
    return isinstance(array, SlotsType) and isinstance(i, types.Integer)


@overload(operator.getitem)
def _(array, i):
    if not _is_slots(array, i):
        return None
    if not CHECKED:
        return lambda array, i: _get(array, i)
    message = f"{array.slots_name}: index outside the slots"

    def checked(array, i):
        if i < 0 or i >= _length(array):
            raise IndexError(message)
        return _get(array, i)

    return checked


@overload(operator.setitem)
def _(array, i, value):
    if not _is_slots(array, i):
        return None
    if not CHECKED:
        return lambda array, i, value: _set(array, i, value)
    message = f"{array.slots_name}: index outside the slots"

    def checked(array, i, value):
        if i < 0 or i >= _length(array):
            raise IndexError(message)
        _set(array, i, value)

    return checked


# ------------------------------------------------------------------------------------------ tuples in and out of slots


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


def quotient(a: float, n: int) -> float:
    """a / n, rounded once, for loops in which n stays the same: compiled code divides once, before the loop.

    A division takes as long as ten additions. q = a (1/n) is within 2 units in the last place; a - q n is exact in one
    fused step; q + (a - q n) (1/n), rounded once more, is within 2^-105 of a / n before that, and a / n is never so
    near to the middle between two floats for n below 2^50 (P. Markstein: Computation of Elementary Functions on the
    IBM RISC System/6000 Processor, IBM Journal of Research and Development 34, 1990). A quotient below 1e-290 may be
    off by one unit.
    """
    return a / n


@intrinsic
def _quotient(typing, a, n):
    def codegen(context, builder, signature, args):
        whole = context.cast(builder, args[0], signature.args[0], types.float64)
        divisor = context.cast(builder, args[1], signature.args[1], types.float64)
        inverse = builder.fdiv(context.get_constant(types.float64, 1.0), divisor)
        guess = builder.fmul(whole, inverse)
        rest = builder.fma(builder.fneg(guess), divisor, whole)
        better = builder.fma(rest, inverse, guess)
        return builder.select(builder.fcmp_ordered("ord", better, better), better, guess)  # infinite, or NaN

    return types.float64(a, n), codegen


@overload(quotient, jit_options=OPTIONS)
def _(a, n):
    return lambda a, n: _quotient(a, n)


def move(a: Slots, to: int, first: int, n: int) -> None:
    """Copy the n slots from `first` on to `to` and on, in one instruction; both stretches may overlap."""
    if n > 0:
        for i in (to, first, to + n - 1, first + n - 1):
            if not 0 <= i < len(a):
                raise a._outside(i)
        array = np.asarray(a)
        array[to : to + n] = array[first : first + n].copy()


@intrinsic
def _move(typing, array, to, first, n):
    def codegen(context, builder, signature, args):
        here, there = (
            _element(context, builder, signature.args[0], args[0], args[i], signature.args[i]) for i in (1, 2)
        )
        count = context.cast(builder, args[3], signature.args[3], types.intp)
        step = ir.Constant(count.type, context.get_abi_sizeof(context.get_data_type(array.dtype)))
        cgutils.raw_memmove(builder, here, there, builder.mul(count, step), 1)
        return context.get_dummy_value()

    return types.void(array, to, first, n), codegen


@overload(move, jit_options=OPTIONS)
def _(a, to, first, n):
    if not CHECKED:
        return lambda a, to, first, n: _move(a, to, first, n)
    message = f"{a.slots_name}: index outside the slots"

    def checked(a, to, first, n):
        if n > 0 and (min(to, first) < 0 or max(to, first) + n > _length(a)):
            raise IndexError(message)
        _move(a, to, first, n)

    return checked


def same_slot(a: Slots, i: int, b: Slots, j: int) -> bool:
    """Whether a[i] and b[j] are the same memory.

    Loops over wide records that may be told apart so become vectors: where LLVM cannot tell, it has the loop run number
    by number when source and target are the same.
    """
    return a.address + i * a.strides[0] == b.address + j * b.strides[0]


@intrinsic
def _same_slot(typing, a, i, b, j):
    def codegen(context, builder, signature, args):
        kinds, integer = signature.args, context.get_value_type(types.intp)
        slots = (_element(context, builder, kinds[n], args[n], args[n + 1], kinds[n + 1]) for n in (0, 2))
        here, there = (builder.ptrtoint(slot, integer) for slot in slots)
        return builder.icmp_unsigned("==", here, there)

    return types.boolean(a, i, b, j), codegen


@overload(same_slot, jit_options=OPTIONS)
def _(a, i, b, j):
    return lambda a, i, b, j: _same_slot(a, i, b, j)


def view(a: Slots, i: int):
    """Slot i for functions that read it by field: a number or a record, whose fields may be called as NumPy's own."""
    return _named(a.dtype, a[i].item())


def _named(dtype: np.dtype, value):
    if dtype.names is None:
        return value
    items = (_named(dtype[name], item) for name, item in zip(dtype.names, value, strict=True))
    return SimpleNamespace(**dict(zip(dtype.names, items, strict=True)))


@overload(view, jit_options=OPTIONS)
def _(a, i):
    return lambda a, i: a[i]


# ------------------------------------------------------------------------------------------------- slots inside records


def field(a: Slots, n: int) -> Slots:
    """The n-th fields of all records as slots of their own, in the same memory. `n` is known when code is compiled."""
    return _inside(np.asarray(a)[a.dtype.names[n]], f"{a.name}.{a.dtype.names[n]}")


def element(a: Slots, d: int) -> Slots:
    """The d-th elements of all records, which have one field, an array; as slots of their own, in the same memory."""
    return _inside(np.asarray(a)[a.dtype.names[0]][:, d], a.name)


def _inside(array: np.ndarray, name: str) -> Slots:
    inner = array.view(_of_records(array.dtype)).view(Slots)
    inner.name = name
    return inner


def _slots_inside(array: SlotsType, dtype: types.Type) -> SlotsType:
    return SlotsType(dtype, array.slots_name, array.stride or array.dtype.size)


def _shifted(context, builder, signature, value, offset):
    """The Slots of the signature's result, that begin `offset` bytes after those given."""
    source = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=value)
    shifted = cgutils.create_struct_proxy(signature.return_type)(context, builder)
    shifted.data = cgutils.pointer_add(builder, source.data, offset)
    if CHECKED:
        shifted.length = source.length
    return shifted._getvalue()


@intrinsic
def _field(typing, array, n):
    if not isinstance(n, types.IntegerLiteral):
        return None
    name = list(array.dtype.fields)[n.literal_value]

    def codegen(context, builder, signature, args):
        offset = context.get_constant(types.intp, array.dtype.offset(name))
        return _shifted(context, builder, signature, args[0], offset)

    return _slots_inside(array, array.dtype.typeof(name))(array, n), codegen


@intrinsic
def _array_element(typing, array, d):
    nested = next(iter(array.dtype.fields.values())).type

    def codegen(context, builder, signature, args):
        step = context.get_constant(types.intp, nested.size)  # of one element
        return _shifted(context, builder, signature, args[0], builder.mul(args[1], step))

    return _slots_inside(array, nested.dtype)(array, types.intp), codegen


@overload(field, jit_options=OPTIONS)
def _(a, n):
    return (lambda a, n: _field(a, n)) if isinstance(n, types.IntegerLiteral) else None


@overload(element, jit_options=OPTIONS)
def _(a, d):
    return lambda a, d: _array_element(a, d)


# -------------------------------------------------------------------------------- kernels, generic functions, drivers


def kernel(function=None, *, inline: bool | None = True):
    """A function that compiled code may call. Small ones are inlined by force; rare paths stay out of line.

    With `inline=False` Numba does as with the caller: it inlines by force what a kernel calls that is inlined by force.
    With `inline=None` LLVM decides, whoever calls: the Reactive Aggregator's insert and evict are inlined only so.
    Forcing matters: LLVM's own judgement left `combine` a call in deep loops (FiBA 40 % slower); inlining split and
    merge as well doubled compile time for nothing.
    """
    if function is None:
        return functools.partial(kernel, inline=inline)
    forced = {} if inline is False else {"forceinline": bool(inline)}
    return register_jitable(**OPTIONS, **forced)(function)


def generic(function):
    """A function whose implementation is picked by the class of its first argument.

        @generic
        def combine(op, dst, k, a, i, b, j): "dst[k] = a[i] + b[j]"

        @combine.of(Max)
        def _(op, dst, k, a, i, b, j): ...

    `combine.default` registers the implementation for classes that have none of their own.
    """
    table: dict[type | None, object] = {}

    def find(cls):
        return table.get(cls, table.get(None))

    @functools.wraps(function)
    def call(first, *args):
        chosen = find(type(first))
        if chosen is None:
            raise TypeError(f"{type(first).__name__} has no {function.__name__}")
        return chosen(first, *args)

    def of(cls):
        def register(implementation):
            table[cls] = implementation
            IMPLEMENTED.add(cls)
            return implementation

        return register

    def choose(first, *args):
        return find(getattr(first, "instance_class", None))

    choose.__signature__ = inspect.signature(function)
    call.of, call.default, call.table = of, of(None), table
    overload(call, jit_options=OPTIONS, strict=False)(choose)
    return call


def each_part(of_part, join=None):
    """A function f(op, ...) that calls of_part(n)(op, ...) for every one of op.parts in turn, unrolled when compiled.

    The results are combined by `join`, a kernel of two arguments; without it nothing is returned.
    """

    def after(done, next_part):
        def in_turn(op, *args):
            done(op, *args)
            next_part(op, *args)

        def joined(op, *args):
            return join(done(op, *args), next_part(op, *args))

        return kernel(joined if join else in_turn)

    @functools.cache
    def unrolled(k):
        return functools.reduce(after, [kernel(of_part(n)) for n in range(k)])

    def call(op, *args):
        return unrolled(len(op.parts))(op, *args)

    def choose(op, *args):
        return unrolled(len(op.types[op.fields.index("parts")]))

    choose.__signature__ = inspect.signature(of_part(0))
    overload(call, jit_options=OPTIONS, strict=False)(choose)
    return call


def driver(function):
    """An entry point from Python into compiled code: a loop over a batch, kept in the on-disk cache.

    A call costs about five microseconds to unbox the window; the loop inside runs at machine speed, and other threads
    of Python run beside it (those that read ahead and write behind for windows in a key-value store).
    """
    dispatcher = numba.njit(cache=True, nogil=True, **OPTIONS)(function)
    if not PLAIN:
        dispatcher._cache = DiskCache(function)
        dispatcher._compilation_chain_init_hook = _no_extensions
    return dispatcher


def _no_extensions() -> None:
    """Extensions of Numba by others are not looked for at the first call, but when something is compiled."""


# ------------------------------------------------------------------------------------ from compiled code back to Python

CALLABLE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
"""A Python function of three int64 that gives one, as compiled code can call it. It must not raise: that is lost."""


def address_of(callback: "CALLABLE") -> int:
    """What kernels take to `call_back`; good as long as `made` is kept."""
    return ctypes.cast(callback, ctypes.c_void_p).value


def call_back(address: int, a: int, b: int, c: int) -> int:
    """Call the Python function behind an address. It costs about a microsecond: for rare events."""
    return CALLABLE(int(address))(int(a), int(b), int(c))


@intrinsic
def _call_back(typing, address, a, b, c):
    def codegen(context, builder, signature, args):
        kind = ir.FunctionType(ir.IntType(64), [ir.IntType(64)] * 3)
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])

    return types.int64(types.int64, types.int64, types.int64, types.int64), codegen


@overload(call_back, jit_options=OPTIONS)
def _(address, a, b, c):
    return lambda address, a, b, c: _call_back(address, a, b, c)


# ------------------------------------------------------------------------------------------------------ cycle counter


@intrinsic
def _read_cycles(typing):
    def codegen(context, builder, signature, args):
        kind = ir.FunctionType(ir.IntType(64), [])
        counter = cgutils.get_or_insert_function(builder.module, kind, "llvm.readcyclecounter")
        return builder.call(counter, [])

    return types.int64(), codegen


def cycles() -> int:
    """The processor's time-stamp counter; in plain Python, nanoseconds."""
    return time.perf_counter_ns()


@overload(cycles, jit_options=OPTIONS)
def _():
    return lambda: _read_cycles()


def opaque(i: int) -> int:
    """i, through a barrier that the optimiser cannot see through; it costs no instruction.

    A loop that counts with it is not vectorised. Folds of a tree node want that: a vector load that covers a partial
    aggregate stored a moment ago cannot be forwarded from the store buffer and waits some 15 cycles.
    """
    return i


@intrinsic
def _opaque(typing, i):
    def codegen(context, builder, signature, args):
        kind = ir.FunctionType(args[0].type, [args[0].type])
        return builder.call(ir.InlineAsm(kind, "", "=r,0"), args)

    return types.int64(types.int64), codegen


@overload(opaque, jit_options=OPTIONS)
def _(i):
    return lambda i: _opaque(i)


def rounded_off(a, b, product):
    """a * b - product, exactly: what rounding took from the product. One instruction; on floats below 2**996."""
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)


def _halves(a):
    """A float as two of half as many bits, whose products are exact (Dekker, Numerische Mathematik 18, 1971)."""
    far = a * (2.0**27 + 1)
    high = far - (far - a)
    return high, a - high


@intrinsic
def _rounded_off(typing, a, b, product):
    def codegen(context, builder, signature, args):
        return builder.fma(args[0], args[1], builder.fneg(args[2]))

    return types.float64(types.float64, types.float64, types.float64), codegen


@overload(rounded_off, jit_options=OPTIONS)
def _(a, b, product):
    return lambda a, b, product: _rounded_off(a, b, product)


def trailing_zeros(i: int) -> int:
    """How many of the lowest bits of i are 0; i is not 0. One instruction, where a loop over bits mispredicts."""
    return (int(i) & -int(i)).bit_length() - 1


def highest_bit(i: int) -> int:
    """The number of the highest bit of i that is 1, from 0; i is positive. One instruction, too."""
    return int(i).bit_length() - 1


@intrinsic
def _trailing_zeros(typing, i):
    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


@intrinsic
def _leading_zeros(typing, i):
    def codegen(context, builder, signature, args):
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


@overload(trailing_zeros, jit_options=OPTIONS)
def _(i):
    return lambda i: _trailing_zeros(i)


@overload(highest_bit, jit_options=OPTIONS)
def _(i):
    return lambda i: 63 - _leading_zeros(i)


def machine_code_calls(dispatcher, word: str) -> int:
    """How often `word` occurs in the LLVM of a compiled driver: tests count "NRT_" (reference counting) and want 0."""
    return sum(text.count(word) for text in dispatcher.inspect_llvm().values())


if sys.maxsize < 2**63 - 1:
    raise ImportError("algorithms needs a 64-bit Python: times, indices and counters are int64")
