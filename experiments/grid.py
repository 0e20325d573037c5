"""Points of a grid on the distance protocol, and settings that an experiment cannot take."""

from collections.abc import Mapping
from typing import Any

from experiments.cell import ROUNDS, Cell, canonical
from experiments.settings import Settings, SettingsError


def point(settings: Settings, algorithm: Mapping[str, Any], operator: str, n: int, d: int, **more: Any) -> Cell:
    """The cell of an algorithm ({name, parameters...}) in a window of n items at distance d.

    `more`: other fields of the cell. A field `protocol` holds further parameters of the workload.
    """
    protocol = {"window": n, "distance": d, **more.pop("protocol", {})}
    fields = {
        "paper": settings.paper,
        "experiment": settings.name,
        "algorithm": algorithm["name"],
        "parameters": canonical({name: value for name, value in algorithm.items() if name != "name"}),
        "operator": operator,
        "workload": "distance",
        "workload_parameters": canonical(protocol),
        "window": n,
        "distance": d,
        "drive": ROUNDS,
    }
    return Cell(**(fields | more))


def synthetic_only(settings: Settings) -> None:
    """Raise SettingsError for a workload other than the distance protocol."""
    if (name := settings.workload["name"]) != "distance":
        raise SettingsError(f"workload is {name!r}; {settings.name} is measured on workload=distance")


def in_order_only(settings: Settings) -> None:
    """Raise SettingsError for distances other than 0 and for other workloads."""
    synthetic_only(settings)
    if settings.distances not in (None, (0,)):
        raise SettingsError(
            f"distances is {list(settings.distances)}; {settings.name} is in order: leave distances out"
        )


def windows_of(settings: Settings) -> tuple[int, ...]:
    """The sizes of windows to measure: the one asked for, or the profile's."""
    return tuple(settings.sizes["windows"]) if settings.window is None else (settings.window,)
