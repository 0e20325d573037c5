"""A window in LMDB whose file is cut off at many lengths, and opened by a process of its own each time.

cutting.py FOLDER            prints, for each length, the signal that ended the process, or what it said
"""

import json
import os
import shutil
import sys
from pathlib import Path

from algorithms import StoreError
from algorithms.windows.stored.stores import lmdb_file
from tests.algorithms.windows.stored.crashing import begun, kept, step, value
from tests.algorithms.windows.stored.plain_window import PlainWindow

STEPS = 1000


def must_be_as_after(w: object, i: int) -> None:
    """What step i leaves, where `kept` has grown by one with each of the last hundred steps."""
    entries = [(j, value(j)) for j in range(i + 1 - kept(i), i + 1)]
    assert len(w) == len(entries)
    assert w.query() == PlainWindow(entries).query()


def left(folder: Path) -> None:
    """A folder with a window of which much has come and gone."""
    w = begun("kvs_amta", f"lmdb:{folder}")
    for i in range(STEPS):
        step(w, i)
        if i % 50 == 0:
            w.storage.flush()
    w.storage.close()


def opened(folder: Path) -> str:
    """What the window says when it is opened, and read and written to from end to end."""
    try:
        w = begun("kvs_amta", f"lmdb:{folder}")
        must_be_as_after(w, STEPS - 1)
        for i in range(STEPS, STEPS + 300):
            step(w, i)
        w.storage.close()
        w = begun("kvs_amta", f"lmdb:{folder}")
        must_be_as_after(w, STEPS + 299)
    except StoreError as error:
        return f"StoreError: {error}"
    return "right"


def in_a_process(folder: Path) -> str:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, opened(folder).encode())
        except BaseException as error:
            os.write(writing, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        text = said.read()
    _, status = os.waitpid(child, 0)
    return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else text


def main(folder: Path) -> None:
    child = os.fork()  # here no thread may be left of a store: forked processes would wait for it
    if child == 0:
        left(folder / "whole")
        os._exit(0)
    os.waitpid(child, 0)
    lmdb_file.FIRST_WAIT = 0.0
    size = (folder / "whole" / "data.mdb").stat().st_size
    lengths = {*range(0, size + 1, 4096), size // 2, 1, 100, 151, 4095, 4097, 4247, 4248, 8191, 8193, 20_000, size - 1}
    told = {}
    for length in sorted(lengths):
        cut = folder / str(length)
        shutil.copytree(folder / "whole", cut)
        os.truncate(cut / "data.mdb", length)
        told[length] = in_a_process(cut)
        shutil.rmtree(cut)
    print(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
