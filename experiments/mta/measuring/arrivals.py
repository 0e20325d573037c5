"""Arrivals under a slide policy, as the MTA paper measures them: insert, evict by the policy, query.

The paper's operator and policy (Listings 2 and 3) are a product of dimensions: `count`, `max_size`, which every element
brings along and the youngest decides, and further counts for windows of several dimensions.

Naive is recalc with its answer kept, as in the paper (section 5.2): an arrival that evicts nothing costs one combine,
any other folds the elements that go, for the policy, and then those that stay.
"""

from dataclasses import asdict
from typing import Any, NamedTuple

from algorithms import operators
from algorithms.kernel import Slots, cycles, driver, generic, slots
from algorithms.operators.monoid import combine, lower, unit
from algorithms.windows.contract import aggregate, card, evict, insert, query, size, storage
from algorithms.windows.in_order.recalc import Recalc
from algorithms.windows.slider import TOTAL, Slider, arrive, goes, remember, slider
from experiments.harness.cell import Cell
from experiments.harness.feasibility import Estimate, estimate
from experiments.harness.measuring.rig import DoesNotFitError, touch
from experiments.mta.measuring.stores import LMDB, opened

NAIVE = "recalc"


class Kept(NamedTuple):
    """A window that slides by itself. `answer`: Naive's, in one slot; other windows never read it."""

    window: Any
    slider: Slider
    answer: Slots


def takes(cell: Cell) -> tuple[str, ...]:
    """The operators that every window here uses besides the cell's."""
    return "count", "last"


def dimensions(k: int = 1) -> Any:
    """The paper's operator with k counts: Listing 2 for k = 1."""
    count, last = (operators.make(name, "int64") for name in ("count", "last"))
    further = {"more": operators.repeated(count, k - 1)} if k > 1 else {}
    return operators.product(count=count, max_size=last, **further)


def kept(cell: Cell, op: Any, policy: Any, entries: int) -> Kept:
    """An empty window of the cell's algorithm for that operator, policy and number of entries at once.

    Raises DoesNotFitError, with the bytes, before anything is allocated.
    """
    window_card = card(cell.algorithm)
    needed = window_card.bytes(op, entries, **cell.parameters)
    memory = Estimate(cell.label, entries, needed, estimate(cell).available)
    if memory.too_much:
        raise DoesNotFitError(str(memory))
    w = window_card.new(op, entries, **cell.parameters)
    answer = slots(1, op.dtype, "answer")
    unit(op, answer, 0)
    if type(w) in storage.table:
        storage(w).attach(opened(cell.uses.get("store", LMDB)), "window", entries)
    s = slider(window_card, op, entries, policy)
    made = Kept(w, s, answer)
    touch(made)  # the slider has a ring as long as the window: DABA's first 2^25 arrivals took up to 4 times as long
    return made


@generic
def settle(w, s, answer, time, value):
    """One arrival, and the answer after it."""


@settle.default
def _(w, s, answer, time, value):
    arrive(w, s, time, value)
    return query(w)


@settle.of(Recalc)
def _(w, s, answer, time, value):
    before = size(w)
    insert(w, time, value)
    remember(w, s, value, before)
    state = s.state[0]
    combine(w.op, answer, 0, answer, 0, s.lifted, (state.arrived - 1) & state.mask)
    s.partials[TOTAL] = answer[0]
    first = state.arrived - size(w)
    i = first
    while i < state.arrived and goes(w.op, s, s.lifted, i & state.mask, i == first):
        evict(w)
        i += 1
    if i > first:
        aggregate(w, answer, 0)
    return lower(w.op, answer, 0)


@driver
def arrivals(w, s, answer, time, count, value):
    """`count` arrivals of one value at consecutive times; the sum of the answers."""
    total = 0
    for _ in range(count):
        total += settle(w, s, answer, time, value)
        time += 1
    return total


@driver
def bulk_arrivals(w, s, answer, time, n, batch, count, samples):
    """`count` arrivals that evict `batch` elements, samples[i] = cycles of arrival i; the sum of their answers."""
    total = 0
    for i in range(count):
        before = cycles()
        total += settle(w, s, answer, time, n + 1 - batch)
        samples[i] = cycles() - before
        time += 1
        for _ in range(batch - 1):
            settle(w, s, answer, time, n)
            time += 1
    return total


@driver
def updates(w, s, answer, first, count, time, values):
    """Arrivals of values first .. first + count - 1; the sum of the answers."""
    total = 0
    for i in range(first, first + count):
        total += settle(w, s, answer, time, values[i])
        time += 1
    return total


@driver
def timed_updates(w, s, answer, first, count, time, values):
    """As `updates`, for an operator that takes the time as well: with a count, each value is (value, (value, time))."""
    total = 0
    for i in range(first, first + count):
        total += settle(w, s, answer, time, (values[i], (values[i], time)))
        time += 1
    return total


def traffic(kept: Kept) -> dict[str, int]:
    """The arrivals of a window so far, the bytes of a node, and all that moved to and from its key-value store.

    Empty for a window in memory.
    """
    if type(kept.window) not in storage.table:
        return {}
    counted = asdict(storage(kept.window).traffic)
    node_bytes = kept.window.time.dtype.itemsize + kept.window.agg.dtype.itemsize
    return {"arrivals": int(kept.window.ends[0].end), "node_bytes": node_bytes, **counted}


def run(kept: Kept, begin: int, count: int, value: int) -> float:
    return float(arrivals(*kept, begin, count, value))
