"""The settings of a run: the checked configuration, with the sizes of its profile."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from safeguards.wrong_input import is_real, is_whole, unknown

MOST = 2**62
"""The largest size or seed: beyond it, sums of two no longer fit into the rows' integers."""

MOST_SECONDS = 10**8
"""Of a time-out: the system's clocks for processes take ten times as many, and not many more."""

EXECUTORS = {"inline": ("name",), "spark": ("name", "master", "options", "environment", "archive")}
"""The executors, and the settings that each has."""

MASTER = re.compile(r"local(\[[\d*, ]+\])?$|local-cluster\[[\d, ]+\]$|(spark|k8s|sc)://.|yarn$")
"""Addresses of a master that Spark takes."""

ACTIONS = ("run", "draw", "report", "compare", "walk", "catalogue", "workload", "make")
"""What a command does."""

OF_THE_COMMAND = ("action", "runs", "only", "skip", "algorithm", "script")
"""What a composed configuration has that is not a setting of an experiment."""


def of_an_experiment(config: Mapping[str, Any]) -> dict[str, Any]:
    """A composed configuration without what belongs to the command."""
    return {name: value for name, value in config.items() if name not in OF_THE_COMMAND}


class SettingsError(ValueError):
    """A setting that is wrong; the message names it, its value and what would be right."""


def whole_number(name: str, value: Any, least: int) -> int:
    """The value as an int. Raises SettingsError unless it is a whole number from `least` to `MOST`."""
    if not is_whole(value) or value < least:
        raise SettingsError(f"{name} is {value!r}; it must be a whole number of at least {least}")
    if value > MOST:
        raise SettingsError(f"{name} is {value!r}; it must be at most 2^62")
    return value


def real_number(name: str, value: Any, above: float) -> float:
    """The value as a float. Raises SettingsError unless it is a finite number above `above`."""
    if not is_real(value) or not above < value < float("inf"):
        raise SettingsError(f"{name} is {value!r}; it must be a number above {above:g}")
    return float(value)


def whole_numbers(name: str, values: Any, least: int) -> tuple[int, ...]:
    """A whole number, or a list of them that is not empty, each once, in the order given. Raises SettingsError."""
    if is_whole(values):
        return (whole_number(name, values, least),)
    if not isinstance(values, list | tuple) or not values:
        raise SettingsError(f"{name} is {values!r}; it must be a list of whole numbers, such as {name}=[{least},16]")
    return tuple(dict.fromkeys(whole_number(f"{name}[{i}]", value, least) for i, value in enumerate(values)))


def flag(name: str, value: Any) -> bool:
    """The value as a bool. Raises SettingsError unless it is one."""
    if not isinstance(value, bool):
        raise SettingsError(f"{name} is {value!r}; it must be true or false")
    return value


def path(name: str, value: Any) -> str:
    """The value as the path of a folder. Raises SettingsError unless it is text."""
    if not isinstance(value, str) or not value or "\0" in value:
        raise SettingsError(f"{name} is {value!r}; it must be the path of a folder")
    return value


def check_place(field: str, folder: Any) -> None:
    """Raise SettingsError, before anything is measured for it, where no files can be made in the folder of a field."""
    place = os.path.abspath(path(field, folder))
    while not os.path.exists(place):
        place = os.path.dirname(place)
    if not os.path.isdir(place):
        raise SettingsError(f"{field} is {folder!r}, and {place} is a file: give a folder")
    if not os.access(place, os.W_OK | os.X_OK):
        raise SettingsError(f"{field} is {folder!r}, and you may not write in {place}: give another folder")


