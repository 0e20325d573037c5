"""The aggregate operator for Spark: sliding windows of the catalogue over DataFrames, streaming or not."""

from streaming.dataframes import sliding_aggregate
from streaming.sink import SlidingAggregateSink
from streaming.state import StateError

__all__ = ["SlidingAggregateSink", "StateError", "sliding_aggregate"]
