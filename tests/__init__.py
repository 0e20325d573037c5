"""The tests. A folder for each part of the project; beside its tests stand the modules that they share."""

import time
from collections.abc import Callable

HUNG = 30 * 60
"""Seconds after which what a test waits for hangs. However busy a machine is, what does not hang takes less."""
SOON = 300
"""Seconds in which that must have ended which would go on for 600 or for ever."""


def wait_for(happened: Callable[[], object], seconds: float = HUNG) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, f"it did not happen in {seconds:.0f} s"
        time.sleep(0.02)
