"""Result rows: what a row is (`schema`) and where rows live on disk (`store`).

A row is one raw sample with its origin. Nothing is aggregated here: `plots` and the claims compute medians and bands
from the rows.
"""

from results.schema import (
    DISAGREES,
    FAILED,
    OK,
    SCHEMA,
    SKIPPED,
    STATUSES,
    TIMEOUT,
    RowError,
    empty_row,
    validate,
)
from results.store import ResultsError, Store

__all__ = [
    "DISAGREES",
    "FAILED",
    "OK",
    "SCHEMA",
    "SKIPPED",
    "STATUSES",
    "TIMEOUT",
    "ResultsError",
    "RowError",
    "Store",
    "empty_row",
    "validate",
]
