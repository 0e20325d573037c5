"""Made-up rows for tests of judges: what a run would store, with the values that a test wants."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from results import empty_row

OPERATIONS = 1000


def row(algorithm: str, parameters: Mapping[str, Any] | None = None, **columns: Any) -> dict[str, Any]:
    """A good row; `ns` is the time of one operation, any other keyword a column."""
    if "ns" in columns:
        columns |= {"metric": "time", "unit": "ns", "value": OPERATIONS * columns.pop("ns")}
    usual = {"parameters": json.dumps(parameters or {}), "operator": "sum", "status": "ok", "operations": OPERATIONS}
    return empty_row() | {"algorithm": algorithm} | usual | columns


def frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """The rows as the store gives them."""
    return pd.DataFrame(list(rows), columns=list(empty_row())).astype({"distance": "Int64", "batch": "Int64"})
