"""Points of a grid on the distance protocol, and settings that an experiment cannot take."""

from collections.abc import Iterable, Mapping
from typing import Any

from experiments.harness.cell import Cell, canonical
from experiments.harness.settings import Settings, SettingsError, listed, real_number, whole_number, whole_numbers
from experiments.harness.traces import trace_of
from workloads import workload as workload_of


def unnamed(named: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters in {name, parameters...}."""
    return {name: value for name, value in named.items() if name != "name"}


def point(settings: Settings, algorithm: Mapping[str, Any], operator: str, n: int, d: int, **fields: Any) -> Cell:
    """The cell of an algorithm ({name, parameters...}) in a window of n items at distance d.

    `fields`: fields of the cell that differ. `protocol` among them holds further parameters of the workload.
    """
    defaults = {
        "paper": settings.paper,
        "experiment": settings.name,
        "algorithm": algorithm["name"],
        "parameters": unnamed(algorithm),
        "operator": operator,
        "workload": "distance",
        "stream": {"window": n, "distance": d, **fields.pop("protocol", {})},
        "window": n,
        "distance": d,
    }
    return Cell(**(defaults | fields))


def scripted(
    settings: Settings,
    algorithm: str,
    script: Mapping[str, Any],
    measurement: str,
    parameters: Mapping[str, Any] | None = None,
    window: int = 0,
) -> Cell:
    """The cell in which an algorithm follows a script: a worked example."""
    return Cell(
        paper=settings.paper,
        experiment=settings.name,
        algorithm=algorithm,
        parameters=parameters or {},
        operator=settings.operators[0],
        workload="script",
        stream=script,
        window=window,
        measurement=measurement,
    )


def example_only(settings: Settings, operator: str) -> None:
    """Raise SettingsError for settings that a worked example fixes: windows, distances, operator and workload."""
    for name, value in (("window", settings.window), ("distances", settings.distances)):
        if value is not None:
            raise SettingsError(f"{name} is {value}; {settings.name} is a fixed example and takes no {name}")
    if settings.operators != (operator,) or settings.workload["name"] != "distance":
        raise SettingsError(f"{settings.name} is a fixed example: leave operators at [{operator}], and workload out")


def cells_of_records(
    settings: Settings, workload: str, measurement: str, parameter_sets: Iterable[Mapping[str, Any]]
) -> list[Cell]:
    """A cell about this workload's records for each of the sets of parameters; it has no window.

    Raises SettingsError for settings that an experiment about records has no use for.
    """
    _records_only(settings, workload)
    return [
        Cell(
            paper=settings.paper,
            experiment=settings.name,
            algorithm="",
            parameters=parameters,
            operator="",
            workload=workload,
            stream=unnamed(settings.workload),
            window=0,
            measurement=measurement,
        )
        for parameters in parameter_sets
    ]


def _records_only(settings: Settings, workload: str) -> None:
    for name, value in (("window", settings.window), ("distances", settings.distances)):
        if value is not None:
            raise SettingsError(f"{name} is {value}; {settings.name} is about the records alone and takes no {name}")
    if settings.algorithms or settings.operators:
        raise SettingsError(f"{settings.name} is about the records alone: leave algorithms and operators out")
    if (name := settings.workload["name"]) != workload:
        raise SettingsError(f"workload is {name}; {settings.name} is about {workload} alone")
    workload_of(settings.workload)  # its parameters, before anything is asked of them


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
    """The sizes of windows to measure: the one asked for, or the profile's. Raises SettingsError."""
    if settings.window is not None:
        return (settings.window,)
    return whole_numbers("sizes.windows", settings.sizes["windows"], 1)


def window_of(settings: Settings) -> int:
    """The size of the window to measure: the one asked for, or the profile's. Raises SettingsError."""
    return whole_number("sizes.window", settings.sizes["window"], 1) if settings.window is None else settings.window


def spans_of(settings: Settings) -> tuple[int, ...]:
    """Windows on a trace, in its time units: as asked for, or shares of the whole time that it spans.

    Raises SettingsError.
    """
    if settings.window is not None:
        return (settings.window,)
    trace = trace_of(settings.workload["name"], canonical(unnamed(settings.workload)))
    time_span = (int(trace.times.max()) - int(trace.times.min())) // trace.ticks_per_unit
    shares = [real_number("sizes.spans", share, 0) for share in listed("sizes.spans", settings.sizes["spans"])]
    return tuple(dict.fromkeys(max(1, round(share * time_span)) for share in shares))
