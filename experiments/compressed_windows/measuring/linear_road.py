"""Rules, statistics and profiles of Linear Road tuples beside what is documented of them."""

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

SERIES = {"rate": "counted", "speeds": "third", "stops": "counted", "density": "mean of", "accident": "when"}
"""What the series of each profile is called in the legend."""

Point = tuple[str, Any, str]
"""Quantity, place and series."""


def parameters_of(quantity: str, at: Any, series: str) -> dict[str, Any]:
    return {"quantity": quantity, "at": at, **({SERIES[quantity]: series} if series else {})}


@measurement("linear_road.calibration", counted=True)
def calibration(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """One number about the cell's tuples; none, and skipped, where they have nothing that it could be about."""
    found = _found(canonical(cell.stream)).get(canonical(cell.parameters))
    if found is None:
        return {"status": SKIPPED, "reason": "these tuples have nothing that it is about"}
    value, known = found
    return {"value": value, "operations": 1, "checksum": None, "facts": known}


@functools.lru_cache(maxsize=1)
def _found(parameters: str) -> dict[str, tuple[float, dict[str, Any]]]:
    """Value and facts of every point by its parameters in the cell."""
    made = workload({"name": "linear_road", **json.loads(parameters)})
    stream = Stream(made.tuples())
    covered = {"seconds": span(stream)[1], "full": len(stream) / expressways(stream) / FULL}
    found: dict[Point, tuple[float, dict[str, Any]]] = {}
    for rule in RULES:
        broken, of = check(stream, rule)
        if of:
            found["rule", rule, ""] = float(broken), {"of": of, "text": f"{broken:,} of {of:,}"}
    for name, value in statistics(stream, made.full).items():
        said, low, high = STATISTICS[name]
        found["statistic", name, ""] = value, {"low": low, "high": high, "text": f"{value:,.4g} ({said})"}
    for quantity in PROFILES:
        found |= {(quantity, *point): (value, {}) for point, value in profile(stream, quantity).items()}
    return {canonical(parameters_of(*point)): (value, facts | covered) for point, (value, facts) in found.items()}
