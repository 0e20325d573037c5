"""Points of a grid on Spark itself, and settings that experiments on it cannot take."""

from collections.abc import Mapping
from typing import Any

from experiments.harness.cell import Cell
from experiments.harness.feasibility import operator_called
from experiments.harness.grid import synthetic_only, unnamed
from experiments.harness.settings import Settings, SettingsError, whole_number
from experiments.spark.measuring.ways import BY_ROW, BY_SLIDE, JOBS, STREAM, TABLE, WAYS
from safeguards.wrong_input import unknown

SIZES = {
    STREAM: {"window": 1, "keys": 1, "rows": 1, "triggers": 2, "per_slide": 1},
    BY_ROW: {"window": 1, "keys": 1, "rows": 1},
    BY_SLIDE: {"window": 1, "keys": 1, "rows": 1, "per_slide": 1},
    JOBS: {"window": 1, "rounds": 1, "jobs": 1},
    TABLE: {"window": 1, "keys": 1, "rows": 1, "slides": 1},
}
"""The sizes of what a way does, and the least that each can be; the first third of a stream's triggers is not timed."""

PER_SLIDE = {STREAM: {"per_slide": 1}}
"""Sizes that may be left out, and what they are then: the rows of a key in a slide."""

WITHOUT = "without"
"""The key of sizes under which they have the names of ways that are not measured on them."""


def spark_cell(settings: Settings, way: Mapping[str, Any], sizes: Any) -> Cell:
    """The cell of a way to aggregate in Spark ({name, parameters...}) on keyed rows of these sizes.

    Raises SettingsError for sizes that are missing, unknown, or no whole numbers.
    """
    task = WAYS[way["name"]].does
    sizes = {**PER_SLIDE.get(task, {}), **sizes} if isinstance(sizes, Mapping) else sizes
    if not isinstance(sizes, Mapping) or (missing := [name for name in SIZES[task] if name not in sizes]):
        lacking = ", ".join(missing) if isinstance(sizes, Mapping) else "all"
        needed = ", ".join(name for name in SIZES[task] if name not in PER_SLIDE.get(task, {}))
        raise SettingsError(f"sizes of {task} are {sizes!r}; they must be {needed}, and lack {lacking}")
    for name, value in sizes.items():
        if name not in SIZES[task]:
            raise SettingsError(unknown(f"size of {task}", name, SIZES[task]))
        whole_number(f"sizes: {name}", value, SIZES[task][name])
    return Cell(
        paper=settings.paper,
        experiment=settings.name,
        algorithm=way["name"],
        parameters=unnamed(way),
        operator=settings.operators[0],
        workload="keyed",
        stream={name: value for name, value in sizes.items() if name != "window"},
        window=sizes["window"],
        measurement=f"{task}.time",
    )


def sizes_of(settings: Settings, way: Mapping[str, Any]) -> Any:
    """What the profile has for a way. Raises SettingsError if it has nothing."""
    task = WAYS[way["name"]].does
    if task not in settings.sizes:
        raise SettingsError(f"algorithms has {way['name']!r}; {settings.name} has no sizes of {task} for it")
    return settings.sizes[task]


def points_of(settings: Settings, way: Mapping[str, Any]) -> list[Any]:
    """The sizes that the profile has for a way, but those that leave it out: `without` names such ways.

    Raises SettingsError if the profile has none for what the way does, or for unknown names.
    """
    return [
        {name: value for name, value in sizes.items() if name != WITHOUT} if isinstance(sizes, Mapping) else sizes
        for sizes in sizes_of(settings, way)
        if way["name"] not in _left_out(sizes)
    ]


def _left_out(sizes: Any) -> list[str]:
    names = sizes.get(WITHOUT, []) if isinstance(sizes, Mapping) else []
    for name in names:
        if name not in WAYS:
            raise SettingsError(unknown(f"algorithm in {WITHOUT}", name, WAYS))
    return list(names)


def spark_only(settings: Settings) -> None:
    """Raise SettingsError for settings that experiments on Spark itself do not take: windows, distances, workload.

    The operator must be one that Spark has, too, and exact, for outputs are compared row by row. Their cells start
    sessions of their own, which another session would disturb: the executor must not hold one.
    """
    from streaming.baselines import FUNCTIONS

    synthetic_only(settings)
    for name, value in (("window", settings.window), ("distances", settings.distances)):
        if value is not None:
            raise SettingsError(f"{name} is {value}; the windows of {settings.name} are in its sizes: leave {name} out")
    exact = [name for name in FUNCTIONS if operator_called(name).exact]
    if len(settings.operators) != 1 or settings.operators[0] not in exact:
        raise SettingsError(f"operators is {list(settings.operators)}; {settings.name} takes one of {', '.join(exact)}")
    if settings.executor.get("name") == "spark":
        raise SettingsError(
            f"executor is spark; {settings.name} starts Spark with the cores that it measures, and a session of the "
            "executor would take them: leave executor at inline"
        )
