"""LMDB: a memory-mapped B+ tree in a folder, in this process. Nothing to start, one transaction for each commit.

A commit that has returned survives the end of the process, however it ends: the pages are with the operating system.
With `?sync=1` it also survives the end of the machine, and waits for the disk.
"""

import threading
from collections.abc import Iterable
from pathlib import Path

import lmdb

from algorithms.spilling.stores import StoreError

FIRST_MAP = 1 << 24
"""Bytes of address space that a new folder takes; doubled as often as it is full, so that a limit on a process's
address space counts what is stored and not what might be."""


class InLMDB:
    """The documents of one folder. A read does not wait for a commit; the map may only grow while nobody reads."""

    def __init__(self, folder: str, sync: bool = False) -> None:
        self.folder, self.reading, self.writing = folder, threading.Lock(), threading.Lock()
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.env = lmdb.open(folder, map_size=FIRST_MAP, sync=sync, metasync=sync, max_dbs=0)
        except (lmdb.Error, OSError) as error:
            raise StoreError(f"LMDB cannot open the folder {folder}: {error}") from error

    def read(self, keys: list[bytes]) -> list[bytes | None]:
        with self.reading:
            try:
                with self.env.begin() as transaction:
                    return [transaction.get(key) for key in keys]
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
                    with self.reading:
                        self.env.set_mapsize(2 * self.env.info()["map_size"])
                except lmdb.Error as error:
                    raise StoreError(f"LMDB cannot write in {self.folder}: {error}") from error

    def close(self) -> None:
        with self.writing, self.reading:
            self.env.close()


def opened(url: str) -> InLMDB:
    """The folder of lmdb:FOLDER or lmdb:FOLDER?sync=1, made if it is not there."""
    folder, _, options = url.removeprefix("lmdb:").removeprefix("//").partition("?")
    if not folder or options not in ("", "sync=0", "sync=1"):
        raise ValueError(f"a store in LMDB must be lmdb:FOLDER or lmdb:FOLDER?sync=1, not {url!r}")
    return InLMDB(folder, sync=options == "sync=1")
