"""Cutty, Table 1: space and combines of a periodic query, counted on a grid of ranges and slides, and the formulas."""

import json
import math
import re
from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

from experiments.cutty.grid import cell_on_stream, streams_only
from experiments.cutty.measuring.queries import PERIODIC
from experiments.cutty.measuring.table_1 import METRICS
from experiments.cutty.measuring.techniques import EAGER, LAZY, TECHNIQUES, techniques
from experiments.harness.cell import Cell
from experiments.harness.old_judgement import NOT_REPRODUCED, REPRODUCED, Judgement, NotMeasuredError
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError, whole_number

GRID = re.compile(r"(\d+) / (\d+)")


@experiment("cutty_complexity", techniques)
def cutty_complexity(settings: Settings) -> list[Cell]:
    """A cell for each technique, range and slide, and column of the table."""
    streams_only(settings, "debs12")
    if any(algorithm["name"] == "naive" for algorithm in settings.algorithms):
        raise SettingsError("algorithms has 'naive', which Table 1 has no formulas of")
    queries = []
    for text in settings.sizes["grid"]:
        r, s = _range_and_slide(text)
        whole_number("slide", s, 1)
        whole_number("range", r, s + 1)  # with fewer than two slices in a range a logarithm is 0
        queries.append({"ask": PERIODIC, "range": r, "slide": s})
    return [
        cell_on_stream(settings, algorithm["name"], metric, query, window=query["range"], module="table_1")
        for algorithm in settings.algorithms
        for query in queries
        for metric in METRICS
    ]


def _range_and_slide(text: str) -> tuple[int, int]:
    """Both numbers of a point of the grid. Raises SettingsError unless it is written such as "1000 / 300"."""
    if not (match := GRID.fullmatch(str(text))):
        raise SettingsError(f"grid has {text!r}; a point of it is range / slide, such as 1000 / 300")
    return int(match[1]), int(match[2])


class Point(NamedTuple):
    """One entry of the table: what was counted, a slice, record or window, and the formula."""

    technique: str
    range: int
    slide: int
    measured: float
    formula: float

    @property
    def store(self) -> str:
        return TECHNIQUES[self.technique].store

    @property
    def where(self) -> str:
        return f"{self.technique} at {self.range:,} / {self.slide:,}: {self.measured:.4g}, not {self.formula:.4g}"


def points(rows: pd.DataFrame, metric: str) -> list[Point]:
    """The entries of one column of the table. Raises NotMeasuredError if there are none."""
    of_metric = rows[rows["metric"] == metric]
    if of_metric.empty:
        raise NotMeasuredError(f"no rows of {metric}")
    return [
        Point(algorithm, query["range"], query["slide"], value / max(operations, 1), json.loads(facts)["formula"])
        for algorithm, query, value, operations, facts in zip(
            of_metric["algorithm"],
            map(json.loads, of_metric["workload_parameters"]),
            of_metric["value"],
            of_metric["operations"],
            of_metric["facts"],
        )
    ]


def all_hold(entries: list[Point], holds: Callable[[Point], bool], measured: str, reason: str) -> Judgement:
    """Reproduced if a claim holds for every entry; else the first that it does not hold for is named."""
    wrong = [point for point in entries if not holds(point)]
    text = f"{len(entries) - len(wrong)} of {len(entries)} {measured}"
    return Judgement(NOT_REPRODUCED if wrong else REPRODUCED, text, f"{reason}: {wrong[0].where}" if wrong else "")


@cutty_complexity.claim("Table 1, space", "No technique keeps more partial aggregates than its formula", "r/s + 1 ...")
def space_is_bounded(rows: pd.DataFrame) -> Judgement:
    entries = points(rows, "partials")
    attained = sum(point.measured >= point.formula for point in entries)
    measured = f"within the formula, the open slice that Pairs and Panes leave out, and rounding; {attained} attain it"
    return all_hold(entries, lambda point: point.measured <= point.formula + left_out(point), measured, "more are kept")


