"""Kernels: one source that Numba compiles and Python runs. With disk_cache and fours, all that knows Numba's internals.

Two ideas carry every algorithm of this package.

*Slots* (`memory`) are flat typed memory (scalars, or records with named fields). Python sees a NumPy array; compiled
code sees one bare pointer: no reference counts, no shape and strides to pass along, no test for negative indices.

*Generic functions* (`functions`) pick their implementation by the class of their first argument: in Python by a table,
in compiled code at compile time. So `combine` is inlined into `insert`, `insert` into the event loop, and the loop is
one native function, while each algorithm and each operator stays in its own file.

Windows and operators are NamedTuples of Slots and parameters. With NUMBA_DISABLE_JIT=1 the same lines run as plain
Python. With SLOTS_CHECKED=1 compiled code tests every index and raises IndexError naming the slots.

Compiled code has one kind of integer, int64: Numba turns a mix of signed and unsigned into float64.
"""

from algorithms.kernel.compiling import CHECKED, OPTIONS, PLAIN, sources_hash
from algorithms.kernel.functions import driver, each_part, generic, kernel, machine_code_calls
from algorithms.kernel.instructions import (
    CALLABLE,
    address_of,
    call_back,
    cycles,
    highest_bit,
    opaque,
    quotient,
    rounded_off,
    trailing_zeros,
)
from algorithms.kernel.memory import Slots, as_slots, element, field, move, same_slot, slots, view
from algorithms.kernel.values import as_like, has_nan, load, partial_dtype, put_row, row, store

__all__ = [
    "CALLABLE",
    "CHECKED",
    "OPTIONS",
    "PLAIN",
    "Slots",
    "address_of",
    "as_like",
    "as_slots",
    "call_back",
    "cycles",
    "driver",
    "each_part",
    "element",
    "field",
    "generic",
    "has_nan",
    "highest_bit",
    "kernel",
    "load",
    "machine_code_calls",
    "move",
    "opaque",
    "partial_dtype",
    "put_row",
    "quotient",
    "row",
    "rounded_off",
    "same_slot",
    "slots",
    "sources_hash",
    "store",
    "trailing_zeros",
    "view",
]
