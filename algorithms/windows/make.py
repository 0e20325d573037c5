"""`window("fiba", operator="max", capacity=1_000_000)`: an empty window of the catalogue."""

from typing import Any

from algorithms import operators
from algorithms.times import KINDS
from algorithms.windows.choosing.choice import AUTO, Choice, choice, hints_of
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
    **parameters: Any,
) -> Window:
    """An empty sliding window.

    name        of the algorithm, as in `catalogue()`; or "auto", the fastest by a table of measured costs (see below)
    operator    name of an operator, or an operator made by `operators.make` or `operators.from_functions`;
                "collect" by name has room for `capacity` values in each partial aggregate of the window
    capacity    the largest number of entries
    time        type of times: "int64", "float64" or "datetime64"
    dtype       type of values, for an operator named by a string: "float64" (default) or "int64", exact
    policy      what to evict after an insert: a slide policy of `policies`, or a result of `policies.from_function`
    store       where kvs_amta and kvs_log_mta are kept: "lmdb:FOLDER", "redis://HOST:PORT", "redis+cluster://HOST:PORT",
                or an opened store; by default a temporary folder that is deleted with the window
    stored_as   the window's name in the store, by default "window"; a stored window of that name is reopened
    parameters  of the algorithm, such as min_arity of fiba; of "auto" these four:
    distance    how many younger entries are there where a value enters, about: 0 if times never decrease, or with a
                policy. By default it is not known, so that any order is taken
    batch       values that enter and leave between two queries, by default 1
    calls       operations that will be called besides insert, evict and query, such as ["range_query"]
    trial       how many of the windows that are expected to be the quickest are timed: by default 5 for an operator of
                your own, else 1, which is none

    "auto" counts on a window as full as `capacity`, in memory, and on the time of all calls together: for the shortest
    single call see the cards. It takes none that adds rounding errors. `choice` of the window says what it was chosen
    from, `card` what it is. An operator of your own is timed at first in a process; that takes some seconds where its
    code is not yet on disk.

    Raises ValueError for unknown names (suggesting the nearest), wrong parameters, an operator that lacks a law the
    algorithm needs or that no window in memory suits, or a stored window of another kind; MemoryEstimateError if the
    window would not fit into memory; StoreError if the store fails.

    >>> from sliding_windows import window
    >>> w = window("fiba", operator="max", capacity=1000)
    >>> w.insert_many([3, 7, 5], [2.0, 4.0, 8.0])
    >>> w.query(), w.range_query(3, 4)
    (8.0, 2.0)
    """
    if time not in KINDS:
        raise ValueError(unknown("kind of time", time, KINDS))
    capacity = whole("capacity", capacity)
    if stored_as is not None and store is None:
        raise ValueError(f"stored_as={stored_as!r} names a window in a store: give store= as well")
    window_card = None if name == AUTO else card(name)
    op, chosen = operators.chosen("operator", operator, dtype, int(capacity) + 1), None
    if window_card is None:
        chosen = _chosen(op, int(capacity), parameters, policy, store)
        window_card, parameters = chosen.candidate.card, dict(chosen.candidate.parameters)
    window_card.must_fit(op, int(capacity), parameters)
    if policy is not None:
        from algorithms.windows.policy_window import PolicyWindow  # which is a Window

        empty: Window = PolicyWindow(window_card, op, int(capacity), time, parameters, policy)
    else:
        empty = Window(window_card, op, int(capacity), time, parameters)
    empty.choice = chosen
    if store is not None:
        empty.storage.attach(store, "window" if stored_as is None else stored_as, int(capacity), time)
    return empty


def _chosen(op: Any, capacity: int, hints: dict[str, Any], policy: Any, store: Any) -> Choice:
    """The choice for `window("auto", ...)`. With a policy times may not decrease, whatever the window."""
    if store is not None:
        raise ValueError(f"store={store!r}: {AUTO!r} chooses among windows in memory; kvs_amta is kept in a store")
    return choice(op, capacity, **({"distance": 0} if policy is not None else {}) | hints_of(hints))
