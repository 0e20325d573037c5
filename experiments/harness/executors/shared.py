"""The executor of one experiment, or of those of a command one after the other: then Spark starts once for them."""

import contextlib
import os
import socket
from collections.abc import Iterator, Mapping
from typing import Any

from experiments.harness.executors import SUBMITTED, ExecutorError, LazyExecutor

SHARED = "spark"
"""The executor that is kept. A worker without Spark starts at once, and one that starts Spark itself is not shared."""

SHORT_JOBS = {
    "spark.python.daemon.module": "experiments.harness.executors.daemon",
    "spark.python.unix.domain.socket.enabled": str(hasattr(socket, "AF_UNIX")).lower(),
}
"""Settings of a Spark in this process, before those that are given. With them a job of one counted measurement takes
0.05 s, and without 0.13 s: medians of three interleaved runs of mta_complexity at smoke, where the measurement itself
takes 0.01 s."""


class _Kept(LazyExecutor):
    """An executor that the next experiment uses as well. It is started anew if it does not answer there."""

    def __init__(self, settings: Mapping[str, Any]):
        super().__init__(settings)
        self._in_doubt = False

    def has(self, settings: Mapping[str, Any]) -> bool:
        return self._settings == settings

    def pass_on(self) -> None:
        """Another experiment begins: the one before may have lost a worker, or all of Spark."""
        self._in_doubt = self._executor is not None

    def start(self) -> Any:
        if self._in_doubt and not self._answers():
            self.close()
        self._in_doubt = False
        return super().start()

    def close(self) -> None:
        super().close()
        self._executor = None

    def _answers(self) -> bool:
        from experiments.harness.executors import jobs

        try:
            return list(self._executor.each(int, [0])) == [0]
        except (ExecutorError, OSError, *jobs.errors()):  # of a lost worker, and of a JVM that is gone
            return False


class _Slot:
    """The place of the executor that is kept."""

    def __init__(self) -> None:
        self._kept: _Kept | None = None

    def of(self, settings: Mapping[str, Any]) -> _Kept:
        if self._kept is None or not self._kept.has(settings):
            self.clear()
            self._kept = _Kept(settings)
        self._kept.pass_on()
        return self._kept

    def clear(self) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.close()


_slot: _Slot | None = None
"""While several experiments share their executor."""


@contextlib.contextmanager
def by_all() -> Iterator[None]:
    """In this block an experiment on Spark goes on with the session of the one before, if their settings are equal."""
    global _slot
    _slot = _Slot()
    try:
        yield
    finally:
        slot, _slot = _slot, None
        slot.clear()


@contextlib.contextmanager
def executor_of(settings: Mapping[str, Any]) -> Iterator[LazyExecutor]:
    """The executor for one experiment, closed at the end of the block, or kept for the next one (see `by_all`)."""
    settings = with_short_jobs(settings)
    if _slot is None or settings["name"] != SHARED:
        if _slot is not None:
            _slot.clear()  # nothing idle beside what is measured
        with contextlib.closing(LazyExecutor(settings)) as executor:
            yield executor
        return
    try:
        yield _slot.of(settings)
    except BaseException:
        _slot.clear()
        raise


def with_short_jobs(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings of an executor, with `SHORT_JOBS` where Spark is in this process."""
    master = str(settings.get("master", ""))
    if SUBMITTED in os.environ or not master.startswith("local") or master.startswith("local-cluster"):
        return settings
    return {**settings, "options": {**SHORT_JOBS, **(settings.get("options") or {})}}
