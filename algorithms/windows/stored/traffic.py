"""How often a window waited for its store, and what went between them."""

from dataclasses import dataclass


@dataclass
class Traffic:
    """What has gone between a window and its store so far."""

    misses: int = 0
    """Nodes that were read, not here and not on their way either: the window waited for the store."""
    waits: int = 0
    """Nodes that were on their way; the window waited for the rest of it."""
    ahead: int = 0
    """Refills of a cache that had come when they were needed."""
    commits: int = 0
    blocks_written: int = 0
    bytes_written: int = 0
    bytes_read: int = 0
