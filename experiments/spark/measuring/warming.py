"""Sessions work for a while before anything in them is timed, as Spark's own benchmarks do.

Until the JVM has compiled what it runs, queries take longer: of streams the first in a session 1.8 times as long as
later ones, the second and third 1.3 times, the next three 1.1 times (192 queries of six runs); a table of ours twice.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

WARMING = 12.0
"""Seconds that a session works on streams, and on tables, before one of them is timed."""

SHORT = 600
"""A run that is too short to decide anything times cells for two milliseconds: it warms up for so many times that."""

_worked: dict[tuple[str, str], float] = defaultdict(float)
"""Seconds of each session of this process by its application, since another number of cores has another session, and a
cluster new JVMs; and by what it worked on."""


def warm(session: Any, kind: str, task: Mapping[str, Any], work: Callable[[], Any]) -> None:
    """Work again and again, until the session has worked on this kind of thing for long enough."""
    seconds = min(WARMING, SHORT * task["minimum_ns"] / 1e9)
    key = (session.sparkContext.applicationId, kind)
    while _worked[key] < seconds:
        begun = time.monotonic()
        work()
        _worked[key] += time.monotonic() - begun
