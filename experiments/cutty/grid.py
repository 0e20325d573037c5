"""Points of a grid on a stream that is cut into slices, and settings that experiments on it cannot take."""

from collections.abc import Mapping
from typing import Any

from experiments.harness.cell import Cell
from experiments.harness.feasibility import operator_called
from experiments.harness.grid import unnamed
from experiments.harness.settings import Settings, SettingsError
from workloads import workload as workload_of


def cell_on_stream(
    settings: Settings,
    algorithm: str,
    metric: str,
    asked: Mapping[str, Any],
    window: int = 0,
    module: str = "slicing",
) -> Cell:
    """The cell of a slicing technique, or of none, on the workload's stream.

    `asked` holds the queries. `module` is the one in `experiments.cutty.measuring` that measures `metric`.
    """
    return Cell(
        paper=settings.paper,
        experiment=settings.name,
        algorithm=algorithm,
        parameters={},
        operator=settings.operators[0],
        workload=settings.workload["name"],
        stream=unnamed(settings.workload),
        asked=asked,
        window=window,
        measurement=f"{module}.{metric}",
    )


def streams_only(settings: Settings, workload: str) -> None:
    """Raise SettingsError unless there is one operator, on this workload, and no window or distance.

    Raises ValueError for parameters that the workload cannot have.
    """
    for name, setting in (("window", settings.window), ("distances", settings.distances)):
        if setting is not None:
            raise SettingsError(f"{name} is {setting}; the windows of {settings.name} are queries: leave {name} out")
    if len(settings.operators) != 1:
        raise SettingsError(f"operators is {list(settings.operators)}; {settings.name} takes one operator")
    if (name := settings.workload["name"]) != workload:
        raise SettingsError(f"workload is {name!r}; {settings.name} is measured on workload={workload}")
    workload_of(settings.workload)
    (operator,) = settings.operators
    if settings.workload.get("value") == "mean" and operator_called(operator).takes == "int64":
        raise SettingsError(
            f"operators has {operator!r}, which takes whole numbers, and workload.value is 'mean'; take "
            f"'{operator}:float64', or workload.value=mf01"
        )
