"""Cells in which an aggregate is fed the workload at a rate, and the settings that they have."""

from collections.abc import Mapping
from typing import Any

from experiments.compressed_windows.measuring.aggregates import INFINITE, SATURATING
from experiments.harness.cell import Cell
from experiments.harness.grid import unnamed
from experiments.harness.settings import Settings, SettingsError, real_number, whole_number
from workloads import workload as workload_of

ADVANCE, SIZE = 60, 3 * 3600
"""WA and WS of the compressed-windows paper, in seconds."""

HIGHEST = 40_000
"""Its highest rate."""


def rates_of(settings: Settings) -> list[int | str]:
    """Tuples a second, and SATURATING. Raises SettingsError."""
    rates = _listed("rates", settings, "[20000, saturating]")
    return [rate if rate == SATURATING else _number("rates", rate, 1, SATURATING) for rate in rates]


def ages_of(settings: Settings) -> list[int | str]:
    """The D's in seconds as rows have them: JSON has no infinity. Raises SettingsError."""
    ages = [INFINITE if age == float("inf") else age for age in _listed("D", settings, "[inf, 60, 0]")]
    return [age if age == INFINITE else _number("D", age, 0, INFINITE) for age in dict.fromkeys(ages)]


def _listed(name: str, settings: Settings, example: str) -> list[Any]:
    values = settings.sizes[name]
    if not isinstance(values, list | tuple) or not values:
        raise SettingsError(f"sizes.{name} is {values!r}; it must be a list, such as {example}")
    return list(dict.fromkeys(values))


def _number(name: str, value: Any, least: int, alternative: str) -> int:
    """A whole number; the error also offers the one word that may stand for it. Raises SettingsError."""
    try:
        return whole_number(f"sizes.{name}", value, least)
    except SettingsError as error:
        raise SettingsError(f"{error}, or {alternative}") from None


def fed_cell(settings: Settings, algorithm: Mapping[str, Any], age: int | str, rate: int | str | None = None) -> Cell:
    """The cell in which an aggregate is fed the workload at a `rate`: a saturating one if it has none.

    Raises SettingsError for settings that it does not take, and what the workload raises.
    """
    if settings.workload["name"] != "linear_road":
        raise SettingsError(f"workload is {settings.workload['name']!r}; {settings.name} needs workload=linear_road")
    if settings.distances is not None:
        raise SettingsError(f"distances is {list(settings.distances)}; the stream is in order: leave distances out")
    if settings.operators:
        raise SettingsError(f"operators is {list(settings.operators)}; stops are counted: leave operators out")
    workload_of(settings.workload)
    clock = settings.sizes["clock"]
    if clock not in ("compressed", "real"):
        raise SettingsError(f"sizes.clock is {clock!r}; it must be compressed or real")
    duration = real_number("sizes.duration", settings.sizes["duration"], 0)
    highest = max((rate for rate in settings.sizes.get("rates", []) if rate != SATURATING), default=HIGHEST)
    injection = {"slide": ADVANCE, "clock": clock, "duration": duration, "most": round(duration * highest)}
    injection |= {"checked": whole_number("sizes.checked", settings.sizes["checked"], 1)}
    parameters = unnamed(algorithm) | {"D": age}
    parameters |= {} if rate is None else {"rate": rate}
    return Cell(
        paper=settings.paper,
        experiment=settings.name,
        algorithm=algorithm["name"],
        parameters=parameters,
        operator="",
        workload=settings.workload["name"],
        stream=unnamed(settings.workload),
        asked=injection,
        window=settings.window or SIZE,
        measurement="compressing.injected",
    )
