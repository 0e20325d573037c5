"""A cell: one point of an experiment's grid, with everything that decides what is measured there."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from results.schema import USES

ROUNDS, REPLAY, LATENCY = "rounds", "replay", "latency"
"""How a cell is measured: rounds of the distance protocol by the clock or by the cycle counter; a trace replayed.

An experiment that measures something of its own names a function of its module instead, as "module:function"; it takes
the cell and the task and gives the row's columns, as those of experiments.harness.measuring.measure do.
"""

SESSIONS = "sessions"
"""What a cell asks of a stream whose sessions begin at the transitions of its states."""

LAWS = ("associative", "identity", "invertible", "commutative")
PIECES = ("partial", "lift", "combine", "lower")
"""What is found out of an operator alone, by reactive_aggregator.measuring.laws and .decomposition."""

ASKED = (
    *("ask", "queries", "divide", "range", "slide", "query", "state", "dimensions", "memory"),
    *("clock", "duration", "most", "checked"),
)
"""Names in `workload_parameters` that tell what is asked of a stream and not which stream it is."""

COUNTS = (
    "combines",
    "worst_bulk",
    "local_size",
    "reached",
    "pairs",
    "update",
    "store",
    "merge",
    "partials",
    "slices",
    "slide",
    "transitions",
    "coins",
    "bytes",
    "calibration",
    *LAWS,
    *PIECES,
)
"""Metrics that are counted, not timed."""


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def digest(value: Any) -> str:
    """Sixteen hexadecimal digits that stand for a JSON value."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Cell:
    """One grid point. JSON columns are canonical text, so that cells can be compared and hashed."""

    paper: str
    experiment: str
    algorithm: str
    """Empty where the cell is about the operator or the workload alone and has no window."""
    parameters: str
    operator: str
    workload: str
    workload_parameters: str
    window: int
    """Items; time units of the trace where `drive` is REPLAY."""
    drive: str = ROUNDS
    distance: int | None = None
    batch: int | None = None

    @property
    def id(self) -> str:
        """The id of the row column `cell`: a hash of all fields."""
        return digest(asdict(self))

    @property
    def metric(self) -> str:
        """What the cell's rows measure: the row column `metric`."""
        return "time" if self.drive in (ROUNDS, REPLAY) else self.drive.rpartition(":")[2]

    @property
    def timed(self) -> bool:
        """Whether repetitions differ: what is counted is the same every time and measured once."""
        return self.metric not in COUNTS

    @property
    def session(self) -> str:
        """The cores of the Spark session that the cell is measured in; empty if it needs none, or has no choice."""
        return str(json.loads(self.parameters).get("cores", ""))

    @property
    def unit(self) -> str:
        """Unit of the metric, unless the measuring function says another: the row column `unit`."""
        return {"time": "ns", "latency": "cycles"}.get(self.metric, "1")

    @property
    def label(self) -> str:
        """What a person calls the cell, in a line of progress or a message."""
        given = json.loads(self.workload_parameters)
        asked = "".join(f" {name}={given[name]}" for name in ASKED[1:] if name in given)
        if not self.algorithm:
            return f"{self.operator or self.workload}: {self.metric}{asked}"
        parameters = ",".join(f"{name}={value}" for name, value in json.loads(self.parameters).items())
        where = "" if self.distance is None else f" d={self.distance}"
        where += "" if self.batch is None else f" m={self.batch}"
        size = f" n={self.window}" if self.window else asked
        operator = f" {self.operator}" if self.operator else ""
        return f"{self.algorithm}{f'({parameters})' if parameters else ''}{operator}{size}{where}"

    def algorithm_parameters(self) -> dict[str, Any]:
        """What makes the window itself: the parameters but for USES."""
        return {name: value for name, value in json.loads(self.parameters).items() if name not in USES}

    def workload_settings(self) -> dict[str, Any]:
        """What workloads.make takes: the workload's own parameters, but for what is ASKED."""
        given = json.loads(self.workload_parameters)
        return {"name": self.workload, **{name: value for name, value in given.items() if name not in ASKED}}

    @property
    def stream(self) -> tuple[str, str]:
        """The workload and its own parameters as canonical text: what experiments.harness.traces.trace_of takes."""
        settings = self.workload_settings()
        return settings.pop("name"), canonical(settings)

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> "Cell":
        return cls(**fields)
