"""One call as one Spark job, stopped when it takes too long; for sessions of either kind, from any thread."""

import contextlib
import functools
import itertools
import os
import pickle
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from experiments.harness.executors import session as sessions
from experiments.harness.executors import shipping
from experiments.harness.executors.worker import in_one_line

POLL_INTERVAL = 0.2
"""Seconds between two checks whether a job has begun."""

ROUND = "SLIDING_WINDOWS_ROUND"
"""The environment variable of Spark's Python workers that tells rounds of repetitions apart."""

_numbers = itertools.count()


class LostError(RuntimeError):
    """A job that Spark could not finish: a worker is lost, or does not start."""

    exit_code = 1


class LateError(LostError):
    """A job that was stopped because it took too long."""


class Answer(NamedTuple):
    """The value of the call, and the number of Spark's attempt."""

    value: Any
    attempt: int


def call(session: Any, work: Callable[[Any], Any], argument: Any, seconds: float | None, label: str) -> Answer:
    """work(argument) on a worker, for `seconds` from when it begins there.

    Raises LateError, and LostError, also for what `work` raises.
    """
    finished, late = threading.Event(), threading.Event()
    with _job(session, label) as job:

        def watch() -> None:
            while not job.has_begun():
                if finished.wait(POLL_INTERVAL):
                    return
            if not finished.wait(seconds):
                late.set()
                job.stop()

        if seconds:
            threading.Thread(target=watch, daemon=True).start()
        try:
            return _answers(session, work, [argument])[0]
        except errors() as error:  # the moment decides which of them a lost or cancelled job raises
            if late.is_set():
                raise LateError(f"stopped after {seconds:g} s") from None
            raise LostError(f"Spark: {sessions.first_line(error)}") from None
        finally:
            finished.set()


def each(session: Any, work: Callable[[int], Any], numbers: Sequence[int]) -> list[tuple[Any, str]]:
    """(work(number), error message) for all numbers, in one job of one task. Raises LostError."""
    with _job(session, "each"):
        try:
            return [answer.value for answer in _answers(session, functools.partial(_result_or_error, work), numbers)]
        except errors() as error:
            raise LostError(sessions.first_line(error)) from None


def _answers(session: Any, work: Callable[[Any], Any], arguments: Sequence[Any]) -> list[Answer]:
    """The answers of `work` for each argument, by one task.

    Spark SQL is avoided where possible: the first job of a session takes 2.7 s with it, and 1.1 s without.
    """
    run = on_a_worker(session, work, list(arguments))
    if sessions.is_connect(session):
        frame = session.range(0, len(arguments), 1, 1).mapInArrow(in_arrow(run), "answer binary, attempt int")
        answers = [(row.answer, row.attempt) for row in frame.collect()]
    else:
        answers = session.sparkContext.parallelize(range(len(arguments)), 1).mapPartitions(run).collect()
    return [Answer(pickle.loads(answer), attempt) for answer, attempt in answers]  # noqa: S301 - what our own task sent through Spark


def use_new_workers(session: Any, number: int | None) -> None:
    """Have the tasks of each round of repetitions run in Python workers of their own.

    Spark uses a worker again for tasks with the same environment variables only. A server does not let a client set
    them: there, workers are used again as long as they live, and rows say which process each was.
    """
    if number is not None and not sessions.is_connect(session):
        session.sparkContext.environment[ROUND] = str(number)


def errors() -> tuple[type[Exception], ...]:
    """The errors that Spark's clients raise."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return (PySparkException, Py4JError)


def cores_of(session: Any) -> int:
    """Tasks that the session's workers run at once, as far as Spark knows by now."""
    return _cores_at_server(session) if sessions.is_connect(session) else session.sparkContext.defaultParallelism


