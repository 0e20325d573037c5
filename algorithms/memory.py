"""What would not fit into this machine's memory is refused before it is taken, with the estimate."""

import os

from algorithms.errors import MemoryEstimateError


def must_fit_memory(needed: float, purpose: str) -> None:
    """Raise MemoryEstimateError if this machine has fewer bytes than the purpose needs."""
    available = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if needed > available:
        raise MemoryEstimateError(
            f"{purpose} needs up to {needed / 2**30:,.1f} GiB; this machine has {available / 2**30:,.1f} GiB"
        )
