"""Sliding-window aggregation: windows, operators, and the catalogue of both.

from algorithms import catalogue, operators, window

w = window("fiba", operator="max", capacity=1_000_000, min_arity=4)
w.insert(3, 2.5)
w.query()
"""

from algorithms import operators, policies
from algorithms.facade import (
    CapacityError,
    EmptyWindowError,
    MemoryEstimateError,
    OperationError,
    OrderError,
    TimeError,
    ValueKindError,
    Window,
    WindowError,
    window,
)
from algorithms.slicing import ready_made as queries
from algorithms.slicing.discretize import QueryError
from algorithms.slicing.shared import SharedAggregate
from algorithms.spilling.compressed import CompressedAggregate
from algorithms.spilling.stores import StoreError
from algorithms.window import Card, catalogue
from algorithms.windowing import MARK, SlidingAggregate

__all__ = [
    "CapacityError",
    "Card",
    "CompressedAggregate",
    "EmptyWindowError",
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
