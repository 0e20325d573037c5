"""What claims say of trees: throughput of each algorithm, arity and operator."""

import pandas as pd

from experiments.harness.old_judgement import NotMeasuredError, arity_of


def medians(rows: pd.DataFrame, x: str) -> pd.DataFrame:
    """Million items/s, the median over repetitions: one line for each (algorithm, min_arity, operator), columns x."""
    timed = rows[(rows["metric"] == "time") & rows[x].notna()]
    if timed.empty:
        raise NotMeasuredError(f"no rows with {x}")
    arity = timed["parameters"].map(arity_of)
    rate = timed["operations"] / timed["value"] * 1e3
    table = timed.assign(min_arity=arity, rate=rate)
    return table.pivot_table(
        index=["algorithm", "min_arity", "operator"], columns=x, values="rate", aggfunc="median"
    ).astype(float)


def series(table: pd.DataFrame, algorithm: str, operator: str | None = None) -> pd.DataFrame:
    """The lines of one algorithm (and operator). Raises NotMeasuredError if there are none."""
    lines = table[table.index.get_level_values("algorithm") == algorithm]
    if operator is not None:
        lines = lines[lines.index.get_level_values("operator") == operator]
    if lines.empty:
        raise NotMeasuredError(f"no rows of {algorithm}" + (f" with {operator}" if operator else ""))
    return lines
