"""f_K: the columns that make the key of a tuple, as the int64 codes that kernels go by, and back."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from algorithms.arguments import must_be_column
from algorithms.errors import ValueKindError
from algorithms.streams.sliding.keys import SPARE, Coded, Keys, whole_of

HALF = 2**31


class KeyColumns:
    """Codes of keys. One column goes as `Keys` has it.

    Of two columns of whole numbers, the first from 0 and the second from -2^31 on and both below 2^31, the code is both
    side by side; all other keys are numbered as tuples, and their codes are below 0. Keys that are equal have one code
    whatever their types: 1.0 and True are the whole number 1 in either way.
    """

    def __init__(self, names: tuple[str, ...]):
        self.names = names
        self._keys, self._fresh = Keys(), 0

    def read(self, given: Any, n: int) -> tuple[np.ndarray, Coded | None]:
        """Codes of n keys, and what `accept` takes. Raises ValueKindError, and changes nothing."""
        columns = self._columns(given, n)
        if not columns:
            return np.zeros(n, np.int64), None
        if len(columns) == 1:
            coded = self._keys.read(columns[0], n)
            return coded.codes, coded
        codes, packed = _packed(columns, n)
        others = np.flatnonzero(~packed)
        if not len(others):
            return codes, None
        tuples = list(zip(*(_as_list(column) for column in columns), strict=True))
        coded = self._keys.read([tuples[i] for i in others.tolist()], len(others))
        codes[others] = ~coded.codes
        return codes, coded

    def accept(self, coded: Coded | None) -> None:
        """Take over the names of the batch that was read last."""
        if coded is not None:
            self._keys.add(coded)
            self._fresh += len(coded.new)

    def columns(self, codes: np.ndarray) -> dict[str, np.ndarray]:
        """The key columns that codes stand for."""
        if len(self.names) < 2:
            return {name: self._keys.names(codes) for name in self.names}
        packed = codes >= 0
        made = [codes >> 32, ((codes & 0xFFFFFFFF) ^ HALF) - HALF]
        if not packed.all():
            numbered = iter(self._keys.names(~codes[~packed]))
            pairs = zip(*(part.tolist() for part in made), strict=True)
            keys = [pair if both else next(numbered) for pair, both in zip(pairs, packed, strict=True)]
            made = [_as_column(list(part)) for part in zip(*keys, strict=True)]
        return dict(zip(self.names, made, strict=True))

    def forget(self, count: int, alive: Callable[[], np.ndarray]) -> None:
        """Forget names but those of the `count` codes alive, once as many have come since; amortised O(1) a name."""
        if self._fresh > count + SPARE:
            codes = alive()
            self._keys.forget(set((codes if len(self.names) < 2 else ~codes).tolist()), count)
            self._fresh = 0

    def size(self) -> int:
        """Bytes of memory that names take, without what is in them."""
        return self._keys.size()

    def _columns(self, given: Any, n: int) -> list:
        names = self.names
        if given is None or not names:
            if given is not None or names:
                raise ValueKindError(f"keys are missing: f_K={names}" if names else "keys are given, but f_K is empty")
            return []
        if isinstance(given, Mapping):
            for name in names:
                if name not in given:
                    raise ValueKindError(f"there is no key column {name!r}; there are: {', '.join(map(str, given))}")
            given = tuple(given[name] for name in names)
        elif len(names) == 1:
            given = (given,)
        if not isinstance(given, tuple) or len(given) != len(names):
            raise ValueKindError(f"keys must be a tuple of {len(names)} columns: {', '.join(names)}")
        columns = [must_be_column(f"keys {name!r}", column) for name, column in zip(names, given, strict=True)]
        for name, column in zip(names, columns, strict=True):
            if len(column) != n:
                raise ValueKindError(f"{len(column)} keys {name!r} and {n} times; there must be as many of each")
        return columns


def _packed(columns: list, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the keys that are two whole numbers that go into one, and which these are."""
    if len(columns) != 2:
        return np.zeros(n, np.int64), np.zeros(n, bool)
    (high, fits), (low, also) = _wholes(columns[0], 0), _wholes(columns[1], -HALF)
    both = fits & also
    return np.where(both, (high << 32) | (low & 0xFFFFFFFF), 0), both


def _wholes(column: Any, least: int) -> tuple[np.ndarray, np.ndarray]:
    """The values of a column that equal whole numbers from `least` to 2^31 - 1, 0 for others; and which they are."""
    if not isinstance(column, np.ndarray) or column.dtype.kind not in "iuf":
        wholes = (whole_of(one, -HALF, HALF - 1) for one in column)
        column = np.array([math.nan if one is None else one for one in wholes], np.float64)
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
    made = np.empty(len(values), object)
    made[:] = values
    return made
