"""Stored rows as tables of numbers: a line for each configuration, a column for each repetition.

Quantities (see experiments.harness.statements) are computed on whole tables, so a formula that is written once holds
for every repetition by itself. A slow moment of the machine slows all cells of a repetition: ratios taken within each
are steadier than ratios of medians.
"""

import functools
import json
from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np
import pandas as pd

from results.laps import of_the_same_operations

Table = pd.DataFrame
"""Rows: a MultiIndex of the configurations. Columns: (repetition, draw), float64; NaN where nothing was measured.

Draw 0 is what was measured. Where rows hold samples, the others are the same number of resampled samples.
"""

DRAWS = 16
"""Draws of a repetition with samples."""

ALL = pd.MultiIndex.from_tuples([("",)], names=[""])
"""The index of a table with a single configuration."""


_decoded = functools.lru_cache(maxsize=4096)(json.loads)
"""Of parameters, which thousands of rows share; nobody changes what it gives."""


class NotMeasuredError(Exception):
    """Raised by a quantity that lacks the rows it needs; the message says which."""


class PooledError(NotMeasuredError):
    """Raised where rows of several cells would become one number, as settings can bring about that no paper has."""


class Measured:
    """The good rows of one experiment. Remembers which cells its tables were made of."""

    def __init__(self, rows: pd.DataFrame):
        self.rows = rows.reset_index(drop=True)
        self._draws = DRAWS if self.rows["samples"].notna().any() else 1
        self._runs = self.rows.groupby(["machine", "repetition"]).ngroup()
        self._keys: dict[str, pd.Series] = {}
        self.read: list[pd.DataFrame] = []
        """The cells of each table so far: the column `cell`, and the keys."""
        self.exact = True
        """Whether all that was read was counted, and so is the same in every repetition."""
        self.repetitions = 1
        """Of each number: two where the quieter of two counts."""

    def each(self, metric: str, *keys: str, **where: Any) -> Table:
        """The value of one operation, such as nanoseconds or combines.

        `keys` are columns or names in the JSON columns `parameters` and `workload_parameters`; `where` selects rows by
        such names, each with one value or a collection of values. Raises NotMeasuredError if there are no such rows.
        """
        rows = self._selected(metric, where)
        return self._table(rows, self._values(rows) / rows["operations"].to_numpy()[:, None], keys)

    def total(self, metric: str, *keys: str, **where: Any) -> Table:
        """The value itself. As `each` otherwise."""
        rows = self._selected(metric, where)
        return self._table(rows, self._values(rows), keys)

    def rate(self, *keys: str, metric: str = "time", **where: Any) -> Table:
        """Million operations a second, from nanoseconds. As `each` otherwise."""
        return 1e3 / self.each(metric, *keys, **where)

    def fact(self, name: str, *keys: str, metric: str | None = None, **where: Any) -> Table:
        """A number of the facts of each row. As `each` otherwise.

        Raises NotMeasuredError with the reason that rows give for lacking it.
        """
        rows = self._selected(metric, where)
        facts = rows["facts"].map(json.loads)
        values = facts.map(lambda entry: entry.get(name)).astype(float)
        if values.isna().all():
            reasons = (entry.get("lacking", {}).get(name) for entry in facts)
            raise NotMeasuredError(next(filter(None, reasons), f"no row has {name}"))
        known = values.notna()
        return self._table(rows[known], values[known], keys)

    def quantile(self, share: float, *keys: str, metric: str = "latency", **where: Any) -> Table:
        """The value that this share of the samples of a row does not exceed. As `each` otherwise. O(samples log)."""
        return self._of_samples(metric, where, keys, lambda samples: self._quantiles(samples, share))

    def average(self, *keys: str, metric: str = "latency", **where: Any) -> Table:
        """The mean of the samples of a row. As `each` otherwise. O(samples)."""
        return self._of_samples(metric, where, keys, self._averages)

    def least(self, *keys: str, metric: str = "latency", **where: Any) -> Table:
        """The smallest sample. As `quantile` otherwise."""
        return self.quantile(0.0, *keys, metric=metric, **where)

    def worst_of_quieter(self, *keys: str, metric: str = "latency", **where: Any) -> Table:
        """The largest sample, each sample taken in the quieter of two repetitions (2k and 2k + 1) of the same work.

        A machine that is busy for a moment slows other rounds in each repetition; what is slow by itself is slow in
        both. A number for every two repetitions. As `each` otherwise.
        """
        self.repetitions = 2
        rows = self._selected(metric, where)
        rows = rows[rows["samples"].notna()]
        pairs = [pair for _, pair in rows.groupby(["machine", "cell", rows["repetition"] // 2]) if len(pair) == 2]
        if not pairs:
            raise NotMeasuredError("needs two repetitions of the same work")
        if not any(of_the_same_operations(list(pair["samples"])) for pair in pairs):
            raise NotMeasuredError("the rows have their samples in ascending order: which round was which is lost")
        first = pd.concat([pair.head(1) for pair in pairs])
        return self._table(first, [np.minimum(*pair["samples"]).max() for pair in pairs], keys)

    def _of_samples(
        self, metric: str, where: dict[str, Any], keys: Iterable[str], of: Callable[[Any], np.ndarray]
    ) -> Table:
        rows = self._selected(metric, where)
        rows = rows[rows["samples"].notna()]
        if rows.empty:
            raise NotMeasuredError(f"no samples of {metric}")
        return self._table(rows, np.array([of(samples) for samples in rows["samples"]]), keys)

    def _values(self, rows: pd.DataFrame) -> np.ndarray:
        """The value of each row, a column for each draw: where it was timed in laps, that of the median lap."""
        values = np.repeat(rows["value"].to_numpy(float)[:, None], self._draws, axis=1)
        for place in np.flatnonzero(rows["laps"] > 0):
            laps = rows["samples"].iat[place]
            values[place] = self._quantiles(laps, 0.5) * len(laps)
        return values

    def _quantiles(self, samples: Any, share: float) -> np.ndarray:
        """The observed quantile, then those of resampled samples.

        The k-th smallest of N draws with replacement is the sample of rank ceil(N u), where u is the k-th smallest of N
        uniform numbers: beta-distributed with parameters k and N - k + 1. So nothing is drawn N times.
        """
        ordered = np.sort(np.asarray(samples, float))
        n = len(ordered)
        k = min(n, max(1, int(np.ceil(share * n))))
        u = np.random.default_rng(n).beta(k, n - k + 1, self._draws - 1)
        return ordered[np.concatenate([[k - 1], np.ceil(n * u).astype(int) - 1])]

    def _averages(self, samples: Any) -> np.ndarray:
        """The observed mean, then those of resampled samples: normal about it, by its standard error."""
        values = np.asarray(samples, float)
        drawn = np.random.default_rng(len(values)).standard_normal(self._draws - 1)
        return values.mean() + values.std() / np.sqrt(len(values)) * np.concatenate([[0.0], drawn])

    def key(self, name: str) -> pd.Series:
        """A column of the rows, or what their parameters have under this name; "" where they have none."""
        if name not in self._keys:
            if name in self.rows.columns:
                self._keys[name] = self.rows[name]
            else:
                texts = zip(self.rows["parameters"], self.rows["workload_parameters"])
                found = [(_decoded(own) | _decoded(of_stream)).get(name, "") for own, of_stream in texts]
                plain = [json.dumps(value) if isinstance(value, list | dict) else value for value in found]
                self._keys[name] = pd.Series(plain, self.rows.index, dtype=object)
        return self._keys[name]

    def _selected(self, metric: str | None, where: dict[str, Any]) -> pd.DataFrame:
        chosen = pd.Series(True, self.rows.index) if metric is None else self.rows["metric"] == metric
        for name, value in where.items():
            values = value if isinstance(value, list | tuple | set | frozenset | range) else [value]
            chosen &= self.key(name).isin(list(values))
        if not chosen.any():
            of = " ".join(f"{name}={value}" for name, value in where.items())
            said = " ".join(filter(None, ["no rows", metric and f"with metric {metric}", of]))
            streams, of_another = set(self.rows["workload"]), where.get("workload")
            if isinstance(of_another, str) and streams and of_another not in streams:
                said += f"; this run has workload={','.join(sorted(streams))}"
            raise NotMeasuredError(said)
        return self.rows[chosen]

    def _table(self, rows: pd.DataFrame, values: Any, keys: Iterable[str]) -> Table:
        keys = list(keys)
        named = pd.DataFrame({name: self.key(name).loc[rows.index] for name in keys}, rows.index)
        self.read.append(named.assign(cell=rows["cell"]).drop_duplicates())
        self.exact &= bool(rows["counted"].all())
        index = pd.MultiIndex.from_frame(named) if keys else ALL.repeat(len(rows))
        runs = self._runs.loc[rows.index].to_numpy()
        if pd.MultiIndex.from_arrays([index, runs]).duplicated().any():
            raise PooledError(
                f"rows of several cells have the same {', '.join(keys)}: another key must tell them apart"
            )
        columns = np.asarray(values, float).reshape(len(rows), -1)
        lines = index.unique()
        filled = np.full((len(lines), int(self._runs.max()) + 1, self._draws), np.nan)
        filled[lines.get_indexer(index), runs] = columns
        if rows["counted"].all():  # measured once, and the same whenever it is measured
            filled[:] = np.nanmax(filled, axis=1, keepdims=True)
        names = pd.MultiIndex.from_product([range(filled.shape[1]), range(self._draws)], names=["repetition", "draw"])
        return pd.DataFrame(filled.reshape(len(lines), -1), lines, names).sort_index()

    def cells(self, configurations: Iterable[dict[str, Any]], among: Collection[str]) -> set[str]:
        """Those of some cells at points that agree with one of the configurations, in the keys of points they share.

        Keys of series and those that were put back do not count: what a configuration is compared with has others.
        """
        found: set[str] = set()
        for table in self.read:
            for configuration in configurations:
                agrees = table["cell"].isin(among)
                for name, value in configuration.items():
                    of_points = (
                        name in table.columns and name not in self._names_of_series and type(name) is not PutBack
                    )
                    if of_points and (table[name] == value).any():  # "2, 4" stands for both
                        agrees &= table[name] == value
                found |= set(table.loc[agrees, "cell"])
        return found

    @functools.cached_property
    def _names_of_series(self) -> set[str]:
        """Keys that tell algorithms apart."""
        return {"algorithm"}.union(*map(json.loads, self.rows["parameters"].unique()))

    def computed(
        self, of: Callable[[dict[str, Any]], float], *keys: str, metric: str | None = None, **where: Any
    ) -> Table:
        """A number computed from all facts of each row, such as how many entries of a list are wrong. As `each`."""
        rows = self._selected(metric, where)
        return self._table(rows, rows["facts"].map(lambda text: of(json.loads(text))).astype(float), keys)


def lines_of(table: Table, **keys: Any) -> Table:
    """The lines with these values of some keys, which are dropped. Raises NotMeasuredError if there are none."""
    chosen = table
    for name, value in keys.items():
        chosen = chosen[chosen.index.get_level_values(name) == value]
    if chosen.empty:
        raise NotMeasuredError("no rows of " + " ".join(f"{name}={value}" for name, value in keys.items()))
    return without(chosen, *keys)


def where(table: Table, **keys: Any) -> Table:
    """The lines whose keys satisfy a predicate each, or are in a collection. Raises NotMeasuredError for none."""
    chosen = np.ones(len(table), bool)
    for name, wanted in keys.items():
        values = table.index.get_level_values(name)
        chosen &= np.array([bool(wanted(value)) for value in values]) if callable(wanted) else values.isin(list(wanted))
    if not chosen.any():
        raise NotMeasuredError(f"no rows with {' and '.join(map(_wanted, keys.items()))}")
    return table[chosen]


def _wanted(key: tuple[str, Any]) -> str:
    name, wanted = key
    few = not callable(wanted) and len(wanted) <= 4
    return f"{name}={' or '.join(map(str, wanted))}" if few else f"the {name} that is needed"


def without(table: Table, *keys: str) -> Table:
    """The table without these keys, which must not tell lines apart any more."""
    kept = [name for name in table.index.names if name not in keys]
    if kept:
        dropped = [name for name in table.index.names if name in keys]
        index = table.index.droplevel(dropped) if dropped else table.index
        index = index if isinstance(index, pd.MultiIndex) else pd.MultiIndex.from_arrays([index], names=kept)
    else:
        index = ALL.repeat(len(table))
    if index.duplicated().any():
        raise ValueError(f"lines differ in {', '.join(keys)} only: choose one value, or reduce over it")
    return table.set_axis(index, axis=0)


def ratio(of: Table, to: Table) -> Table:
    """One table over another, line by line, for the configurations that both have. Raises NotMeasuredError for none."""
    both = of.index.intersection(to.index)
    if not len(both):
        raise NotMeasuredError("nothing was measured for both of what is compared")
    return of.loc[both] / to.loc[both]


def values_of(table: Table, key: str) -> list[Any]:
    """The values of a key, sorted."""
    return sorted(table.index.get_level_values(key).unique())


class PutBack(str):
    """The name of a key that was put back: what had other values of it may have gone into the numbers."""


def keyed(table: Table, key: str, value: Any) -> Table:
    """The table with a further key, the same for all lines: so that tables can be put below one another."""
    levels = [table.index.get_level_values(name) for name in table.index.names if name]
    names = [*filter(None, table.index.names), PutBack(key)]
    index = pd.MultiIndex.from_arrays([*levels, [value] * len(table)], names=names)
    return table.set_axis(index, axis=0)


def over(of: Table, to: Table) -> Table:
    """Each line of a table over the line of another, which has some of its keys, that agrees with it in these.

    Raises NotMeasuredError where no line has one.
    """
    keys = [name for name in to.index.names if name]
    wanted = pd.MultiIndex.from_arrays([of.index.get_level_values(key) for key in keys], names=keys) if keys else ()
    found = to.index.get_indexer(wanted) if keys else np.zeros(len(of), int)
    if not (found >= 0).any():
        raise NotMeasuredError("nothing was measured for both of what is compared")
    return of[found >= 0] / to.to_numpy()[found[found >= 0]]
