"""Rows of several keys, out of order, with nulls and NaN; and what is to come of them, by brute force."""

import math
import os
from itertools import groupby

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

START = 1_600_000_000_000_000
SECOND = 1_000_000


def rows(n, keys, first=0, spread=10, disorder=2, seed=0):
    """(key, time, value): times of `spread` seconds from `first` on, whole tenths, up to `disorder` seconds late."""
    rng = np.random.default_rng(seed)
    times = np.sort(rng.integers(0, 10 * spread, n)) - rng.integers(0, 10 * disorder + 1, n)
    chosen = rng.integers(0, len(keys), n)
    values = rng.integers(-9, 10, n).astype(float)
    return [
        (keys[k], START + SECOND * first + SECOND // 10 * int(t), float(v)) for k, t, v in zip(chosen, times, values)
    ]


def table(some):
    """The rows as an Arrow table: user, ts, v."""
    users, times, values = zip(*some, strict=True) if some else ((), (), ())
    return pa.table(
        {
            "user": pa.array(users, pa.string()),
            "ts": pa.array(times, pa.timestamp("us", "UTC")),
            "v": pa.array(values, pa.float64(), from_pandas=False),
        }
    )


def write(folder, number, some):
    """Add a file of rows to a folder that a stream reads.

    A stream takes files by the millisecond in which they were written, and those of the same one as they come.
    """
    folder.mkdir(exist_ok=True, parents=True)
    hidden = folder / f".{number}.tmp"
    pq.write_table(table(some), hidden)
    os.utime(hidden, (number, START // SECOND + number))
    hidden.rename(folder / f"{number:04d}.parquet")


def alike(x):
    """A value that can be compared and sorted: NaN and None equal themselves."""
    if x is None:
        return (0, 0)
    if isinstance(x, float) and math.isnan(x):
        return (1, 0)
    return (2, x)


def per_slide(some, size, slide, aggregate, watermark=None):
    """{(key, end): result} of windows [end - size, end), for ends up to the watermark."""
    found = {}
    for _, of_key in groupby(sorted(some, key=lambda row: alike(row[0])), key=lambda row: alike(row[0])):
        mine = list(of_key)
        for end in {(time // slide + 1) * slide + i * slide for _, time, _ in mine for i in range(size // slide + 1)}:
            inside = [row for row in mine if end - size <= row[1] < end]
            if inside and (watermark is None or end <= watermark):
                found[alike(mine[0][0]), end] = aggregate([v for *_, v in sorted(inside, key=lambda r: r[1])])
    return found


def per_open_slide(some, size, slide, aggregate):
    """As `per_slide`, of rows (key, time, value, watermark before): they count in windows that it has not ended."""
    found = {}
    for user, time, v, before in some:
        first = time // slide * slide + slide
        for end in range(first, time + size + 1, slide):
            if end > before:
                found.setdefault((alike(user), end), []).append(v)
    return {window: aggregate(values) for window, values in found.items()}


def per_row(some, size, aggregate, watermark=None):
    """(key, time, value, result) of every row, its window being (time - size, time]; sorted."""
    found = []
    for user, time, value in some:
        if watermark is None or time <= watermark:
            inside = [v for u, t, v in some if alike(u) == alike(user) and time - size < t <= time]
            found.append((alike(user), time, alike(value), alike(aggregate(inside))))
    return sorted(found)


def total(values):
    """The sum of what is there; None if nothing is."""
    there = [v for v in values if v is not None]
    return sum(there) if there else None


def highest(values):
    there = [v for v in values if v is not None]
    return max(there) if there else None
