"""Whether a file of LMDB is as long as it must be, found out without mapping it. LMDB maps a file without a look at its
length, and the system ends a process (SIGBUS) that reads a mapped page beyond the end.

The file begins with two meta pages. The one of the later transaction counts, and says which page is the last. A file
that ends before that page may be whole all the same: pages that one transaction took and gave back were never written.
Then they are in LMDB's list of free pages, which is a tree of its own in the file, and LMDB does not read them.

The layout is that of version 1 on a machine of 64 bits: `MDB_page`, `MDB_meta`, `MDB_db` and `MDB_node` in mdb.c.
"""

import mmap
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import NamedTuple

from algorithms.windows.stored.stores import ATTEMPTS, FIRST_WAIT, StoreError

PAGE = struct.Struct("=10xHH2x")
"""What every page begins with: its flags, and where the places of its nodes end, which follow."""
META = struct.Struct("=16xII16xI36xQ48xQQ")
"""A meta page, as far as it counts here: see `Meta`."""
NODE = struct.Struct("=IHH")
"""Low bits of the number of a page below, or bytes of data; high bits of the number, or flags; bytes of the key."""
NUMBER = struct.Struct("=Q")

BRANCH, ELSEWHERE = 1, 1
"""Flags: of a page with pages below it, and of a node whose data have pages of their own."""
MAGIC, VERSION = 0xBEEFC0DE, 1
PAGE_SIZES = [1 << i for i in range(8, 17)]
NO_ROOT = 2**64 - 1


class Meta(NamedTuple):
    magic: int
    version: int
    page_size: int
    free_root: int
    """The page where the tree of free pages begins."""
    last_page: int
    transaction: int


def must_be_whole(path: Path) -> None:
    """Raise StoreError if the file has lost its end; OSError if it cannot be read.

    A file that is not there is fine, since LMDB makes it, and of one that is not LMDB's LMDB says so itself. Another
    process may be making the file, or writing to it.
    """
    if not path.exists():
        return
    with path.open("rb", buffering=0) as opened:
        file = opened.fileno()
        metas = metas_when_made(file)
        while not is_whole(file, metas):
            before, metas = metas, metas_of(file)
            if metas == before:  # and not in the middle of another process's commit
                raise StoreError(cut_off(path, os.fstat(file).st_size, metas))


def cut_off(path: Path, size: int, metas: list[Meta]) -> str:
    """What is wrong with a file that is not whole."""
    if not metas:
        least = f"at least {2 * mmap.PAGESIZE:,} (if it never held anything, remove it)"
    else:
        newest = max(metas, key=lambda meta: meta.transaction)
        least = f"{(newest.last_page + 1) * newest.page_size:,}"
    return f"{path} is {'cut off' if size else 'empty'}: it has {size:,} bytes and should have {least}"


def metas_when_made(file: int) -> list[Meta]:
    """Both meta pages, waiting a moment for a process that may be making the file; else those that are there."""
    wait = FIRST_WAIT
    for _ in range(ATTEMPTS - 1):
        if len(metas := metas_of(file)) == 2:
            return metas
        sleep(wait)
        wait *= 2
    return metas_of(file)


def metas_of(file: int) -> list[Meta]:
    """The meta pages that are there: two unless the file is cut off."""
    metas: list[Meta] = []
    while len(metas) < 2:
        page = os.pread(file, META.size, metas[0].page_size if metas else 0)
        if len(page) < META.size:
            break
        metas.append(Meta(*META.unpack(page)))
    return metas


def is_whole(file: int, metas: list[Meta]) -> bool:
    """Whether all that LMDB may read is there, or LMDB will not even try: it is none of its files."""
    if any((meta.magic, meta.version) != (MAGIC, VERSION) or meta.page_size not in PAGE_SIZES for meta in metas):
        return True
    if len(metas) < 2:
        return False
    newest = max(metas, key=lambda meta: meta.transaction)
    pages_present = os.fstat(file).st_size // newest.page_size
    missing = newest.last_page + 1 - pages_present
    if missing <= 0:
        return True
    try:
        return len({page for page in free_pages(file, newest) if pages_present <= page <= newest.last_page}) == missing
    except (struct.error, IndexError):
        return False


def free_pages(file: int, meta: Meta) -> Iterator[int]:
    """The numbers in the list of free pages. Raises struct.error or IndexError where that is not whole itself."""
    to_read = [meta.free_root] if meta.free_root != NO_ROOT else []
    for number in to_read:
        if len(to_read) > meta.last_page:
            raise IndexError("a tree of more pages than there are")
        page = pages(file, meta, number, meta.page_size)
        flags, places_end = PAGE.unpack_from(page)
        for place in struct.unpack_from(f"={(places_end - PAGE.size) // 2}H", page, PAGE.size):
            low, high, key = NODE.unpack_from(page, place)
            data = page[place + NODE.size + key :]
            if flags & BRANCH:
                to_read.append(low | high << 32)
                continue
            if high & ELSEWHERE:
                (first,) = NUMBER.unpack_from(data)
                data = pages(file, meta, first, PAGE.size + low)[PAGE.size :]
            (count,) = NUMBER.unpack_from(data)
            yield from struct.unpack_from(f"={count}Q", data, NUMBER.size)


def pages(file: int, meta: Meta, number: int, size: int) -> bytes:
    """So many bytes from the beginning of a page. Raises IndexError where they are not there."""
    if number > meta.last_page or len(read := os.pread(file, size, number * meta.page_size)) < size:
        raise IndexError(f"page {number} is not there")
    return read
