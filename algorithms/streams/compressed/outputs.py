"""Buffers for the outputs of A_C, read as columns for people."""

from typing import Any

import numpy as np

from algorithms import operators
from algorithms.kernel import slots
from algorithms.operators.monoid import presents_lowered, unit
from algorithms.streams.compressed.functions import Folded, Out
from algorithms.streams.sliding.partition import lower_all

LEAST_ROOM = 1 << 12
STAMPS = ("by", "fed", "forwarded")


class Outputs:
    """The outputs of one aggregate, read chunk by chunk."""

    def __init__(self, f: Any, stamped: bool):
        self.f, self.stamped, self._stamps = f, stamped, STAMPS if stamped else ()
        self.op = f.op if isinstance(f, Folded) else getattr(getattr(f, "inner", None), "op", None)
        self.names = (
            *(self.f.dtype.names if self.op is None and self.f.dtype.names else ("value",)),
            *self._stamps,
        )
        self.make_room(LEAST_ROOM)

    def size(self) -> int:
        """Bytes of the buffers for outputs, as far as they were ever written."""
        columns = (self.out.left, self.out.key, self.out.agg, *(getattr(self.out, name) for name in self._stamps))
        return self._most * sum(column.itemsize for column in columns)

    def make_room(self, outputs: int) -> None:
        """Make buffers for so many outputs."""
        stamps = (slots(outputs if self.stamped else 1, "i8", name) for name in STAMPS)
        columns = slots(outputs, "i8", "left"), slots(outputs, "i8", "key"), slots(outputs + 1, self.f.dtype, "results")
        self.out, self._most = Out(*columns, *stamps, outputs, self.stamped), 0

    def read(self, n: int) -> dict[str, np.ndarray]:
        """The first n outputs: copies of left boundaries, codes of keys, results and stamps."""
        out, self._most = self.out, max(self._most, n)
        stamps = {name: np.array(getattr(out, name)[:n]) for name in self._stamps}
        return {"left": np.array(out.left[:n]), "key": np.array(out.key[:n])} | self._results(n) | stamps

    def _results(self, n: int) -> dict[str, np.ndarray]:
        agg = self.out.agg
        if self.op is None:
            plain = np.asarray(agg[:n])
            return {name: np.array(plain[name]) for name in plain.dtype.names or ()} or {"value": np.array(plain)}
        if presents_lowered(self.op):
            numbers = slots(n, self._number(), "numbers")
            lower_all(self.op, agg, numbers, n)
            return {"value": numbers.view(np.ndarray)}
        presented = np.empty(n, object)
        presented[:] = [operators.present(self.op, agg, i) for i in range(n)]
        return {"value": presented}

    def _number(self) -> np.dtype:
        empty = slots(1, self.op.dtype, "empty")
        unit(self.op, empty, 0)
        return np.asarray(operators.present(self.op, empty, 0)).dtype
