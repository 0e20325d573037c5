"""Reactive Aggregator, section 6.2, Figure 6: throughput beside recomputation, over the size of the window.

Once in a bare loop, and once with both inside SlidingAggregate, which does around the window what an engine does: the
paper's two ran in the same engine, and what a few per cent are depends on what stands around them.
"""

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.old_fitting import each, lines_of
from experiments.harness.old_judgement import Judgement, NotMeasuredError, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings
from experiments.reactive_aggregator.measuring.contestants import BASELINE, FRAMEWORK

INCREMENTAL = "reactive"
IN_FRAMEWORK, COUNT = "contestants.time", "slides.combines"

SMALL, LARGE = 16, 1024
SLOWER = {"max": 0.10, "population_stddev": 0.05}
FASTER = {"max": 2.5, "population_stddev": 10.0}
"""What the claims ask for: the paper's numbers, and for `almost 3x` two and a half."""


@experiment("ra_throughput")
def ra_throughput(settings: Settings) -> list[Cell]:
    """Throughput over n, in the loop and in the framework, and combines counted at every n."""
    in_order_only(settings)
    grid = [
        (algorithm, operator, n)
        for operator in settings.operators
        for n in windows_of(settings)
        for algorithm in settings.algorithms
    ]
    framed = [
        point(settings, algorithm, operator, n, 0, uses={"framework": FRAMEWORK}, measurement=IN_FRAMEWORK)
        for algorithm, operator, n in grid
    ]
    counted = [
        point(settings, algorithm, operator, n, 0, measurement=COUNT, batch=1)
        for algorithm, operator, n in grid
        if operator == settings.operators[0]
    ]
    return [*(point(settings, *place, 0) for place in grid), *framed, *counted]


def _speed_ups(rows: pd.DataFrame) -> pd.DataFrame:
    """Recomputation's time over the aggregator's, by (framework, operator), columns n."""
    table = each(rows, "time", "algorithm", "framework", "operator")
    return (
        lines_of(table, algorithm=BASELINE).droplevel("algorithm")
        / lines_of(table, algorithm=INCREMENTAL).droplevel("algorithm")
    ).dropna(how="all")


def _in_framework(table: pd.DataFrame) -> pd.DataFrame:
    return lines_of(table, framework=FRAMEWORK).droplevel("framework")


def _text(values: pd.Series) -> str:
    return ", ".join(f"{operator} {value:.2f}" for operator, value in values.items())


@ra_throughput.claim(
    "Figure 6", "On small windows RA is at most about 10 % (Max) or 5 % (StdDev) slower", "about 10 %, about 5 %"
)
def little_slower(rows: pd.DataFrame) -> Judgement:
    table = _speed_ups(rows)
    small = table[[n for n in table.columns if n <= SMALL]]
    if small.empty or not small.shape[1]:
        raise NotMeasuredError(f"needs windows of at most {SMALL} items")
    framed = _in_framework(small).min(axis=1)
    bare = lines_of(small, framework="").droplevel("framework").min(axis=1)
    needed = pd.Series({name: 1 / (1 + SLOWER.get(name, 0.10)) for name in framed.index})
    text = (
        f"RA's throughput over recomputation's, the least at n <= {SMALL}: in SlidingAggregate {_text(framed)};"
        f" in a bare loop {_text(bare)} (asked of SlidingAggregate: {_text(needed)})"
    )
    return share(framed >= needed, text, "our framework costs a few nanoseconds a tuple, the paper's engine far more")


@ra_throughput.claim("Figure 6", "At n = 1,024 RA is almost 3 times (Max), over 10 times (StdDev) faster", "3x, 10x")
def much_faster(rows: pd.DataFrame) -> Judgement:
    table = _speed_ups(rows)
    if LARGE not in table:
        raise NotMeasuredError(f"needs a window of {LARGE:,} items")
    framed = _in_framework(table)[LARGE].dropna()
    bare = lines_of(table, framework="").droplevel("framework")[LARGE].dropna()
    needed = pd.Series({name: FASTER.get(name, FASTER["max"]) for name in framed.index})
    text = f"times faster in SlidingAggregate {_text(framed)} (asked: {_text(needed)}); in a bare loop {_text(bare)}"
    reason = "recomputation is here a loop over one array, which vector instructions do several entries at a time"
    return share(framed >= needed, text, reason)


@ra_throughput.claim("Figure 6", "At n = 1,024 RA combines over 10 times less (decided by counting)", "n - 1 to log n")
def combines_less(rows: pd.DataFrame) -> Judgement:
    table = each(rows, "combines", "algorithm")
    if LARGE not in table or not {BASELINE, INCREMENTAL} <= set(table.index):
        raise NotMeasuredError(f"needs combines of both in a window of {LARGE:,} items")
    recomputed, incremental = table.loc[BASELINE, LARGE], table.loc[INCREMENTAL, LARGE]
    text = f"{recomputed:,.0f} combines an item against {incremental:.1f}: {recomputed / incremental:.0f} times"
    reason = "a window that is not where the ring begins costs a suffix and a prefix more"
    return share(pd.Series([recomputed > 10 * incremental]), text, reason)
