"""The Storage of a window: what moves between its rings of nodes and a key-value store, and when.

Kernels call back here (`levels`); all of it happens in the thread that uses the window, except what the store does: one
thread beside it writes what is handed over and reads ahead, in the order asked.

What lasts. A commit writes all nodes that became final, and a header with the state of the window, as one. It happens
whenever `buffer` elements have come since the last, in the background; and at `flush` and `close`, which return when it
is done. A window opened again, after whatever ended the process, is as it was at the last commit that was completed:
nothing that `flush` has returned for is ever lost, and later inserts and evictions are undone together. `acknowledged`
says how far that is.

A store that fails is asked again a few times, then StoreError is raised, before the window is changed; what was handed
over is kept, and written first when the window is used again. A commit is refused where the store has another
header than this window left there: two that have one window open do not undo each other's work unnoticed.
"""

import _thread
import shutil
import tempfile
import weakref
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import CALLABLE, address_of
from algorithms.windows.stored.documents import (
    Recovered,
    block_key,
    block_keys,
    block_of,
    header_key,
    header_of,
    must_be_name,
    nodes_of,
    signature,
)
from algorithms.windows.stored.recovery import recover
from algorithms.windows.stored.request import AHEAD, FETCH, HAND_OVER
from algorithms.windows.stored.stores import Store, StoreError, open_store, persistently, remember_failure
from algorithms.windows.stored.traffic import Traffic

REMOVED_AT_ONCE = 256
"""The most blocks that a commit removes. After all but 1000 of 2^20 elements had left at once, the slowest 512 inserts
took 3 to 6 ms so, and 26 to 30 ms with all that was dead in one commit (LMDB)."""


class Batch(NamedTuple):
    """What one commit takes."""

    documents: list[tuple[bytes, bytes]]
    dead: list[tuple[int, int, int]]
    arrived: int
    after: bytes | None
    """The header that the store must have before."""


class Ahead(NamedTuple):
    """Nodes first .. end - 1 of a level that are being read."""

    first: int
    end: int
    documents: Future


