"""Rules, statistics and profiles of Linear Road tuples, beside the documented ones."""

import functools
import json
from typing import Any

from experiments.harness.cell import Cell, canonical
from experiments.harness.measurement import measurement
from results import SKIPPED
from workloads import workload
from workloads.linear_road.layout import FULL
from workloads.linear_road.profiles import PROFILES, profile
from workloads.linear_road.rules import RULES, Stream, check
from workloads.linear_road.statistics import STATISTICS, expressways, span, statistics

SERIES = {"rate": "number of", "speeds": "third", "stops": "number of", "density": "mean of", "accident": "when"}
"""The legend's names of the series of each profile."""

Point = tuple[str, Any, str]
"""Quantity, place and series."""


def parameters_of(quantity: str, at: Any, series: str) -> dict[str, Any]:
    return {"quantity": quantity, "at": at, **({SERIES[quantity]: series} if series else {})}


@measurement("linear_road.calibration", counted=True)
def calibration(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """One number about the cell's tuples; skipped if they have nothing that it is about."""
    point = _points(canonical(cell.stream)).get(canonical(cell.parameters))
    if point is None:
        return {"status": SKIPPED, "reason": "these tuples have nothing that it is about"}
    value, facts = point
    return {"value": value, "operations": 1, "checksum": None, "facts": facts}


@functools.lru_cache(maxsize=1)
def _points(parameters: str) -> dict[str, tuple[float, dict[str, Any]]]:
    """Value and facts of every point by its parameters in the cell."""
    settings = workload({"name": "linear_road", **json.loads(parameters)})
    stream = Stream(settings.tuples())
    covered = {"seconds": span(stream)[1], "full": len(stream) / expressways(stream) / FULL}
    points: dict[Point, tuple[float, dict[str, Any]]] = {}
    for rule in RULES:
        broken, cases = check(stream, rule)
        if cases:
            points["rule", rule, ""] = float(broken), {"of": cases, "text": f"{broken:,} of {cases:,}"}
    for name, value in statistics(stream, settings.full).items():
        documented, low, high = STATISTICS[name]
        points["statistic", name, ""] = value, {"low": low, "high": high, "text": f"{value:,.4g} ({documented})"}
    for quantity in PROFILES:
        points |= {(quantity, *point): (value, {}) for point, value in profile(stream, quantity).items()}
    return {canonical(parameters_of(*point)): (value, facts | covered) for point, (value, facts) in points.items()}
