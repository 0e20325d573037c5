"""Parameters of the equipment's records, synthetic or of a file, and their trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from workloads import record_sets
from workloads.checks import check_choice, check_range, check_types
from workloads.debs12 import layout, loader
from workloads.debs12.generator import Equipment
from workloads.debs12.statistics import Fact, facts
from workloads.reading.ingested import Content, Ingested, find_made, ingested
from workloads.reading.records import checked
from workloads.traces import Trace

MEAN = "mean"
NOTE = "synthetic: calibrated to 170 s of the real data, frequencies of the states assumed"
NANOSECONDS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


@dataclass(frozen=True)
class Debs12:
    """records    number of synthetic records, from 1 to 2^40; the paper has 33,000,000; a file is read whole
    seed       seed of the synthetic records, from 0 to 2^63 - 1; a longer stream begins with the shorter one
    value      mean: the average of the three energy measures, float64; or one of them: mf01, mf02, mf03, int64
    time_unit  unit of the trace's times: ns, us, ms (rounded down) or s; in seconds about 100 records share a time
    path       the real text file (tab-separated) or a Parquet file; null: synthetic
    on_error   fail at the first bad record of the file, or skip and count them
    folder     folder of record sets made with experiment=make_workload; if this one exists, it is read instead of
               generating records or reading the file
    """

    records: int = 1_000_000
    seed: int = 0
    value: str = "mean"
    time_unit: str = "ms"
    path: str | None = None
    on_error: str = "fail"
    folder: str = "results/records"

    def __post_init__(self) -> None:
        check_types(self)
        check_range("records", self.records, 1, 1 << 40)
        check_range("seed", self.seed, 0, (1 << 63) - 1)
        check_choice("value", self.value, (MEAN, *layout.ENERGY))
        check_choice("time_unit", self.time_unit, tuple(NANOSECONDS))
        check_choice("on_error", self.on_error, ("fail", "skip"))

    def record_set(self) -> Equipment | Ingested:
        """What experiment=make_workload makes: synthetic records, or those of the file. Raises as `trace`."""
        return self._equipment() if self.path is None else self._of_file()

    def parsed(self) -> Content:
        """Times, measures and, if it has them, states of the file. Raises as `trace`."""
        loaded = self._read(states=False)
        columns = dict(loaded.columns)
        if loader.has_states(str(self.path)):
            columns |= self._read(states=True).columns
        return Content(columns, loaded.facts)

    def trace(self) -> Trace:
        """O(records). Raises FileNotFoundError, and ValueError for a wrong file or record or a damaged record set."""
        measures = layout.ENERGY if self.value == MEAN else (self.value,)
        loaded = self._loaded(measures)
        times = loaded.columns[layout.TIME] // NANOSECONDS[self.time_unit]
        if self.value == MEAN:  # as float64: three whole numbers of 64 bits may add up to more
            values: Any = sum((loaded.columns[name] for name in measures), 0.0) / 3
        else:
            values = loaded.columns[self.value].astype(np.int64, copy=False)
        return Trace("debs12", asdict(self), times, values, None, self.time_unit, 1, loaded.skipped, loaded.notes)

    def transitions(self) -> list[np.ndarray]:
        """For each of 54 states the records, numbered from 0, where it differs from the record before; int64, sorted.

        Synthetic states: see `generator`. A file may have fewer; the rest never change. O(records).
        Errors as `trace`.
        """
        if self.path is None:
            return self._equipment().all_transitions()
        manifest = self._manifest()
        if manifest and layout.STATES in manifest.facts["columns"]:
            states = record_sets.read(manifest, [layout.STATES])[layout.STATES]
        else:
            states = self._read(states=True).columns[layout.STATES]
        changed = np.flatnonzero(states[1:] != states[:-1]) + 1
        flips = states[changed] ^ states[changed - 1]
        return [changed[flips >> bit & 1 == 1] for bit in range(layout.WIDTH)]

    def calibration(self) -> list[Fact]:
        """What the challenge's sample is known for, beside the same of these records. O(records); errors as `trace`."""
        columns = self._loaded(layout.ENERGY).columns
        return facts(columns[layout.TIME], {name: columns[name] for name in layout.ENERGY})

    def _manifest(self) -> record_sets.Manifest | None:
        """The record set of the file, if it was made."""
        return find_made(self._of_file, "debs12", self.folder)

    def _equipment(self) -> Equipment:
        return Equipment(self.records, self.seed)

    def _of_file(self) -> Ingested:
        return ingested("debs12", self, checked(str(self.path)), without=("records", "seed", "value", "time_unit"))

    def _read(self, states: bool) -> Content:
        return loader.load(str(self.path), self.on_error, states)

    def _loaded(self, measures: Sequence[str]) -> Content:
        """Times in ns and measures, whole numbers: of the file, of the record set that was made, or generated."""
        names = [layout.TIME, *measures]
        if self.path is not None:
            if manifest := self._manifest():
                return Content(record_sets.read(manifest, names), manifest.facts)
            return self._read(states=False)
        equipment = self._equipment()
        if manifest := record_sets.find(equipment, self.folder):
            columns = record_sets.read(manifest, names)
        else:
            columns = {name: equipment.column(name) for name in names}
        return Content.of(columns, 0, (NOTE,))
