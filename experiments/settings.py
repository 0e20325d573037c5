"""The settings of a run: what the configuration says, checked, with sizes and defaults of the profile filled in."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any


class SettingsError(ValueError):
    """A setting that is wrong; the message names it, its value and what would be right."""


def nearest(what: str, name: Any, known: Iterable[str]) -> str:
    """The message for a name that is not known, with the nearest that are."""
    known = list(known)
    near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.4)
    offer = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(known)}"
    return f"unknown {what} {name!r}; {offer}"


def whole_number(name: str, value: Any, least: int) -> int:
    """The value as an int. Raises SettingsError unless it is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise SettingsError(f"{name} is {value!r}; it must be a whole number of at least {least}")
    return value


def real_number(name: str, value: Any, above: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > above:
        raise SettingsError(f"{name} is {value!r}; it must be a number above {above:g}")
    return float(value)


def whole_numbers(name: str, values: Any, least: int) -> tuple[int, ...]:
    """A list of whole numbers, not empty, each once, in the order given."""
    if not isinstance(values, list | tuple) or not values:
        raise SettingsError(f"{name} is {values!r}; it must be a list of whole numbers")
    return tuple(dict.fromkeys(whole_number(name, value, least) for value in values))


@dataclass(frozen=True)
class Profile:
    """How large and how long. Sizes of each experiment are in its own configuration, under the profile's name."""

    name: str
    repetitions: int
    minimum_ms: float
    timeout: int

    def __post_init__(self) -> None:
        whole_number("profile.repetitions", self.repetitions, 1)
        real_number("profile.minimum_ms", self.minimum_ms, 0)
        whole_number("profile.timeout", self.timeout, 1)


@dataclass(frozen=True)
class Settings:
    """What a run is told. Names are those of the configuration files and of the command line."""

    name: str
    paper: str
    workload: Mapping[str, Any]
    profile: Profile
    executor: Mapping[str, Any]
    operators: tuple[str, ...]
    algorithms: tuple[Mapping[str, Any], ...]
    sizes: Mapping[str, Any] = field(default_factory=dict)
    """The sizes of this profile."""
    window: int | None = None
    distances: tuple[int, ...] | None = None
    results: str = "results/data"
    seed: int = 1
    force: bool = False
    figure: Mapping[str, Any] = field(default_factory=dict)
    trace_figure: Mapping[str, Any] = field(default_factory=dict)
    """The figure where the workload is a trace and not the distance protocol."""

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> "Settings":
        """From a composed configuration (plain dicts and lists). Raises SettingsError."""
        known = [one.name for one in fields(cls)]
        for name in config:
            if name not in known:
                raise SettingsError(nearest("setting", name, known))
        profile = Profile(**config["profile"])
        sizes = config.get("sizes", {}).get(profile.name)
        if sizes is None:
            raise SettingsError(f"experiment {config['name']} has no sizes for profile {profile.name}")
        window, distances = config.get("window"), config.get("distances")
        return cls(
            **{
                **config,
                "profile": profile,
                "sizes": sizes,
                "operators": _list("operators", config["operators"]),
                "algorithms": tuple(_algorithm(one) for one in _list("algorithms", config["algorithms"])),
                "window": None if window is None else whole_number("window", window, 1),
                "distances": None if distances is None else whole_numbers("distances", distances, 0),
                "seed": whole_number("seed", config.get("seed", 1), 0),
            }
        )


def _list(name: str, value: Any) -> tuple:
    if isinstance(value, str) or not isinstance(value, list | tuple) or not value:
        raise SettingsError(f"{name} is {value!r}; it must be a list with at least one name, such as {name}=[sum]")
    return tuple(value)


def _algorithm(value: Any) -> dict[str, Any]:
    """{name, parameters...} of an algorithm that was given by name or as such a mapping."""
    made = {"name": value} if isinstance(value, str) else dict(value) if isinstance(value, Mapping) else {}
    if not isinstance(made.get("name"), str):
        raise SettingsError(f"algorithms has {value!r}; an algorithm is a name or {{name: fiba, min_arity: 4}}")
    return made
