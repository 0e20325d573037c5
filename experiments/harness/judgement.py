"""The one rule that decides every statement: intervals of a quantity by the bootstrap, held against its bound.

A quantity is a number for each configuration and repetition. Its interval is that of the median over repetitions:
repetitions are drawn with replacement (each ran in a process of its own) and, where they have samples, one of their
draws each. A configuration *holds* if the whole interval is within the bound, *fails* if all of it is outside, and is
*undecided* otherwise. What is counted has no interval.

How often the rule is wrong is measured: experiments verdict_false_alarms and verdict_power.
"""

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from experiments.harness.measured import Measured, NotMeasuredError, Table, where
from experiments.harness.statements import Relation, Statement
from results.verdicts import NOT_JUDGED, NOT_MEASURED, Decision, Verdict, word_of

CONFIDENCE = 0.995
"""Of one interval. Statements are looked at up to three times, and two interval ends may err: at most 5 % together.

By simulation (normal and spiky noise, looks at 7, 14 and 28 repetitions) two equal windows are said to differ in 3 to
4 %. What it is at the looks of profile laptop is measured: see verdict_false_alarms.
"""

LEAST = 6
"""Repetitions of an interval: the range of fewer misses the median in more than 3 %."""

RESAMPLES = 2000

MOST_LISTED = 6
"""Configurations whose numbers are all written out."""

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"

Quantity = Callable[[Measured], Table]
Reason = Callable[[Measured], str]


class Ruling(NamedTuple):
    """A verdict, and how to find the cells that must be repeated for it to be decided."""

    verdict: Verdict
    undecided_cells: Callable[[], frozenset[str]] = frozenset


@functools.cache
def _drawn(repetitions: int, draws: int) -> tuple[np.ndarray, np.ndarray]:
    """The resamples: repetitions, and a draw of each. The same for all configurations, so that verdicts repeat."""
    random = np.random.default_rng(repetitions)
    size = (RESAMPLES, repetitions)
    return random.integers(0, repetitions, size), random.integers(min(1, draws - 1), draws, size)


