"""Sliding-window aggregation: windows, operators, and the catalogue of both.

from algorithms import catalogue, operators, window

w = window("fiba", operator="max", capacity=1_000_000, min_arity=4)
w.insert(3, 2.5)
w.query()
"""

from algorithms import operators, policies
from algorithms.errors import (
    CapacityError,
    EmptyWindowError,
    InUseError,
    MemoryEstimateError,
    OperationError,
    OrderError,
    ValueKindError,
    WindowError,
)
from algorithms.facade import Window, window
from algorithms.slicing import ready_made as queries
from algorithms.slicing.discretize import QueryError
from algorithms.slicing.shared import SharedAggregate
from algorithms.spilling.compressed import CompressedAggregate
from algorithms.spilling.stores import StoreError
from algorithms.times import TimeError
from algorithms.window import Card, catalogue
from algorithms.windowing import MARK, SlidingAggregate

__all__ = [
    "CapacityError",
    "Card",
    "CompressedAggregate",
    "EmptyWindowError",
    "InUseError",
    "MARK",
    "MemoryEstimateError",
    "OperationError",
    "OrderError",
    "QueryError",
    "SharedAggregate",
    "SlidingAggregate",
    "StoreError",
    "TimeError",
    "ValueKindError",
    "Window",
    "WindowError",
    "catalogue",
    "operators",
    "policies",
    "queries",
    "window",
]
