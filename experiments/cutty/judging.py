"""What claims say of techniques over the number of queries: ratios of one to another, in words and judged."""

import json

import pandas as pd

from experiments.harness.old_judgement import NOT_REPRODUCED, PARTLY, REPRODUCED, Judgement, NotMeasuredError


def over_queries(rows: pd.DataFrame, metric: str, aggregate: str = "median") -> pd.DataFrame:
    """A metric, time in ns a record, over repetitions: a line for each number of queries, a column for each technique.

    Raises NotMeasuredError if there are no rows of it.
    """
    of_metric = rows[rows["metric"] == metric]
    if of_metric.empty:
        raise NotMeasuredError(f"no rows of {metric}")
    queries = of_metric["workload_parameters"].map(lambda text: json.loads(text)["queries"])
    value = of_metric["value"] / (of_metric["operations"] if metric == "time" else 1)
    table = of_metric.assign(queries=queries, value=value)
    return table.pivot_table(index="queries", columns="algorithm", values="value", aggfunc=aggregate).astype(float)


def of_technique(rows: pd.DataFrame, metric: str, name: str, aggregate: str = "median") -> pd.Series:
    """One column of `over_queries`. Raises NotMeasuredError where it has no rows."""
    table = over_queries(rows, metric, aggregate)
    if name not in table:
        raise NotMeasuredError(f"no rows of {metric} of {name}")
    return table[name].dropna()


def ratio(rows: pd.DataFrame, metric: str, over: str, under: str) -> pd.Series:
    """One technique's value over another's, by number of queries. Raises NotMeasuredError where one has no rows."""
    return quotient(of_technique(rows, metric, over), of_technique(rows, metric, under))


def quotient(over: pd.Series, under: pd.Series) -> pd.Series:
    """One series divided by another where both have a value. Raises NotMeasuredError if there is no such place."""
    ratios = (over / under).dropna()
    if ratios.empty:
        raise NotMeasuredError("no number of queries was measured of both")
    return ratios


def in_words(ratios: pd.Series, form: str = "{:.2f}") -> str:
    """Ratios in words: at the smallest, the middle and the largest number of queries."""
    places = dict.fromkeys([0, len(ratios) // 2, len(ratios) - 1])
    return ", ".join(f"{form.format(ratios.iloc[k])} at {ratios.index[k]}" for k in places) + " queries"


def judged(holds: pd.Series, measured: str, reason: str) -> Judgement:
    """Reproduced if a claim holds for every number of queries, partly if for some."""
    verdict = REPRODUCED if holds.all() else PARTLY if holds.any() else NOT_REPRODUCED
    return Judgement(verdict, measured, "" if verdict == REPRODUCED else reason)


def within(ratios: pd.Series, low: float, high: float, form: str, reason: str) -> Judgement:
    """Reproduced if all ratios are from low to high, partly if some are."""
    return judged((ratios >= low) & (ratios <= high), in_words(ratios, form), reason)


def least(*ratios: pd.Series) -> pd.Series:
    """The smallest of several ratios, where all were measured."""
    return pd.concat(ratios, axis=1).dropna().min(axis=1)


def share_of_folding(rows: pd.DataFrame, name: str) -> pd.Series:
    """The part of a technique's time that folding records into slices takes by itself, as metric `fold` measures it.

    The quickest repetition of each is taken: the share is small, and other work of the machine must not distort it.
    """
    fold = rows[rows["metric"] == "fold"]
    if fold.empty:
        raise NotMeasuredError("no rows of fold")
    fold_only = float((fold["value"] / fold["operations"]).min())
    return (fold_only / of_technique(rows, "time", name, "min")).clip(upper=1)
