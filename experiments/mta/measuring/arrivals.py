"""Arrivals under a slide policy: insert, let go what the policy says, answer. What the MTA paper measures.

The paper's operator and policy (Listings 2 and 3) are a product of dimensions: `count`, `max_size`, which every element
brings along and the youngest decides, and further counts for windows of several dimensions.

Naive is recalc with its answer kept, as in the paper (section 5.2): an arrival that lets nothing go costs one combine,
any other folds what goes, for the policy, and then what stays.
"""

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

NAIVE = "recalc"


class Kept(NamedTuple):
    """A window that slides by itself. `answer`: Naive's, in one slot; of other windows never read."""

    window: Any
    slider: Slider
    answer: Slots


def takes(cell: Cell) -> tuple[str, ...]:
    """The operators that every window here has besides the cell's."""
    return "count", "last"


def dimensions(k: int = 1) -> Any:
    """The paper's operator with k counts: Listing 2 for k = 1."""
    count, last = (operators.make(name, "int64") for name in ("count", "last"))
    more = {"more": operators.repeated(count, k - 1)} if k > 1 else {}
    return operators.product(count=count, max_size=last, **more)


def kept(cell: Cell, op: Any, policy: Any, entries: int) -> Kept:
    """An empty window of the cell's algorithm for that operator, policy and number of entries at once.

    Raises DoesNotFitError, with the bytes, before anything is allocated.
    """
    mine = card(cell.algorithm)
    needed = mine.bytes(op, entries, **cell.parameters)
    memory = Estimate(cell.label, entries, needed, estimate(cell).there)
    if memory.too_much:
        raise DoesNotFitError(str(memory))
    w = mine.new(op, entries, **cell.parameters)
    made = Kept(w, slider(mine, op, entries, policy), slots(1, op.dtype, "answer"))
    unit(op, made.answer, 0)
    touch(w)
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
    """`count` arrivals that let `batch` elements go, samples[i] = cycles of arrival i; the sum of their answers."""
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


def traffic(made: Kept) -> dict[str, int]:
    """What a window has asked of its key-value store so far, how often it waited for it, and in how many arrivals.

    Empty of a window in memory.
    """
    if type(made.window) not in storage.table:
        return {}
    found = storage(made.window).traffic
    return {
        "arrivals": int(made.window.ends[0].end),
        "misses": found.misses,
        "waits": found.waits,
        "commits": found.commits,
        "bytes_read": found.bytes_read,
    }


def run(made: Kept, begin: int, count: int, value: int) -> float:
    return float(arrivals(*made, begin, count, value))
