"""What claims say of A_C over D: a line for each injection rate, and what one D costs or saves against infinity."""

import json
from collections.abc import Sequence

import pandas as pd

from experiments.compressed_windows.measuring.aggregates import SATURATING
from experiments.harness.old_judgement import NotMeasuredError


def seconds_of(text: str | float) -> float:
    """A D as the row column `parameters` has it, in seconds; NaN where a controller chooses it."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def located(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of A_C with columns rate, codec, age (D as text), D (s), facts (dicts) and throughput (tuples/s)."""
    rows = rows.assign(facts=rows["facts"].map(json.loads))
    injected = rows[rows["facts"].map(lambda entry: "injection" in entry).astype(bool)]
    parameters = [json.loads(text) for text in injected["parameters"]]
    return injected.assign(
        rate=[str(entry.get("rate", SATURATING)) for entry in parameters],
        codec=[entry["codec"] for entry in parameters],
        age=[str(entry["D"]) for entry in parameters],
        D=[seconds_of(entry["D"]) for entry in parameters],
        throughput=injected["operations"] / injected["value"] * 1e9,
    )


def over_d(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """Throughput, or a number of the facts, the mean over repetitions: a line for each rate; columns D, falling.

    Raises NotMeasuredError where no row has it, with the reason that the rows give.
    """
    injected = located(rows)
    injected = injected[injected["D"].notna()]
    if name != "throughput":
        injected = injected.assign(**{name: [facts.get(name) for facts in injected["facts"]]})
    known = injected[injected[name].notna()]
    if known.empty:
        reasons = [facts.get("lacking", {}).get(name) for facts in injected["facts"]]
        raise NotMeasuredError(next(filter(None, reasons), f"no rows with {name}"))
    table = known.astype({name: float}).pivot_table(index="rate", columns="D", values=name, aggfunc="mean")
    rates = sorted(table.index, key=lambda rate: (rate == SATURATING, float(rate) if rate != SATURATING else 0))
    return table.loc[rates, sorted(table.columns, reverse=True)]


def against_infinity(table: pd.DataFrame) -> pd.DataFrame:
    """Every D of a table of `over_d` as a multiple of infinity, for the rates that have it. Raises NotMeasuredError."""
    if float("inf") not in table:
        raise NotMeasuredError("needs D = inf to compare with")
    known = table[table[float("inf")].notna()]
    return known.div(known[float("inf")], axis="index").drop(columns=float("inf"))


def columns_at(table: pd.DataFrame, *ages: float) -> pd.DataFrame:
    """The columns of these D's. Raises NotMeasuredError where one is missing."""
    if missing := [age for age in ages if age not in table]:
        raise NotMeasuredError(f"needs D = {' and '.join(f'{age:g}' for age in missing)} s")
    return table[list(ages)]


def rate_in_words(rate: str) -> str:
    """A rate in words."""
    return rate if rate == SATURATING else f"{float(rate):,.0f} t/s"


def in_words(line: pd.Series, form: str = "{:.2f}") -> str:
    """A value for each rate in words."""
    return ", ".join(f"{form.format(value)} at {rate_in_words(rate)}" for rate, value in line.items())


def timed_rates(rates: Sequence[str]) -> list[str]:
    """The rates that are numbers, not saturating."""
    return [rate for rate in rates if rate != SATURATING]
