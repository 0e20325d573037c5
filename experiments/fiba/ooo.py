"""Sub-O(log n) Out-of-Order Sliding-Window Aggregation (Tangwongsan, Hirzel, Schneider, arXiv 1810.11308, 2018).

Experiments of section 5 and their claims. A claim compares medians over repetitions; its thresholds are stated in the
verdict, and none is tuned until it passes.
"""

import numpy as np
import pandas as pd

from experiments.fiba.judging import medians, series
from experiments.harness.cell import REPLAY, Cell, canonical
from experiments.harness.grid import unnamed
from experiments.harness.judgement import Judgement, NotMeasuredError, arity_of, explained, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError
from experiments.harness.traces import trace_of

CLASSIC, FINGER = "b_tree", "fiba"

COUNT, COUNTED = "rounds.combines", "sum"
"""How combines are counted, and the operator it is done with: the number does not depend on it."""


def distances_of(settings: Settings, window: int) -> tuple[int, ...]:
    """The out-of-order distances to measure: as asked for, or the profile's that fit, and the window itself."""
    if settings.distances is not None:
        if (largest := max(settings.distances)) > window:
            raise SettingsError(f"distances has {largest}; a window of {window} items holds at most that")
        return settings.distances
    return (*(d for d in settings.sizes["distances"] if d < window), window)


def spans_of(settings: Settings) -> tuple[int, ...]:
    """Windows on a trace, in its time units: as asked for, or shares of the whole time that it spans."""
    if settings.window is not None:
        return (settings.window,)
    trace = trace_of(settings.workload["name"], canonical(unnamed(settings.workload)))
    time_span = (int(trace.times.max()) - int(trace.times.min())) // trace.ticks_per_unit
    return tuple(dict.fromkeys(max(1, round(share * time_span)) for share in settings.sizes["spans"]))


def counted_points(n: int) -> list[dict]:
    """Every power of two up to n as the distance: where combines are counted, whatever the operator."""
    distances = (1 << k for k in range(n.bit_length() - 1))
    return [
        {"window": n, "distance": d, "stream": {"window": n, "distance": d}, "measurement": COUNT} for d in distances
    ]


@experiment("fiba_ooo")
def fiba_ooo(settings: Settings) -> list[Cell]:
    """Figure 11: throughput over d for each operator; on a trace, over the length of a time-based window."""
    name, stream = settings.workload["name"], unnamed(settings.workload)
    if name == "distance":
        n = settings.window or settings.sizes["window"]
        points = [
            {"window": n, "distance": d, "stream": {"window": n, "distance": d}} for d in distances_of(settings, n)
        ]
    else:
        points = [{"window": span, "stream": stream, "measurement": REPLAY} for span in spans_of(settings)]
    counted = counted_points(n) if name == "distance" and settings.distances is None else []
    return [
        Cell(
            paper=settings.paper,
            experiment=settings.name,
            algorithm=algorithm["name"],
            parameters=unnamed(algorithm),
            operator=operator,
            workload=name,
            **point,
        )
        for operator in settings.operators
        for algorithm in settings.algorithms
        for point in points + counted * (operator == COUNTED and algorithm["name"] in (CLASSIC, FINGER))
    ]


def inside(table: pd.DataFrame, least: int = 3) -> pd.DataFrame:
    """The columns 1 <= d < n that every line has: away from the in-order and the LIFO end."""
    n = max(table.columns)
    inner = table[[d for d in table.columns if 1 <= d < n]].dropna(axis=1)
    if inner.shape[1] < least:
        raise NotMeasuredError(f"needs {least} distances between 1 and n, {inner.shape[1]} measured")
    return inner


@fiba_ooo.claim("Figure 11", "The classic B-tree's throughput is mostly unaffected by the distance", "flat")
def classic_is_flat(rows: pd.DataFrame) -> Judgement:
    table = inside(series(medians(rows, "distance"), CLASSIC))
    spread = table.max(axis=1) / table.min(axis=1)
    text = f"fastest over slowest d: median {spread.median():.2f}, worst {spread.max():.2f} (flat: at most 1.5)"
    return share(spread <= 1.5, text, "a cache-resident tree is searched faster near its hot end")


@fiba_ooo.claim(
    "Figure 11", "At small distances the finger tree is well ahead of the classic B-tree", "significantly higher"
)
def finger_starts_ahead(rows: pd.DataFrame) -> Judgement:
    table = medians(rows, "distance")
    d = min(inside(table, 1).columns)
    finger, classic = series(table, FINGER)[d], series(table, CLASSIC)[d]
    ratio = (finger.droplevel(0) / classic.droplevel(0)).dropna()
    if ratio.empty:
        raise NotMeasuredError("no pair of finger and classic tree with one min_arity")
    text = f"at d = {d} {ratio.min():.1f} to {ratio.max():.1f} times (ahead: at least 1.5)"
    return share(ratio >= 1.5, text, "the window is small, so the walk to the root that fingers save is short")


