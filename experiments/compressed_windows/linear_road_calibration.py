"""The synthetic Linear Road tuples beside what is documented of them: not a figure of a paper, but its data.

Documented are the rules of the format and the traffic by and large (rules.py and statistics.py of
workloads/linear_road). With workload.path a real file is held against them instead.
"""

import json
from collections.abc import Iterator
from typing import Any

import pandas as pd

from experiments.compressed_windows.measuring.linear_road import SERIES, Point, parameters_of
from experiments.harness.cell import Cell
from experiments.harness.grid import cells_of_records
from experiments.harness.old_judgement import Judgement, NotMeasuredError, share
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings
from workloads.linear_road.layout import LASTS
from workloads.linear_road.profiles import PROFILES
from workloads.linear_road.rules import RULES
from workloads.linear_road.statistics import STATISTICS

LONG, RUSH = 0.8, 0.8
"""Shares of the benchmark's length and tuples from which on a stream is as long, and its road as full, as that."""

MOTION = ("A vehicle keeps its direction", "Vehicles do not go backwards", "Positions change as speeds say, to 1 mph")


@experiment("linear_road_calibration")
def linear_road_calibration(settings: Settings) -> list[Cell]:
    """A cell for each rule, each documented statistic and each point of a profile; no window takes part."""
    points = (parameters_of(*point) for point in _points())
    return cells_of_records(settings, "linear_road", "linear_road.calibration", points)


def _points() -> Iterator[Point]:
    yield from (("rule", rule, "") for rule in RULES)
    yield from (("statistic", name, "") for name in STATISTICS)
    yield from ((name, at, series) for name, (ats, names) in PROFILES.items() for at in ats for series in names)


def _rows_of(rows: pd.DataFrame, quantity: str) -> pd.DataFrame:
    """The rows of a quantity with columns at, series, value and facts. Raises NotMeasuredError if there are none."""
    parameters = rows["parameters"].map(json.loads)
    series = parameters.map(lambda entry: entry.get(SERIES.get(entry["quantity"]), ""))
    table = rows.assign(
        quantity=parameters.map(lambda entry: entry["quantity"]),
        at=parameters.map(lambda entry: entry["at"]),
        series=series,
    )
    table = table[table["quantity"] == quantity]
    if table.empty:
        raise NotMeasuredError(f"no rows of {quantity}")
    return table.assign(facts=table["facts"].map(json.loads))


def _line(rows: pd.DataFrame, quantity: str, series: str) -> pd.Series:
    """Values of a profile's series by place, in order. Raises NotMeasuredError if there are not two."""
    table = _rows_of(rows, quantity)
    line = table[table["series"] == series].set_index("at")["value"].astype(float).sort_index()
    if len(line) < 2:
        raise NotMeasuredError(f"no two rows of {quantity}, {series}")
    return line


def _rules(rows: pd.DataFrame, motion: bool) -> Judgement:
    table = _rows_of(rows, "rule")
    table = table[table["at"].isin(MOTION) == motion]
    broken = table[table["value"] > 0]
    text = "; ".join(f"{at}: not in {facts['text']}" for at, facts in zip(broken["at"], broken["facts"]))
    reason = "the generator breaks it" if _parameters(rows).get("path") is None else "other software wrote the file"
    return share(table["value"] == 0, text or "no rule is broken", reason)


@linear_road_calibration.claim("format", "Every rule of the format is kept", "15 columns and their domains")
def rules_of_the_format(rows: pd.DataFrame) -> Judgement:
    return _rules(rows, motion=False)


@linear_road_calibration.claim("journeys", "Positions are what speeds make of them", "vehicles drive, and never jump")
def rules_of_motion(rows: pd.DataFrame) -> Judgement:
    return _rules(rows, motion=True)


@linear_road_calibration.claim(
    "traffic", "Inflow, speeds, journeys, accidents and queries are as documented", "a dozen"
)
def documented(rows: pd.DataFrame) -> Judgement:
    _require_length(rows)
    table = _rows_of(rows, "statistic")
    is_within = [facts["low"] <= value <= facts["high"] for value, facts in zip(table["value"], table["facts"])]
    holds = pd.Series(is_within, index=table["at"])
    outside = ", ".join(
        f"{at}: {facts['text']}" for at, facts in zip(table["at"][~holds.values], table["facts"][~holds.values])
    )
    return share(holds, outside or "all are", "three hours of one expressway have few accidents")


@linear_road_calibration.claim(
    "traffic", "The inflow grows over the whole stream", "13 to 1,700 reports/s in three hours"
)
def inflow_grows(rows: pd.DataFrame) -> Judgement:
    _require_length(rows)
    rate = _line(rows, "rate", "reports")
    text = f"{rate.iloc[0]:,.4g} reports/s in the first part, {rate.iloc[-1]:,.4g} in the last"
    return share(rate.diff().dropna() > 0, text, "few vehicles")


@linear_road_calibration.claim("traffic", "Speed falls with density", "dense traffic is slow")
def slower_where_dense(rows: pd.DataFrame) -> Judgement:
    _require_rush(rows)
    speed = _line(rows, "density", "segments")
    text = f"{speed.iloc[0]:.3g} mph at {speed.index[0]} vehicles a mile, {speed.iloc[-1]:.3g} at {speed.index[-1]}"
    return share(speed.diff().dropna() < 1, text, "behind accidents it is slow at any density")


@linear_road_calibration.claim("traffic", "It is slow at and behind an accident, and not far behind it", "not printed")
def slow_behind_accidents(rows: pd.DataFrame) -> Judgement:
    _require_rush(rows)
    ratio = (_line(rows, "accident", "during") / _line(rows, "accident", "before")).dropna()
    near, far = ratio[ratio.index.isin([-1, 0])], ratio[ratio.index <= -5]
    if near.empty or far.empty:
        raise NotMeasuredError("no accident with traffic around it")
    text = ", ".join(f"{at:+d}: {value:.2f}" for at, value in ratio.items())
    return share(pd.concat([near < 0.7, far > 0.8]), f"speed during over before, by mile: {text}", "queues overlap")


@linear_road_calibration.claim("traffic", "Most vehicles never stop, those that collide do", "not printed")
def few_stop(rows: pd.DataFrame) -> Judgement:
    _require_length(rows)
    stops = _line(rows, "stops", "vehicles")
    hourly = _rows_of(rows, "statistic").set_index("at")["value"].get("accidents an hour and expressway", 0.0)
    text = f"{100 * stops[0] / stops.sum():.2f} % never stop, {stops[1:].sum():,.0f} vehicles do"
    return share(pd.Series([stops[0] > 0.9 * stops.sum(), stops[1:].sum() >= 2 or not hourly]), text, "queues are long")


def _parameters(rows: pd.DataFrame) -> dict[str, Any]:
    return json.loads(rows["workload_parameters"].iloc[0]) if len(rows) else {}


def _covered(rows: pd.DataFrame) -> dict[str, float]:
    """Seconds from the stream's first tuple to its last, and the share that an expressway has of the benchmark's."""
    return json.loads(rows["facts"].iloc[0]) if len(rows) else {"seconds": 0, "full": 0.0}


def _require_length(rows: pd.DataFrame) -> None:
    if (seconds := _covered(rows)["seconds"]) < LONG * LASTS:
        raise NotMeasuredError(f"what is documented is about three hours; this stream covers {seconds:,} s")


def _require_rush(rows: pd.DataFrame) -> None:
    _require_length(rows)
    if (full := _covered(rows)["full"]) < RUSH:
        raise NotMeasuredError(f"the road is nearly empty: it has {100 * full:.3g} % of the benchmark's own tuples")
