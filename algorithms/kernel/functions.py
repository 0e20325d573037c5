"""Kernels, generic functions and drivers: what compiled code calls, how it picks an implementation, and where Python
enters it."""

import functools
import inspect

import numba
from numba.extending import overload, register_jitable

from algorithms.disk_cache import IMPLEMENTED, DiskCache
from algorithms.kernel.compiling import OPTIONS, PLAIN


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


def machine_code_calls(dispatcher, word: str) -> int:
    """How often `word` occurs in the LLVM of a compiled driver: tests count "NRT_" (reference counting) and want 0."""
    return sum(text.count(word) for text in dispatcher.inspect_llvm().values())
