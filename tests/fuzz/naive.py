"""Oracles that share nothing with the project, compiled, because Python would take hours for ten million steps."""

import numba
import numpy as np

PRIME = 2**31 - 1
"""The modulus of the operator `affine`."""

MOST = 1 << 14
"""Values that a naive window can hold."""

INSERT, EVICT, QUERY, ENDS, EVICT_AT, BULK_EVICT, BULK_INSERT, RANGE = range(8)
"""Codes of steps, as tests.algorithms.windows.program has them."""


@numba.njit
def fold(values, first, end):
    """The image of 1 under the affine maps of the values."""
    x = 1
    for i in range(first, end):
        v = values[i] % PRIME
        x = ((1 + values[i] % (PRIME - 1)) * x + v * v) % PRIME
    return x


@numba.njit
def folds(values, first, end):
    """The fold of each stretch first[k] .. end[k] - 1."""
    found = np.empty(len(first), np.int64)
    for k in range(len(first)):
        found[k] = fold(values, first[k], end[k])
    return found


@numba.njit
def place(times, n, time):
    """How many of the n times are at most `time`."""
    i = n
    while i > 0 and times[i - 1] > time:
        i -= 1
    return i


@numba.njit
def inserted(times, values, n, time, value):
    if n == len(times):
        raise MemoryError("the naive window is full")
    i = place(times, n, time)
    times[i + 1 : n + 1], values[i + 1 : n + 1] = times[i:n].copy(), values[i:n].copy()
    times[i], values[i] = time, value
    return n + 1


@numba.njit
def removed(times, values, n, first, end):
    gone = end - first
    times[first : n - gone], values[first : n - gone] = times[end:n].copy(), values[end:n].copy()
    return n - gone


@numba.njit
def answers(steps, batch_times, batch_values, unique):
    """What the steps of a program give. `unique`: values of one time are one entry; otherwise each is one."""
    times, values, n = np.empty(MOST, np.int64), np.empty(MOST, np.int64), 0
    found = np.zeros(len(steps), np.int64)
    for s in range(len(steps)):
        code, a, b = steps[s]
        if code == INSERT:
            n = inserted(times, values, n, a, b)
        elif code == BULK_INSERT:
            for i in range(a, b):
                n = inserted(times, values, n, batch_times[i], batch_values[i])
        elif code == EVICT:
            n = removed(times, values, n, 0, place(times, n, times[0]) if unique else 1)
        elif code == BULK_EVICT:
            n = removed(times, values, n, 0, place(times, n, a))
        elif code == EVICT_AT:
            end = place(times, n, a)
            first = end
            while first > 0 and times[first - 1] == a:
                first -= 1
            found[s] = first < end
            n = removed(times, values, n, first, end if unique else min(end, first + 1))
        elif code == QUERY:
            found[s] = fold(values, 0, n)
        elif code == RANGE:
            found[s] = fold(values, place(times, n, a - 1), max(place(times, n, b), place(times, n, a - 1)))
        elif code == ENDS:
            size = n
            if unique:
                size = 0
                for i in range(n):
                    size += i == 0 or times[i] != times[i - 1]
            found[s] = times[0] + 3 * times[n - 1] + 5 * size
    return found
