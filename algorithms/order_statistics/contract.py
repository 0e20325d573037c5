"""Windows whose answers no combine of partial aggregates gives: median, quantiles, ranks, distinct values, mode.

The windows of `algorithms.windows` keep partial aggregates of an operator. These keep the entries themselves, in the
order of their values (a `Counted` tree), and what tells which of them leaves next. So they have no operator, their
costs are in keys looked at instead of combines, and they are in a catalogue of their own, `CARDS`. Their verbs are the
same: insert, evict, evict_at, bulk_evict, size, oldest, youngest, with int64 codes as values. Every question goes to
the tree `w.values`.

    in order    the entries lie in a ring as well, the oldest first
    any         a second tree has them in the order of their times; equal times are separate entries, as they came
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, slots
from algorithms.memory import must_fit_memory
from algorithms.order_statistics import counted, timed
from algorithms.order_statistics.tree import Counted, Timed, prepare, tree_layout
from algorithms.order_statistics.tree_check import check_tree, items
from algorithms.windows.contract import ANY_ORDER, IN_ORDER, evict, evict_at, insert, oldest, size, youngest
from algorithms.windows.in_order.ring import share

QUESTIONS = {
    "median": "median()",
    "quantile": "quantile(q, interpolation)",
    "smallest": "smallest(k)",
    "rank": "rank(value, method)",
    "distinct": "distinct()",
    "mode": "mode()",
}
"""What every window of order statistics answers."""


@share
class Queued(NamedTuple):
    """A window in order of time: a ring of entries beside the tree of values."""

    values: Counted
    ends: Slots
    time: Slots
    code: Slots


class Scattered(NamedTuple):
    """A window in any order of time: a tree of times beside the tree of values."""

    values: Counted
    times: Timed


ENDS = np.dtype([("front", "i8"), ("end", "i8"), ("mask", "i8")])


@insert.of(Queued)
def _(w, time, value):
    ends = w.ends[0]
    w.time[ends.end & ends.mask] = time
    w.code[ends.end & ends.mask] = value
    ends.end += 1
    counted.add(w.values, value)


@evict.of(Queued)
def _(w):
    ends = w.ends[0]
    counted.remove(w.values, w.code[ends.front & ends.mask])
    ends.front += 1


@insert.of(Scattered)
def _(w, time, value):
    timed.put_at(w.times, time, value)
    counted.add(w.values, value)


@evict.of(Scattered)
def _(w):
    counted.remove(w.values, timed.take_from(w.times, timed.first_slot(w.times)))


@evict_at.of(Scattered)
def _(w, time):
    p = timed.slot_at(w.times, time)
    if p >= 0:
        counted.remove(w.values, timed.take_from(w.times, p))
    return p >= 0


@size.of(Scattered)
def _(w):
    return w.times.head[0].keys


@oldest.of(Scattered)
def _(w):
    return w.times.key[timed.first_slot(w.times)]


@youngest.of(Scattered)
def _(w):
    return w.times.key[timed.last_slot(w.times)]


# ---------------------------------------------------------------------------------------------------------------- cards


@dataclass(frozen=True)
class OrderCard:
    """What a window of order statistics is and can do."""

    name: str
    title: str
    order: str
    operations: tuple[str, ...]
    time: Mapping[str, str]
    """Cost of each operation in rows of a tree that are looked at; a row has 64 keys."""
    space: str
    make: Callable[..., Any]
    """(capacity, bits of a row's length or nothing) -> an empty window."""
    check: Callable[[Any], None]
    """Raise AssertionError if an invariant of the structure does not hold. Plain Python, O(n)."""

    def __reduce__(self) -> tuple[Any, ...]:
        return card_of, (self.order,)


def card_of(order: str) -> OrderCard:
    """The card of the windows of that order, as pickle has it."""
    return CARDS[order]


def _tree(cls: Any, capacity: int, bits: int, name: str) -> Any:
    layout = tree_layout(capacity, bits, cls is Counted)
    must_fit_memory(sum(n * dtype.itemsize for n, dtype in layout.values()), f"{name} with capacity {capacity:,}")
    tree = cls(*(slots(n, dtype, f"{name}.{field}") for field, (n, dtype) in layout.items()))
    prepare(tree, capacity, bits)
    return tree


def counted_tree(capacity: int, bits: int | None = None) -> Counted:
    """An empty tree of values for at most `capacity` entries. Raises MemoryEstimateError if it would not fit.

    Rows of 64 keys were the fastest at 500,000 entries (545 ns an update; of 32, 750), rows of 32 at 1,000 (136, 190).
    """
    return _tree(Counted, capacity, (5 if capacity <= 2**14 else 6) if bits is None else bits, "values")


def _queued(capacity: int, bits: int | None = None) -> Queued:
    ring = 1 << max(capacity - 1, 0).bit_length()
    columns = (slots(ring, np.dtype("i8"), f"ordered_ring.{name}") for name in ("time", "code"))
    w = Queued(counted_tree(capacity, bits), slots(1, ENDS, "ordered_ring.ends"), *columns)
    w.ends[0].mask = ring - 1
    return w


def _scattered(capacity: int, bits: int | None = None) -> Scattered:
    return Scattered(counted_tree(capacity, bits), _tree(Timed, capacity, 6 if bits is None else bits, "times"))


def _check_queued(w: Any) -> None:
    check_tree(w.values)
    ends = w.ends[0]
    places = [i & int(ends.mask) for i in range(int(ends.front), int(ends.end))]
    assert len(places) <= ends.mask + 1, "more entries than the ring holds"
    times = [int(w.time[p]) for p in places]
    assert times == sorted(times), "times descend"
    _check_same([int(w.code[p]) for p in places], w.values)


def _check_scattered(w: Any) -> None:
    check_tree(w.values)
    check_tree(w.times)
    _check_same([code for _, code in items(w.times)], w.values)


def _check_same(codes: list[int], values: Counted) -> None:
    """The tree of values has exactly the entries of the window."""
    assert sorted(codes) == [key for key, load in items(values) for _ in range(load)], "entries and values differ"


CARDS = {
    card.order: card
    for card in (
        OrderCard(
            name="ordered_ring",
            title="Order statistics of a window in order",
            order=IN_ORDER,
            operations=("insert", "evict", "bulk_evict", *QUESTIONS),
            time=dict.fromkeys(("insert", "evict", *QUESTIONS), "O(log n)") | {"distinct": "0"},
            space="16 n bytes, and for each distinct value 16 to 64",
            make=_queued,
            check=_check_queued,
        ),
        OrderCard(
            name="ordered_tree",
            title="Order statistics of a window in any order",
            order=ANY_ORDER,
            operations=("insert", "evict", "evict_at", "bulk_evict", *QUESTIONS),
            time=dict.fromkeys(("insert", "evict", "evict_at", *QUESTIONS), "O(log n)") | {"distinct": "0"},
            space="16 to 64 bytes for each entry, and as many for each distinct value",
            make=_scattered,
            check=_check_scattered,
        ),
    )
}
"""By order of time."""
