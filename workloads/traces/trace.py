"""The trace: the common form of the items of every workload."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Trace:
    """The items of a stream in arrival order.

    name            the workload's name
    parameters      all its parameters, defaults filled in
    times           event times, int64, shape (items,), in the order in which the items arrive
    values          int64 or float64, shape (items,), finite
    keys            int64, shape (items,), or None for a stream without keys
    time_unit       the unit of time ("s", "min", "tick" ...)
    ticks_per_unit  how much `times` grow in one time unit: 1, or 2^20 if ties have a sequence number, so that a window
                    of w time units spans w * ticks_per_unit
    skipped         number of bad records left out
    notes           one-line statements that a reader of a figure must know
    The arrays are read-only. Raises ValueError if there are no items or an array has the wrong dtype or length.
    """

    name: str
    parameters: Mapping[str, Any]
    times: np.ndarray
    values: np.ndarray
    keys: np.ndarray | None = None
    time_unit: str = "tick"
    ticks_per_unit: int = 1
    skipped: int = 0
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.times) == 0:
            raise ValueError(f"workload {self.name} has no items; at least one is needed")
        self._check_and_freeze("times", ("int64",))
        self._check_and_freeze("values", ("int64", "float64"))
        if self.keys is not None:
            self._check_and_freeze("keys", ("int64",))

    def _check_and_freeze(self, field: str, dtypes: tuple[str, ...]) -> None:
        array = getattr(self, field)
        if str(array.dtype) not in dtypes or array.shape != (len(self.times),):
            needed = f"{' or '.join(dtypes)} of shape ({len(self.times)},)"
            raise ValueError(f"{field} of workload {self.name} are {array.dtype} of shape {array.shape}, not {needed}")
        view = np.ascontiguousarray(array).view()  # a view, so that the caller's own array stays writable
        view.setflags(write=False)
        object.__setattr__(self, field, view)

    def __len__(self) -> int:
        return len(self.times)

    @cached_property
    def hash(self) -> str:
        """First 16 hexadecimal digits of the SHA-256 of what is measured: name, time unit, dtypes and array contents.

        Equal items have equal hashes on every machine and from every file format, since timestamps are already
        normalised and bytes are taken in little-endian order.
        """
        digest = hashlib.sha256(f"{self.name} {self.time_unit} {self.ticks_per_unit}".encode())
        for field in ("times", "values", "keys"):
            array = getattr(self, field)
            if array is not None:
                digest.update(f" {field} {array.dtype} {len(array)} ".encode())
                digest.update(array.astype(array.dtype.newbyteorder("<"), copy=False).data)
        return digest.hexdigest()[:16]
