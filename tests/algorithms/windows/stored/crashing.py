"""A window in LMDB or Redis that goes on until it is killed. Plain Python.

    crashing.py kvs_amta lmdb:FOLDER SEED

Step i inserts at time i; then so many leave that `kept(i)` stay. Every ten steps or so it flushes, and says so: the
number of the last step, once `flush` has returned.
"""

import random
import sys

from algorithms import StoreError, operators, window

CAPACITY, CACHE = 300, 4


def value(i: int) -> int:
    return 31 * i + 7


def kept(i: int) -> int:
    """Entries after step i: it grows to some 100 and falls to a few, at once or one by one."""
    return i % 100 + 1 if i % 300 < 200 else max(3, 100 - i % 100)


def begun(name: str, store: object) -> object:
    return window(name, operators.make("affine"), CAPACITY, store=store, stored_as="crashing", cache=CACHE)


def step(w: object, i: int) -> None:
    """Whole steps are what lasts: an insert hands over what was before it."""
    w.insert(i, value(i))
    if len(w) > kept(i):
        w.bulk_evict(i - kept(i))


def inserted_until_refused(w: object, i: int) -> tuple[int, str]:
    """Insert from time i on, until the store lets the window down: at which time, and what the error says."""
    for time in range(i, CAPACITY):
        try:
            w.insert(time, value(time))
        except StoreError as error:
            return time, str(error)
    raise AssertionError("the window took everything")


if __name__ == "__main__":
    name, store, seed = sys.argv[1:]
    w, chance, i = begun(name, store), random.Random(int(seed)), 0
    while True:
        step(w, i)
        if chance.random() < 0.1:
            w.storage.flush()
            print(i, flush=True)
        i += 1
