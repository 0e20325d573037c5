"""The two engines for sliding windows of many keys, side by side: python -m benchmarks.two_engines

Nanoseconds of processor time per row, a sum over two_stacks_lite. `algorithms.streams` says why there are two.
"""

import time
from collections.abc import Callable, Iterator

import numpy as np

from algorithms import SlidingAggregate
from algorithms.streams.keyed import KeyedAggregate

CASES = [
    # keys, window, slide, rows, rows of a batch
    (1, 1_000_000, 1_000, 200_000, 1_000),
    (1, 1_000_000, 1_000, 3_000_000, 1_000_000),
    (1_000, 100_000, 10_000, 200_000, 1_000),
    (1_000, 10_000, 1_000, 400_000, 100_000),
]
REPETITIONS = 3

Batch = tuple[np.ndarray, np.ndarray, np.ndarray]


def batches(keys: int, first: int, rows: int, size: int) -> Iterator[Batch]:
    """Times, values and keys of rows, a batch at a time; each row is one unit of time after the one before."""
    random = np.random.default_rng(first)
    for start in range(first, first + rows, size):
        times = np.arange(start, min(start + size, first + rows))
        yield times, random.random(len(times)), random.integers(0, keys, len(times))


def sliding(window: int, slide: int) -> Callable[[Batch], None]:
    """A function that passes a batch to a SlidingAggregate."""
    aggregate = SlidingAggregate(size=window, slide=slide, key=True)

    def take(batch: Batch) -> None:
        aggregate.batch(*batch)

    return take


def keyed(window: int, slide: int) -> Callable[[Batch], None]:
    """A function that passes a batch to a KeyedAggregate, with its newest time as the watermark."""
    aggregate = KeyedAggregate("two_stacks_lite", size=window, slide=slide, order="buffer")
    state = aggregate.empty()

    def take(batch: Batch) -> None:
        nonlocal state
        times, values, codes = batch
        _, state, _ = aggregate.take(state, codes, times, {"value": values}, int(times[-1]))

    return take


def nanoseconds(engine: Callable, keys: int, window: int, slide: int, rows: int, size: int) -> float:
    """Processor time per row, once the window is full."""
    take = engine(window, slide)
    for batch in batches(keys, 0, window, window):
        take(batch)
    measured = list(batches(keys, window, rows, size))
    start = time.process_time_ns()
    for batch in measured:
        take(batch)
    return (time.process_time_ns() - start) / rows


def main() -> None:
    """Print one line for each case: least and most of the repetitions, interleaved."""
    for case in CASES:
        samples: dict[str, list[float]] = {"sliding": [], "keyed": []}
        for _ in range(REPETITIONS):
            for engine in (sliding, keyed):
                samples[engine.__name__].append(nanoseconds(engine, *case))
        keys, window, _, _, size = case
        ranges = "   ".join(f"{name} {min(ns):,.0f} to {max(ns):,.0f}" for name, ns in samples.items())
        print(f"{keys:5,} keys, window {window:9,}, batches of {size:9,}:   {ranges} ns a row", flush=True)


if __name__ == "__main__":
    main()
