"""A window as the bytes that are compressed, in one of two layouts.

Rows: tuple by tuple, the time and then the values, as a list of tuples is serialised.

Columns: times as steps, and the bytes of equal significance side by side. First come the lowest bytes of the n steps of
time, then the second ones, up to the eighth; likewise each column of values. A vehicle reports every 30 s a speed below
256, so that most of these runs repeat one byte, which codecs for bytes detect. Forty such tuples, 640 bytes raw, take
312 with Snappy row by row, 159 column by column, and 117 this way.
"""

import numpy as np

from algorithms.kernel import kernel

LAYOUTS = ("columns", "rows")

COLUMNS, ROWS = range(2)
"""Layouts as the state has them."""


@kernel
def pack(a, first, last, at):
    """Write tuples first .. last - 1 as bytes into the scratch, from `at` on."""
    if a.state[0].layout == ROWS:
        pack_rows(a, first, last, at)
    else:
        pack_columns(a, first, last, at)


@kernel
def unpack(a, n, time, at, to):
    """Read n tuples, the first of which has this time, from the scratch at `at`, into the slots from `to` on."""
    if a.state[0].layout == ROWS:
        unpack_rows(a, n, at, to)
    else:
        unpack_columns(a, n, time, at, to)


@kernel(inline=False)
def pack_rows(a, first, last, at):
    """Tuple by tuple."""
    for i in range(first, last):
        for b in range(8):
            a.scratch[at + b] = (a.times[i] >> (8 * b)) & 255
        at += 8
        for c in range(len(a.raw)):
            raw, width = a.raw[c], a.widths[c]
            for b in range(width):
                a.scratch[at + b] = raw[i * width + b]
            at += width


@kernel(inline=False)
def unpack_rows(a, n, at, to):
    """Tuple by tuple."""
    for i in range(to, to + n):
        time = np.int64(0)
        for b in range(8):
            time |= np.int64(a.scratch[at + b]) << (8 * b)
        a.times[i] = time
        at += 8
        for c in range(len(a.raw)):
            raw, width = a.raw[c], a.widths[c]
            for b in range(width):
                raw[i * width + b] = a.scratch[at + b]
            at += width


@kernel(inline=False)
def pack_columns(a, first, last, at):
    """Column by column. The first time is kept elsewhere."""
    n, before = last - first, a.times[first]
    for i in range(n):
        step = a.times[first + i] - before
        before = a.times[first + i]
        for b in range(8):
            a.scratch[at + b * n + i] = (step >> (8 * b)) & 255
    at += 8 * n
    for c in range(len(a.raw)):
        raw, width = a.raw[c], a.widths[c]
        for b in range(width):
            for i in range(n):
                a.scratch[at + b * n + i] = raw[(first + i) * width + b]
        at += width * n


@kernel(inline=False)
def unpack_columns(a, n, time, at, to):
    """Column by column, from the first time on."""
    for i in range(n):
        step = np.int64(0)
        for b in range(8):
            step |= np.int64(a.scratch[at + b * n + i]) << (8 * b)
        time += step
        a.times[to + i] = time
    at += 8 * n
    for c in range(len(a.raw)):
        raw, width = a.raw[c], a.widths[c]
        for b in range(width):
            for i in range(n):
                raw[(to + i) * width + b] = a.scratch[at + b * n + i]
        at += width * n
