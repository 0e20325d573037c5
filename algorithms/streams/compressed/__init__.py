"""A_C: aggregates whose windows are compressed when they have not been updated for a while."""

from algorithms.streams.compressed.aggregate import CompressedAggregate

__all__ = ["CompressedAggregate"]
