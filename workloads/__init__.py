"""Workloads: the streams that windows are measured on, as arrays in arrival order.

Every module directly in this folder is one workload, found by its file's name; what they share is in the subfolders.

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
