"""Techniques compared with each other, for every number of queries (or range and slide): ratios and differences."""

import functools
import itertools
from collections.abc import Callable

import numpy as np
import pandas as pd

from experiments.harness.measured import Measured, NotMeasuredError, Table, lines_of, ratio, values_of


def compared(table: Table, of: Callable[[np.ndarray, np.ndarray], np.ndarray] = np.divide, sign: str = "/") -> Table:
    """Each technique with each other: of(one, other), under a key `pair` such as "ra / cutty".

    NaN where one of both was not measured. Raises NotMeasuredError for fewer than two techniques.
    """
    lines = {name: lines_of(table, algorithm=name) for name in values_of(table, "algorithm")}
    if len(lines) < 2:
        raise NotMeasuredError("fewer than two techniques were measured")
    at = functools.reduce(pd.Index.union, (of_technique.index for of_technique in lines.values()))
    values = {name: of_technique.reindex(at).to_numpy() for name, of_technique in lines.items()}
    pairs = list(itertools.permutations(values, 2))
    with np.errstate(divide="ignore", invalid="ignore"):  # nothing over nothing is NaN: there is nothing to compare
        numbers = np.concatenate([of(values[one], values[other]) for one, other in pairs])
    labels = [(*point, f"{one} {sign} {other}") for one, other in pairs for point in at]
    return pd.DataFrame(numbers, pd.MultiIndex.from_tuples(labels, names=[*at.names, "pair"]), table.columns)


def more(table: Table) -> Table:
    """How much more one technique has than another, under a key `pair` such as "ra - cutty"."""
    return compared(table, np.subtract, "-")


SERIES = ("algorithm", "queries")


def combines_more(measured: Measured) -> Table:
    """How many more combines a technique makes than another, over the whole stream."""
    return more(measured.total("combines", *SERIES))


def combines_ratio(measured: Measured) -> Table:
    """Combines of a technique over those of another."""
    return compared(measured.total("combines", *SERIES))


def partials_more(measured: Measured) -> Table:
    """How many more partial aggregates a technique keeps at most than another."""
    return more(measured.total("partials", *SERIES))


def partials_ratio(measured: Measured) -> Table:
    """The most partial aggregates that a technique keeps over those of another."""
    return compared(measured.total("partials", *SERIES))


def throughput(measured: Measured) -> Table:
    """Million records a second."""
    return measured.rate(*SERIES)


def throughput_ratio(measured: Measured) -> Table:
    """Records a second of a technique over those of another."""
    return compared(throughput(measured))


def cost_of_queries(measured: Measured) -> Table:
    """Throughput with one query over that with 100."""
    table = throughput(measured)
    if not {1, 100} <= set(values_of(table, "queries")):
        raise NotMeasuredError("needs times with 1 and with 100 queries")
    return ratio(lines_of(table, queries=1), lines_of(table, queries=100))
