"""The executor without Java: one worker process beside this one."""

import concurrent.futures
import contextlib
import os
import pickle
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from experiments.harness.executors import CLOCK, environment, stopped

PATIENCE = 10.0
"""Seconds that the processes which a worker has started may take to end after it."""


def start(settings: Mapping[str, Any]) -> "Inline":
    """The executor. It has no settings."""
    return Inline()


class Inline:
    """One worker process for the tasks of one round of repetitions, replaced when it dies or has to be stopped."""

    def __init__(self) -> None:
        self._worker: subprocess.Popen | None = None
        self._round: int | None = None

    def run(self, task: dict[str, Any]) -> dict[str, Any]:
        """The answer to a task, also if its worker dies or takes too long; the next task then gets a new worker."""
        if task.get("round") != self._round:
            self.close()
            self._round = task.get("round")
        worker = self._worker = self._worker or _start_worker()
        try:
            pickle.dump(task, worker.stdin)
            worker.stdin.flush()
            if not select.select([worker.stdout], [], [], CLOCK * task["timeout"])[0]:
                self.close()
                return stopped(task, by_clock=True)
            return pickle.load(worker.stdout)  # noqa: S301 - our own worker's pipe
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            code = worker.wait()
            self.close()
            if code == -signal.SIGPROF:
                return stopped(task, by_clock=False)
            return {"status": "failed", "reason": f"the worker process {_end_of(code)}"}

    def each(self, work: Callable[[int], Any], numbers: Sequence[int]) -> Iterator[Any]:
        """Results as they come, from threads of this process: the work is NumPy's and PyArrow's, and runs in parallel.

        If one fails or the caller stops, those not yet begun are dropped.
        """
        pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
        try:
            futures = [pool.submit(work, number) for number in numbers]
            for future in concurrent.futures.as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def close(self) -> None:
        """End the worker, whatever it is doing, and the processes that it has started."""
        if self._worker is not None:
            self._worker.kill()
            self._worker.wait()
            _end_group(self._worker.pid)
            for pipe in (self._worker.stdin, self._worker.stdout):
                with contextlib.suppress(OSError):
                    pipe.close()
            self._worker = None


def _start_worker() -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "experiments.harness.executors.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment.for_workers(),
        start_new_session=True,  # only this process handles Ctrl-C
    )


def _end_group(leader: int) -> None:
    """Wait until the processes that a worker has started are gone, and end those that remain.

    The JVM of a Spark session ends by itself when its parent is gone, and removes its temporary folders.
    """
    deadline = time.monotonic() + PATIENCE
    with contextlib.suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.killpg(leader, 0)
            time.sleep(0.02)
        os.killpg(leader, signal.SIGKILL)


def _end_of(code: int) -> str:
    if code == -signal.SIGKILL:
        return "was ended by SIGKILL, as the system does with a process that takes too much memory"
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
