"""Reactive Aggregator, section 6.2, Figure 8: tumbling windows, of which no firing can reuse anything."""

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.old_fitting import each, lines_of
from experiments.harness.old_judgement import Judgement, NotMeasuredError, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings
from experiments.reactive_aggregator.measuring.contestants import BASELINE

INCREMENTAL = "reactive"
FIRING, COUNT = "slides.firing", "slides.combines"
SAME = 2.0
"""Up to this ratio, two times are about the same on axes of many powers of ten."""


@experiment("ra_tumbling")
def ra_tumbling(settings: Settings) -> list[Cell]:
    """Time of a firing after n new items over n, and combines counted with the first operator."""
    in_order_only(settings)
    return [
        point(settings, algorithm, operator, n, 0, measurement=measurement, batch=n)
        for measurement in (FIRING, COUNT)
        for operator in (settings.operators if measurement == FIRING else settings.operators[:1])
        for n in windows_of(settings)
        for algorithm in settings.algorithms
    ]


@ra_tumbling.claim("Figure 8", "A firing costs about the same with RA as without", "about the same")
def same_for_schemes(rows: pd.DataFrame) -> Judgement:
    table = each(rows, "firing", "algorithm", "operator")
    ratio = (
        (
            lines_of(table, algorithm=INCREMENTAL).droplevel("algorithm")
            / lines_of(table, algorithm=BASELINE).droplevel("algorithm")
        )
        .stack()
        .dropna()
    )
    if ratio.empty:
        raise NotMeasuredError("needs both at one window")
    medians = ", ".join(f"{name} {ratios.median():.2f}" for name, ratios in ratio.groupby(level="operator"))
    text = f"time of RA over recomputation's, median over n: {medians}; {ratio.min():.2f} to {ratio.max():.2f}"
    reason = "recomputation folds one array with vector instructions, the tree level by level through memory"
    return share((ratio <= SAME) & (ratio >= 1 / SAME), f"{text} (same: within {SAME:.0f})", reason)


@ra_tumbling.claim("Figure 8", "A firing costs about the same whichever the operator", "about the same")
def same_for_operators(rows: pd.DataFrame) -> Judgement:
    table = each(rows, "firing", "algorithm", "operator")
    ratio = (
        pd.DataFrame({name: times.max() / times.min() for name, times in table.groupby(level="algorithm")})
        .stack()
        .dropna()
    )
    if table.index.get_level_values("operator").nunique() < 2:
        raise NotMeasuredError("needs two operators")
    text = f"the costlier over the cheaper operator {ratio.min():.2f} to {ratio.max():.2f} (same: at most {SAME:.0f})"
    reason = "around an item there is no engine here whose cost hides that of combining it"
    return share(ratio <= SAME, text, reason)


@ra_tumbling.claim("Figure 8", "RA combines no more than recomputation does (decided by counting)", "n - 1")
def same_combines(rows: pd.DataFrame) -> Judgement:
    table = each(rows, "combines", "algorithm")
    if not {BASELINE, INCREMENTAL} <= set(table.index):
        raise NotMeasuredError("needs combines of both")
    firing = table * table.columns.to_numpy(float)
    extra = (firing.loc[INCREMENTAL] - firing.loc[BASELINE]).dropna()
    text = f"RA's combines of a firing less recomputation's: {extra.min():.0f} to {extra.max():.0f}"
    return share(
        extra <= 0, text, "a ring larger than the window has leaves that hold nothing, which are combined as well"
    )
