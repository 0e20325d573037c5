"""numbagg: generalised ufuncs by Numba over an array, in a pool of threads, of which a single column keeps one busy."""

import numpy as np

from experiments.peers.measuring.columns import MISSING, ROWS, Column
from experiments.peers.measuring.libraries import Call

PACKAGE = "numbagg"
THREADS = "one for each core, one of them at work"
KINDS = (ROWS, MISSING)
TASKS = ("sum", "mean", "std")


def prepare(task: str, column: Column, window: int) -> Call:
    import numbagg

    move, least = getattr(numbagg, f"move_{task}"), 1 if column.kind == MISSING else None

    def read(result: np.ndarray) -> dict[str, np.ndarray]:
        return {task: result}

    return Call(lambda: move(column.values, window=window, min_count=least), read)