def machines_of(session: Any) -> int:
    """Machines that the session's workers are on, as far as Spark knows by now; a server does not tell, and has one."""
    if sessions.is_connect(session):
        return 1
    known = session.sparkContext._jsc.sc().statusStore().executorList(True)
    executors = map(known.apply, range(known.size()))
    return len({one.hostPort().rpartition(":")[0] for one in executors if one.id() != "driver"}) or 1


@functools.lru_cache(maxsize=1)
def _cores_at_server(session: Any) -> int:
    """As many as the partitions of a range: a server does not tell them otherwise."""
    return session.range(0, 1 << 20).selectExpr("spark_partition_id() as part").distinct().count()


def stop_all(session: Any) -> None:
    """Stop every job of the session."""
    if sessions.is_connect(session):
        session.interruptAll()
    else:
        session.sparkContext.cancelAllJobs()


class _Job(NamedTuple):
    """The calls by which another thread watches and stops a job."""

    stop: Callable[[], Any]
    has_begun: Callable[[], bool]


@contextlib.contextmanager
def _job(session: Any, label: str) -> Iterator[_Job]:
    """All that this thread starts in the block belongs to one job, which the block's value can stop."""
    name = f"sliding-windows-{os.getpid()}-{next(_numbers)}"
    if sessions.is_connect(session):
        session.addTag(name)
        try:
            yield _Job(lambda: session.interruptTag(name), lambda: True)  # a server does not tell
        finally:
            session.removeTag(name)
    else:
        context = session.sparkContext
        context.setJobGroup(name, label, interruptOnCancel=True)
        at_once = sessions.is_local(session)
        yield _Job(lambda: context.cancelJobGroup(name), lambda: at_once or _has_begun(context, name))


def _has_begun(context: Any, group: str) -> bool:
    """Whether a worker has got a task of the group: on a cluster it may have to wait for one."""
    tracker = context.statusTracker()
    jobs = filter(None, map(tracker.getJobInfo, tracker.getJobIdsForGroup(group)))
    stages = filter(None, (tracker.getStageInfo(number) for job in jobs for number in job.stageIds))
    return any(stage.numActiveTasks + stage.numCompletedTasks + stage.numFailedTasks for stage in stages)


def on_a_worker(session: Any, work: Callable[[Any], Any], arguments: list) -> Callable[[Iterator], Iterator]:
    """The function that a Spark task runs; it is sent by value and names no module of this project.

    For each place in `arguments` that the task has, it yields the pickled answer of `work`, and the attempt.
    """
    from pyspark import cloudpickle

    project = None if sessions.is_local(session) else shipping.zipped().name
    home, call = os.getcwd(), cloudpickle.dumps((work, arguments))

    def run(places: Iterator) -> Iterator:
        import os
        import pickle

        from pyspark import TaskContext

        if project:
            from experiments.harness.executors import shipping

            shipping.settle(project)
        if os.path.isdir(home):  # relative paths mean the same where the folder is shared
            os.chdir(home)
        work, arguments = pickle.loads(call)  # noqa: S301 - what the driver sent through Spark
        for place in places:
            yield pickle.dumps(work(arguments[place])), TaskContext.get().attemptNumber() + 1

    return run


def in_arrow(run: Callable[[Iterator], Iterator]) -> Callable[[Iterator], Iterator]:
    """The same function for mapInArrow: places come in a column id."""

    def of_batches(batches: Iterator) -> Iterator:
        import pyarrow

        places = [place for batch in batches for place in batch["id"].to_pylist()]
        for answer, attempt in run(places):
            columns = {
                "answer": pyarrow.array([answer], pyarrow.binary()),
                "attempt": pyarrow.array([attempt], pyarrow.int32()),
            }
            yield pyarrow.RecordBatch.from_pydict(columns)

    return of_batches


def _result_or_error(work: Callable[[int], Any], number: int) -> tuple[Any, str]:
    try:
        return work(number), ""
    except Exception as error:  # the JVM would put its own stack around it
        return None, in_one_line(error)