def interval(values: np.ndarray, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The interval of the median of a (repetitions, draws) array. O(RESAMPLES * repetitions)."""
    runs, draws = _drawn(*values.shape)
    medians = np.median(values[runs, draws], axis=1)
    low, high = np.quantile(medians, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def decided(table: Table, relation: Relation, exact: bool) -> list[Decision]:
    """A decision for each line of a table; lines without a single repetition are left out."""
    decisions = []
    for configuration, values in _lines(table, relation):
        known = values[~np.isnan(values).any(axis=1)]
        if len(known):
            decisions.append(_decision(configuration, known, relation, exact))
    return decisions


def _lines(table: Table, relation: Relation) -> Iterator[tuple[dict[str, Any], np.ndarray]]:
    """Each configuration and its numbers, as a (repetitions, draws) array; NaN where there is none."""
    lines = relation.reduce(table)
    draws = lines.columns.get_level_values("draw").nunique()
    numbers = lines.to_numpy(float).reshape(len(lines), -1, draws)
    for label, values in zip(lines.index, numbers):
        parts = label if isinstance(label, tuple) else (label,)
        yield {name: value for name, value in zip(lines.index.names, parts) if name}, values


def _decision(configuration: dict[str, Any], values: np.ndarray, relation: Relation, exact: bool) -> Decision:
    n, middle = len(values), float(np.median(values[:, 0]))
    if exact:
        state = HOLDS if relation.low <= middle <= relation.high else FAILS
        return Decision(configuration, middle, middle, middle, state, n)
    if n < LEAST:
        low, high = float(values[:, 0].min()), float(values[:, 0].max())
        return Decision(configuration, middle, low, high, UNDECIDED, n, LEAST - n)
    low, high = interval(values)
    if relation.low <= low and high <= relation.high:
        return Decision(configuration, middle, low, high, HOLDS, n)
    if high < relation.low or relation.high < low:
        return Decision(configuration, middle, low, high, FAILS, n)
    return Decision(configuration, middle, low, high, UNDECIDED, n, _more(n, middle, low, high, relation))


def _more(n: int, middle: float, low: float, high: float, relation: Relation) -> int | None:
    """Intervals shrink as the root of the number of repetitions, until the nearest bound is outside."""
    needed = 1.0
    for bound in (relation.low, relation.high):
        if math.isfinite(bound) and low <= bound <= high:
            margin, width = abs(middle - bound), (middle - low if bound < middle else high - middle)
            if margin == 0:
                return None
            needed = max(needed, (width / margin) ** 2)
    return max(1, math.ceil(n * (needed - 1)))


def judged(experiment: str, statement: Statement, quantity: Quantity, reason: Reason | None, rows: Any) -> Ruling:
    """The verdict on a statement from the good rows of the series that the paper has."""
    measured = Measured(rows)
    try:
        table = _table(statement, quantity, measured)
        decisions = decided(table, statement.bound, measured.exact)
        if not decisions:
            raise NotMeasuredError("no configuration has all the cells that it needs")
    except NotMeasuredError as error:
        return Ruling(_verdict(experiment, statement, "", NOT_MEASURED, reason=str(error)))
    counts = [sum(decision.state == state for decision in decisions) for state in (HOLDS, FAILS, UNDECIDED)]
    open_ones = [decision.configuration for decision in decisions if decision.state == UNDECIDED]
    text = in_words(decisions, statement.unit)
    facts = [_undecided_because(decisions, measured.repetitions), _said(reason, measured) if counts[1] else ""]
    verdict = _verdict(experiment, statement, text, word_of(*counts), *counts, reason="; ".join(filter(None, facts)))
    cells = functools.partial(_cells_of, open_ones, statement, quantity, measured.rows)
    return Ruling(verdict._replace(timed=not measured.exact, unit=statement.unit, decisions=tuple(decisions)), cells)


def _table(statement: Statement, quantity: Quantity, measured: Measured) -> Table:
    """The quantity for the configurations that the statement is about."""
    table = quantity(measured)
    if not statement.where:
        return table
    return where(table, **{name: _collection(value) for name, value in statement.where.items()})


SERIES = ["algorithm", "parameters"]


def _cells_of(
    configurations: Sequence[dict[str, Any]], statement: Statement, quantity: Quantity, rows: pd.DataFrame
) -> frozenset[str]:
    """The cells that these configurations are computed from.

    A series is needed by a configuration whose numbers change when its later repetitions are missing: a ratio names one
    series and is of two. Of needed series the cells are those at the configuration's points, or all where these are not
    enough. O(series) times the quantity.
    """
    measured, found, of_needed = Measured(rows), set[str](), set[str]()
    later = rows["repetition"] > rows.groupby("cell")["repetition"].transform("max") // 2
    before = _numbers(statement, quantity, measured)

    def changed(missing: pd.Series) -> list[dict[str, Any]]:
        without = _numbers(statement, quantity, Measured(rows[~(missing & later)]))
        return [each for each in configurations if without.get(_label(each)) != before.get(_label(each))]

    for _, of_series in rows.groupby(SERIES):
        if needing := changed(rows.index.isin(of_series.index)):
            cells = set(of_series["cell"])
            found |= measured.cells(needing, cells)
            of_needed |= cells
    if changed(~rows["cell"].isin(found)):
        found |= of_needed & {cell for table in measured.read for cell in table["cell"]}
    return frozenset(found)


def _label(configuration: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(configuration.values())


def _numbers(statement: Statement, quantity: Quantity, measured: Measured) -> dict[tuple[Any, ...], list[float]]:
    """The numbers of each configuration, in order of size; none if there is nothing to compute them from."""
    try:
        lines = list(_lines(_table(statement, quantity, measured), statement.bound))
    except Exception:  # a quantity may do anything when rows that it needs are not there
        return {}
    return {_label(configuration): sorted(values[~np.isnan(values)].tolist()) for configuration, values in lines}


def _said(reason: Reason | None, measured: Measured) -> str:
    """What a reason says; nothing where the rows that it needs were not measured."""
    try:
        return reason(measured) if reason else ""
    except NotMeasuredError:
        return ""


def _collection(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else [value]


def not_judged(experiment: str, statement: Statement) -> Verdict:
    return _verdict(experiment, statement, "", NOT_JUDGED, reason=statement.not_judged)


def _verdict(experiment: str, statement: Statement, text: str, word: str, *counts: int, reason: str = "") -> Verdict:
    bound = bound_of(statement)
    return Verdict(
        experiment, statement.place, statement.claim, statement.says, bound, text, word, *counts, reason=reason
    )


def bound_of(statement: Statement) -> str:
    """What the quantity must be for a statement to hold, and where that comes from; empty for what is not judged."""
    if not statement.relation:
        return ""
    unit = f" {statement.unit}" if statement.unit not in ("", "%") else ""
    ends = {"low": _number(statement.bound.low, statement.unit), "high": _number(statement.bound.high, statement.unit)}
    return f"{statement.bound.words.format(**ends)}{unit} ({statement.tolerance})"


def of_the_paper(rows: pd.DataFrame, series: Iterable[Any] | None) -> pd.DataFrame:
    """The rows of the series that the paper has: names of algorithms, or {name, parameters...} with lists of values."""
    if series is None:
        return rows
    measured = Measured(rows)
    chosen = pd.Series(False, measured.rows.index)
    for entry in series:
        wanted = {"name": entry} if isinstance(entry, str) else dict(entry)
        of_series = measured.rows["algorithm"] == wanted.pop("name")
        for key, values in wanted.items():
            of_series &= measured.key(key).isin(_collection(values))
        chosen |= of_series
    return measured.rows[chosen]


def in_words(decisions: Sequence[Decision], unit: str) -> str:
    """The numbers of all configurations; of many, the least, the largest, and those that do not hold."""
    if len(decisions) <= MOST_LISTED:
        return "; ".join(_one_in_words(decision, unit) for decision in decisions)
    ordered = sorted(decisions, key=lambda decision: decision.value)
    text = f"{_one_in_words(ordered[0], unit)} to {_one_in_words(ordered[-1], unit)}"
    others = [decision for decision in ordered[1:-1] if decision.state != HOLDS][:MOST_LISTED]
    listed = "; ".join(f"{_one_in_words(decision, unit)} {decision.state}" for decision in others)
    return f"{text}; {listed}" if listed and len(others) < len(decisions) - 2 else text


def _one_in_words(decision: Decision, unit: str) -> str:
    label = ", ".join(f"{value}" if isinstance(value, str) else f"{name} {value:,}" for name, value in _shown(decision))
    number = _number(decision.value, unit)
    if decision.low < decision.high:
        number += f" ({_number(decision.low, unit)} to {_number(decision.high, unit)})"
    return f"{label}: {number}" if label else number


def _shown(decision: Decision) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in decision.configuration.items() if value not in ("", None)]


IN_FULL = 1e12
"""From here on numbers have a power of ten."""

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _number(value: float, unit: str) -> str:
    """A number with three digits, in per cent where that is the unit; in full from 1,000 up to `IN_FULL`."""
    if unit == "%":
        return f"{100 * value:.3g} %"
    if 999.5 <= abs(value) < IN_FULL:
        return f"{value:,.0f}"
    digits, power, exponent = f"{value:.3g}".partition("e")
    return f"{digits} × 10{str(int(exponent)).translate(RAISED)}" if power else digits


def _undecided_because(decisions: Sequence[Decision], each: int) -> str:
    """Why a statement is undecided; each number takes so many repetitions."""
    open_ones = [decision for decision in decisions if decision.state == UNDECIDED]
    if not open_ones:
        return ""
    if (least := min(decision.repetitions for decision in open_ones)) < LEAST:
        repetitions = "1 repetition" if least * each == 1 else f"{least * each} repetitions"
        return f"{repetitions}; an interval takes {LEAST * each}"
    known = [decision.more for decision in open_ones if decision.more is not None]
    if len(known) < len(open_ones):
        return "a median is the bound itself: no number of repetitions decides"
    return f"about {max(known) * each:,} more repetitions would decide"
