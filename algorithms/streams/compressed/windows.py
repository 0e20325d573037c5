"""The windows of one A_C: the compiled loop's state, made larger and smaller as needed, with its counts and sizes."""

from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import as_slots
from algorithms.streams.compressed.algorithm import go_on, process
from algorithms.streams.compressed.latest import link_all
from algorithms.streams.compressed.order import Rows
from algorithms.streams.compressed.outputs import Outputs
from algorithms.streams.compressed.packed import Packed
from algorithms.streams.compressed.state import NEVER, NONE, RESULTS, bytes_of, columns_of, empty, renewed

LEAST_WINDOWS, LEAST_BENCH = 16, 16

SMALL = 1 << 14
"""An arena of so many slots is not worth making smaller."""


class Counts(NamedTuple):
    """Counts of what A_C has done so far, and of what it keeps now."""

    records: int
    """Tuples processed, without those that wait to be sorted and late ones."""
    results: int
    compressions: int
    decompressions: int
    windows: int
    """Windows now, one per key: `uncompressed` plus `compressed`."""
    uncompressed: int
    compressed: int
    tuples: int
    """Tuples in all windows now."""
    held: int
    """Tuples that wait for the watermark now."""
    late: int
    outside: int
    """Tuples between two epochs, if WA is larger than WS."""


class Memory(NamedTuple):
    """Bytes of state now."""

    accounted: int
    """As the paper counts: uncompressed tuples, each at a size measured beforehand, and the compressed bytes."""
    measured: int
    """All buffers, also that of outputs, as far as they were ever written; compressed bytes with Python's overhead."""


class Windows:
    """Windows of tuples whose values have these dtypes."""

    def __init__(self, f: Any, dtypes: tuple[str, ...], packed: Packed, outputs: Outputs, **sizes: int):
        self.a = empty(f, dtypes, LEAST_WINDOWS, 4 * LEAST_BENCH, LEAST_BENCH)
        self.packed, self.outputs = packed, outputs
        for name, value in sizes.items():
            self.a.state[0][name] = value
        packed.serve(self.a, np.zeros(0, np.int64))

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"a": self.a._replace(raw=())}  # shares the memory of the columns

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.a = self.a._replace(raw=tuple(map(bytes_of, columns_of(self.a))))
        self.packed.serve(self.a, np.arange(len(self.a.gamma)))

    def take(self, rows: Rows) -> list[dict[str, np.ndarray]]:
        """Process tuples in timestamp order. Returns chunks of outputs."""
        times, keys, values = as_slots(rows.times), as_slots(rows.codes), tuple(map(as_slots, rows.values))
        values, chunks, i = values if len(values) > 1 else values[0], [], 0
        while True:
            i = process(self.a, self.outputs.out, times, keys, values, i, len(times))
            if i == len(times):
                break
            if self.a.state[0].wants == RESULTS:
                chunks += self._read()
            else:
                self._grow()
        return chunks + self._read()

    def go_on(self, watermark: int) -> list[dict[str, np.ndarray]]:
        """Put out the windows that end by the watermark. Returns chunks of outputs."""
        chunks = []
        while not go_on(self.a, self.outputs.out, watermark):
            chunks += self._read()
        return chunks + self._read()

    def _read(self) -> list[dict[str, np.ndarray]]:
        """Read the outputs so far, and make room for at least those of the next epoch."""
        s = self.a.state[0]
        chunks = [self.outputs.read(int(s.results))] if s.results else []
        s.put_out += s.results
        s.results = 0
        if s.alive > self.outputs.out.room:
            self.outputs.make_room(2 * int(s.alive))
        return chunks

    def _grow(self) -> None:
        """Make room for more tuples, for more windows if there is none, for longer windows if one fills its segment."""
        s, gamma = self.a.state[0], np.asarray(self.a.gamma)[self.alive()]
        full = s.spare == NONE and s.begun == s.windows
        longest = int(max((gamma["last"] - gamma["first"]).max(initial=0), gamma["room"].max(initial=0)))
        self._renew(int(s.windows) * (1 + bool(full)), 1 << longest.bit_length())

    def shrink(self) -> None:
        """Make the arena smaller, if less than a quarter of its allocated slots is in use."""
        s = self.a.state[0]
        if s.end > SMALL and 4 * s.used < s.end - s.bench:
            self._renew(int(s.windows), int(s.bench))

    def _renew(self, windows: int, bench: int) -> None:
        larger, old_numbers = renewed(self.a, windows, max(bench, LEAST_BENCH))
        self.packed.serve(larger, old_numbers)
        self.a = larger

    def alive(self) -> np.ndarray:
        """Numbers of the windows, in the order in which they were created."""
        return np.asarray(self.a.alive[: int(self.a.state[0].alive)])

    def keys(self) -> np.ndarray:
        """Codes of the keys that have a window."""
        return np.asarray(self.a.gamma)["key"][self.alive()]

    def latest(self) -> int:
        """The time of the last update of any window, of which there is at least one. O(w)."""
        return int(np.asarray(self.a.gamma)["latest"][self.alive()].max())

    def set_D(self, D: int) -> None:
        """From now on compress windows not updated in the last D units of time."""
        s = self.a.state[0]
        if D == NEVER:
            s.oldest = s.youngest = NONE
        elif self.packed.codec is None:
            self.packed.open()
            self.packed.serve(self.a, np.arange(s.windows))
        if s.D == NEVER and D != NEVER:
            alive = self.alive()
            gamma = np.asarray(self.a.gamma)[alive]
            uncompressed = gamma["room"] > 0
            order = alive[uncompressed][np.argsort(gamma["latest"][uncompressed], kind="stable")]
            link_all(self.a, as_slots(order), len(order))
        s.D = D

    def size(self) -> int:
        """Bytes of every buffer as far as it was ever written, and of compressed windows."""
        a, s = self.a, self.a.state[0]
        per_window, per_tuple = a.gamma.itemsize + a.alive.itemsize, 8 + sum(x.itemsize for x in columns_of(a))
        fixed = a.table.nbytes + a.free.nbytes + s.nbytes
        at_work = a.scratch.nbytes + a.asked.nbytes + s.bench * per_tuple if s.compressions else 0
        stored = s.begun * per_window + (s.end - s.bench) * per_tuple
        return int(stored + fixed + at_work + s.packed + self.packed.size() + self.outputs.size())
