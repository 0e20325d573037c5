"""Threads for loops over long columns: kernels hold no lock of Python, so that each core takes some of the rows."""

import functools
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from algorithms.kernel import PLAIN

ROWS_PER_THREAD = 100_000
"""So many rows take a fraction of a millisecond; to start a thread and wait for it takes about 0.1."""

PARTS = 4
"""Parts for each thread. Whoever is free takes the next one: a thread that wakes a millisecond late has fewer."""


def threads_for(rows: int) -> int:
    """How many threads pay for so many rows."""
    return 1 if PLAIN else max(1, min(len(os.sched_getaffinity(0)), rows // ROWS_PER_THREAD))


def parts_for(rows: int) -> int:
    """Into how many parts so many rows are divided."""
    return PARTS * threads_for(rows) if threads_for(rows) > 1 else 1


def shared(parts: Iterable[tuple[Any, ...]], run: Callable[..., None], threads: int) -> None:
    """Call run(*part) for all parts, in so many threads. What one raises is raised."""
    todo = iter(list(parts))  # of a list: two threads may ask at a time

    def work() -> None:
        for part in todo:
            run(*part)

    helpers = [pool(os.getpid()).submit(work) for _ in range(threads - 1)]
    work()
    for helper in helpers:
        if not helper.cancel():  # one that has not begun by now is not waited for
            helper.result()


@functools.cache
def pool(process: int) -> ThreadPoolExecutor:
    """The threads of a process; a forked one has none of its parent's. To start one takes as long as 300,000 rows."""
    return ThreadPoolExecutor(max(1, len(os.sched_getaffinity(0)) - 1), "rolling")
