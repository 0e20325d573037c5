"""What claims say of A_C over D: a line for each injection rate, and what one D costs or saves against infinity."""

import json
from collections.abc import Sequence

import pandas as pd

from experiments.compressed_windows.measuring.aggregates import SATURATING
from experiments.harness.judgement import NotMeasuredError


def seconds_of(text: str | float) -> float:
    """A D as the row column `parameters` has it, in seconds; NaN where a controller chooses it."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def located(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of A_C with columns rate, codec, age (D as text), D (s), facts (dicts) and throughput (tuples/s)."""
    rows = rows.assign(facts=rows["facts"].map(json.loads))
    found = rows[rows["facts"].map(lambda one: "injection" in one).astype(bool)]
    given = [json.loads(text) for text in found["parameters"]]
    return found.assign(
        rate=[str(one.get("rate", SATURATING)) for one in given],
        codec=[one["codec"] for one in given],
        age=[str(one["D"]) for one in given],
        D=[seconds_of(one["D"]) for one in given],
        throughput=found["operations"] / found["value"] * 1e9,
    )


def over_d(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """Throughput, or a number of the facts, the mean over repetitions: a line for each rate; columns D, falling.

    Raises NotMeasuredError where no row has it, with the reason that the rows give.
    """
    found = located(rows)
    found = found[found["D"].notna()]
    if name != "throughput":
        found = found.assign(**{name: [one.get(name) for one in found["facts"]]})
    known = found[found[name].notna()]
    if known.empty:
        reasons = [one.get("lacking", {}).get(name) for one in found["facts"]]
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


def at(table: pd.DataFrame, *wanted: float) -> pd.DataFrame:
    """The columns of these D's. Raises NotMeasuredError where one is missing."""
    if missing := [seconds for seconds in wanted if seconds not in table]:
        raise NotMeasuredError(f"needs D = {' and '.join(f'{one:g}' for one in missing)} s")
    return table[list(wanted)]


def called(rate: str) -> str:
    """A rate in words."""
    return rate if rate == SATURATING else f"{float(rate):,.0f} t/s"


def said(line: pd.Series, form: str = "{:.2f}") -> str:
    """A value for each rate in words."""
    return ", ".join(f"{form.format(value)} at {called(rate)}" for rate, value in line.items())


def timed_rates(rates: Sequence[str]) -> list[str]:
    """Those that are numbers."""
    return [rate for rate in rates if rate != SATURATING]
