"""Traces: the streams that workloads make, and statistics of the order in which their items arrive."""

from workloads.traces.distances import distance_report, distance_text, distances
from workloads.traces.trace import Trace

__all__ = ["Trace", "distance_report", "distance_text", "distances"]
