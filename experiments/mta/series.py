"""The series of the MTA paper's figures: algorithms in memory, and the same in key-value stores."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import point
from experiments.harness.measured import Measured, NotMeasuredError, Table, lines_of, where
from experiments.harness.settings import Settings, SettingsError
from experiments.mta.measuring.stores import parsed

LOG, AMORTISED, DABA = "log_mta", "amta", "daba"
STORED = {f"kvs_{AMORTISED}": AMORTISED, f"kvs_{LOG}": LOG}
"""Windows in a key-value store, and what each is in memory."""

MICROSECOND, MILLISECOND = 1e3, 1e6
"""Nanoseconds."""


def points(settings: Settings, algorithm: Mapping[str, Any], operator: str, n: int, **fields: Any) -> list[Cell]:
    """The cells of an algorithm in order: one, or one for each store. `fields`: as of `grid.point`."""
    uses = fields.pop("uses", {})
    return [
        point(settings, algorithm, operator, n, 0, uses={**uses, **use}, **fields)
        for use in uses_of_stores(settings, algorithm["name"])
    ]


def uses_of_stores(settings: Settings, name: str) -> list[dict[str, str]]:
    """One use for each store, of a window that is kept in one; else none. Raises SettingsError for an unknown store."""
    if name not in STORED:
        return [{}]
    for store in settings.store:
        try:
            parsed(store)
        except ValueError as error:
            raise SettingsError(str(error)) from None
    return [{"store": store} for store in settings.store]


def largest_window(measured: Measured, printed: int = 0) -> int:
    """The largest window that was measured. Raises NotMeasuredError if that is less than the paper's."""
    if measured.rows.empty:
        raise NotMeasuredError("no rows")
    n = int(measured.rows["window"].max())
    if n < printed:
        raise NotMeasuredError(f"needs a window of {printed:,} elements, not {n:,}: the number depends on it")
    return n


def in_memory(table: Table, name: str) -> Table:
    """The lines of an algorithm in memory, without the keys `algorithm` and `store`."""
    return lines_of(table, algorithm=name, store="")


def in_stores(table: Table) -> Table:
    """The lines of windows in key-value stores. Raises NotMeasuredError if there are none."""
    return where(table, algorithm=STORED)


def beside_memory(
    table: Table, of: Callable[[Table, Table], Table], memory: Mapping[str, Table] | None = None
) -> Table:
    """of(in the store, in memory) for every line of a window in a store: beside the same algorithm in memory.

    `memory`: by window in a store, the lines to hold it against instead; others are left out. Raises NotMeasuredError.
    """
    found = []
    for name in memory or STORED:
        there = table[table.index.get_level_values("algorithm") == name]
        if len(there):
            here = memory[name] if memory else in_memory(table, STORED[name])
            keys = [level for level in there.index.names if level not in ("algorithm", "store")]
            others = there.index.to_frame()[keys]
            here = here.reindex(pd.MultiIndex.from_frame(others)).set_axis(there.index, axis=0)
            found.append(of(there, here))
    if not found:
        raise NotMeasuredError("no window in a key-value store was measured")
    return pd.concat(found)


def stored(measured: Measured, name: str) -> Table:
    """A number of the facts of windows in stores, by algorithm, store and window."""
    return measured.fact(name, "algorithm", "store", "window", metric="time", algorithm=list(STORED))
