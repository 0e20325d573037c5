"""One Spark at a time in the process of the tests: folders that need different ones take turns.

A session is that of its process, and workers have the environment in which its JVM was started. So whoever needs
another gets another JVM.
"""

import atexit
import contextlib
from collections.abc import Callable
from typing import Any

from tests import HUNG

_now: list = []


def of(name: str, started: Callable[[], contextlib.AbstractContextManager]) -> Any:
    """What entering `started()` gave, now or before; what another name has is ended first."""
    if not _now or _now[0] != name:
        end()
        stack = contextlib.ExitStack()
        _now[:] = name, stack.enter_context(started()), stack
    return _now[1]


def end() -> None:
    """End what there is, and its JVM."""
    if not _now:
        return
    stack = _now[-1]
    _now.clear()
    stack.close()
    from pyspark import SparkContext

    if gateway := SparkContext._gateway:
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(HUNG)
        SparkContext._gateway = SparkContext._jvm = None


atexit.register(end)
