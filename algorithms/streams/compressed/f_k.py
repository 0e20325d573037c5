"""f_K: the columns that make the key of a tuple, turned into the int64 codes that kernels use, and back."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from algorithms.arguments import must_be_column
from algorithms.errors import ValueKindError
from algorithms.streams.sliding.keys import SPARE, Coded, Keys, whole_of

HALF = 2**31


class KeyColumns:
    """Codes of keys. One column is coded by `Keys`.

    A pair of whole numbers, the first at least 0, the second at least -2^31, both below 2^31, is packed into a code;
    other keys are numbered as tuples, and their codes are below 0. Equal keys have one code whatever their types:
    1.0 and True are the whole number 1 in either case.
    """

    def __init__(self, names: tuple[str, ...]):
        self.names = names
        self._keys, self._fresh = Keys(), 0

    def read(self, keys: Any, n: int) -> tuple[np.ndarray, Coded | None]:
        """Codes of n keys, and what `accept` takes. Raises ValueKindError. Changes nothing."""
        columns = self._columns(keys, n)
        if not columns:
            return np.zeros(n, np.int64), None
        if len(columns) == 1:
            coded = self._keys.read(columns[0], n)
            return coded.codes, coded
        codes, packed = _packed(columns, n)
        unpacked = np.flatnonzero(~packed)
        if not len(unpacked):
            return codes, None
        tuples = list(zip(*(_as_list(column) for column in columns), strict=True))
        coded = self._keys.read([tuples[i] for i in unpacked.tolist()], len(unpacked))
        codes[unpacked] = ~coded.codes
        return codes, coded

    def accept(self, coded: Coded | None) -> None:
        """Keep the names of the batch that was read last."""
        if coded is not None:
            self._keys.add(coded)
            self._fresh += len(coded.new)

    def columns(self, codes: np.ndarray) -> dict[str, np.ndarray]:
        """The key columns for these codes."""
        if len(self.names) < 2:
            return {name: self._keys.names(codes) for name in self.names}
        packed = codes >= 0
        columns = [codes >> 32, ((codes & 0xFFFFFFFF) ^ HALF) - HALF]
        if not packed.all():
            numbered = iter(self._keys.names(~codes[~packed]))
            pairs = zip(*(column.tolist() for column in columns), strict=True)
            rows = [pair if both else next(numbered) for pair, both in zip(pairs, packed, strict=True)]
            columns = [_as_column(list(column)) for column in zip(*rows, strict=True)]
        return dict(zip(self.names, columns, strict=True))

    def forget(self, count: int, alive: Callable[[], np.ndarray]) -> None:
        """Once as many new names have come, forget all but those of the `count` codes alive; amortised O(1) a name."""
        if self._fresh > count + SPARE:
            codes = alive()
            self._keys.forget(set((codes if len(self.names) < 2 else ~codes).tolist()), count)
            self._fresh = 0

    def size(self) -> int:
        """Bytes of memory that names take, without their contents."""
        return self._keys.size()

    def _columns(self, keys: Any, n: int) -> list:
        names = self.names
        if keys is None or not names:
            if keys is not None or names:
                raise ValueKindError(f"keys are missing: f_K={names}" if names else "keys are given, but f_K is empty")
            return []
        if isinstance(keys, Mapping):
            for name in names:
                if name not in keys:
                    raise ValueKindError(f"there is no key column {name!r}; there are: {', '.join(map(str, keys))}")
            keys = tuple(keys[name] for name in names)
        elif len(names) == 1:
            keys = (keys,)
        if not isinstance(keys, tuple) or len(keys) != len(names):
            raise ValueKindError(f"keys must be a tuple of {len(names)} columns: {', '.join(names)}")
        columns = [must_be_column(f"keys {name!r}", column) for name, column in zip(names, keys, strict=True)]
        for name, column in zip(names, columns, strict=True):
            if len(column) != n:
                raise ValueKindError(f"{len(column)} keys {name!r} and {n} times; there must be as many of each")
        return columns


def _packed(columns: list, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the keys that can be packed, 0 for others; and which can."""
    if len(columns) != 2:
        return np.zeros(n, np.int64), np.zeros(n, bool)
    (high, high_fits), (low, low_fits) = _wholes(columns[0], 0), _wholes(columns[1], -HALF)
    both = high_fits & low_fits
    return np.where(both, (high << 32) | (low & 0xFFFFFFFF), 0), both


def _wholes(column: Any, least: int) -> tuple[np.ndarray, np.ndarray]:
    """The keys of a column that equal whole numbers from `least` to 2^31 - 1, 0 for others; and which do."""
    if not isinstance(column, np.ndarray) or column.dtype.kind not in "iuf":
        wholes = (whole_of(key, -HALF, HALF - 1) for key in column)
        column = np.array([math.nan if key is None else key for key in wholes], np.float64)
    fits = (column >= least) & (column < HALF)
    if column.dtype.kind == "f":
        fits &= column == np.floor(column)
    return np.where(fits, column, 0).astype(np.int64), fits


def _as_list(column: Any) -> list:
    return column.tolist() if isinstance(column, np.ndarray) else list(column)


def _as_column(values: list) -> np.ndarray:
    """int64 where all values are whole, else object."""
    if all(type(value) is int and -(2**63) <= value < 2**63 for value in values):
        return np.array(values, np.int64)
    column = np.empty(len(values), object)
    column[:] = values
    return column
