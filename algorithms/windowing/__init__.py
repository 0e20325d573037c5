"""Windows over streams: policies say what is in a window and when it fires, windows of the catalogue aggregate it."""

from algorithms.windowing.aggregate import MARK, SlidingAggregate

__all__ = ["MARK", "SlidingAggregate"]
