"""A window as the bytes that are compressed: columns, times as steps, and the bytes of equal significance side by side.

Of n tuples first the lowest bytes of all steps of time come, then the next ones up to the eighth; likewise each column
of values. A vehicle reports every 30 s a speed below 256, so that most of these runs are of one byte repeated, which
codecs for bytes find. Forty such tuples, 640 bytes as they are, take 312 with Snappy row by row, 159 column by column,
and 117 so.
"""

import numpy as np

from algorithms.kernel import kernel


@kernel(inline=False)
def pack(a, first, last, at):
    """Tuples first .. last - 1 as bytes into the scratch, from `at` on. The time of the first is kept elsewhere."""
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
def unpack(a, n, time, at, to):
    """The n tuples, whose bytes are in the scratch from `at` on and the first of which has this time, to slot `to`."""
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