@dataclass(frozen=True)
class Profile:
    """How large and how long. Sizes of each experiment are in its own configuration, under the profile's name."""

    name: str
    repetitions: int
    """Of every cell, each in a process of its own."""
    minimum_ms: float
    timeout: int
    """Seconds of processor time that a repetition may take, with compiling; by the clock ten times as many."""
    most_repetitions: int = 0
    """Of the cells that undecided statements need; 0 is as many as `repetitions`, so that none are added."""
    budget_minutes: float = 10.0
    """No further round is added to an experiment when the added ones have taken so long."""

    def __post_init__(self) -> None:
        whole_number("profile.repetitions", self.repetitions, 1)
        whole_number("profile.most_repetitions", self.most_repetitions, 0)
        real_number("profile.budget_minutes", self.budget_minutes, 0)
        real_number("profile.minimum_ms", self.minimum_ms, 0)
        if whole_number("profile.timeout", self.timeout, 1) > MOST_SECONDS:
            raise SettingsError(f"profile.timeout is {self.timeout!r}; it must be at most {MOST_SECONDS:,} seconds")

    @property
    def looks(self) -> list[int]:
        """After how many repetitions verdicts are looked at: the least, twice as many, and so on up to the most."""
        looks = [self.repetitions]
        while looks[-1] < self.most_repetitions:
            looks.append(min(2 * looks[-1], self.most_repetitions))
        return looks


@dataclass(frozen=True)
class Settings:
    """The settings of a run. Names are those of the configuration files and of the command line."""

    name: str
    paper: str
    workload: Mapping[str, Any]
    profile: Profile
    executor: Mapping[str, Any]
    operators: tuple[str, ...]
    algorithms: tuple[Mapping[str, Any], ...]
    also: tuple[Mapping[str, Any], ...] = ()
    """Further algorithms, measured by the experiments that can compare them."""
    store: tuple[str, ...] = ("lmdb",)
    """Where windows that are kept in a key-value store are kept: a series for each."""
    sizes: Mapping[str, Any] = field(default_factory=dict)
    """The sizes of this profile."""
    window: int | None = None
    distances: tuple[int, ...] | None = None
    results: str = "results/data"
    figure_folder: str = "results/figures"
    seed: int = 1
    force: bool = False
    figures: tuple[Mapping[str, Any], ...] = ()
    """Descriptions of the figures of the rows, each with a name of its own."""
    every_figure: Mapping[str, Any] = field(default_factory=dict)
    """Options of every figure that does not have its own, such as {clock: {time: what is timed}}."""
    trace_figures: tuple[Mapping[str, Any], ...] = ()
    """The figures for a workload that is a trace and not the distance protocol, if these differ."""

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> "Settings":
        """From a composed configuration (plain dicts and lists). Raises SettingsError."""
        _only_and_all("setting", config, cls)
        nothing_missing(config)
        _only_and_all("setting of profile", config["profile"], Profile)
        profile = Profile(**config["profile"])
        if profile.name not in config.get("sizes", {}):
            raise SettingsError(f"experiment {config['name']} has no sizes for profile {profile.name}")
        window, distances = config.get("window"), config.get("distances")
        return cls(
            **{
                **config,
                "profile": profile,
                "executor": executor_settings(config["executor"]),
                "sizes": config["sizes"][profile.name],
                "operators": _operators(config["operators"]),
                "algorithms": _algorithms("algorithms", config["algorithms"]),
                "also": _algorithms("also", config.get("also")),
                "store": _names("store", config.get("store") or cls.store),
                "window": None if window is None else whole_number("window", window, 1),
                "distances": None if distances is None else whole_numbers("distances", distances, 0),
                "results": path("results", config.get("results", cls.results)),
                "figure_folder": path("figure_folder", config.get("figure_folder", cls.figure_folder)),
                "figures": _figures("figures", config.get("figures", ())),
                "trace_figures": _figures("trace_figures", config.get("trace_figures", ())),
                "seed": whole_number("seed", config.get("seed", cls.seed), 0),
                "force": flag("force", config.get("force", cls.force)),
            }
        )


def _only_and_all(kind: str, config: Any, wanted: type) -> None:
    """Raise SettingsError for a name that the dataclass does not have, and where one without a default is missing."""
    known = fields(wanted)
    if not isinstance(config, Mapping):
        raise SettingsError(f"the {kind} is {config!r}; it must be a mapping")
    _refuse_unknown(kind, config, [each.name for each in known])
    for each in known:
        if each.name not in config and each.default is each.default_factory is MISSING:
            raise SettingsError(f"the {kind} {each.name} is missing: it cannot be left out")


def _refuse_unknown(kind: str, names: Iterable[str], known: list[str]) -> None:
    for name in names:
        if name not in known:
            raise SettingsError(unknown(kind, name, known))


