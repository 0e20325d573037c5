"""A cell: one point of an experiment's grid, with everything that decides what is measured there."""

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from experiments.harness.measurement import Measurement, find

ROUNDS, REPLAY, LATENCY = "rounds.time", "replay.time", "rounds.latency"
"""Measurements of any window: rounds of the distance protocol by the clock or by the cycle counter; a trace
replayed. What only one paper's experiments measure is in that paper's folder `measuring`."""


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def digest(value: Any) -> str:
    """Sixteen hexadecimal digits that stand for a JSON value."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:16]


class FrozenDict(dict[str, Any]):
    """A mapping that nobody changes, so that a cell that holds it can be hashed."""

    def __hash__(self) -> int:  # type: ignore[override]  # a dict has none, for it can change
        return hash(canonical(self))


@dataclass(frozen=True)
class Cell:
    """One grid point. Rows have `parameters` and `uses` in one column, and `stream` and `asked` in another."""

    paper: str
    experiment: str
    algorithm: str
    """Empty where the cell is about the operator or the workload alone and has no window."""
    parameters: Mapping[str, Any]
    """Of the algorithm itself."""
    operator: str
    workload: str
    stream: Mapping[str, Any]
    """The workload's own parameters."""
    window: int
    """Items; time units of the trace where it is replayed."""
    measurement: str = ROUNDS
    """The name of what is measured (see experiments.harness.measurement)."""
    distance: int | None = None
    batch: int | None = None
    uses: Mapping[str, Any] = FrozenDict()
    """How the window is used, where an experiment compares ways to use it."""
    asked: Mapping[str, Any] = FrozenDict()
    """Parameters of the measurement on that stream, such as its queries."""

    def __post_init__(self) -> None:
        for name in ("parameters", "stream", "uses", "asked"):
            object.__setattr__(self, name, FrozenDict(getattr(self, name)))

    @functools.cached_property
    def id(self) -> str:
        """The id of the row column `cell`: a hash of all fields."""
        return digest(asdict(self))

    @functools.cached_property
    def declared(self) -> Measurement:
        return find(self.measurement)

    @property
    def metric(self) -> str:
        """The row column `metric`: what is measured."""
        return self.declared.metric

    @functools.cached_property
    def session(self) -> str | None:
        """The session that the cell shares with others, slow to start; None if it needs none."""
        return self.declared.session(self) if self.declared.session else None

    @property
    def entries_of_one(self) -> int:
        """The most entries of one window, of the cell's size or of its workload's, whichever is larger."""
        return max(self.window, self.stream.get("window", 0)) + 1

    @functools.cached_property
    def entries(self) -> int:
        """The most entries that the cell's windows hold at once."""
        return self.declared.entries(self) if self.declared.entries else self.entries_of_one

    @functools.cached_property
    def columns(self) -> dict[str, Any]:
        """The row's columns that describe the cell."""
        return {
            "paper": self.paper,
            "experiment": self.experiment,
            "cell": self.id,
            "algorithm": self.algorithm,
            "parameters": canonical({**self.parameters, **self.uses}),
            "operator": self.operator,
            "workload": self.workload,
            "workload_parameters": canonical({**self.stream, **self.asked}),
            "window": self.window,
            "distance": self.distance,
            "batch": self.batch,
            "metric": self.metric,
            "unit": self.declared.unit,
        }

    @functools.cached_property
    def label(self) -> str:
        """The cell's name for people, in lines of progress and messages."""
        asked_text = "".join(f" {name}={value}" for name, value in self.asked.items() if name != "ask")
        if not self.algorithm:
            return f"{self.operator or self.workload}: {self.metric}{asked_text}"
        named = sorted({**self.parameters, **self.uses}.items())
        parameters = ",".join(f"{name}={value}" for name, value in named)
        protocol = "" if self.distance is None else f" d={self.distance}"
        protocol += "" if self.batch is None else f" m={self.batch}"
        size = f" n={self.window}" if self.window else asked_text
        operator = f" {self.operator}" if self.operator else ""
        return f"{self.algorithm}{f'({parameters})' if parameters else ''}{operator}{size}{protocol}"

    @functools.cached_property
    def workload_settings(self) -> dict[str, Any]:
        """The argument of workloads.make."""
        return {"name": self.workload, **self.stream}

    @functools.cached_property
    def source(self) -> tuple[str, str]:
        """The workload and its own parameters as canonical text: the arguments of harness.traces.trace_of."""
        return self.workload, canonical(self.stream)

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> "Cell":
        return cls(**fields)
