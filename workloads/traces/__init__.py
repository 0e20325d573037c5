"""Traces: what a workload makes, and what can be said about the order in which its items arrive."""

from workloads.traces.distances import distance_report, distance_text, distances
from workloads.traces.trace import Trace

__all__ = ["Trace", "distance_report", "distance_text", "distances"]
