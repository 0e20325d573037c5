"""What claims on Spark are decided by: rows a second of each way, by window, keys or cores."""

import json
from collections.abc import Sequence
from typing import Any

import pandas as pd

from experiments.harness.old_judgement import NOT_REPRODUCED, PARTLY, REPRODUCED, Judgement, NotMeasuredError, judged


def rates(rows: pd.DataFrame, *keys: str) -> pd.DataFrame:
    """Operations a second, the median over repetitions: a line for each combination of keys, columns algorithm.

    A key is a column, or a name in one of the JSON columns. Raises NotMeasuredError if there are no times.
    """
    timed = rows[rows["metric"] == "time"]
    if timed.empty:
        raise NotMeasuredError("nothing was timed")
    timed = timed.assign(rate=timed["operations"] / timed["value"] * 1e9)
    return medians(timed, "rate", *keys)


def medians(rows: pd.DataFrame, value: str, *keys: str) -> pd.DataFrame:
    """The median of a column, or of a name in the facts: a line for each combination of keys, columns algorithm."""
    columns = {name: _values_of(rows, name) for name in (*keys, value) if name not in rows.columns}
    table = rows.assign(**columns).dropna(subset=[value])
    if table.empty:
        raise NotMeasuredError(f"no rows with {value}")
    return table.pivot_table(index=list(keys), columns="algorithm", values=value, aggfunc="median").astype(float)


def _values_of(rows: pd.DataFrame, name: str) -> list:
    columns = [rows[column].map(json.loads) for column in ("parameters", "workload_parameters", "facts")]
    return [next((values[name] for values in row if name in values), None) for row in zip(*columns)]


def quotient(table: pd.DataFrame, ours: str, others: tuple[str, ...], best: str = "max") -> pd.Series:
    """Ours over the best of the others, where both were measured. Raises NotMeasuredError if nowhere."""
    measured = [name for name in others if name in table.columns]
    if ours not in table.columns or not measured:
        raise NotMeasuredError(f"needs {ours} and {' or '.join(others)}")
    ratios = (table[ours] / table[measured].agg(best, axis=1)).dropna()
    if ratios.empty:
        raise NotMeasuredError(f"{ours} and {' or '.join(others)} were measured nowhere alike")
    return ratios


def at_least(ratios: pd.Series, goal: float, reason: str) -> Judgement:
    """Reproduced if all ratios reach the goal, partly if some do; what was measured names each."""
    texts = [f"{ratio:.3g} ({_place(ratios.index.names, key)})" for key, ratio in ratios.items()]
    reached = ratios >= goal
    verdict = REPRODUCED if reached.all() else PARTLY if reached.any() else NOT_REPRODUCED
    return judged(verdict, ", ".join(texts), reason)


def _place(names: Sequence[str], key: Any) -> str:
    """Where a ratio was found, in words."""
    values = key if isinstance(key, tuple) else (key,)
    return ", ".join(value if isinstance(value, str) else f"{name} {value:,}" for name, value in zip(names, values))
