"""`window("fiba", operator="max", capacity=1_000_000)`: an empty window of the catalogue."""

from typing import Any

from algorithms import operators
from algorithms.times import KINDS
from algorithms.windows.contract import card
from algorithms.windows.facade import Window
from safeguards.wrong_input import unknown, whole


def window(
    name: str,
    operator: Any = "sum",
    capacity: int = 1_000_000,
    *,
    time: str = "int64",
    dtype: str | None = None,
    policy: Any = None,
    store: Any = None,
    stored_as: str | None = None,
    **parameters: int,
) -> Window:
    """An empty sliding window.

    name        of the algorithm, as in `catalogue()`
    operator    name of an operator, or an operator made by `operators.make` or `operators.from_functions`;
                "collect" by name has room for `capacity` values in each partial aggregate of the window
    capacity    the largest number of entries
    time        type of times: "int64", "float64" or "datetime64"
    dtype       type of values, for an operator named by a string: "float64" (default) or "int64", exact
    policy      what to evict after an insert: a slide policy of `policies`, or a result of `policies.from_function`
    store       where kvs_amta and kvs_log_mta are kept: "lmdb:FOLDER", "redis://HOST:PORT", "redis+cluster://HOST:PORT",
                or an opened store; by default a temporary folder that is deleted with the window
    stored_as   the window's name in the store, by default "window"; a stored window of that name is reopened
    parameters  of the algorithm, such as min_arity of fiba

    Raises ValueError for unknown names (suggesting the nearest), wrong parameters, an operator that lacks a law the
    algorithm needs, or a stored window of another kind; MemoryEstimateError if the window would not fit into memory;
    StoreError if the store fails.
    """
    if time not in KINDS:
        raise ValueError(unknown("kind of time", time, KINDS))
    capacity = whole("capacity", capacity)
    if stored_as is not None and store is None:
        raise ValueError(f"stored_as={stored_as!r} names a window in a store: give store= as well")
    window_card = card(name)
    op = operators.chosen("operator", operator, dtype, int(capacity) + 1)
    window_card.must_fit(op, int(capacity), parameters)
    if policy is not None:
        from algorithms.windows.policy_window import PolicyWindow  # which is a Window

        empty: Window = PolicyWindow(window_card, op, int(capacity), time, parameters, policy)
    else:
        empty = Window(window_card, op, int(capacity), time, parameters)
    if store is not None:
        empty.storage.attach(store, "window" if stored_as is None else stored_as, int(capacity), time)
    return empty