def left_out(point: Point) -> int:
    """What the formulas leave out: the open slice; and 1 where twice a number is rounded up that was rounded before."""
    return 1 if point.store == LAZY else 2


@cutty_complexity.claim("Table 1, space", "Eager stores keep twice as many as lazy ones, but for the open slice", "2")
def eager_doubles(rows: pd.DataFrame) -> Judgement:
    entries = {(point.technique, point.range, point.slide): point for point in points(rows, "partials")}
    pairs = {name: lazy for name in TECHNIQUES for lazy in TECHNIQUES if _is_eager_form(name, lazy)}
    doubled = [
        point._replace(formula=2 * lazy_entry.measured)
        for (name, r, s), point in entries.items()
        if name in pairs and (lazy_entry := entries.get((pairs[name], r, s)))
    ]
    if not doubled:
        raise NotMeasuredError("needs a technique with an eager and with a lazy store")
    return all_hold(doubled, lambda point: 0 <= point.formula - point.measured <= 1, "are doubled", "not doubled")


def _is_eager_form(name: str, lazy: str) -> bool:
    technique, lazy_technique = TECHNIQUES[name], TECHNIQUES[lazy]
    return technique.slicing == lazy_technique.slicing and (technique.store, lazy_technique.store) == (EAGER, LAZY)


@cutty_complexity.claim("Table 1, space", "Cutty keeps the fewest", "lowest with either store")
def cutty_keeps_fewest(rows: pd.DataFrame) -> Judgement:
    entries = points(rows, "partials")
    of_cutty = {(p.store, p.range, p.slide): p.measured for p in entries if TECHNIQUES[p.technique].slicing == "cutty"}
    others = [p._replace(formula=of_cutty[key]) for p in entries if (key := (p.store, p.range, p.slide)) in of_cutty]
    if len(others) <= len(of_cutty):
        raise NotMeasuredError("needs Cutty and another technique")
    return all_hold(others, lambda point: point.measured >= point.formula, "keep no fewer than Cutty", "fewer are kept")


@cutty_complexity.claim("Table 1, update", "With a lazy store a record costs at most one combine", "1")
def lazy_updates(rows: pd.DataFrame) -> Judgement:
    entries = [point for point in points(rows, "update") if point.store == LAZY]
    if not entries:
        raise NotMeasuredError("no lazy store was measured")
    return all_hold(entries, lambda point: point.measured <= 1, "cost at most 1; RA stores a record with none", "more")


@cutty_complexity.claim("Table 1, update", "To store a slice eagerly costs the logarithm of their number", "log2")
def eager_stores(rows: pd.DataFrame) -> Judgement:
    entries = [point for point in points(rows, "store") if point.store == EAGER]
    if not entries:
        raise NotMeasuredError("no eager store was measured")
    bound = "within the logarithm rounded up to a full tree, and 1 for doubling it"
    return all_hold(entries, lambda point: point.measured <= math.ceil(point.formula) + 1, bound, "more combines")


@cutty_complexity.claim("Table 1, amortised", "A record costs as many combines as the amortised formulas", "as printed")
def amortised_updates(rows: pd.DataFrame) -> Judgement:
    entries = [point for point in points(rows, "update") if point.store == EAGER]
    if not entries:
        raise NotMeasuredError("no eager store was measured")
    bound = "within a quarter of the formula; it takes a combine less for a slice, and no tree for rounded up"
    return all_hold(entries, lambda point: point.measured <= 1.25 * point.formula, bound, "more than a quarter above")


@cutty_complexity.claim("Table 1, merge", "A window costs no more combines than the formula", "r/s + 1; log2 ...")
def merges_are_bounded(rows: pd.DataFrame) -> Judgement:
    measured = "within the formula, on average over the windows"
    return all_hold(points(rows, "merge"), lambda point: point.measured <= point.formula + 0.5, measured, "more")
