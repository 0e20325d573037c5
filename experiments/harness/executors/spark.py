"""The executor on Spark: one job for each task, one at a time, so that nothing else runs beside what is being timed."""

import concurrent.futures
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from experiments.harness.executors import CLOCK, ExecutorError, jobs, stopped
from experiments.harness.executors import session as sessions
from experiments.harness.executors.worker import attempt

TOGETHER = 4
"""Numbers in one task of `each`, one after the other: a job costs 0.07 s, and its results come at its end."""


class LostWorkerError(ExecutorError):
    """A worker, or the whole of Spark, was lost: no wrong input."""

    exit_code = 1


def start(settings: Mapping[str, Any]) -> "Spark":
    """The executor with a session of its own, or with the one that this process has already. Raises ExecutorError."""
    return Spark(*sessions.start(settings, tell=True))


class Spark:
    """Runs tasks as jobs of a Spark session. `owned`: the session ends with this executor."""

    def __init__(self, session: Any, owned: bool):
        self._session, self._owned = session, owned
        self._interrupted = threading.Event()
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self._note_interrupts(signal.getsignal(signal.SIGINT))

    def _note_interrupts(self, handler: Callable) -> None:
        """PySpark's handler cancels the job first, and then the job's error may win over KeyboardInterrupt."""

        def noting(number: int, frame: Any) -> None:
            self._interrupted.set()
            handler(number, frame)

        signal.signal(signal.SIGINT, noting)

    def run(self, task: dict[str, Any], work: Callable[[dict[str, Any]], dict[str, Any]] = attempt) -> dict[str, Any]:
        """The answer of `work` to a task, on a worker; also if the worker is lost or takes too long."""
        try:
            jobs.use_new_workers(self._session, task.get("round"))
            answer = jobs.call(self._session, work, task, CLOCK * task["timeout"], task["label"])
            return {**answer.value, "attempt": answer.attempt}
        except jobs.LostError as error:
            if self._interrupted.is_set():
                raise KeyboardInterrupt from None
            late = isinstance(error, jobs.LateError)
            return stopped(task, by_clock=True) if late else {"status": "failed", "reason": str(error)}

    def each(self, work: Callable[[int], Any], numbers: Sequence[int]) -> Iterator[Any]:
        """Results of `work` for each number on the workers, as they come, by jobs of TOGETHER numbers each.

        Jobs have one task, and one more of them runs than there are cores: no core waits for another.
        Raises ExecutorError for an error in a worker, or the loss of one.
        """
        pool = concurrent.futures.ThreadPoolExecutor(jobs.cores_of(self._session) + 1)
        shares = [numbers[first : first + TOGETHER] for first in range(0, len(numbers), TOGETHER)]
        try:
            futures = [pool.submit(jobs.each, self._session, work, share) for share in shares]
            for future in concurrent.futures.as_completed(futures):
                for answer, problem in future.result():
                    if problem:
                        raise ExecutorError(f"a Spark worker failed: {problem}")
                    yield answer
        except jobs.LostError as error:
            if self._interrupted.is_set():
                raise KeyboardInterrupt from None
            raise LostWorkerError(f"Spark lost a worker: {error}; what is done is kept") from error
        finally:
            pool.shutdown(cancel_futures=True)

    def close(self) -> None:
        """Stop the session if it is this executor's own."""
        if self._owned:
            with contextlib.suppress(OSError, *jobs.errors()):  # of a JVM that is lost, which has been reported
                self._session.stop()