def nothing_missing(config: Mapping[str, Any]) -> None:
    """Raise SettingsError for settings that the user must give and has not given."""
    if names := list(_missing(config)):
        group = names[0].split(".")[0]
        chosen = config[group].get("name") if isinstance(config[group], Mapping) else None
        owner = f"{group}={chosen}" if chosen else "this run"
        raise SettingsError(f"{owner} needs {' and '.join(names)}: give {' '.join(f'{name}=...' for name in names)}")


def _missing(config: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in config.items():
        if isinstance(value, Mapping):
            yield from _missing(value, f"{prefix}{name}.")
        elif value == "???":
            yield prefix + name


def executor_settings(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings of an executor. Raises SettingsError."""
    if value.get("name") not in EXECUTORS:
        raise SettingsError(unknown("executor", value.get("name"), EXECUTORS))
    _refuse_unknown(f"setting of executor {value['name']}", value, list(EXECUTORS[value["name"]]))
    if "master" in value and not MASTER.match(str(value["master"])):
        raise SettingsError(f"executor.master is {value['master']!r}; it must be such as local[1] or spark://host:7077")
    for name, such_as in (("options", "{spark.ui.enabled: true}"), ("environment", "{OMP_NUM_THREADS: 1}")):
        if not isinstance(value.get(name) or {}, Mapping):
            raise SettingsError(f"executor.{name} is {value[name]!r}; it must be a mapping such as {such_as}")
    if (archive := value.get("archive")) and not Path(str(archive)).is_file():
        raise SettingsError(f"executor.archive is {archive!r}; it must be the file of a packed environment")
    return value


def listed(name: str, value: Any) -> tuple[Any, ...]:
    """The members of a list, or one alone. Raises SettingsError if there is none."""
    members = tuple(value) if isinstance(value, list | tuple) else (value,)
    if not members or members == ("",):
        raise SettingsError(f"{name} is {value!r}; it must be a name or a list of names")
    return members


def _figures(name: str, value: Any) -> tuple[Mapping[str, Any], ...]:
    """Descriptions of figures, whose keys `plots` checks. Raises SettingsError unless each has a name of its own."""
    if isinstance(value, str):
        raise SettingsError(f"{name} is {value!r}; it is the list of descriptions, the folder is figure_folder={value}")
    if not isinstance(value, list | tuple) or not all(
        isinstance(figure, Mapping) and figure.get("name") for figure in value
    ):
        raise SettingsError(f"{name} is {value!r}; it must be a list of descriptions, each with a name")
    names = [figure["name"] for figure in value]
    if twice := {name for name in names if names.count(name) > 1}:
        raise SettingsError(f"{name} has {', '.join(sorted(twice))} twice; each figure has a name of its own")
    return tuple(value)


def _operators(value: Any) -> tuple[str, ...]:
    """The operators; none (null) in an experiment about records alone."""
    if value is None:
        return ()
    names = listed("operators", value)
    for name in names:
        if not isinstance(name, str):
            raise SettingsError(f"operators has {name!r}; an operator is given by its name, such as sum")
    return tuple(dict.fromkeys(names))


def _names(name: str, value: Any) -> tuple[str, ...]:
    """One name, or a list of names. Raises SettingsError."""
    names = listed(name, value)
    if not all(isinstance(one, str) and one for one in names):
        raise SettingsError(f"{name} is {value!r}; it must be a name or a list of names")
    return tuple(dict.fromkeys(names))


def _algorithms(name: str, value: Any) -> tuple[dict[str, Any], ...]:
    """The algorithms of a setting; none (null) in an experiment about operators alone."""
    return () if value is None else tuple(_algorithm(name, algorithm) for algorithm in listed(name, value))


def _algorithm(setting: str, value: Any) -> dict[str, Any]:
    """{name, parameters...} of an algorithm that was set by its name or as such a mapping."""
    algorithm = {"name": value} if isinstance(value, str) else dict(value) if isinstance(value, Mapping) else {}
    if not isinstance(algorithm.get("name"), str):
        raise SettingsError(f"{setting} has {value!r}; an algorithm is a name or {{name: fiba, min_arity: 4}}")
    return algorithm
