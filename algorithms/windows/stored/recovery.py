"""Reopening a window: its pointers come from the header, its tails from the last blocks of every level."""

from typing import Any

from algorithms.windows.stored.documents import block_key, header_key, nodes_of, recovered
from algorithms.windows.stored.stores import StoreError, persistently

RESTORED = ("front", "end", "top", "stacked", "left", "due", "handed")
"""The pointers that a header restores; the layout determines the others."""


def recover(storage: Any, capacity: int) -> None:
    """Make the new window of a Storage the one that is in its store, if there is one.

    Raises ValueError if that is of another kind or has more than `capacity` entries, StoreError if it is not all there.
    """
    (document,) = persistently(storage.store.read, [header_key(storage.name)])
    if document is None:
        return
    try:
        said = recovered(document, storage.w, storage.signed, storage.first)
    except ValueError as error:
        raise ValueError(f"window {storage.name!r} is in the store, but cannot be opened so: {error}") from None
    count = int(said.ends["end"] - said.ends["front"])
    if count > capacity:
        raise ValueError(
            f"window {storage.name!r} has {count} entries in the store: open it with at least that capacity"
        )
    for field in RESTORED:
        storage.ends[field] = said.ends[field]
    storage.agg[: storage.first] = said.fixed
    levels = min(len(storage.level), len(said.level))
    for level in range(levels):
        for field in ("stored", "trimmed"):
            storage.level[field][level] = said.level[field][level]
        recover_tail(storage, level)
    recover_times_above(storage)
    storage.agg[storage.youngest()[:levels]] = said.youngest[:levels]
    storage.acknowledged = int(said.ends["end"])
    storage.header = document


def recover_times_above(storage: Any) -> None:
    """The times of whole nodes on levels that Log MTA has yet to grow: written when the last element came, not since.

    It is the youngest whole node of each such level, if any, and is as old as the right node below.
    """
    front, end, top = (int(storage.ends[0][field]) for field in ("front", "end", "top"))
    for level in range(top + 1, len(storage.level)):
        j = (end >> level) - 1
        if j >= front >> level:
            below = storage.slots(level - 1, 2 * j + 1, 2 * j + 2)
            storage.time[storage.slots(level, j, j + 1)] = storage.time[below]


def recover_tail(storage: Any, level: int) -> None:
    """The nodes of a level that `levels.place` looks for in its tail."""
    front, end, top, mask = (int(storage.ends[0][field]) for field in ("front", "end", "top", "mask"))
    count, block = storage.final(storage.w, end, top, level), storage.block
    first = max(front >> level, ((end - 1) >> level) - mask)
    numbers = range(first // block, -(-count // block) if first < count else 0)
    documents = persistently(storage.store.read, [block_key(storage.name, level, number) for number in numbers])
    for number, document in zip(numbers, documents, strict=True):
        begin, last = number * block, min((number + 1) * block, count)
        times, partials = nodes_of(document or b"", storage.agg.dtype)
        if len(times) < last - begin:
            raise StoreError(f"block {number} of level {level} of window {storage.name!r} is missing or cut off")
        keep, slots = slice(max(first - begin, 0), last - begin), storage.slots(level, max(first, begin), last)
        storage.time[slots], storage.agg[slots] = times[keep], partials[keep]
