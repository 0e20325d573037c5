"""Keys of records as int64 codes, which partitions and sorting go by."""

import sys
from collections.abc import Container
from typing import Any, NamedTuple

import numpy as np

from algorithms.facade import ValueKindError
from algorithms.windowing.columns import listed

SPARE = 64
"""Names that are kept though nothing has them, before any is looked at."""


class Coded(NamedTuple):
    """Codes of a batch of keys, names that were new in it, and whether keys are coded (None before the first)."""

    codes: np.ndarray
    fresh: dict[Any, int]
    coded: bool | None


class Keys:
    """Whole numbers are codes themselves; other keys are numbered as they come. What a batch brings is added later."""

    def __init__(self) -> None:
        self._codes: dict[Any, int] = {}
        self._names: dict[int, Any] = {}
        self._next = 0
        self._coded: bool | None = None

    def read(self, keys: Any, n: int) -> Coded:
        """Codes of n keys. Raises ValueKindError, and changes nothing ever."""
        keys = listed("keys", keys)
        if len(keys) != n:
            raise ValueKindError(f"{len(keys)} keys and {n} values; there must be as many of each")
        whole = keys.dtype.kind == "i" if isinstance(keys, np.ndarray) else all(map(_is_code, keys))
        if n == 0 or (whole and not self._coded):
            return Coded(np.asarray(keys, np.int64).reshape(n), {}, self._coded if n == 0 else False)
        if self._coded is False:
            raise ValueKindError("keys were whole numbers so far, and now there are others: give all as one kind")
        fresh: dict[Any, int] = {}
        codes = np.empty(n, np.int64)
        for i, key in enumerate(keys.tolist() if isinstance(keys, np.ndarray) else keys):
            try:
                code = self._codes.get(key)
                codes[i] = fresh.setdefault(key, self._next + len(fresh)) if code is None else code
            except TypeError:
                raise ValueKindError(f"keys[{i}]: {key!r} cannot be a key, for it can change") from None
        return Coded(codes, fresh, True)

    def add(self, batch: Coded) -> None:
        """Take over what the batch that was read last has brought."""
        self._codes |= batch.fresh
        self._names |= {code: key for key, code in batch.fresh.items()}
        self._next += len(batch.fresh)
        self._coded = batch.coded

    def names(self, codes: np.ndarray) -> np.ndarray:
        """The keys that codes stand for."""
        if not self._coded:
            return codes
        names = np.empty(len(codes), object)
        names[:] = [self._names[code] for code in codes.tolist()]
        return names

    def size(self) -> int:
        """Bytes of memory that names and their codes take, without what is inside of names."""
        return sum(map(sys.getsizeof, (self._codes, self._names, *self._codes)))

    def forget(self, alive: Container[int], count: int) -> None:
        """Forget names whose code is none of the `count` alive, once they are the most; amortised O(1) a name."""
        if len(self._names) > 2 * count + SPARE:
            self._names = {code: key for code, key in self._names.items() if code in alive}
            self._codes = {key: code for code, key in self._names.items()}


def _is_code(key: Any) -> bool:
    return isinstance(key, int | np.integer) and not isinstance(key, bool) and -(2**63) <= key < 2**63
