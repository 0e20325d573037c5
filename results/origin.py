"""Which of the rows of a cell count: those of one code, one trace and one machine."""

from collections.abc import Mapping

import pandas as pd

ORIGIN = ["code_hash", "trace_hash", "machine"]


def of_one_origin(rows: pd.DataFrame, codes: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Of each cell the rows with the newest origin, in the order in which they were started. O(rows log rows).

    `codes` are the hashes of today's code by cell. A cell that has rows of it keeps these, as a run does, even if rows
    of other code are newer: the code may have been changed back, or the clock.
    """
    ordered = rows.sort_values("started")
    today = ordered["cell"].map(codes or {}) == ordered["code_hash"]
    ordered = ordered[today | ~today.groupby(ordered["cell"]).transform("any")]
    newest = ordered.groupby("cell")[ORIGIN].transform("last")
    return ordered[(ordered[ORIGIN] == newest).all(axis=1)]
