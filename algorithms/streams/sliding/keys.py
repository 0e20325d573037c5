"""Keys of records as int64 codes, by which partitions and sorting work."""

import sys
from collections.abc import Container
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from algorithms.arguments import must_be_column
from algorithms.errors import ValueKindError

FAR = 1024
"""Rows so far apart are compared, to see whether rows come late by many places."""

SPARE = 64
"""How many unused names are kept before any is dropped."""

OTHERS = 2**62
"""Whole numbers closer to 0 are their own codes. All other keys are numbered from here on as they come."""


class Coded(NamedTuple):
    """Codes of a batch of keys; the codes of keys that are new in it; how many keys are numbered after it."""

    codes: np.ndarray
    new: dict[Any, int]
    numbered: int


class Keys:
    """Codes of keys, and names of codes. How keys are split into batches does not matter. `read` does not add a batch.

    Keys that are equal are one key: 1.0 and True are the whole number 1. A key has the name of the first of its equals
    that came in a batch with keys that are not whole numbers.
    """

    def __init__(self) -> None:
        self._codes: dict[Any, int] = {}
        self._names: dict[int, Any] = {}
        self._numbered = 0

    def read(self, keys: Any, n: int) -> Coded:
        """Codes of n keys; changes nothing. Raises ValueKindError."""
        keys = must_be_column("keys", keys)
        if len(keys) != n:
            raise ValueKindError(f"{len(keys)} keys and {n} values; there must be as many of each")
        codes = _wholes(keys)
        if codes is not None:
            return Coded(codes, {}, self._numbered)
        new: dict[Any, int] = {}
        codes, numbered = np.empty(n, np.int64), self._numbered
        for i, key in enumerate(_items(keys)):
            try:
                code = self._codes.get(key, new.get(key))
            except TypeError:
                raise ValueKindError(f"keys[{i}]: {key!r} cannot be a key, for it can change") from None
            if code is None:
                code = whole_of(key, -OTHERS + 1, OTHERS - 1)
                if code is None:
                    code, numbered = OTHERS + numbered, numbered + 1
                new[key] = code
            codes[i] = code
        return Coded(codes, new, numbered)

    def add(self, batch: Coded) -> None:
        """Add the new keys of the batch that was read last."""
        self._codes |= batch.new
        self._names |= {code: key for key, code in batch.new.items()}
        self._numbered = batch.numbered

    def names(self, codes: np.ndarray) -> np.ndarray:
        """The keys that codes stand for."""
        if not self._names:
            return codes
        names = np.empty(len(codes), object)
        names[:] = [self._names.get(code, code) for code in codes.tolist()]
        return names

    def size(self) -> int:
        """Bytes of memory that names and their codes take, without what is inside names."""
        return sum(map(sys.getsizeof, (self._codes, self._names, *self._codes)))

    def forget(self, alive: Container[int], count: int) -> None:
        """Forget names of codes that are not among the `count` alive ones, once most are not. Amortised O(1) a name."""
        if len(self._names) > 2 * count + SPARE:
            self._names = {code: key for code, key in self._names.items() if code in alive}
            self._codes = {key: code for code, key in self._names.items()}


def by_key(codes: np.ndarray) -> np.ndarray:
    """The order that groups equal codes, in ascending order, and leaves rows of a key as they came.

    O(n) if the codes lie within 2**48: NumPy sorts 16 bits by digits, in a tenth of the time of 64.
    """
    spread = int(codes.max()) - int(codes.min()) if len(codes) else 0
    if spread >= 2**48:
        return np.argsort(codes, kind="stable")
    codes = codes - codes.min(initial=2**63 - 1)
    order = np.argsort(codes.astype(np.uint16), kind="stable")
    for digit in range(1, (spread.bit_length() + 15) // 16):
        order = order[np.argsort((codes >> 16 * digit).astype(np.uint16)[order], kind="stable")]
    return order


def in_order(times: np.ndarray) -> np.ndarray:
    """The order of times, and that of coming where they are equal.

    NumPy's stable sort takes 1 to 36 ns a row if rows are at most a thousand places late, and 90 if they come in any
    order; by digits it is 23 to 46 (a million rows within a second to a week).
    """
    far_back = np.count_nonzero(times[FAR:] < times[:-FAR])
    return by_key(times) if 16 * far_back > len(times) else np.argsort(times, kind="stable")


def _items(keys: Any) -> Any:
    """Keys as Python has them. Of dates finer than a microsecond, which Python has not, NumPy would make numbers."""
    if not isinstance(keys, np.ndarray):
        return keys
    if keys.dtype.kind in "mM":
        cut = keys.astype(f"{keys.dtype.kind}8[us]")
        return cut.tolist() if np.array_equal(cut, keys, equal_nan=True) else list(keys)
    return keys.tolist()


def _wholes(keys: Any) -> np.ndarray | None:
    """The keys as codes, if all are whole numbers that are their own codes; else None."""
    if not isinstance(keys, np.ndarray):
        if not all(type(key) is int or isinstance(key, np.integer) for key in keys):
            return None
        keys = np.asarray(keys, object if any(abs(int(key)) >= OTHERS for key in keys) else np.int64)
    if keys.dtype.kind not in "iu" or (len(keys) and not -OTHERS < int(keys.min()) <= int(keys.max()) < OTHERS):
        return None
    return keys.astype(np.int64, copy=False)


def whole_of(key: Any, least: int, most: int) -> int | None:
    """The whole number from `least` to `most` that a key equals; None if there is none."""
    try:
        whole = int(key.real) if _is_number(key) else None
    except (ValueError, OverflowError):  # NaN and infinity
        return None
    return whole if whole is not None and whole == key and least <= whole <= most else None


def _is_number(key: Any) -> bool:
    return isinstance(key, Number | np.bool_)
