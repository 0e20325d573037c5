"""What the in-order windows share: numbered elements in a ring of slots, and the checks on their pointers.

Element number i (counted from 0 and never reset) lies at i & mask. Pointers are numbers, so that "how many" is a
difference and "empty" an equality, without a case for the wrap. `front` is the oldest element, `end` one past the
youngest.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from algorithms.kernel import kernel
from algorithms.operators.monoid import unit
from algorithms.windows.contract import RESULT, Kept, oldest, size, youngest

FIXED = RESULT + 1
"""The first slot of agg that is not the result of queries."""


def pointers(*names: str) -> np.dtype:
    """The record of a window's pointers, oldest first, and the mask of its ring."""
    return np.dtype([(name, "i8") for name in (*names, "mask")])


def ring_layout(record: np.dtype, fixed: int, rings: int):
    """A layout: one record of pointers, a ring of times, and `fixed` slots then `rings` rings of partials in agg."""

    def layout(op, capacity: int) -> dict:
        ring = 1 << max(capacity - 1, 0).bit_length()
        return {"ends": (1, record), "time": (ring, np.dtype("i8")), "agg": (fixed + rings * ring, op.dtype)}

    return layout


def set_mask(w, capacity: int) -> None:
    """The empty state of a window whose slots may all be zero."""
    w.ends[0].mask = len(w.time) - 1


def set_mask_and_running(w, capacity: int) -> None:
    """The empty state of a window with a running aggregate in the first fixed slot."""
    set_mask(w, capacity)
    unit(w.op, w.agg, FIXED)


@kernel
def place(ends, ring, i):
    """Where element i lies in the ring of partials that begins at slot `ring`."""
    return ring + (i & ends.mask)


@kernel
def aggregate_at(ends, i):
    """Where the aggregate of element i lies, in a window with two rings."""
    return FIXED + (i & ends.mask)


@kernel
def value_at(ends, i):
    """Where the value of element i lies, in a window with two rings."""
    return FIXED + ends.mask + 1 + (i & ends.mask)


@kernel
def find(w, time):
    """The first element that is not older than `time`, by bisection."""
    ends = w.ends[0]
    low, high = ends.front, ends.end
    while low < high:
        middle = (low + high) >> 1
        if w.time[middle & ends.mask] < time:
            low = middle + 1
        else:
            high = middle
    return low


def stretches(w: Any, part: str, first: Any, end: Any, covers: Any, slot: int) -> Iterator[Kept]:
    """A partial for each of elements first .. end - 1, the first one at `slot` of a ring; `covers` gives the first
    element and the one past the last that element i's partial is of."""
    ends = w.ends[0]
    front, mask = int(ends.front), int(ends.mask)
    for i in range(int(first), int(end)):
        low, high = covers(i)
        yield Kept(part, int(low) - front, int(high) - front, slot + (i & mask))


def itself(i: int) -> tuple[int, int]:
    """What the value of element i covers."""
    return i, i + 1


def share(window: type) -> type:
    """The operations that are the same in every ring, for one class of window."""

    @size.of(window)
    def _(w):
        return w.ends[0].end - w.ends[0].front

    @oldest.of(window)
    def _(w):
        return w.time[w.ends[0].front & w.ends[0].mask]

    @youngest.of(window)
    def _(w):
        return w.time[(w.ends[0].end - 1) & w.ends[0].mask]

    return window


def check_ring(w, *names: str) -> None:
    """Pointers ascend in the order given, elements fit in the ring, and times do not descend."""
    ends = w.ends[0]
    numbers = [int(ends[name]) for name in names]
    assert numbers == sorted(numbers), f"pointers {dict(zip(names, numbers, strict=True))} do not ascend"
    assert numbers[-1] - numbers[0] <= ends.mask + 1, "more elements than the ring holds"
    times = [int(w.time[i & int(ends.mask)]) for i in range(numbers[0], numbers[-1])]
    assert times == sorted(times), "times descend"
