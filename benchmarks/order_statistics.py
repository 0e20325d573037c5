"""What an update of a median costs: evict, insert and ask, beside a sorted list and pandas. In turns, in one process.

    python -m benchmarks.order_statistics 1000 500000

For each window size and shape of data: nanoseconds of processor time a row, the median of three turns, and how many
times as long the others take. The list is kept sorted by `bisect` and asked for its middle: C's memmove under a loop of
Python.
"""

import bisect
import statistics
import sys
import time

import numpy as np
import pandas as pd

from algorithms import OrderedWindow
from algorithms.order_statistics import rolling_median

TURNS = 3
LIST_ROWS = 2_000
"""How many rows of the list's are timed, from the first full window on; of the others all, most of them full."""


def rows_of(n):
    return max(5 * n, 200_000)


def shapes(n):
    rng = np.random.default_rng(7)
    m = rows_of(n)
    return {
        "random": rng.normal(size=m),
        "sorted": np.arange(m, dtype=np.float64),
        "ties": rng.integers(0, 100, m).astype(np.float64),
        "sawtooth": (np.arange(m) % n).astype(np.float64),
    }


def seconds(run):
    begin = time.thread_time()
    run()
    return time.thread_time() - begin


def ours(values, n):
    return seconds(lambda: rolling_median(values, n)) / len(values)


def in_pandas(values, n):
    return seconds(lambda: pd.Series(values).rolling(n, min_periods=1).median()) / len(values)


def listed(values, n):
    kept, column = sorted(values[:n].tolist()), values[: n + LIST_ROWS].tolist()

    def run():
        for i in range(n, n + LIST_ROWS):
            del kept[bisect.bisect_left(kept, column[i - n])]
            bisect.insort(kept, column[i])
            (kept[(n - 1) // 2] + kept[n // 2]) / 2

    return seconds(run) / LIST_ROWS


def late(n, rows):
    """A window in any order: each row a tenth of the window late at most; batches of evictions and insertions."""
    rng = np.random.default_rng(8)
    times = np.arange(n + rows) - rng.integers(0, max(n // 10, 1), n + rows)
    values, w, step = rng.normal(size=n + rows), OrderedWindow(n + rows), 10_000
    w.insert_many(times[:n], values[:n])

    def run():
        for first in range(n, n + rows, step):
            w.bulk_evict(first + step - n - 1)
            w.insert_many(times[first : first + step], values[first : first + step])
            w.median()

    return seconds(run) / rows


def main(sizes):
    tried = {"ours": ours, "sorted list": listed, "pandas": in_pandas}
    ours(np.ones(9), 2), late(100, 100)  # compiles
    for n in sizes:
        for shape, values in shapes(n).items():
            turns = [[run(values, n) * 1e9 for run in tried.values()] for _ in range(TURNS)]
            took = dict(zip(tried, map(statistics.median, zip(*turns, strict=True)), strict=True))
            ratios = ", ".join(f"{name} {took[name] / took['ours']:.1f} times" for name in list(tried)[1:])
            print(f"n = {n:,} {shape}: {took['ours']:.0f} ns a row; {ratios}", flush=True)
        print(f"n = {n:,} in any order: {statistics.median(late(n, 200_000) for _ in range(TURNS)) * 1e9:.0f} ns a row")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [1000, 500_000])
