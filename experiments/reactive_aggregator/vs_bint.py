"""Reactive Aggregator, section 6.2, Figure 11 and Table 4: beside the base intervals of Arasu and Widom (AW)."""

import numpy as np
import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.old_fitting import each, lines_of
from experiments.harness.old_judgement import Judgement, NotMeasuredError, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, whole_numbers
from experiments.reactive_aggregator.coarse import COUNT, TIME, slides_of

INCREMENTAL, OTHER = "reactive", "b_int"
FACTOR, ALIKE = 4.0, 1.1


@experiment("ra_vs_bint")
def ra_vs_bint(settings: Settings) -> list[Cell]:
    """Figure 11: the first operator over n for each slide. Table 4: all at a few n, firing after every item."""
    in_order_only(settings)
    sliding = [
        point(settings, algorithm, settings.operators[0], n, 0, uses={"slide": slide}, measurement=measurement, batch=m)
        for measurement in (TIME, COUNT)
        for n in windows_of(settings)
        for slide, m in slides_of(settings, n).items()
        for algorithm in settings.algorithms
    ]
    table = [
        point(settings, algorithm, operator, n, 0)
        for operator in settings.operators
        for n in whole_numbers("sizes.table", settings.sizes["table"], 1)
        for algorithm in settings.algorithms
    ]
    return sliding + table


def _ratios(rows: pd.DataFrame, metric: str, *keys: str) -> pd.DataFrame:
    """T_AW / T_RA by the keys, columns n."""
    table = each(rows, metric, "algorithm", *keys)
    ratio = lines_of(table, algorithm=OTHER).droplevel("algorithm") / lines_of(table, algorithm=INCREMENTAL).droplevel(
        "algorithm"
    )
    if ratio.stack().dropna().empty:
        raise NotMeasuredError("needs both at one window")
    return ratio


def _table_4(rows: pd.DataFrame) -> pd.DataFrame:
    """T_AW / T_RA by operator at the windows of Table 4."""
    return _ratios(rows[rows["batch"].isna()], "time", "operator").dropna(axis=1)


def _figure_11(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    return _ratios(rows[rows["batch"].notna()], metric, "slide")


def _ranges(table: pd.DataFrame) -> str:
    return "; ".join(f"n = {n:,}: {table[n].min():.2f} to {table[n].max():.2f}" for n in table.columns)


REASON = "where the ring wraps RA joins a suffix and a prefix, and so combines about twice as often as AW (counted)"


@ra_vs_bint.claim(
    "Table 4", "RA is faster than AW for every operator", "T_AW/T_RA 1.02 to 1.06, 1.20 to 1.26, 1.35 to 1.39"
)
def faster(rows: pd.DataFrame) -> Judgement:
    table = _table_4(rows)
    return share(table.stack().dropna() > 1, f"T_AW/T_RA at {_ranges(table)} (faster: above 1)", REASON)


@ra_vs_bint.claim("Table 4", "The gap grows with n", "1.02 to 1.06 at 8, 1.35 to 1.39 at 8M")
def gap_grows(rows: pd.DataFrame) -> Judgement:
    table = _table_4(rows)
    if table.shape[1] < 2:
        raise NotMeasuredError("needs two windows")
    grows = table.apply(lambda line: bool((np.diff(line.to_numpy(float)) > 0).all()), axis=1)
    return share(grows, f"T_AW/T_RA at {_ranges(table)} (grows: at every step)", REASON)


@ra_vs_bint.claim("Table 4", "The operator makes little difference to the ratio", "1.04 times between operators")
def alike(rows: pd.DataFrame) -> Judgement:
    table = _table_4(rows)
    spread = table.max() / table.min()
    measured = ", ".join(f"n = {n:,}: {value:.2f}" for n, value in spread.items())
    reason = "RA and AW combine differently often, and operators cost differently much here beside all else"
    return share(spread <= ALIKE, f"largest over smallest ratio at {measured} (alike: at most {ALIKE})", reason)


@ra_vs_bint.claim("Figure 11", "Both are of comparable complexity for every slide", "a constant factor")
def comparable(rows: pd.DataFrame) -> Judgement:
    table = _figure_11(rows, "time")
    spread = table.max(axis=1) / table.min(axis=1)
    measured = ", ".join(
        f"m = {slide}: {line.min():.2f} to {line.max():.2f}" for slide, line in table.iterrows() if line.notna().any()
    )
    text = f"T_AW/T_RA over n: {measured} (a constant: largest within {FACTOR:.0f} times the smallest)"
    return share(spread.dropna() <= FACTOR, text, "in small windows what surrounds a combine costs more than it")


@ra_vs_bint.claim("Figure 11", "Combines are within a constant factor for every slide (by counting)", "same bounds")
def combines_comparable(rows: pd.DataFrame) -> Judgement:
    table = _figure_11(rows, "combines")
    measured = ", ".join(f"m = {slide}: {line.min():.2f} to {line.max():.2f}" for slide, line in table.iterrows())
    within = table.stack().dropna().between(1 / FACTOR, FACTOR)
    return share(
        within, f"AW's combines over RA's: {measured} (within {FACTOR:.0f} times)", "an empty leaf is combined too"
    )
