"""Slots: flat typed memory, a NumPy array for Python and a bare pointer for compiled code.

With ordinary Numba arrays a two-stacks round took 29-50 ns, with Slots 1.5 ns.
"""

import functools
import hashlib
import operator
from types import SimpleNamespace

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import NativeValue, intrinsic, models, overload, register_model, typeof_impl, unbox

from algorithms.kernel.compiling import CHECKED, OPTIONS


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


def pointer_to(context, builder, slots_type, value, index, index_type):
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
        pointer = pointer_to(context, builder, signature.args[0], args[0], args[1], signature.args[1])
        if isinstance(signature.return_type, types.Record):
            return pointer
        return context.unpack_value(builder, signature.return_type, pointer)

    return array.dtype(array, i), codegen


@intrinsic
def _set(typing, array, i, value):
    def codegen(context, builder, signature, args):
        pointer = pointer_to(context, builder, signature.args[0], args[0], args[1], signature.args[1])
        if isinstance(signature.args[2], types.Record):
            size = context.get_constant(types.intp, signature.args[2].size)
            cgutils.raw_memmove(builder, pointer, args[2], size, 1)
        else:
            context.pack_value(builder, signature.args[2], args[2], pointer)
        return context.get_dummy_value()

    return types.void(array, i, array.dtype), codegen


@intrinsic
def length_of(typing, array):
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
        if i < 0 or i >= length_of(array):
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
        if i < 0 or i >= length_of(array):
            raise IndexError(message)
        _set(array, i, value)

    return checked


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
            pointer_to(context, builder, signature.args[0], args[0], args[i], signature.args[i]) for i in (1, 2)
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
        if n > 0 and (min(to, first) < 0 or max(to, first) + n > length_of(a)):
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
        slots = (pointer_to(context, builder, kinds[n], args[n], args[n + 1], kinds[n + 1]) for n in (0, 2))
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
