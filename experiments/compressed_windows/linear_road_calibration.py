"""The synthetic Linear Road tuples beside what is documented of them: not a figure of a paper, but its data.

Documented are the rules of the format and the traffic by and large (rules.py and statistics.py of
workloads/linear_road). With workload.path a real file is held against them instead.
"""

import json
from collections.abc import Iterator

from experiments.compressed_windows.measuring.linear_road import SERIES, Point, parameters_of
from experiments.harness.cell import Cell
from experiments.harness.fitting import identity, least_step, reduced, rise
from experiments.harness.grid import cells_of_records
from experiments.harness.measured import Measured, NotMeasuredError, Table, lines_of, ratio, where
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


METRIC = "calibration"

ACCIDENTS = "accidents an hour and expressway"


def values(measured: Measured, quantity: str, *keys: str, **which: str) -> Table:
    """The values of a quantity over its place `at`. Raises NotMeasuredError if there are none."""
    return measured.total(METRIC, *keys, "at", quantity=quantity, **which)


def series(measured: Measured, quantity: str, name: str) -> Table:
    """The line of a profile's series over `at`. Raises NotMeasuredError if there is none."""
    return values(measured, quantity, **{SERIES[quantity]: name})


def of_three_hours(measured: Measured, rush: bool = False) -> None:
    """Raise NotMeasuredError for streams too short for what is documented; `rush`: for empty roads too."""
    if measured.rows.empty:
        raise NotMeasuredError("no rows")
    covered = json.loads(measured.rows["facts"].iloc[0])
    if "seconds" not in covered:
        raise NotMeasuredError("no row says how long the stream is")
    if (seconds := covered["seconds"]) < LONG * LASTS:
        raise NotMeasuredError(f"what is documented is about three hours; this stream covers {seconds:,} s")
    if rush and (full := covered["full"]) < RUSH:
        raise NotMeasuredError(f"the road is nearly empty: it has {100 * full:.3g} % of the benchmark's own tuples")


def _broken(measured: Measured, motion: bool) -> Table:
    return where(values(measured, "rule"), at=lambda rule: (rule in MOTION) == motion)


@linear_road_calibration.quantity
def rules_of_the_format(measured: Measured) -> Table:
    """How often each rule of the format is broken."""
    return _broken(measured, motion=False)


@linear_road_calibration.quantity
def rules_of_motion(measured: Measured) -> Table:
    """How often each rule of motion is broken."""
    return _broken(measured, motion=True)


@linear_road_calibration.quantity
def outside_of_documented(measured: Measured) -> Table:
    """How far each statistic is outside of the range that agrees with what is documented, in its own unit."""
    of_three_hours(measured)
    table = values(measured, "statistic")
    low, high = (measured.fact(end, "at", metric=METRIC, quantity="statistic") for end in ("low", "high"))
    return (low - table).clip(lower=0) + (table - high).clip(lower=0)


@linear_road_calibration.reason(outside_of_documented)
def what_is_outside(measured: Measured) -> str:
    """The statistics outside of their ranges beside what is documented."""
    table = outside_of_documented(measured).max(axis=1)
    rows = measured.rows.assign(at=measured.key("at")).set_index("at")["facts"]
    texts = [f"{at}: {json.loads(rows.loc[[at]].iloc[0])['text']}" for (at,) in table[table > 0].index]
    return ", ".join(texts)


@linear_road_calibration.quantity
def least_growth(measured: Measured) -> Table:
    """The least growth of the reports a second from one part of the stream to the next, as a share of the larger."""
    of_three_hours(measured)
    return least_step(series(measured, "rate", "reports"), "at")


@linear_road_calibration.quantity
def speed_rise(measured: Measured) -> Table:
    """By how much the line of speed over density rises, as a share of its mean."""
    of_three_hours(measured, rush=True)
    return rise(series(measured, "density", "segments"), "at", identity)


@linear_road_calibration.quantity
def speed_kept(measured: Measured) -> Table:
    """Speed during an accident over that before it, by miles from it: negative behind."""
    of_three_hours(measured, rush=True)
    kept = ratio(series(measured, "accident", "during"), series(measured, "accident", "before"))
    return kept.set_axis(kept.index.set_names(["mile"]), axis=0)


@linear_road_calibration.quantity
def never_stop(measured: Measured) -> Table:
    """The share of the vehicles that never stop."""
    of_three_hours(measured)
    stops = series(measured, "stops", "vehicles")
    return reduced(stops, "at", lambda count, vehicles: vehicles[count == 0].sum(axis=0) / vehicles.sum(axis=0), 2)


@linear_road_calibration.quantity
def stopped_by_collided(measured: Measured) -> Table:
    """Vehicles that stop, over two for each accident of the stream."""
    of_three_hours(measured)
    stops = series(measured, "stops", "vehicles")
    stopped = reduced(stops, "at", lambda count, vehicles: vehicles[count > 0].sum(axis=0), 2)
    hourly = lines_of(values(measured, "statistic"), at=ACCIDENTS)
    hours = measured.fact("seconds", metric=METRIC, quantity="statistic", at=ACCIDENTS) / 3600
    return stopped / (2 * hourly * hours)
