"""Every short history of a window whose rings have room for four nodes, against a plain list. Plain Python.

    histories.py kvs_amta 5        all histories of 5 steps from windows of 0, 7 and 14 entries, cache=2

After each step the answers must be those of the list; after the last, every node here and in the store, and a window
opened anew on the same store must be as this one was at its last commit. Run with NUMBA_DISABLE_JIT=1. Prints as JSON
how many histories, and how often nodes came from the store.
"""

import itertools
import json
import sys

from algorithms import operators, policies, window
from algorithms.windows.contract import Card, bulk_evict, card, evict, insert, oldest, query, size, storage, youngest
from algorithms.windows.stored.stores.in_memory import InMemory
from tests.algorithms.windows.stored.plain_window import PlainWindow

STEPS = ("insert", "insert 3", "evict", "evict half", "evict all but one")
BEGINNINGS = (0, 7, 14)
CAPACITY = 40


class History:
    """A window and what it should hold, and what it held at each hand-over."""

    def __init__(self, known: Card, store: InMemory):
        self.known, self.store, self.plain, self.clock = known, store, PlainWindow(), 0
        self.w = opened(known, store)
        self.committed = PlainWindow()

    def insert(self, count: int) -> None:
        for _ in range(count):
            before = int(self.w.ends[0].handed)
            held = list(self.plain.entries)
            self.clock += self.clock % 2 + 1 if self.clock % 5 else 0  # some times are equal
            self.clock += not self.clock
            value = 7 * self.clock + len(held)
            insert(self.w, self.clock, value)
            self.plain.insert(self.clock, value)
            if int(self.w.ends[0].handed) > before:
                self.committed = PlainWindow(held)

    def step(self, name: str) -> None:
        n = len(self.plain.entries)
        if name.startswith("insert"):
            self.insert(3 if name.endswith("3") else 1)
        elif n and name == "evict":
            evict(self.w)
            self.plain.evict()
        elif n > 1:
            time = self.plain.entries[n // 2 if name == "evict half" else n - 2][0]
            bulk_evict(self.w, time)
            self.plain.bulk_evict(time)

    def compare(self) -> None:
        entries = self.plain.entries
        assert size(self.w) == len(entries), f"size {size(self.w)}, not {len(entries)}"
        assert query(self.w) == self.plain.query(), "query"
        if entries:
            assert (oldest(self.w), youngest(self.w)) == (entries[0][0], entries[-1][0]), "oldest or youngest"


def opened(known: Card, store: InMemory):
    w = known.new(operators.make("affine"), CAPACITY, cache=2)
    storage(w).attach(store, "w", CAPACITY)
    return w


def reopened(history: History) -> None:
    """The last commit, found again; then both go on in the same way."""
    storage(history.w)._settle()
    left = InMemory()
    left.documents = dict(history.store.documents)
    again = History(history.known, left)
    again.plain, again.clock = history.committed, history.clock
    again.compare()
    again.known.check(again.w)
    for name in ("insert 3", "evict half", "insert 3", "evict"):
        again.step(name)
        again.compare()
    storage(again.w).close()


def search(known: Card, length: int) -> dict[str, int]:
    done = read = 0
    for beginning in BEGINNINGS:
        for steps in itertools.product(STEPS, repeat=length):
            history = History(known, InMemory())
            try:
                history.insert(beginning)
                for name in steps:
                    history.step(name)
                    history.compare()
                known.check(history.w)
                reopened(history)
            except Exception as error:
                raise AssertionError(f"{known.name}: {error} after {beginning} inserts and {steps}") from error
            traffic = storage(history.w).traffic
            read += traffic.misses + traffic.waits + traffic.ahead
            storage(history.w).close()
            done += 1
    return {"histories": done, "from the store": read}


def slides(name: str) -> int:
    """A window that is as long as its youngest value says, through leaps of it; how often it waited for the store."""
    op = operators.product(count="count", max_size="last")
    sizes = [400] * 100 + [300] * 300 + [299, 150, 149] + [149] * 20 + [7] + [500] * 100
    w, held = window(name, op, 1000, policy=policies.max_size(), cache=4), 0
    for time, most in enumerate(sizes):
        w.insert(time, most)
        held = min(held + 1, most)
        assert (len(w), w.oldest()) == (held, time + 1 - held), f"{name} at {time}"
    w.check()
    return w.storage.traffic.misses


if __name__ == "__main__":
    found = search(card(sys.argv[1]), int(sys.argv[2]))
    print(json.dumps({**found, "misses of slides": slides(sys.argv[1])}))
