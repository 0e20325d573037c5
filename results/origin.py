"""Which of the rows of a cell count: those of the code, the trace and the machine that measured it last."""

import pandas as pd

ORIGIN = ["code_hash", "trace_hash", "machine"]


def of_newest_origin(rows: pd.DataFrame) -> pd.DataFrame:
    """Of each cell the rows with the newest origin, in the order in which they were started. O(rows log rows)."""
    ordered = rows.sort_values("started")
    newest = ordered.groupby("cell")[ORIGIN].transform("last")
    return ordered[(ordered[ORIGIN] == newest).all(axis=1)]
