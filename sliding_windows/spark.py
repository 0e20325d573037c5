"""The aggregate operator for Spark: DataFrames, streams with a sink that keeps state, and SQL. Needs pyspark."""

from streaming import SlidingAggregateSink, StateError, sliding_aggregate
from streaming.sql import register

__all__ = ["SlidingAggregateSink", "StateError", "register", "sliding_aggregate"]
