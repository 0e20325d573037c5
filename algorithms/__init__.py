"""Sliding-window aggregation: windows, operators, and the catalogue of both.

from algorithms import catalogue, operators, window

w = window("fiba", operator="max", capacity=1_000_000, min_arity=4)
w.insert(3, 2.5)
w.query()
"""

from algorithms import names_of_code  # noqa: F401, I001 (before anything is compiled)
from algorithms import operators
from algorithms.advice import advise
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
from algorithms.order_statistics import OrderedWindow
from algorithms.rolling import rolling
from algorithms.streams.compressed import CompressedAggregate
from algorithms.streams.shared import ready_made as queries
from algorithms.streams.shared.aggregate import SharedAggregate
from algorithms.streams.shared.discretize import QueryError
from algorithms.streams.sliding import MARK, SlidingAggregate
from algorithms.streams.window_spec import WindowSpec
from algorithms.times import TimeError
from algorithms.windows import slide_policies as policies
from algorithms.windows.contract import Card, catalogue
from algorithms.windows.facade import Window
from algorithms.windows.make import window
from algorithms.windows.stored.stores import StoreError

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
    "OrderedWindow",
    "QueryError",
    "SharedAggregate",
    "SlidingAggregate",
    "StoreError",
    "TimeError",
    "ValueKindError",
    "Window",
    "WindowError",
    "WindowSpec",
    "advise",
    "catalogue",
    "operators",
    "policies",
    "queries",
    "rolling",
    "window",
]
