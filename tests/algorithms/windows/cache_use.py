"""Compile or load one driver and say which, and how long it took."""

import json
import time

import numpy as np

from algorithms import operators
from algorithms.kernel import slots
from algorithms.windows.contract import card
from experiments.harness.measuring.drivers import insert_run

if __name__ == "__main__":
    values = slots(3, np.int64, "column")
    values[:] = [1, 2, 3]
    w = card("fiba").new(operators.make("sum", "int64"), 100)
    start = time.perf_counter()
    insert_run(w, 0, 50, 0, values, 3)
    seconds = time.perf_counter() - start
    hits, misses = (sum(counts.values()) for counts in (insert_run.stats.cache_hits, insert_run.stats.cache_misses))
    print(json.dumps({"hits": hits, "misses": misses, "seconds": seconds, "answer": int(w.tree[0].entries)}))
