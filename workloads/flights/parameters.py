"""Parameters of the flights, and their trace."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from workloads.checks import check_choice, check_types
from workloads.flights import loader
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


@dataclass(frozen=True)
class Flights:
    """order   departure: event times are scheduled departures, in order of departure; arrival: event times are actual
            departures, in order of landing
    ties    flights with equal event times: combine them, or sequence: time * 2^20 + number within the time
    folder  folder of record sets made with experiment=make_workload; read instead of the package if it exists
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
        return ingested("flights", self, loader.data_file())

    def trace(self) -> Trace:
        """Raises ModuleNotFoundError if the data package is not installed, ValueError for damaged data."""
        return trace_of("flights", self, self.record_set)

    def parsed(self) -> Content:
        """The trace from the package's file, whether a record set is there or not. Raises as `trace`."""
        needed = ORDERS[self.order]
        flights = loader.read(loader.data_file(), needed)
        complete = flights.drop_null()
        fields = {name: complete[name].to_numpy() for name in complete.column_names}
        departure = loader.minutes(fields)
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
        return content_of(Trace("flights", asdict(self), times, values, None, "min", ticks_per_unit, notes=notes))
