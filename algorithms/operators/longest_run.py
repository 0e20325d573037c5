"""LIS: the longest run of increasing values, one after the other.

The operator of Villalba, Berral, Carrera: Constant-Time Sliding Window Framework with Reduced Memory Footprint and
Efficient Bulk Evictions (IEEE TPDS, 2018), section 5.6. The paper calls it the longest increasing subsequence; what it
says of it (first and last time, interval covered, number of updates, and one monoid for windows of any size) fits runs.
"""

from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import load
from algorithms.operators.arguments import pair, takes_pairs
from algorithms.operators.monoid import nothing, own_dtype, present, presents_lowered, value_operator


class Runs(NamedTuple):
    """Partial of LIS: the longest run, those at both ends, which may go on, and what joining them needs."""

    values: int
    prefix: int
    """Length of the run that begins with the first value."""
    suffix: int
    """Length of the run that ends with the last value."""
    length: int
    """Length of the longest run."""
    before: int
    """How many values are before the longest run."""
    first: Any
    last: Any
    prefix_end: Any
    """Time of the last value of the prefix."""
    suffix_start: Any
    """Time of the first value of the suffix."""
    start: Any
    """Times of the first and last value of the longest run."""
    end: Any


class Run(NamedTuple):
    """What LIS gives to people: how many values, and the times of the first and the last of them."""

    length: int
    start: Any
    end: Any


@value_operator
class Lis(NamedTuple):
    """Longest run of increasing values. Partial: Runs. `lower` gives its length, `present` its times as well.

    A value is a pair (value, time), or one number that is both. `strict`: equal values end a run. `latest`: of runs of
    one length the last counts, otherwise the first.
    """

    identity: Runs
    strict: bool
    latest: bool

    name = "lis"
    laws = ()
    exact, takes = True, own_dtype

    @classmethod
    def make(cls, dtype: str, strict: bool = True, latest: bool = False) -> "Lis":
        none = nothing(dtype)
        return cls(Runs(0, 0, 0, 0, 0, *[none] * 6), either("strict", strict), either("latest", latest))

    def lift(op, value):
        number, time = pair(value)
        some = int(number == number)
        measure = number if some else op.identity.first
        when = time if some else op.identity.start
        return Runs(some, some, some, some, 0, measure, measure, when, when, when, when)

    def combine(op, a, b):
        if a.values == 0:
            return b
        if b.values == 0:
            return a
        joins = a.last < b.first or (a.last == b.first and not op.strict)
        prefix, prefix_end = a.prefix, a.prefix_end
        if joins and a.prefix == a.values:
            prefix, prefix_end = a.values + b.prefix, b.prefix_end
        suffix, suffix_start = b.suffix, b.suffix_start
        if joins and b.suffix == b.values:
            suffix, suffix_start = a.suffix + b.values, a.suffix_start
        length, before, start, end = a.length, a.before, a.start, a.end
        joined = a.suffix + b.prefix if joins else 0
        if joined > length or (joined == length and op.latest):
            length, before, start, end = joined, a.values - a.suffix, a.suffix_start, b.prefix_end
        if b.length > length or (b.length == length and op.latest):
            length, before, start, end = b.length, a.values + b.before, b.start, b.end
        values = a.values + b.values
        return Runs(values, prefix, suffix, length, before, a.first, b.last, prefix_end, suffix_start, start, end)

    def lower(op, a):
        return a.length


def either(name: str, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"lis: {name} must be True or False, not {value!r}")
    return bool(value)


@present.of(Lis)
def _(op, a, i):
    runs = load(a, i, op.identity)
    return Run(int(runs.length), runs.start, runs.end)


@presents_lowered.of(Lis)
def _(op):
    return False


takes_pairs(Lis, "(value, time)")
