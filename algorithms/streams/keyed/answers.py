"""Results of all operators for the windows that fire."""

from typing import Any, NamedTuple

import numpy as np

from algorithms import operators
from algorithms.streams.keyed.firing import Firing
from algorithms.streams.keyed.measures import Measure, Measures
from algorithms.streams.keyed.rows import Batch, Rows, picked, selected
from algorithms.streams.keyed.scratch import Scratch
from algorithms.streams.sliding.extent_trigger import EveryEnd, Within, end_of
from algorithms.windows.contract import Card


class Fired(NamedTuple):
    """Results in order of key and time: codes of keys, and the end of the window or the time of the row that fired.

    results: a column for each operator; filled: for operators of nullable columns, whether the window holds a value;
    values and valid: those of the row that fired, empty if windows fire at ends.
    """

    codes: np.ndarray
    times: np.ndarray
    results: dict[str, np.ndarray]
    filled: dict[str, np.ndarray]
    values: dict[str, np.ndarray]
    valid: dict[str, np.ndarray]


class Answers:
    """A window of the card for each operator, and their results. Raises ValueError if the card refuses an operator."""

    def __init__(self, card: Card, parameters: dict[str, int], measures: Measures, counting: bool):
        self._measures, self._counting = measures, counting
        for measure in measures.by_name.values():
            if reason := card.refusal(measure.op):
                raise ValueError(reason)
        wrap = operators.counting if counting else lambda op: op
        self._scratch = {name: Scratch(card, wrap(m.op), parameters) for name, m in measures.by_name.items()}
        self._presence = Scratch(card, operators.make("count", "int64"), parameters)

    def combines(self) -> int:
        """Combines since the last call; -1 if they are not counted."""
        if not self._counting:
            return -1
        combines = sum(scratch.op.combines() for scratch in self._scratch.values())
        for scratch in self._scratch.values():
            scratch.op.reset()
        return combines

    def over(self, firing: Firing, rows: Rows, trigger: Any) -> Fired:
        """Results of windows over sorted rows."""
        results, filled = {}, {}
        first, last = np.asarray(firing.first), np.asarray(firing.last)
        for name, measure in self._measures.by_name.items():
            columns, present = inputs_of(measure, rows)
            begin, end = first, last
            if present is not None and not present.all():  # windows over only the rows that have a value
                passed = np.concatenate([[0], np.cumsum(present)])
                begin, end, columns = passed[first], passed[last], tuple(column[present] for column in columns)
            results[name] = self._scratch[name].over(begin, end, columns)
            if present is not None:
                filled[name] = end > begin
        return _fired(firing, rows, trigger, results, filled)

    def at_unsorted_ends(self, extent: Within, trigger: EveryEnd, rows: Rows, least: Any, most: Any) -> Fired:
        """Results at ends number least .. most of each key, over rows as they came."""
        complete = {}  # operators whose windows are all of them, since every row has a value
        for name, measure in self._measures.by_name.items():
            columns, present = inputs_of(measure, rows)
            if present is None or present.all():
                complete[name] = self._scratch[name].at_ends(extent, trigger, rows, columns, least, most)
        if complete:
            firing = next(iter(complete.values()))[0]
        else:
            firing, _ = self._presence.at_ends(extent, trigger, rows, (rows.positions,), least, most)
        results, filled = {}, {}
        for name, measure in self._measures.by_name.items():
            columns, present = inputs_of(measure, rows)
            if name in complete:
                results[name], filled[name] = complete[name][1], np.ones(len(firing.key), bool)
            else:
                scratch = self._scratch[name]
                own_rows, keys = selected(rows, present)
                columns = tuple(column[present] for column in columns)
                own, numbers = scratch.at_ends(extent, trigger, own_rows, columns, least[keys], most[keys])
                places = _places(firing, keys[np.asarray(own.key)], np.asarray(own.when))
                results[name] = scratch.empty_results(len(firing.key))
                results[name][places] = numbers
                filled[name] = np.zeros(len(firing.key), bool)
                filled[name][places] = True
            if present is None:
                del filled[name]
        return _fired(firing, rows, trigger, results, filled)


def inputs_of(measure: Measure, rows: Rows | Batch) -> tuple[tuple[np.ndarray, ...], np.ndarray | None]:
    """The columns that an operator takes, and which rows have a value in all of them; None if all rows always do."""
    dtypes = zip(measure.columns, measure.takes, strict=True)
    columns = tuple(rows.values[name].astype(dtype, copy=False) for name, dtype in dtypes)
    valid = [rows.valid[name] for name in measure.columns if name in rows.valid]
    return columns, np.logical_and.reduce(valid) if valid else None


def _places(firing: Firing, key: np.ndarray, when: np.ndarray) -> np.ndarray:
    """Where the windows of these keys and ends are in `firing`; both are in order."""
    ends, ranks = np.unique(np.asarray(firing.when), return_inverse=True)  # ranks: numbers may be 2^62 apart
    windows = np.asarray(firing.key) * len(ends) + ranks
    return np.searchsorted(windows, key * len(ends) + np.searchsorted(ends, when))


def _fired(firing: Firing, rows: Rows, trigger: Any, results: dict, filled: dict) -> Fired:
    key, when = np.asarray(firing.key), np.asarray(firing.when)
    if isinstance(trigger, EveryEnd):
        return Fired(rows.codes[key], end_of(trigger, when), results, filled, {}, {})
    tables = (picked(table, when) for table in (rows.values, rows.valid))
    return Fired(rows.codes[key], rows.positions[when], results, filled, *tables)
