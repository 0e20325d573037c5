"""What would not fit into this machine's memory is refused before it is taken, with the estimate."""

import os

from algorithms.errors import MemoryEstimateError


def must_be_there(needed: float, what: str) -> None:
    """Raise MemoryEstimateError if this machine has not got so many bytes for what needs them."""
    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if needed > there:
        raise MemoryEstimateError(
            f"{what} needs up to {needed / 2**30:,.1f} GiB; this machine has {there / 2**30:,.1f} GiB"
        )
