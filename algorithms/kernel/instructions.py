"""Single instructions that Python has no words for, and calls from compiled code back to Python."""

import ctypes
import time

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from algorithms.kernel.compiling import OPTIONS

# --------------------------------------------------------------------------------------------------------- arithmetic


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


# ------------------------------------------------------------------------------------------ the clock, and a barrier


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
