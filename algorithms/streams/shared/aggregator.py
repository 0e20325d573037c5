"""The aggregator: consumes a marked stream, keeps one open partial aggregate, and emits the windows that end.

Cutty (CIKM 2016), section 5.2, Algorithm 1, here for all marks of a record at once and for the stretch of unmarked
records between two marks. Which slicer is used shows only in the marks; whether slices are combined lazily or eagerly
only in the store. `ByRecord` stores every record as a slice of its own, as RA does.

Two things differ from Algorithm 1 as printed. Its line 10 collects garbage before line 11 has used it: a window's own
slices are removed before they are merged; here a window is emitted first. And its first append stores the empty partial
aggregate; here nothing is folded or stored that no open window needs.
"""

from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, driver, generic, kernel, row, slots
from algorithms.operators.monoid import combine, extend, lift, unit
from algorithms.streams.shared.discretize import CUT, MOVES
from algorithms.streams.shared.slice_store import Eager, Lazy, append, hold, merge, remove_unneeded

OPEN, SPARE = 0, 1
"""Slots of `open`: the partial aggregate of the open slice, and one for a value being inserted."""

NONE = -1
"""No window: the end of a list."""

STATE = np.dtype([(name, "i8") for name in ("begin", "records", "holders", "windows", "free", "combines", "emitted")])
"""Of the open slice: its first record, how many it has, how many open windows begin with it. Open windows in all;
the first unused entry of `window`; combines of records and of open slices with merged ones; windows emitted."""

QUEUE = np.dtype([("head", "i8"), ("tail", "i8")])
"""The oldest and the youngest open window of a query."""

WINDOW = np.dtype([("slice", "i8"), ("begin", "i8"), ("next", "i8")])
"""An open window: the slice and the record it begins with, and the next one of its query."""

RESULT = np.dtype([("query", "i8"), ("begin", "i8"), ("end", "i8")])
"""A window that ended: records begin .. end - 1."""


class Slicing(NamedTuple):
    """An aggregator that stores slices."""

    op: Any
    store: Lazy | Eager
    open: Slots
    state: Slots
    queue: Slots
    window: Slots


class ByRecord(NamedTuple):
    """An aggregator that stores every record: it needs to know nothing about windows beforehand."""

    op: Any
    store: Lazy | Eager
    open: Slots
    state: Slots
    queue: Slots
    window: Slots


def new_aggregator(kind: type, op: Any, store: Lazy | Eager, queries: int) -> Slicing | ByRecord:
    """An aggregator for a number of queries, before the first record."""
    a = kind(op, store, slots(2, op.dtype), slots(1, STATE), slots(queries, QUEUE), slots(0, WINDOW))
    unit(op, a.open, OPEN)
    a.queue["head"], a.queue["tail"], a.state[0].free = NONE, NONE, NONE
    return a


def with_windows(a: Slicing | ByRecord, extra: int) -> Slicing | ByRecord:
    """The aggregator, or its continuation in more memory, such that `extra` more windows can be open."""
    old, needed = len(a.window), int(a.state[0].windows) + extra
    if needed <= old:
        return a
    window = slots(max(needed, 2 * old), WINDOW)
    window[:old] = a.window
    window["next"][old:-1] = np.arange(old + 1, len(window))
    window[len(window) - 1].next = a.state[0].free
    a.state[0].free = old
    return a._replace(window=window)


@generic
def take(a, values, first, last):
    """Aggregate records first .. last - 1 of a batch, between which no window begins or ends."""


@take.of(Slicing)
def _(a, values, first, last):
    state = a.state[0]
    if state.windows > 0:
        extend(a.op, a.open, OPEN, SPARE, values, first, last)
        state.records += last - first
        state.combines += last - first


