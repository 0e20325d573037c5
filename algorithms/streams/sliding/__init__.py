"""Windows over streams: policies say what is in a window and when it fires; windows of the catalogue aggregate it.

`keyed` is the same for engines that keep the state themselves: many keys at once, and a watermark.
"""

from algorithms.streams.sliding.aggregate import MARK, SlidingAggregate

__all__ = ["MARK", "SlidingAggregate"]
