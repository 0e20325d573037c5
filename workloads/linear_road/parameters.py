"""Parameters of the tuples, synthetic or of a file, and their trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np

from workloads import record_sets
from workloads.checks import UnknownName, check_choice, check_range, check_types
from workloads.linear_road import loader, streams
from workloads.linear_road.generator import Traffic
from workloads.linear_road.layout import COLUMNS, FULL, LARGEST, LASTS, REPORT, TIME, TYPE
from workloads.linear_road.rules import RULES, Stream, check
from workloads.linear_road.statistics import STATISTICS, statistics
from workloads.linear_road.streams import Reports
from workloads.reading.ingested import Content, Ingested, find_made, ingested
from workloads.reading.records import checked
from workloads.traces import Trace

HOLDS = 2 * FULL
"""Tuples that an expressway has room for in three hours: with this many, it is jammed at the end."""

OF_SYNTHETIC = ("records", "expressways", "seconds", "seed", "offset", "travel_time", "one_in")
"""Parameters that do not decide what is read of a file."""

NOTE = "synthetic: what is documented of the traffic is met, the rest assumed"


@dataclass(frozen=True)
class LinearRoad:
    """records      number of synthetic tuples; one in a hundred of each expressway's, rounded down, is a query, the
                 others are reports. 12,000,000 per expressway in three hours are as dense as the benchmark's, at most
                 twice as many are possible; the compressed-windows paper has 44,000,000
    expressways  number of expressways, from 1 to 250; a file has its own
    seconds      length of the stream, from 60 to 86,400, in which the inflow grows; the benchmark's is three hours
    seed         seed of the synthetic tuples, from 0 to 2^63 - 1
    offset       seconds added to every time, also of a file, so that windows longer than the stream can end
    one_in       of so many vehicles, from 1 to 4,096, one is in the stream of reports; all others are the traffic that
                 it meets. So a short stream can have the congestion of a full road. Record sets have all vehicles
    travel_time  whether there are queries of type 4, which the known generators do not emit
    path         the real text (15 or 9 columns) or Parquet file; null: synthetic
    on_error     fail at the first bad tuple of the file, or skip and count them
    folder       folder of record sets made with experiment=make_workload; if this one exists, it is read instead of
                 generating tuples or reading the file
    """

    records: int = 1_000_000
    expressways: int = 1
    seconds: int = 10_800
    seed: int = 0
    offset: int = 0
    one_in: int = 1
    travel_time: bool = False
    path: str | None = None
    on_error: str = "fail"
    folder: str = "results/records"

    def __post_init__(self) -> None:
        check_types(self)
        check_range("records", self.records, 1, 1 << 40)
        check_range("expressways", self.expressways, 1, 250)
        check_range("seconds", self.seconds, 60, 86_400)
        check_range("seed", self.seed, 0, (1 << 63) - 1)
        check_range("one_in", self.one_in, 1, 4096)
        check_range("offset", self.offset, 0, 1 << 30)
        check_choice("on_error", self.on_error, ("fail", "skip"))
        if self.path is None and self.records * LASTS > HOLDS * self.expressways * self.seconds:
            room = HOLDS * self.expressways * self.seconds // LASTS
            raise ValueError(
                f"records is {self.records}; the road has room for {room} (workload.expressways={self.expressways}, "
                f"workload.seconds={self.seconds}): give more of either"
            )

    @property
    def full(self) -> float:
        """How full the road is made: 1 as in the benchmark's own file. A file's own traffic is taken as it is: 1."""
        if self.path is not None:
            return 1.0
        return self.records / self.expressways * LASTS / self.seconds / FULL

    def record_set(self) -> Traffic | Ingested:
        """What experiment=make_workload makes: synthetic tuples, or those of the file. Raises as `trace`."""
        return self._traffic() if self.path is None else self._of_file()

    def _traffic(self) -> Traffic:
        return Traffic(self.records, self.expressways, self.seconds, self.seed, self.offset, self.travel_time)

    def _of_file(self) -> Ingested:
        return ingested("linear_road", self, checked(str(self.path)), without=OF_SYNTHETIC)

    def parsed(self) -> Content:
        """All columns of the file, times as they are there. Raises as `trace`."""
        return loader.load(str(self.path), self.on_error)

    def trace(self) -> Trace:
        """The position reports: values are speeds, mph, keys XWay * 2^32 + VID. O(records); 24 bytes a report.

        Raises FileNotFoundError, and ValueError for a wrong file or tuple or a damaged record set.
        """
        chunks = list(self.slices())
        times, keys, speeds = (np.concatenate(columns) for columns in zip(*chunks))
        skipped, notes = (self._loaded.skipped, self._loaded.notes) if self.path is not None else (0, (NOTE,))
        if self.one_in > 1:
            notes = (*notes, f"of {self.one_in:,} vehicles one reports")
        if self.offset:
            notes = (*notes, f"{self.offset:,} s are added to all times")
        return Trace("linear_road", asdict(self), times, speeds, keys, "s", skipped=skipped, notes=notes)

    def slices(self) -> Iterator[Reports]:
        """The same reports, some at a time: of synthetic ones ten minutes are in memory. Errors as `trace`."""
        for tuples in self.tuples(streams.REPORT_COLUMNS):
            yield streams.reports(tuples, self.one_in)

    def tuples(self, names: Sequence[str] | None = None) -> Iterator[dict[str, np.ndarray]]:
        """Columns of all tuples, queries too, in order of time, some at a time; int32 or smaller.

        `names`: of layout.COLUMNS, which is the default; of a file, the columns that it has. Errors
        as `trace`, UnknownName for another name, and ValueError for a column that a file of nine columns has not.
        """
        for name in names or ():
            if name not in COLUMNS:
                raise UnknownName("column", name, COLUMNS)
        if self.path is None:
            return streams.of_traffic(self._traffic(), self.folder, names or COLUMNS)
        columns = dict(self._loaded.columns)
        if missing := [name for name in names or () if name not in columns]:
            raise ValueError(f"{self.path} has nine columns, and {missing[0]} is none of them: {', '.join(columns)}")
        columns[TIME] = columns[TIME] + self.offset
        return streams.of_columns({name: columns[name] for name in names or columns})

    def calibration(self) -> list[str]:
        """What is documented of the traffic beside the same of these tuples, and how often each rule of the format is
        broken. O(records log records), 60 bytes a tuple; errors as `trace`."""
        stream = Stream(self.tuples())
        lines = [
            f"{name:<58} {STATISTICS[name].words:>29} said, {value:>9,.4g} here"
            for name, value in statistics(stream, self.full).items()
        ]
        return lines + [f"{rule:<58} {check(stream, rule)}" for rule in RULES]

    @cached_property
    def _loaded(self) -> Content:
        """The file's good tuples, read once; of the record set, if it was made."""
        if manifest := find_made(self._of_file, "linear_road", self.folder):
            loaded = Content(record_sets.read(manifest, manifest.facts["columns"]), manifest.facts)
        else:
            loaded = self.parsed()
        if not (loaded.columns[TYPE] == REPORT).any():
            raise ValueError(f"{self.path} has no position report; tuples of Type {REPORT} are needed")
        if loaded.columns[TIME].max() > LARGEST - self.offset:
            raise ValueError(f"offset is {self.offset}; it is added to times up to {loaded.columns[TIME].max()}")
        return loaded
