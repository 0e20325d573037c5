"""Four floats at a time, for sums: vectors that compiled code keeps in registers. In plain Python, arrays of four.

LLVM makes vectors of loops whose rows do not wait for each other; a running sum it takes number by number. Here four
numbers are added up among themselves first, and then to the sum before them: an addition waits for another once in four
rows, and one instruction adds four.

Beside these functions, vectors are added, multiplied and divided as numbers are.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

from algorithms.kernel import CHECKED, OPTIONS, Slots
from algorithms.kernel.memory import length_of, pointer_to


class FourType(types.Type):
    """Numba's type of a vector of four float64."""

    def __init__(self):
        super().__init__(name="Four")


FOUR, VECTOR = FourType(), ir.VectorType(ir.DoubleType(), 4)
NOUGHT, ANY = ir.Constant(VECTOR, [0.0] * 4), ir.Constant(VECTOR, ir.Undefined)


@register_model(FourType)
class _FourModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, VECTOR)


def _lanes(*numbers):
    """Which numbers of two vectors, 0 .. 3 and 4 .. 7, make a new one."""
    return ir.Constant(ir.VectorType(ir.IntType(32), 4), list(numbers))


# ------------------------------------------------------------------------------------------------- in and out of slots


def four(a: Slots, i: int):
    """Slots i .. i + 3 as a vector."""
    return np.array([a[i], a[i + 1], a[i + 2], a[i + 3]])


def put_four(dst: Slots, i: int, vector) -> None:
    """Slots i .. i + 3 become the vector."""
    for k in range(4):
        dst[i + k] = vector[k]


def _pointer(context, builder, signature, args):
    element = pointer_to(context, builder, signature.args[0], args[0], args[1], signature.args[1])
    return builder.bitcast(element, VECTOR.as_pointer())


@intrinsic
def _four(typing, a, i):
    def codegen(context, builder, signature, args):
        return builder.load(_pointer(context, builder, signature, args), align=8)

    return FOUR(a, i), codegen


@intrinsic
def _put_four(typing, dst, i, vector):
    def codegen(context, builder, signature, args):
        builder.store(args[2], _pointer(context, builder, signature, args), align=8)
        return context.get_dummy_value()

    return types.void(dst, i, vector), codegen


@overload(four, jit_options=OPTIONS)
def _(a, i):
    if not CHECKED:
        return lambda a, i: _four(a, i)
    message = f"{a.slots_name}: index outside the slots"

    def checked(a, i):
        if i < 0 or i + 3 >= length_of(a):
            raise IndexError(message)
        return _four(a, i)

    return checked


@overload(put_four, jit_options=OPTIONS)
def _(dst, i, vector):
    if not CHECKED:
        return lambda dst, i, vector: _put_four(dst, i, vector)
    message = f"{dst.slots_name}: index outside the slots"

    def checked(dst, i, vector):
        if i < 0 or i + 3 >= length_of(dst):
            raise IndexError(message)
        _put_four(dst, i, vector)

    return checked


# ---------------------------------------------------------------------------------------------------------- arithmetic


def running(vector):
    """The sums of its first number, its first two, three and four: a, a + b, a + (b + c), (a + b) + (c + d)."""
    a, b, c, d = vector
    return np.array([a, a + b, a + (b + c), (a + b) + (c + d)])


def running_back(vector):
    """The sums of all four, its last three, two and one: (a + b) + (c + d), (b + c) + d, c + d, d."""
    a, b, c, d = vector
    return np.array([(a + b) + (c + d), (b + c) + d, c + d, d])


def alike(number: float):
    """A vector of one number four times."""
    return np.full(4, number)


def all_first(vector):
    """Its first number four times."""
    return np.full(4, vector[0])


def all_last(vector):
    """Its last number four times."""
    return np.full(4, vector[3])


def first_of(vector) -> float:
    """Its first number."""
    return float(vector[0])


def _of_one(function, build, kind=FOUR, result=FOUR):
    """Make a function of one argument known to compiled code: build(builder, argument) makes its instructions."""

    @intrinsic
    def call(typing, value):
        def codegen(context, builder, signature, args):
            return build(builder, args[0])

        return result(kind), codegen

    @overload(function, jit_options=OPTIONS)
    def _(value):
        return lambda value: call(value)


def _running(builder, v):
    v = builder.fadd(v, builder.shuffle_vector(v, NOUGHT, _lanes(4, 0, 1, 2)))
    return builder.fadd(v, builder.shuffle_vector(v, NOUGHT, _lanes(4, 5, 0, 1)))


def _running_back(builder, v):
    v = builder.fadd(v, builder.shuffle_vector(v, NOUGHT, _lanes(1, 2, 3, 4)))
    return builder.fadd(v, builder.shuffle_vector(v, NOUGHT, _lanes(2, 3, 4, 5)))


def _first_of(builder, v):
    return builder.extract_element(v, ir.Constant(ir.IntType(32), 0))


def _alike(builder, number):
    v = builder.insert_element(ANY, number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(v, ANY, _lanes(0, 0, 0, 0))


_of_one(running, _running)
_of_one(running_back, _running_back)
_of_one(all_first, lambda builder, v: builder.shuffle_vector(v, ANY, _lanes(0, 0, 0, 0)))
_of_one(all_last, lambda builder, v: builder.shuffle_vector(v, ANY, _lanes(3, 3, 3, 3)))
_of_one(first_of, _first_of, result=types.float64)
_of_one(alike, _alike, kind=types.float64)


def _of_two(function, build):
    """The same for an operator of Python between two vectors."""

    @intrinsic
    def call(typing, a, b):
        def codegen(context, builder, signature, args):
            return build(builder, *args)

        return FOUR(FOUR, FOUR), codegen

    @overload(function, jit_options=OPTIONS)
    def _(a, b):
        return (lambda a, b: call(a, b)) if isinstance(a, FourType) and isinstance(b, FourType) else None


_of_two(operator.add, lambda builder, a, b: builder.fadd(a, b))
_of_two(operator.mul, lambda builder, a, b: builder.fmul(a, b))
_of_two(operator.truediv, lambda builder, a, b: builder.fdiv(a, b))
