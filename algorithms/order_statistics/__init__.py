"""Order statistics of sliding windows, exact: median, quantiles, ranks, distinct values, the mode.

`OrderedWindow` is a window that is filled and asked; the rolling functions take whole columns.
"""

from algorithms.order_statistics.rolling import (
    Extents,
    extents,
    rolling_distinct,
    rolling_median,
    rolling_mode,
    rolling_quantile,
    rolling_rank,
)
from algorithms.order_statistics.window import OrderedWindow

__all__ = [
    "Extents",
    "OrderedWindow",
    "extents",
    "rolling_distinct",
    "rolling_median",
    "rolling_mode",
    "rolling_quantile",
    "rolling_rank",
]
