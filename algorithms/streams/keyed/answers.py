"""Results of all operators for the windows that fire."""

from typing import Any, NamedTuple

import numpy as np

from algorithms import operators
from algorithms.streams.keyed.firing import Firing
from algorithms.streams.keyed.measures import Measure, Measures
from algorithms.streams.keyed.rows import Rows, only, picked
from algorithms.streams.keyed.scratch import Scratch
from algorithms.streams.sliding.extent_trigger import EveryEnd, Within, end_of
from algorithms.windows.contract import Card


class Fired(NamedTuple):
    """Results, in order of key and time: codes of keys, and the end of the window or the time of the row that fired.

    results: a column for each operator; filled: for operators of columns that may have nulls, whether the window holds
    a value. values and valid: those of the row that fired; empty where windows fire at ends.
    """

    codes: np.ndarray
    times: np.ndarray
    results: dict[str, np.ndarray]
    filled: dict[str, np.ndarray]
    values: dict[str, np.ndarray]
    valid: dict[str, np.ndarray]


class Answers:
    """A window for each operator, of one card, and what they give. Raises ValueError for a pair that is refused."""

    def __init__(self, card: Card, parameters: dict[str, int], measures: Measures, counting: bool):
        self._measures, self._counting = measures, counting
        for one in measures.by_name.values():
            if reason := card.refusal(one.op):
                raise ValueError(reason)
        of = operators.counting if counting else lambda op: op
        self._scratch = {name: Scratch(card, of(one.op), parameters) for name, one in measures.by_name.items()}
        self._presence = Scratch(card, operators.make("count", "int64"), parameters)

    def combines(self) -> int:
        """Combines since this was asked last; -1 if they are not counted."""
        if not self._counting:
            return -1
        done = sum(scratch.op.combines() for scratch in self._scratch.values())
        for scratch in self._scratch.values():
            scratch.op.reset()
        return done

    def over(self, firing: Firing, rows: Rows, trigger: Any) -> Fired:
        """Results of windows over sorted rows."""
        results, filled = {}, {}
        first, last = np.asarray(firing.first), np.asarray(firing.last)
        for name, measure in self._measures.by_name.items():
            columns, there = _inputs(measure, rows)
            begin, end = first, last
            if there is not None and not there.all():  # windows of those rows that have a value
                passed = np.concatenate([[0], np.cumsum(there)])
                begin, end, columns = passed[first], passed[last], tuple(one[there] for one in columns)
            results[name] = self._scratch[name].over(begin, end, columns)
            if there is not None:
                filled[name] = end > begin
        return _fired(firing, rows, trigger, results, filled)

    def at_unsorted_ends(self, extent: Within, trigger: EveryEnd, rows: Rows, least: Any, most: Any) -> Fired:
        """Results at ends number least .. most of each key, of rows as they came."""
        found = {}
        for name, measure in self._measures.by_name.items():
            columns, there = _inputs(measure, rows)
            if there is None or there.all():
                found[name] = self._scratch[name].at_ends(extent, trigger, rows, columns, least, most)
        if found:
            firing = next(iter(found.values()))[0]
        else:
            firing, _ = self._presence.at_ends(extent, trigger, rows, (rows.positions,), least, most)
        results, filled = {}, {}
        for name, measure in self._measures.by_name.items():
            columns, there = _inputs(measure, rows)
            if name in found:
                results[name], filled[name] = found[name][1], np.ones(len(firing.key), bool)
            else:  # its windows are some of all
                some, keys = only(rows, there)
                columns = tuple(one[there] for one in columns)
                own, numbers = self._scratch[name].at_ends(extent, trigger, some, columns, least[keys], most[keys])
                at = _places(firing, keys[np.asarray(own.key)], np.asarray(own.when))
                results[name] = self._scratch[name].nothing(len(firing.key))
                results[name][at] = numbers
                filled[name] = np.zeros(len(firing.key), bool)
                filled[name][at] = True
            if there is None:
                del filled[name]
        return _fired(firing, rows, trigger, results, filled)


def _inputs(measure: Measure, rows: Rows) -> tuple[tuple[np.ndarray, ...], np.ndarray | None]:
    """The columns that an operator takes, and where all of them have a value; None if they always have."""
    wanted = zip(measure.columns, measure.takes, strict=True)
    columns = tuple(rows.values[name].astype(dtype, copy=False) for name, dtype in wanted)
    there = [rows.valid[name] for name in measure.columns if name in rows.valid]
    return columns, np.logical_and.reduce(there) if there else None


def _places(firing: Firing, key: np.ndarray, when: np.ndarray) -> np.ndarray:
    """Where windows are among all of them; both in order."""
    ends, at = np.unique(np.asarray(firing.when), return_inverse=True)  # ranks: numbers may be 2^62 apart
    every = np.asarray(firing.key) * len(ends) + at
    return np.searchsorted(every, key * len(ends) + np.searchsorted(ends, when))


def _fired(firing: Firing, rows: Rows, trigger: Any, results: dict, filled: dict) -> Fired:
    key, when = np.asarray(firing.key), np.asarray(firing.when)
    if isinstance(trigger, EveryEnd):
        return Fired(rows.codes[key], end_of(trigger, when), results, filled, {}, {})
    tables = (picked(table, when) for table in (rows.values, rows.valid))
    return Fired(rows.codes[key], rows.positions[when], results, filled, *tables)
