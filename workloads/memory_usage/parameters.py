"""Parameters of the readings, and their trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from workloads import record_sets
from workloads.checks import check_choice, check_range, check_types
from workloads.memory_usage.generator import PATTERNS, USAGE, Readings
from workloads.memory_usage.statistics import Fact, facts
from workloads.traces import Trace

NOTE = "synthetic: the paper's readings are not published, and what ours are like is assumed"


@dataclass(frozen=True)
class MemoryUsage:
    """records  number of readings, from 1 to 2^40; the paper has 62,208,000
    seed     seed of the readings, from 0 to 2^63 - 1; a longer stream begins with the shorter one
    pattern  usage, or a control: iid, up, down, constant
    equal    chance that a reading equals the one before, from 0 to 1 (usage); for your machine's `equal` and `rising`:
             python -m workloads.memory_usage.recorder
    rising   chance that a different reading is higher, from 0.1 to 0.9 (usage); accurate to a few hundredths
    folder   folder of record sets made with experiment=make_workload; the trace is read from there if it exists
    """

    records: int = 1_000_000
    seed: int = 0
    pattern: str = "usage"
    equal: float = 0.4
    rising: float = 0.5
    folder: str = "results/records"

    def __post_init__(self) -> None:
        check_types(self)
        check_range("records", self.records, 1, 1 << 40)
        check_range("seed", self.seed, 0, (1 << 63) - 1)
        check_choice("pattern", self.pattern, PATTERNS)
        check_range("equal", self.equal, 0, 1)
        check_range("rising", self.rising, 0.1, 0.9)

    def record_set(self) -> Readings:
        """What experiment=make_workload makes."""
        return Readings(self.records, self.seed, self.pattern, float(self.equal), float(self.rising))

    def chunks(self) -> Iterator[np.ndarray]:
        """The readings in MiB, int64, three days at a time: one chunk is in memory, whatever the number of records."""
        readings = self.record_set()
        return (readings.values(number) for number in range(readings.chunks))

    def trace(self) -> Trace:
        """All readings at once: 16 bytes each. Raises RecordsError for a damaged record set."""
        if manifest := record_sets.find(self.record_set(), self.folder):
            values = record_sets.read(manifest, ["used"])["used"]
        else:
            values = np.concatenate(list(self.chunks()))
        notes = (NOTE,) if self.pattern == USAGE else ()
        return Trace("memory_usage", asdict(self), np.arange(self.records), values, None, "s", notes=notes)

    def calibration(self) -> list[Fact]:
        """Chances of the steps beside those asked for, and how often Naive aggregates a full window; of usage only."""
        return facts(self.trace().values, self.equal, self.rising) if self.pattern == USAGE else []
