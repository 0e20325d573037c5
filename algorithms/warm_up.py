"""Compile what people use first, so that their first calls need not.

    python -m algorithms.warm_up

Compiled code is kept for this user until the library, Numba or Python changes. What is not compiled here is compiled by
the first call that needs it, in one to two seconds for a column and in up to twenty for a tree.
"""

import functools
import time
from collections.abc import Callable, Iterator

import numpy as np
from numba import config

from algorithms.rolling import rolling
from algorithms.streams.sliding import SlidingAggregate
from algorithms.windows.make import window

OPERATORS = ("sum", "mean", "std", "min", "max", "count", "median")
WINDOWS = ("two_stacks_lite", "fiba")
"""One of each order: what the page on choosing a window recommends first."""

TIMES, VALUES = np.arange(8), np.arange(8.0)


def rows(operator: str) -> None:
    rolling(VALUES, 3, operator)


def lengths_of_time(operator: str) -> None:
    rolling(VALUES, 3, operator, times=TIMES)


def columns_by_key(operator: str) -> None:
    rolling(VALUES, 3, operator, times=TIMES, by=TIMES % 2)


def one_by_one(name: str, operator: str) -> None:
    w = window(name, operator=operator, capacity=20)
    w.insert_many(TIMES, VALUES)
    w.insert(9, 1.0)
    w.query(), w.oldest(), w.youngest(), len(w)
    w.evict()
    if "bulk_evict" in w.card.operations:
        w.bulk_evict(3)


def streams(algorithm: str, operator: str) -> None:
    s = SlidingAggregate(algorithm, operator=operator, size=4, slide=2, lateness=1 if algorithm == "fiba" else None)
    s.batch(TIMES, VALUES)
    s.flush()


def steps() -> Iterator[tuple[str, Callable[[], None]]]:
    """What is compiled, in words, and the calls that need it."""
    for words, call in (
        ("rolling over rows", rows),
        ("rolling over lengths of time", lengths_of_time),
        ("rolling by key", columns_by_key),
    ):
        for operator in OPERATORS:
            yield f"{words}: {operator}", functools.partial(call, operator)
    for name in WINDOWS:
        for operator in ("sum", "max"):
            yield f"window {name}: {operator}", functools.partial(one_by_one, name, operator)
            yield f"SlidingAggregate, {name}: {operator}", functools.partial(streams, name, operator)


def main() -> None:
    """Go through all steps and print what each took."""
    begin = time.perf_counter()
    for words, call in steps():
        print(f"compiling {words} ... ", end="", flush=True)
        start = time.perf_counter()
        call()
        print(f"{time.perf_counter() - start:.1f} s", flush=True)
    folder = getattr(config, "CACHE_DIR", "memory")  # set by the kernel, where any folder can be written
    print(f"{time.perf_counter() - begin:.0f} s in all; compiled code is kept in {folder}")


if __name__ == "__main__":
    main()
