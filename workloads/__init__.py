"""Workloads: the streams that windows are measured on, as arrays in order of arrival.

Every folder with a module `parameters` is one workload and has the workload's name. `parameters` has a frozen dataclass
of the parameters with `trace()`; the configuration takes its defaults from there, and --help their meanings. The folder
also holds what no other workload needs, such as a generator, a loader or statistics: workloads do not import each
other. The other folders are shared: traces/, record_sets/ and reading/.

    trace = make({"name": "flights", "order": "departure"})
    distance_text(distance_report(trace))         # "59 % out of order; d: mean 10, p99 128, max 770"
"""

from workloads.catalogue import UnknownName, calibration, make, names, record_set, workload
from workloads.traces import Trace, distance_report, distance_text, distances

__all__ = [
    "Trace",
    "UnknownName",
    "calibration",
    "distance_report",
    "distance_text",
    "distances",
    "make",
    "names",
    "record_set",
    "workload",
]
