"""Window functions that users write in plain Python: compiled where possible, otherwise called for each record.

Every call makes a class of its own (`algorithms.own_classes`).
"""

import copy
import uuid
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numba.core.errors import NumbaError

from algorithms.kernel import OPTIONS, PLAIN, Slots, kernel, load, partial_dtype, slots, store
from algorithms.own_classes import class_of
from algorithms.streams.shared.discretize import MARK, Query, QueryError, step

MOST_COUNT = 2**62
"""The most windows that fit into a mark as beginning or ending at a record; fewer are allowed."""


class Interpreted:
    """A window function that Python runs, with any object as its state."""

    def __init__(self, title: str, function: Callable[[Any, int, float], tuple[Any, int, int]], state: Any):
        """Copies the state, because a function may change it in place."""
        self.title, self.function, self.state = title, function, copy.deepcopy(state)

    def copy(self) -> "Interpreted":
        """A copy of the window function in its present state."""
        return Interpreted(self.title, self.function, self.state)

    def marks(
        self, query: int, kind: int, times: Any, column: Any, first: int, last: int, base: int, marks: Any
    ) -> int:
        """As `mark_each`. A record costs two to three times the call of the function."""
        function, state, rows = self.function, self.state, []
        records = zip(times[first:last].tolist(), column[first:last].tolist())
        for i, (time, x) in enumerate(records, base + first):
            returned = function(state, time, x)
            try:
                state, begins, ends = returned
            except (TypeError, ValueError):
                raise QueryError(
                    f"{self.title}: at record {i}, the function gives {returned!r} instead of (state, begins, ends)"
                ) from None
            if (
                type(begins) is not int
                or type(ends) is not int
                or not (-MOST_COUNT <= begins <= MOST_COUNT and -MOST_COUNT <= ends <= MOST_COUNT)
            ):
                begins, ends = self._counts(i, begins), self._counts(i, ends)
            if begins or ends:
                rows.append((i, query, kind, begins, ends))
        self.state = state
        marks[: len(rows)] = np.array(rows, MARK)
        return len(rows)

    def _counts(self, i: int, count: Any) -> int:
        """A number of windows as an int. Raises QueryError."""
        if not isinstance(count, int | np.integer | np.bool_) or not -MOST_COUNT <= count <= MOST_COUNT:
            raise QueryError(
                f"{self.title}: at record {i}, begins and ends must be whole numbers of at most 2^62, not {count!r}"
            )
        return int(count)


def user_defined(
    function: Callable[[Any, int, float], tuple[Any, int, int]],
    state: Any,
    *,
    reads: str = "value",
    deterministic: bool = True,
    compiled: bool | None = None,
) -> Query:
    """Windows declared by your own function(state, time, x) -> (state, begins, ends), called for every record in order.

    begins, ends: how many windows begin with the record, and how many ended before it, the oldest first. x is what the
    column `reads` has for the record, as float64; time is a whole number. `state` is what the first call gets.

    deterministic=False: the query has one window, the youngest records; the function gives (state, leave, report): how
    many of its oldest records leave it now, and whether it is reported, both before the record itself joins.

    compiled: whether Numba compiles the function; None, the default, if it can: when the state is a number or a
    NamedTuple of numbers that the function gives back with the same types. Raises QueryError if it must and cannot.
    Compiled code differs from Python in three ways: whole numbers wrap around at 64 bits, a division by zero gives inf
    or nan instead of an error, and random numbers are drawn from a generator of its own. Also, it keeps the globals it
    was compiled with. compiled=False where that matters.

    >>> from sliding_windows import SharedAggregate, queries
    >>> def every_third(records, time, x):
    ...     new = records % 3 == 0
    ...     return records + 1, int(new), int(new and records > 0)
    >>> s = SharedAggregate([queries.user_defined(every_third, 0)], "sum")
    >>> [(r.begin, r.end, r.value) for r in s.batch(range(7), [1.0] * 7)]
    [(0, 3, 3.0), (3, 6, 3.0)]
    """
    if not callable(function):
        raise QueryError(f"user_defined: function must be a function(state, time, x), not {function!r}")
    title = getattr(function, "__name__", "user_defined")
    reason = "interpreted" if compiled is False or PLAIN else why_not(function, state)
    if compiled and reason and not PLAIN:
        raise QueryError(f"user_defined: {title} cannot be compiled: {reason}")
    if reason:
        make: Callable = partial(Interpreted, title, function, state)
    else:
        make = partial(in_first_state, uuid.uuid4().hex, title, function, state)
    return Query(title, reads, make=make, deterministic=deterministic)


def why_not(function: Callable, state: Any) -> str:
    """Why the function cannot be compiled; empty if it can."""
    fields = state if isinstance(state, tuple) and hasattr(state, "_fields") else (state,)
    if any(type(x) not in (int, float) for x in fields):
        return f"its state must be an int, a float or a NamedTuple of them, not {state!r}"
    expected = numba.typeof(state)
    try:
        dispatcher = numba.njit(**OPTIONS)(function)
        dispatcher.compile((expected, types.int64, types.float64))
        returns = dispatcher.overloads[(expected, types.int64, types.float64)].signature.return_type
    except (NumbaError, TypeError) as error:
        return str(error).strip().splitlines()[0]
    if not isinstance(returns, types.BaseTuple) or len(returns) != 3:
        return f"it gives {returns} instead of (state, begins, ends)"
    if returns[0] != expected:
        return f"it is given the state {expected} and gives back {returns[0]}"
    if not all(isinstance(count, types.Integer | types.IntegerLiteral | types.Boolean) for count in tuple(returns)[1:]):
        return f"begins and ends must be whole numbers, not {returns[1]} and {returns[2]}"
    return ""


def in_first_state(key: str, title: str, function: Callable, state: Any) -> Any:
    """The compiled window function before the first record; its class has that key."""
    window_function = class_of(key, function_class, title, function)(slots(1, partial_dtype(state)), state)
    store(window_function.state, 0, state)
    return window_function


def function_class(title: str, function: Callable) -> type:
    """A new class around a function that compiles."""
    compiled = kernel(function)

    class Mine(NamedTuple):
        state: Slots
        like: Any

    @step.of(Mine)
    def _(function, time, x):
        state, begins, ends = compiled(load(function.state, 0, function.like), time, x)
        store(function.state, 0, state)
        return int(begins), int(ends)

    return Mine