class Storage:
    """Of one window, whose first ring begins at slot `first` and whose caches have room for `cache` pairs.

    `final` counts the nodes of a level that will not change, as `levels.final`.

    An eighth of the cache makes a document: 64 pairs of 512. To commit 512 pairs of 32 bytes so takes 0.02 ms with LMDB
    and 0.18 ms with Redis on the same machine; with a document for each pair, 0.15 and 3.9 ms (medians of 30).
    """

    def __init__(self, w: Any, first: int, cache: int, final: Callable[..., int]):
        self.ends, self.level, self.time, self.agg = (np.asarray(field) for field in w[1:])
        self.w = w._replace(ends=self.ends)  # w.ends has this Storage: gone with w, and not when garbage is collected
        self.first, self.cache, self.final, self.block = first, cache, final, block_size(cache)
        self.name, self.traffic, self.acknowledged, self.closed = "window", Traffic(), 0, False
        self.store: Store | None = None
        self.signed, self.owned = signature(self.w, cache, "int64"), True
        self.header: bytes | None = None
        self.unwritten: Batch | None = None
        self.written: Future | None = None
        self.temporary: weakref.finalize | None = None
        self.ahead: dict[int, Ahead] = {}
        self.worker: ThreadPoolExecutor | None = None
        me = weakref.ref(self)  # a callable of C is never collected with what it refers to
        self.callable = CALLABLE(lambda request, level, j: me().serve(request, level, j))
        self.address = address_of(self.callable)

    # ------------------------------------------------------------------------------------------- for whoever has it

    def attach(self, store: Store | str, name: str, capacity: int, kind: str = "int64") -> None:
        """Keep the window, with times of a kind, in a store under a name; where there is one of that name, go on.

        Raises ValueError unless the window is new, and the one in the store, if any, of the same kind, of at most
        `capacity` entries and not open in this object; StoreError where the store fails.
        """
        if self.store is not None or self.ends[0]["end"] > 0:
            raise ValueError("a window is given its store when it is made, before anything is inserted")
        self.name, self.signed["time"] = must_be_name(name), kind
        if not isinstance(store, str | Store):
            raise ValueError(f"a store must be a URL such as lmdb:FOLDER, or an opened store, not {store!r}")
        if any(other.store is store and other.name == name and not other.closed for other in OPEN):
            raise ValueError(f"window {name!r} is open in this store: close it, or give another name (stored_as=)")
        self.owned = isinstance(store, str)
        self.store = open_store(store) if self.owned else store
        try:
            recover(self, capacity)
        except BaseException:
            self._let_go()
            raise
        OPEN.add(self)

    def flush(self) -> None:
        """Write the window to the store; once this returns, a reopened window equals this one. Raises StoreError."""
        self.must_be_open()
        self._hand_over()
        self._settle()

    def close(self) -> None:
        """Flush and close the store. If this raises StoreError, the window is still open."""
        if not self.closed:
            self.flush()
            self._let_go()

    def must_be_open(self) -> None:
        """Raise StoreError after `close`."""
        if self.closed:
            raise StoreError(f"window {self.name!r} is closed")

    @property
    def arrived(self) -> int:
        """Number of entries ever inserted; the store has `acknowledged` of them."""
        return int(self.ends[0]["end"])

    # ---------------------------------------------------------------------------------------------------- for kernels

    def serve(self, request: int, level: int, j: int) -> int:
        """Serve a kernel's request. Returns 0, or 1 if it failed; then `stores.remember_failure` has the reason."""
        try:
            self.must_be_open()
            if request == HAND_OVER:
                self._hand_over()
            elif request == FETCH:
                self._fetch(level, j)
            elif request == AHEAD:
                self._read_ahead(level, j)
            return 0
        except KeyboardInterrupt:
            remember_failure(StoreError("interrupted while waiting for the key-value store"))
            _thread.interrupt_main()
        except Exception as error:
            remember_failure(error)
        return 1

    # -------------------------------------------------------------------------------------------------------- writing

    def _hand_over(self) -> None:
        """Copy what became final into documents, and give them to the thread beside this one.

        The window changes last, so that it is as it was if anything fails or is interrupted.
        """
        self._settle()
        self._opened()
        ends, levels = self.ends.copy(), self.level.copy()
        front, end, top = (int(ends[0][field]) for field in ("front", "end", "top"))
        rows, documents, dead, room = levels.tolist(), [], [], REMOVED_AT_ONCE
        for level, (*_, stored, trimmed) in enumerate(rows):
            count, gone = self.final(self.w, end, top, level), (front >> level) // self.block
            first_new = max(stored, front >> level)
            if count > first_new:
                for number in range(first_new // self.block, (count - 1) // self.block + 1):
                    last = min((number + 1) * self.block, count)
                    slots = self.slots(level, number * self.block, last)
                    documents.append((block_key(self.name, level, number), block_of(self.time[slots], self.agg[slots])))
                levels["stored"][level] = count
            gone = min(gone, trimmed + room)
            if gone > trimmed:
                dead.append((level, trimmed, gone))
                levels["trimmed"][level] = gone
                room -= gone - trimmed
        ends["handed"] = end
        says = Recovered(ends, levels, self.agg[: self.first], self.agg[self.youngest()])
        documents.append((header_key(self.name), header_of(self.signed, says)))
        self.unwritten = Batch(documents, dead, end, self.header)
        self.ends["handed"], self.level[:] = end, levels
        self.written = self._beside().submit(persistently, self._committing(self.unwritten))

    def _settle(self) -> None:
        """Wait for what was handed over; if it could not be written, try again here. Raises StoreError."""
        if self.unwritten is None:
            return
        if self.written is None or self.written.exception() is not None:
            persistently(self._committing(self.unwritten))
        batch, self.unwritten, self.written = self.unwritten, None, None
        self.acknowledged, self.header = batch.arrived, batch.documents[-1][1]
        self.traffic.commits += 1
        self.traffic.blocks_written += len(batch.documents) - 1
        self.traffic.bytes_written += sum(len(document) for _, document in batch.documents)

    def _committing(self, batch: Batch) -> Callable[[], None]:
        return partial(_commit, self._opened(), self.name, batch)

    # -------------------------------------------------------------------------------------------------------- reading

    def _fetch(self, level: int, j: int) -> None:
        """Bring node j into the cache, with the nodes that are being read or with its block alone."""
        coming = self.ahead.pop(level, None)
        self.level["asked"][level] = 0
        if coming is not None and coming.first <= j < coming.end:
            was_there = coming.documents.done()
            try:
                documents = coming.documents.result()
            except StoreError:
                documents = [None]  # the thread beside has given up; ask here
            if self._are_whole(coming.first, coming.end, documents):
                self.traffic.ahead += was_there
                self.traffic.waits += not was_there
                self._put(level, coming.first, documents)
                return
        self.traffic.misses += 1
        number = j // self.block
        key = block_key(self.name, level, number)
        document = dict(self.unwritten.documents if self.unwritten else ()).get(key)
        self.traffic.handed += document is not None
        if document is None:
            (document,) = persistently(self._opened().read, [key])
        if document is None:
            raise StoreError(f"block {number} of level {level} of window {self.name!r} is not in the store")
        first, stored = number * self.block, int(self.level[level]["stored"])
        if not self._are_whole(first, min(first + self.block, stored), [document]):
            raise StoreError(f"block {number} of level {level} of window {self.name!r} is missing or cut off")
        self._put(level, first, [document])

    def _read_ahead(self, level: int, j: int) -> None:
        """Have half a ring of nodes read, from where the cache ends."""
        first, half = int(self.level["end"][level]), int(self.ends[0]["buffer"])
        stored = int(self.level["stored"][level])
        start = first // self.block
        stop = -(-min(first + half, stored) // self.block)
        keys = [block_key(self.name, level, number) for number in range(start, stop)]
        reading = self._beside().submit(persistently, partial(self._opened().read, keys))
        self.ahead[level] = Ahead(start * self.block, min(stop * self.block, stored), reading)
        self.level["asked"][level] = 1

    def _are_whole(self, first: int, end: int, documents: list[bytes | None]) -> bool:
        """Whether all documents exist and have nodes first .. end - 1, a block each."""
        needed = [min(self.block, end - begin) for begin in range(first, end, self.block)]
        node = 8 + self.agg.dtype.itemsize
        return all(len(document or b"") >= n * node for document, n in zip(documents, needed, strict=False))

    def _put(self, level: int, first: int, documents: list[bytes]) -> None:
        """Put nodes of consecutive blocks into the cache, which then ends with them."""
        cache, ring = self.level[level], int(self.ends[0]["mask"]) + 1
        self.traffic.bytes_read += sum(map(len, documents))
        begins = int(cache["first"]) if cache["first"] <= first <= cache["end"] else first
        for document in documents:
            times, partials = nodes_of(document, self.agg.dtype)
            slots = self.slots(len(self.level) + level, first, first + len(times))
            self.time[slots], self.agg[slots] = times, partials
            first += len(times)
        cache["end"], cache["first"] = first, max(begins, first - ring)

    # ---------------------------------------------------------------------------------------------------------- parts

    def slots(self, ring: int, first: int, last: int) -> np.ndarray:
        """Where nodes first .. last - 1 are in a ring: those of the tails, then those of the caches."""
        mask = int(self.ends[0]["mask"])
        return self.first + ring * (mask + 1) + (np.arange(first, last) & mask)

    def youngest(self) -> np.ndarray:
        """The slot of the node above the youngest element, on every level."""
        mask, levels = int(self.ends[0]["mask"]), np.arange(len(self.level))
        return self.first + levels * (mask + 1) + ((max(int(self.ends[0]["end"]) - 1, 0) >> levels) & mask)

    def _opened(self) -> Store:
        if self.store is None:
            try:
                folder = tempfile.mkdtemp(prefix="window-")
            except OSError as error:
                raise StoreError(f"no temporary folder for window {self.name!r} (or give store=): {error}") from error
            self.temporary = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            self.store = open_store(f"lmdb:{folder}")
        return self.store

    def _beside(self) -> ThreadPoolExecutor:
        if self.worker is None:
            self.worker = ThreadPoolExecutor(1, thread_name_prefix="key-value store")
        return self.worker

    def _let_go(self) -> None:
        self.closed = True
        self.ends["buffer"] = 0  # from now on every insert asks, and is refused
        if self.worker is not None:
            self.worker.shutdown()
        if self.owned and self.store is not None:
            self.store.close()
        if self.temporary is not None:
            self.temporary()


OPEN: weakref.WeakSet[Storage] = weakref.WeakSet()
"""Storages that have a store and are neither closed nor deleted."""


def block_size(cache: int) -> int:
    """Nodes in a document of a window with room for `cache` pairs per level."""
    return max(2, cache // 4)


def _commit(store: Store, name: str, batch: Batch) -> None:
    """Unless the window in the store is another than this one left there: a commit before this, or half of this."""
    key, header = batch.documents[-1]
    if store.read([key])[0] not in (batch.after, header):
        raise StoreError(f"window {name!r} is not in the store as it was left there: another process has it open")
    store.commit(batch.documents, block_keys(name, batch.dead))
