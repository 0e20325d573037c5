"""IStream: of the results for each key, those that differ from the one before (PVLDB 8(7), 2015, section 2.1)."""

from typing import Any

import numpy as np


class Changes:
    """Remembers the last result of each key. A result after a window that was empty counts as a change."""

    def __init__(self, at_ends: bool):
        self._at_ends = at_ends
        self._last: dict[int, tuple] = {}

    def of(self, codes: np.ndarray, when: np.ndarray, columns: list[np.ndarray]) -> np.ndarray:
        """A mask of the results that are changes, for columns in the order of firing. O(r log r) for r results."""
        order = np.argsort(codes, kind="stable")
        codes, when = codes[order], when[order]
        same = codes[1:] == codes[:-1]
        if self._at_ends:
            same &= when[1:] == when[:-1] + 1
        for column in columns:
            same &= _alike(column[order][1:], column[order][:-1])
        changed = np.concatenate([[True], ~same]) if len(codes) else np.zeros(0, bool)
        first = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]])) if len(codes) else []
        last = np.concatenate([first[1:] - 1, [len(codes) - 1]]) if len(codes) else []
        for i, j in zip(first, last, strict=True):
            now = (int(when[i]), [column[order[i : i + 1]] for column in columns])
            before = self._last.get(int(codes[i]))
            changed[i] = before is None or self._differs(before, now)
            self._last[int(codes[i])] = (int(when[j]), [column[order[j : j + 1]] for column in columns])
        mask = np.empty(len(codes), bool)
        mask[order] = changed
        return mask

    @property
    def remembered(self) -> dict[int, tuple]:
        """Keys whose last result is remembered."""
        return self._last

    def forget_before(self, end: int) -> None:
        """Forget results of ends before this number: the next result of their keys is a change anyway."""
        self._last = {code: last for code, last in self._last.items() if last[0] >= end}

    def _differs(self, before: tuple[int, list], now: tuple[int, list]) -> bool:
        gap = self._at_ends and now[0] != before[0] + 1
        return gap or not all(_alike(a, b)[0] for a, b in zip(before[1], now[1], strict=True))


def _alike(a: Any, b: Any) -> np.ndarray:
    return np.asarray((a == b) | ((a != a) & (b != b)), bool)  # NaN equals NaN here
