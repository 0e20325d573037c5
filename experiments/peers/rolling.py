"""Rolling aggregates of columns: ours beside the libraries that people use, each as its documentation says it is done.

Not a figure of a paper: the statements are goals that this project has set itself. Ten tasks over windows of many sizes
on random values, some tasks over every shape of column, and single rows of streams. Wrong answers are counted beside
the times: what subtracts is quick.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from experiments.harness.cell import Cell
from experiments.harness.fitting import smallest
from experiments.harness.grid import synthetic_only
from experiments.harness.measured import Measured, NotMeasuredError, Table, lines_of, over, ratio
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError, whole_number
from experiments.peers.measuring import online
from experiments.peers.measuring.columns import KEYED, KINDS, LATE, ROWS, SHAPES, TIME
from experiments.peers.measuring.libraries import NAMES, OURS, TASKS, offers
from safeguards.wrong_input import unknown

TIMED, WRONG, LATENCY = "rolling.time", "rolling.wrong", "online.latency"

POINT = ("operator", "shape", "window")
"""What makes the cells of different libraries comparable."""


class Peer(NamedTuple):
    """A library, as the experiment's catalogue has it. It has no parameters."""

    name: str

    def complete(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Nothing. Raises ValueError for a parameter."""
        for name in parameters:
            raise ValueError(f"{self.name} has no parameter {name!r} in this experiment")
        return {}


def peers_by_name() -> dict[str, Peer]:
    """Every library of columns or of streams."""
    return {name: Peer(name) for name in (*NAMES, *(name for name in online.TASKS if name not in NAMES))}


@experiment("peers", peers_by_name)
def peers(settings: Settings) -> list[Cell]:
    """A cell for each library, task, shape and window of the profile's sizes, timed and checked; and single rows.

    What a library does not have is no cell. One that is not installed or takes too long has a row that says so.
    """
    synthetic_only(settings)
    if settings.window is not None or settings.distances is not None or settings.operators:
        raise SettingsError(
            "windows, shapes and tasks of peers are in its sizes: leave window, distances, operators out"
        )
    names = [algorithm["name"] for algorithm in settings.algorithms]
    if "sql_window_tree" in names and settings.executor.get("name") == "spark":
        raise SettingsError(
            "executor is spark; peers starts a session of its own to measure Spark, and one of the executor would take "
            "cores from it: leave executor at inline"
        )
    return [*_columns(settings, [name for name in names if name in NAMES]), *_streams(settings, names)]


def _columns(settings: Settings, names: list[str]) -> Iterator[Cell]:
    sizes = settings.sizes
    for name in sizes.get("fewer", {}):
        if name not in NAMES:
            raise SettingsError(unknown("algorithm in fewer", name, NAMES))
    for part in sizes["columns"]:
        for name in names:
            chosen = {**part, **sizes.get("fewer", {}).get(name, {})}
            for window in _both(part, chosen, "windows", None):
                for shape in _both(part, chosen, "shapes", SHAPES):
                    tasks = _both(part, chosen, "tasks", TASKS)
                    for task in (task for task in tasks if offers(name, task, KINDS.get(shape, ROWS))):
                        length = whole_number("sizes: windows", window, 2)
                        rows = max(whole_number("sizes: rows", part["rows"], 1), 3 * length // 2)
                        stream = {"shape": shape, "rows": rows}
                        yield from (_cell(settings, name, task, window, stream, kind) for kind in (TIMED, WRONG))


def _both(part: Mapping[str, Any], chosen: Mapping[str, Any], key: str, known: Any) -> list[Any]:
    """What a part of the sizes has under a key, and a library is not left out of. Raises SettingsError."""
    for value in (*part[key], *chosen[key]):
        if known is not None and value not in known:
            raise SettingsError(unknown(key, value, known))
    return [value for value in part[key] if value in chosen[key]]


def _streams(settings: Settings, names: list[str]) -> Iterator[Cell]:
    for name in names:
        for task in online.TASKS.get(name, ()):
            for window in settings.sizes["streams"]["windows"]:
                yield _cell(settings, name, task, window, {"shape": "random"}, LATENCY)


def _cell(settings: Settings, name: str, task: str, window: int, stream: Mapping[str, Any], kind: str) -> Cell:
    return Cell(
        paper=settings.paper,
        experiment=settings.name,
        algorithm=name,
        parameters={},
        operator=task,
        workload="columns",
        stream=stream,
        window=window,
        measurement=kind,
    )


def best_of(measured: Measured, names: list[str]) -> Table:
    """Nanoseconds a row of the quickest of some libraries, for each task, shape and window that one of them has."""
    return smallest(measured.each("time", "algorithm", *POINT, algorithm=names), "algorithm")


def others() -> list[str]:
    return [name for name in NAMES if name not in OURS]


@peers.quantity
def wrong_answers(measured: Measured) -> Table:
    """Share of the sampled rows whose answer is wrong."""
    return measured.each("wrong", "algorithm", *POINT)


@peers.quantity
def time_over_quickest_peer(measured: Measured) -> Table:
    """Time a row of the quicker of ours over that of the quickest other library, whether that is right or wrong."""
    return ratio(best_of(measured, list(OURS)), best_of(measured, others()))


@peers.quantity
def time_over_quickest_right_peer(measured: Measured) -> Table:
    """Time a row of the quicker of ours over that of the quickest other library that has no wrong answer there."""
    times = measured.each("time", "algorithm", *POINT, algorithm=others())
    share = measured.each("wrong", "algorithm", *POINT, algorithm=others()).iloc[:, 0]
    right = times[share.reindex(times.index).eq(0)]
    return ratio(best_of(measured, list(OURS)), smallest(right, "algorithm"))


@peers.reason(time_over_quickest_peer)
@peers.reason(time_over_quickest_right_peer)
def who_is_quicker(measured: Measured) -> str:
    """The libraries that are quicker than ours somewhere, and for which tasks."""
    ours = best_of(measured, list(OURS)).median(axis=1)
    theirs = measured.each("time", "algorithm", *POINT, algorithm=others()).median(axis=1)
    quicker: dict[str, list[str]] = {}
    for (name, *point), time in theirs.items():
        if time < ours.get(tuple(point), 0):
            quicker.setdefault(NAMES[name], []).append(str(point[0]))
    if not quicker:
        raise NotMeasuredError("no other library is quicker")
    return "quicker somewhere: " + "; ".join(
        f"{name} ({', '.join(dict.fromkeys(tasks))})" for name, tasks in quicker.items()
    )


@peers.quantity
def time_over_bottleneck(measured: Measured) -> Table:
    """Time a row of rolling over that of Bottleneck, on random values."""
    table = measured.each("time", "algorithm", *POINT, shape="random", algorithm=["rolling", "bottleneck"])
    return ratio(lines_of(table, algorithm="rolling"), lines_of(table, algorithm="bottleneck"))


@peers.quantity
def nanoseconds_a_row(measured: Measured) -> Table:
    """Nanoseconds a row of rolling, on random values."""
    return measured.each("time", *POINT, algorithm="rolling", shape="random")


@peers.quantity
def time_over_random(measured: Measured) -> Table:
    """Time a row of rolling over that on random values, for shapes with windows of rows."""
    plain = [shape for shape in SHAPES if shape != "random" and KINDS.get(shape) not in (TIME, LATE, KEYED)]
    shaped = measured.each("time", *POINT, algorithm="rolling", shape=plain)
    return over(shaped, measured.each("time", "operator", "window", algorithm="rolling", shape="random"))


@peers.quantity
def worst_row(measured: Measured) -> Table:
    """Milliseconds of the worst single row, each row taken in the quieter of two repetitions."""
    return measured.worst_of_quieter("algorithm", "operator", "window") / 1e6
