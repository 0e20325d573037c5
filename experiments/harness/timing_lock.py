"""The timing slot: of all runs that want to measure at one place, one measures and the others wait.

Two runs at once would disturb each other's times, and would measure twice what they have in common. The slot is a lock
on a file, which the system releases when its holder dies, for whatever reason.
"""

import contextlib
import fcntl
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from safeguards.secrets import without_secrets

NAME = "TIMING_SLOT"
"""The environment variable that names another slot: for runs that keep to cores of their own, say by taskset."""

_held: set[Path] = set()


def place_of(executor: Mapping[str, Any]) -> str:
    """Where an executor of these settings measures: this machine, or the cluster of a master."""
    master = str(executor.get("master", "local"))
    return "this machine" if master.startswith("local") else without_secrets(master)


@contextlib.contextmanager
def held(place: str, holder: str) -> Iterator[None]:
    """Hold the slot of a place for a with block, under the name `holder`. A process that holds it already goes on.

    While another process holds it, a line on standard error names that one. Raises OSError if the file cannot be made.
    """
    path = _file(place)
    if path in _held:
        yield
        return
    with open(path, "a+", encoding="utf-8") as file:
        if not _lock(file, fcntl.LOCK_NB):
            print(_waiting(place, file), file=sys.stderr, flush=True)
            _lock(file, 0)
        _sign(file, holder)
        _held.add(path)
        try:
            yield
        finally:
            _held.discard(path)
            _sign(file, "")


def _file(place: str) -> Path:
    parts = (str(os.getuid()), place, os.environ.get(NAME, ""))
    name = "-".join(re.sub(r"[^A-Za-z0-9.]+", "_", part) for part in parts if part)
    return Path(tempfile.gettempdir()) / f"sliding-windows-timing-{name}.lock"


def _lock(file: Any, flags: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | flags)
    except BlockingIOError:
        return False
    return True


def _sign(file: Any, holder: str) -> None:
    """Write the name of the holder into the file; empty when it is released."""
    file.seek(0)
    file.truncate()
    if holder:
        file.write(f"process {os.getpid()}, {holder}, since {time.strftime('%H:%M:%S')}")
    file.flush()


def _waiting(place: str, file: Any) -> str:
    file.seek(0)
    holder = file.read() or "another run"
    return f"waiting for the timing slot of {place}: {holder}; one run measures at a time ({NAME}=NAME is another slot)"
