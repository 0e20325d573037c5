"""LMDB: a memory-mapped B+ tree in a folder, in this process. Nothing to start, one transaction for each commit.

A commit that has returned survives the end of the process, however it ends: the pages are with the operating system.
With `?sync=1` it also survives the end of the machine, and waits for the disk.
"""

import threading
from collections.abc import Iterable
from pathlib import Path

import lmdb

from algorithms.windows.stored.stores import StoreError
from algorithms.windows.stored.stores.lmdb_file import must_be_whole

FIRST_MAP = 1 << 24
"""Bytes of address space that a new folder takes; doubled as often as it is full, so that a limit on a process's
address space counts what is stored and not what might be."""
AS_IN_FOLDER = 0
"""For a map: as large as another process has made it."""


class InLMDB:
    """The documents of one folder. A read does not wait for a commit; the map may only change while nobody does either.

    Who changes it holds `writing`, and then `reading`.
    """

    def __init__(self, folder: str, sync: bool = False) -> None:
        self.folder, self.sync, self.reading, self.writing = folder, sync, threading.Lock(), threading.RLock()
        self.env = self._opened(FIRST_MAP)

    def read(self, keys: list[bytes]) -> list[bytes | None]:
        while True:
            try:
                with self.reading, self.env.begin() as transaction:
                    return [transaction.get(key) for key in keys]
            except lmdb.MapResizedError:
                self._map(AS_IN_FOLDER)
            except lmdb.Error as error:
                raise StoreError(f"LMDB cannot read in {self.folder}: {error}") from error

    def commit(self, documents: list[tuple[bytes, bytes]], dead: Iterable[bytes]) -> None:
        dead = list(dead)
        with self.writing:
            while True:
                try:
                    with self.env.begin(write=True) as transaction:
                        for key, document in documents:
                            transaction.put(key, document)
                        for key in dead:
                            transaction.delete(key)
                    return
                except lmdb.MapFullError:
                    self._map(2 * self.env.info()["map_size"])
                except lmdb.MapResizedError:
                    self._map(AS_IN_FOLDER)
                except lmdb.Error as error:
                    raise StoreError(f"LMDB cannot write in {self.folder}: {error}") from error

    def close(self) -> None:
        with self.writing, self.reading:
            self.env.close()

    def _opened(self, size: int) -> lmdb.Environment:
        try:
            Path(self.folder).mkdir(parents=True, exist_ok=True)
            must_be_whole(Path(self.folder) / "data.mdb")
            return lmdb.open(self.folder, map_size=size, sync=self.sync, metasync=self.sync, max_dbs=0)
        except (lmdb.Error, OSError, ValueError) as error:  # ValueError: a name that no file can have
            raise StoreError(f"LMDB cannot open the folder {self.folder!r}: {error}") from error

    def _map(self, size: int) -> None:
        """Map so much of the folder. Where there is no room, LMDB has closed it: then it is opened as it was."""
        with self.writing, self.reading:
            before = self.env.info()["map_size"]
            try:
                self.env.set_mapsize(size)
            except lmdb.Error as error:
                self.env.close()
                self.env = self._opened(before)
                raise StoreError(
                    f"LMDB in {self.folder} needs more address space than this process may take: {error}"
                ) from error


def opened(url: str) -> InLMDB:
    """The folder of lmdb:FOLDER or lmdb:FOLDER?sync=1, made if it is not there."""
    folder, _, options = url.removeprefix("lmdb:").removeprefix("//").partition("?")
    if not folder or options not in ("", "sync=0", "sync=1"):
        raise ValueError(f"a store in LMDB must be lmdb:FOLDER or lmdb:FOLDER?sync=1, not {url!r}")
    return InLMDB(folder, sync=options == "sync=1")
