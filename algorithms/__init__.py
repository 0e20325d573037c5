"""Sliding-window aggregation: windows, operators, and the catalogue of both.

from algorithms import catalogue, operators, window

w = window("fiba", operator="max", capacity=1_000_000, min_arity=4)
w.insert(3, 2.5)
w.query()
"""

from algorithms import operators
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
from algorithms.window import Card, catalogue

__all__ = [
    "CapacityError",
    "Card",
    "EmptyWindowError",
    "MemoryEstimateError",
    "OperationError",
    "OrderError",
    "TimeError",
    "ValueKindError",
    "Window",
    "WindowError",
    "catalogue",
    "operators",
    "window",
]
