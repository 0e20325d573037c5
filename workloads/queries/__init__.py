"""Queries over a stream: which windows are asked for at once. Numbers only; slicers make windows of them.

ranges, slides = periodic(100).T
drawn = sessions(100, transitions)            # states whose transitions open the sessions
"""

from workloads.queries.slicing import periodic, sessions

__all__ = ["periodic", "sessions"]