@fiba_ooo.claim(
    "Figure 11", "The finger tree's throughput falls smoothly with the distance, as 1 / log d", "time linear in log d"
)
def finger_falls_like_log(rows: pd.DataFrame) -> Judgement:
    table = inside(series(medians(rows, "distance"), FINGER))
    x = np.log2(table.columns.to_numpy(float))
    slope = table.apply(lambda line: np.polyfit(x, 1e3 / line.to_numpy(float), 1)[0], axis=1)
    r2 = table.apply(lambda line: explained(x, 1e3 / line.to_numpy(float)), axis=1)
    text = f"ns per item against log2 d: R^2 {r2.min():.2f} to {r2.max():.2f} (linear: at least 0.8, rising)"
    return share((r2 >= 0.8) & (slope > 0), text, "steps of the affected height, and noise on short runs")


@fiba_ooo.claim("Figure 11", "Every series speeds up at d = n, where the window works as a stack", "uptick")
def uptick_at_n(rows: pd.DataFrame) -> Judgement:
    table = medians(rows[rows["algorithm"].isin([CLASSIC, FINGER])], "distance")
    n = int(rows["window"].max())
    if n not in table.columns or len(table.columns) < 2:
        raise NotMeasuredError("needs d = n and a smaller distance")
    rise = (table[n] / table[max(d for d in table.columns if d < n)]).dropna()
    if rise.empty:
        raise NotMeasuredError("no series has both d = n and the next smaller distance")
    text = f"d = n over the next smaller d: {rise.min():.2f} to {rise.max():.2f} times (uptick: above 1)"
    return share(rise > 1, text, "a series that is bound by something else than restructuring gains nothing")


def _by_arity(rows: pd.DataFrame, operator: str, larger_is_better: bool) -> Judgement:
    lines = series(medians(rows, "distance"), FINGER, operator)
    rates = np.exp(np.log(inside(lines)).mean(axis=1)).droplevel(["algorithm", "operator"]).sort_index()
    if len(rates) < 2:
        raise NotMeasuredError("needs at least two values of min_arity")
    text = "geometric mean over d, million items/s: " + ", ".join(f"{mu}: {value:.3g}" for mu, value in rates.items())
    steps = rates.diff().dropna() * (1 if larger_is_better else -1)
    return share(steps > 0, text, "the order of neighbouring arities is not the paper's on this machine")


@fiba_ooo.claim("Figure 11", "With bloom, an expensive operator, smaller min_arity is better", "2 best, 8 worst")
def smaller_for_bloom(rows: pd.DataFrame) -> Judgement:
    return _by_arity(rows, "bloom", larger_is_better=False)


@fiba_ooo.claim("Figure 11", "With sum, a cheap operator, larger min_arity is better", "8 best, 2 worst")
def larger_for_sum(rows: pd.DataFrame) -> Judgement:
    return _by_arity(rows, "sum", larger_is_better=True)


@fiba_ooo.claim(
    "Figure 11",
    "It falls in steps, where the height of the affected subtree grows; they are longer for larger min_arity",
    "steps (decided here by counting combines)",
)
def steps_by_arity(rows: pd.DataFrame) -> Judgement:
    counted = rows[(rows["metric"] == "combines") & (rows["algorithm"] == FINGER)]
    table = counted.assign(min_arity=counted["parameters"].map(arity_of), each=counted["value"] / counted["operations"])
    table = table.pivot_table(index="min_arity", columns="distance", values="each").dropna(axis=1)
    if table.shape[0] < 2 or table.shape[1] < 4:
        raise NotMeasuredError("needs combines at four distances for two values of min_arity")
    rises = table.diff(axis=1).gt(0.04 * table.max(axis=1), axis=0).sum(axis=1)
    text = "steps (over 4 % of the most combines a round) between neighbouring powers of two: "
    text += ", ".join(f"min_arity {arity}: {rises[arity]} of {table.shape[1] - 1}" for arity in table.index)
    return share(rises.diff().dropna() < 0, text, "the window is too small for more than a step")


@fiba_ooo.claim(
    "section 6, expectation", "On a real out-of-order stream the finger tree outruns the classic", "not measured there"
)
def finger_ahead_on_trace(rows: pd.DataFrame) -> Judgement:
    traced = rows[rows["workload"] != "distance"]
    if traced.empty:
        raise NotMeasuredError("the workload is the distance protocol; try workload=flights")
    table = medians(traced, "window")
    ratio = (series(table, FINGER).droplevel(0) / series(table, CLASSIC).droplevel(0)).stack().dropna()
    text = f"{ratio.min():.2f} to {ratio.max():.2f} times the classic's throughput"
    return share(ratio > 1, text, "at small windows both trees are a few nodes")
