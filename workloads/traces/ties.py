"""Items with equal event times: leave them equal, or make every time unique."""

from __future__ import annotations

import numpy as np

SEQUENCE_BITS = 20
CHOICES = ("combine", "sequence")


def resolve(times: np.ndarray, ties: str) -> tuple[np.ndarray, int]:
    """Event times as passed to windows, and the number of ticks in one time unit.

    `combine` leaves equal times equal: windows combine such items into one entry. `sequence` makes each time unique as
    time * 2^20 + k for the k-th arrival (from 0) with that time, so equal times count as in order among themselves and
    no distance changes. int64 in and out, shape (items,); O(n log n).
    Raises ValueError if a time occurs more than 2^20 times, or a product is beyond 2^62: differences have 64 bits.
    """
    if ties == "combine":
        return times, 1
    room = 1 << (62 - SEQUENCE_BITS)
    for extreme in (int(times.min()), int(times.max())):
        if not -room < extreme < room:
            raise ValueError(
                f"ties=sequence multiplies times by 2^{SEQUENCE_BITS}, and time {extreme} is too large for that: "
                f"times must be within +-2^{62 - SEQUENCE_BITS}; take a coarser time unit, or ties=combine"
            )
    sequence = _sequence(times)
    if sequence.max() >> SEQUENCE_BITS:
        time = int(times[sequence.argmax()])
        raise ValueError(
            f"ties=sequence tells at most 2^{SEQUENCE_BITS} equal times apart, and time {time} occurs "
            f"{int(sequence.max()) + 1} times; take a finer time unit, or ties=combine"
        )
    return (times << SEQUENCE_BITS) + sequence, 1 << SEQUENCE_BITS


def _sequence(times: np.ndarray) -> np.ndarray:
    order = np.argsort(times, kind="stable")
    ordered = times[order]
    place = np.arange(len(times))
    first = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    sequence = np.empty(len(times), np.int64)
    sequence[order] = place - np.maximum.accumulate(np.where(first, place, 0))
    return sequence