@take.of(ByRecord)
def _(a, values, first, last):
    state = a.state[0]
    if state.windows > 0:
        for i in range(first, last):
            lift(a.op, a.open, SPARE, row(values, i))
            append(a.store, a.open, SPARE, state.begin + i - first, state.holders)
            state.holders = 0
    state.begin += last - first


@generic
def cut(a, at):
    """Store the open slice, if an open window needs it, and open another that begins with record `at`."""


@cut.of(Slicing)
def _(a, at):
    state = a.state[0]
    if state.records > 0:
        if state.windows > 0:
            append(a.store, a.open, OPEN, state.begin, state.holders)
        unit(a.op, a.open, OPEN)
        state.records, state.holders = 0, 0
    state.begin = at


@cut.of(ByRecord)
def _(a, at):
    state = a.state[0]
    state.begin = at


@kernel
def begin_windows(a, query, count):
    """`count` windows begin with the open slice."""
    state, queue = a.state[0], a.queue[query]
    for _ in range(count):
        w = state.free
        window = a.window[w]
        state.free = window.next
        window.slice, window.begin, window.next = a.store.ends[0].end, state.begin, NONE
        if queue.head == NONE:
            queue.head = w
        else:
            a.window[queue.tail].next = w
        queue.tail = w
    state.holders += count
    state.windows += count


@kernel
def emit(a, query, at, windows, values):
    """Write the query's oldest window, which ends before record `at`, as the next result."""
    state, ends, window = a.state[0], a.store.ends[0], a.window[a.queue[query].head]
    k = state.emitted
    result = windows[k]
    result.query, result.begin, result.end = query, window.begin, at
    if window.slice == ends.end:
        values[k] = a.open[OPEN]
    else:
        merge(a.store, window.slice, values, k)
        if state.records > 0:
            combine(a.op, values, k, values, k, a.open, OPEN)
            ends.merge += 1
    state.emitted += 1


@kernel
def release(a, slice):
    """One open window fewer begins with a slice."""
    if slice == a.store.ends[0].end:
        a.state[0].holders -= 1
    else:
        hold(a.store, slice, -1)


@kernel
def remove_window(a, query):
    """Remove the query's oldest window, and the slices that no window needs any more."""
    state, queue = a.state[0], a.queue[query]
    w = queue.head
    window = a.window[w]
    queue.head = window.next
    window.next, state.free = state.free, w
    state.windows -= 1
    release(a, window.slice)
    remove_unneeded(a.store)


@kernel
def move_window(a, query, records):
    """The query's one window loses its oldest records."""
    window = a.window[a.queue[query].head]
    release(a, window.slice)
    window.slice += records
    window.begin += records
    if window.slice == a.store.ends[0].end:
        a.state[0].holders += 1
    else:
        hold(a.store, window.slice, 1)
    remove_unneeded(a.store)


@kernel
def end_of_record(marks, m, count):
    """One past the last mark at the same record as mark m."""
    at = marks[m].at
    while m < count and marks[m].at == at:
        m += 1
    return m


@driver
def aggregate(a, values, last, base, marks, count, found, results):
    """Algorithm 1 over records 0 .. last - 1 of a batch, the first of which is number `base` of the stream."""
    i, m = 0, 0
    while m < count:
        at, after = marks[m].at, end_of_record(marks, m, count)
        take(a, values, i, at - base)
        i, slicing = at - base, False
        for j in range(m, after):
            slicing |= marks[j].kind == CUT or (marks[j].kind != MOVES and marks[j].begins > 0)
        if slicing:
            cut(a, at)
        for j in range(m, after):
            mark = marks[j]
            if mark.kind == MOVES:
                move_window(a, mark.query, mark.begins)
            elif mark.begins > 0:
                begin_windows(a, mark.query, mark.begins)
        for j in range(m, after):
            mark = marks[j]
            for _ in range(mark.ends):
                emit(a, mark.query, at, found, results)
                if mark.kind != MOVES:
                    remove_window(a, mark.query)
        m = after
    take(a, values, i, last)
