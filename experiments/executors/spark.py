"""The executor on Spark: one job for each task, one at a time, so that nothing else runs beside what is being timed."""

import itertools
import logging
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.executors import ExecutorError, environment, java, stopped
from experiments.executors.worker import attempt, said

LOGGING = Path(__file__).parent / "spark_logging.properties"

TOGETHER = 8
"""Numbers that a task of `each` takes one after the other: a job costs 0.1 s, and its results come at its end."""

OPTIONS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.task.maxFailures": "1",
    "spark.speculation": "false",
    "spark.sql.shuffle.partitions": "1",
    # A job of one row gains nothing from either, and pays for planning: 91 ms a task with them, 73 ms without.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.driver.extraJavaOptions": (
        f"-Dlog4j2.configurationFile={LOGGING.as_uri()} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    ),
}
"""Settings of the session; `executor.options` come on top."""


def start(settings: Mapping[str, Any]) -> "Spark":
    """The executor with a session of its own, or with the one that this process has already.

    Raises ExecutorError where Java or PySpark is missing, or Spark does not start.
    """
    master = str(settings["master"])
    if master.startswith("local"):
        if problem := java.problem():
            raise ExecutorError(problem)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.update(environment.for_workers(), PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable)
    environment.silence_here()
    logging.getLogger().addFilter(_not_of_py4j)
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise ExecutorError(f"executor=spark needs the package pyspark ({error}); executor=inline does not") from error
    if (session := SparkSession.getActiveSession()) is not None:
        return Spark(session, mine=False)
    builder = SparkSession.builder.master(master).appName("sliding-windows")
    for name, value in {**OPTIONS, **(settings.get("options") or {})}.items():
        builder = builder.config(name, str(value).lower() if isinstance(value, bool) else str(value))
    try:
        return Spark(builder.getOrCreate(), mine=True)
    except Exception as error:  # Py4J and Spark raise what they like where a master or a setting is wrong
        raise ExecutorError(f"Spark did not start with executor.master={master}: {_first_line(error)}") from error


class Spark:
    """Runs tasks as jobs of a Spark session. `mine`: the session ends with this executor."""

    def __init__(self, session: Any, mine: bool):
        self._session, self._mine = session, mine
        self._numbers = itertools.count()
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
        """The answer of `work` to a task, on a worker. A worker that is lost or takes too long is answered for."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        context, group = self._session.sparkContext, f"cell-{id(self)}-{next(self._numbers)}"
        context.setJobGroup(group, task["label"], interruptOnCancel=True)
        late = threading.Event()

        def stop() -> None:
            late.set()
            context.cancelJobGroup(group)

        timer = threading.Timer(task["timeout"], stop)
        timer.start()
        try:
            answers = self._session.range(0, 1, 1, 1).mapInArrow(_on_a_worker(task, work), "answer binary").collect()
            return pickle.loads(answers[0].answer)
        except (PySparkException, Py4JError) as error:  # which of them a lost or cancelled job raises depends on when
            if self._interrupted.is_set():
                raise KeyboardInterrupt from None
            return stopped(task) if late.is_set() else {"status": "failed", "reason": f"Spark: {_first_line(error)}"}
        finally:
            timer.cancel()

    def each(self, work: Callable[[int], Any], numbers: Sequence[int]) -> Iterator[Any]:
        """Results of `work` for each number on the workers, job by job: each core gets a task of TOGETHER numbers.

        Raises ExecutorError for what goes wrong in a worker, or with it.
        """
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        context = self._session.sparkContext
        context.setJobGroup(f"each-{id(self)}-{next(self._numbers)}", "each", interruptOnCancel=True)
        cores = context.defaultParallelism
        for first in range(0, len(numbers), cores * TOGETHER):
            share = list(numbers[first : first + cores * TOGETHER])
            frame = self._session.range(0, len(share), 1, min(cores, len(share)))
            try:
                rows = frame.mapInArrow(_each_on_a_worker(work, share), "answer binary").collect()
            except (PySparkException, Py4JError) as error:
                if self._interrupted.is_set():
                    raise KeyboardInterrupt from None
                raise ExecutorError(f"Spark lost a worker: {_first_line(error)}") from error
            for row in rows:
                answer, problem = pickle.loads(row.answer)
                if problem:
                    raise ExecutorError(f"a Spark worker failed: {problem}")
                yield answer

    def close(self) -> None:
        """Stop the session if it is this executor's own."""
        if self._mine:
            self._session.stop()


def _on_a_worker(task: dict[str, Any], work: Callable) -> Callable[[Iterator], Iterator]:
    """The function that a Spark task runs: one answer, pickled."""

    def run(batches: Iterator) -> Iterator:
        import pyarrow
        from pyspark import TaskContext

        for _ in batches:
            pass
        answer = {**work(task), "attempt": TaskContext.get().attemptNumber() + 1}
        yield pyarrow.RecordBatch.from_pydict({"answer": pyarrow.array([pickle.dumps(answer)], pyarrow.binary())})

    return run


def _each_on_a_worker(work: Callable[[int], Any], share: list[int]) -> Callable[[Iterator], Iterator]:
    """The function that a Spark task runs: a pickled (answer, what went wrong) for each row of its partition."""

    def run(batches: Iterator) -> Iterator:
        import pyarrow

        for batch in batches:
            for place in batch["id"].to_pylist():
                answer = pickle.dumps(_tried(work, share[place]))
                yield pyarrow.RecordBatch.from_pydict({"answer": pyarrow.array([answer], pyarrow.binary())})

    return run


def _tried(work: Callable[[int], Any], number: int) -> tuple[Any, str]:
    try:
        return work(number), ""
    except Exception as error:  # the JVM would put its own stack around it
        return None, said(error)


def _not_of_py4j(record: logging.LogRecord) -> bool:
    """Keep Py4J from logging, as errors of the root logger, the exceptions that pass through it: Ctrl-C, too."""
    return "py4j" not in Path(record.pathname).parts


def _first_line(error: Exception) -> str:
    """What went wrong, without the stack of the JVM and without Py4J's own opening line."""
    lines = [line.strip(" :") for line in str(error).splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith("An error occurred while calling")]
    return said[0] if said else type(error).__name__
