"""A cell: one point of an experiment's grid, with everything that decides what is measured there."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

ROUNDS, REPLAY, LATENCY = "rounds", "replay", "latency"
"""How a cell is measured: rounds of the distance protocol by the clock or by the cycle counter; a trace replayed.

An experiment that measures something of its own names a function of its module instead, as "module:function"; it takes
the cell and the task and gives the row's columns, as those of experiments.measure do.
"""


USES = ("evict", "insert", "sharing")
"""Names in `parameters` that tell how a window is used and not what it is: in bulk or one by one, shared or not."""

COUNTS = ("combines", "coins", "bytes")
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
    def unit(self) -> str:
        """Unit of the metric, unless the measuring function says another: the row column `unit`."""
        return {"time": "ns", "latency": "cycles"}.get(self.metric, "1")

    @property
    def label(self) -> str:
        """What a person calls the cell, in a line of progress or a message."""
        parameters = ",".join(f"{name}={value}" for name, value in json.loads(self.parameters).items())
        where = "" if self.distance is None else f" d={self.distance}"
        where += "" if self.batch is None else f" m={self.batch}"
        return f"{self.algorithm}{f'({parameters})' if parameters else ''} {self.operator} n={self.window}{where}"

    def algorithm_parameters(self) -> dict[str, Any]:
        """What makes the window itself: the parameters but for USES."""
        return {name: value for name, value in json.loads(self.parameters).items() if name not in USES}

    def workload_settings(self) -> dict[str, Any]:
        """What workloads.make takes."""
        return {"name": self.workload, **json.loads(self.workload_parameters)}

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> "Cell":
        return cls(**fields)
