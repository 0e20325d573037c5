"""Sessions work for a while before anything in them is timed, as Spark's own benchmarks do.

Until the JVM has compiled what it runs, queries take longer: of streams the first in a session 1.8 times as long as
later ones, the second and third 1.3 times, the next three 1.1 times (192 queries of six runs); a table of ours twice.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from experiments.harness.surroundings import DECIDING_NS

WARMING = 12.0
"""Seconds that a session works on streams, and on tables, before one of them is timed."""

_worked: dict[tuple[str, str], float] = defaultdict(float)
"""Seconds of each session of this process by its application, since another number of cores has another session, and a
cluster new JVMs; and by what it worked on."""


def warm(session: Any, kind: str, task: Mapping[str, Any], work: Callable[[], Any]) -> None:
    """Work again and again, until the session has worked on this kind of thing for long enough."""
    if task["minimum_ns"] < DECIDING_NS:
        return
    key = (session.sparkContext.applicationId, kind)
    while _worked[key] < WARMING:
        begun = time.monotonic()
        work()
        _worked[key] += time.monotonic() - begun
