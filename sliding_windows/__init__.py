"""Sliding-window aggregation: the library under one name, for those who install it.

from sliding_windows import rolling, window

w = window("fiba", operator="max", capacity=1_000_000)
w.insert(3, 2.5)
w.query()

The same names can be imported from `algorithms` in a checkout. `sliding_windows.spark` has the operator for Spark.
"""

from algorithms import *  # noqa: F403 - the same names
from algorithms import __all__ as __all__

__version__ = "0.1.0"
