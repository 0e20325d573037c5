"""How often a window waited for its store, and what was read and written."""

from dataclasses import dataclass


@dataclass
class Traffic:
    """Reads, writes and waits of a window and its store so far."""

    misses: int = 0
    """Nodes that were in no ring and not being read: the window waited for the store, unless they are `handed`."""
    handed: int = 0
    """Of the misses, those found in what was handed over and is not known to be written: no read, and no wait."""
    waits: int = 0
    """Nodes that were already being read; the window waited for the rest of the read."""
    ahead: int = 0
    """Refills of a cache that had arrived when they were needed."""
    commits: int = 0
    blocks_written: int = 0
    bytes_written: int = 0
    bytes_read: int = 0
