"""The compiled loops that are measured. Nothing in them allocates, calls Python or does I/O; they sum the answers.

Each takes the window first, so that Numba compiles one native function for each pair of window and operator. Values
come from a table of `period` entries: item number i has the value values[i mod period].
"""

from algorithms.kernel import cycles, driver, row
from algorithms.windows.contract import evict, insert, oldest, query


@driver
def insert_run(w, time, count, serial, values, period):
    """Insert `count` items at consecutive times."""
    k = serial % period
    for _ in range(count):
        insert(w, time, row(values, k))
        time += 1
        k = k + 1 if k + 1 < period else 0


@driver
def rounds(w, time, count, serial, values, period):
    """`count` rounds of evict the oldest, insert at the next time, query; the sum of the answers."""
    k, total = serial % period, 0
    for _ in range(count):
        evict(w)
        insert(w, time, row(values, k))
        total += query(w)
        time += 1
        k = k + 1 if k + 1 < period else 0
    return total


@driver
def latencies(w, time, count, serial, values, period, samples):
    """As `rounds`; also samples[i] = cycles of round i, by the processor's time-stamp counter."""
    k, total = serial % period, 0
    for i in range(count):
        before = cycles()
        evict(w)
        insert(w, time, row(values, k))
        total += query(w)
        samples[i] = cycles() - before
        time += 1
        k = k + 1 if k + 1 < period else 0
    return total


@driver
def replay(w, times, values, count, span):
    """Replay a trace through a window of the time span (newest - span, newest]: for each item insert, evict, query.

    An item that is older than the window when it arrives is late and left out. Returns the sum of the answers and the
    number of late items.
    """
    total, late, newest = 0, 0, times[0]
    for i in range(count):
        time = times[i]
        newest = max(newest, time)
        if time > newest - span:
            insert(w, time, row(values, i))
        else:
            late += 1
        while oldest(w) <= newest - span:
            evict(w)
        total += query(w)
    return total, late
