"""Where tasks run: on Spark (embedded or a cluster), or in one process beside this one, without Java.

An executor has `run(task) -> answer` (see worker.attempt), which never raises for what goes wrong inside the task, and
`close()`. A task that does not answer in task["timeout"] seconds is stopped and answered for.
"""

import contextlib
import itertools
import os
import pickle
import re
import select
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from experiments.provenance import ROOT

LOGGING = Path(__file__).parent / "spark_logging.properties"
JAVA = 17


class ExecutorError(RuntimeError):
    """An executor that cannot start; the message says what is missing and what to do."""


def start(name: str, settings: Mapping[str, Any]):
    """The executor of that name. Raises ExecutorError if it cannot start."""
    kinds = {"inline": Inline, "spark": Spark}
    if name not in kinds:
        raise ExecutorError(f"executor.name is {name!r}; it must be one of {', '.join(kinds)}")
    return kinds[name](settings)


def _stopped(task: Mapping[str, Any]) -> dict[str, Any]:
    return {"status": "timeout", "reason": f"stopped after {task['timeout']} s (profile.timeout)"}


def _environment() -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path}


class Inline:
    """One worker process, used again for every task, replaced when it dies or has to be stopped."""

    name = "inline"

    def __init__(self, settings: Mapping[str, Any]):
        self._worker: subprocess.Popen | None = None

    def _started(self) -> subprocess.Popen:
        if self._worker is None:
            self._worker = subprocess.Popen(
                [sys.executable, "-m", "experiments.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=_environment(),
                cwd=ROOT,
                start_new_session=True,  # Ctrl-C is this process's to answer
            )
        return self._worker

    def run(self, task: dict[str, Any]) -> dict[str, Any]:
        worker = self._started()
        try:
            pickle.dump(task, worker.stdin)
            worker.stdin.flush()
            if not select.select([worker.stdout], [], [], task["timeout"])[0]:
                self.close()
                return _stopped(task)
            return pickle.load(worker.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            code = worker.wait()
            self.close()
            return {"status": "failed", "reason": f"the worker process ended with code {code}"}

    def close(self) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker.wait()
            for pipe in (self._worker.stdin, self._worker.stdout):
                with contextlib.suppress(OSError):
                    pipe.close()
            self._worker = None


def java_problem() -> str:
    """Why Spark cannot run with the Java of this machine; empty if it can."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=os.path.join(home, "bin")) if home else shutil.which("java")
    remedy = "install a Java runtime, or run with executor=inline, which needs none"
    if java is None:
        where = f"JAVA_HOME={home} has no bin/java" if home else "there is no java on the PATH"
        return f"executor=spark needs Java {JAVA} or newer, and {where}: {remedy}"
    said = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    version = re.search(r'version "(?:1\.)?(\d+)', said)
    if version and int(version[1]) < JAVA:
        return f"executor=spark needs Java {JAVA} or newer, and {java} is Java {version[1]}: {remedy}"
    return ""


class Spark:
    """One Spark job for each task, one at a time: nothing else runs beside what is being timed."""

    name = "spark"

    def __init__(self, settings: Mapping[str, Any]):
        master = str(settings["master"])
        local = master.startswith("local")
        if local and (problem := java_problem()):
            raise ExecutorError(problem)
        os.environ.update(_environment(), PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable)
        if local:
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession

        self._errors = PySparkException
        builder = SparkSession.builder.master(master).appName("sliding-windows")
        logging = f"-Dlog4j2.configurationFile={LOGGING.as_uri()}"
        options = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.task.maxFailures": "1",
            "spark.speculation": "false",
            "spark.sql.shuffle.partitions": "1",
            "spark.driver.extraJavaOptions": f"{logging} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            **{name: str(value) for name, value in (settings.get("options") or {}).items()},
        }
        for name, value in options.items():
            builder = builder.config(name, value)
        try:
            self._spark = builder.getOrCreate()
        except Exception as error:
            raise ExecutorError(f"Spark did not start with master {master}: {str(error).splitlines()[0]}") from error
        self._numbers = itertools.count()

    def run(self, task: dict[str, Any]) -> dict[str, Any]:
        context, group = self._spark.sparkContext, f"cell-{next(self._numbers)}"
        context.setJobGroup(group, task["label"], interruptOnCancel=True)
        stopped = threading.Event()

        def stop() -> None:
            stopped.set()
            context.cancelJobGroup(group)

        timer = threading.Timer(task["timeout"], stop)
        timer.start()
        try:
            answers = self._spark.range(0, 1, 1, 1).mapInArrow(_on_a_worker(task), "answer binary").collect()
            return pickle.loads(answers[0].answer)
        except (self._errors, IndexError) as error:
            reason = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
            return _stopped(task) if stopped.is_set() else {"status": "failed", "reason": f"Spark: {reason}"}
        finally:
            timer.cancel()

    def close(self) -> None:
        self._spark.stop()


def _on_a_worker(task: dict[str, Any]):
    """The function that a Spark task runs: one answer, pickled."""

    def run(batches: Iterator) -> Iterator:
        import pyarrow

        from experiments.worker import attempt

        for _ in batches:
            pass
        from pyspark import TaskContext

        answer = attempt(task) | {"attempt": TaskContext.get().attemptNumber() + 1}
        yield pyarrow.RecordBatch.from_pydict({"answer": pyarrow.array([pickle.dumps(answer)], pyarrow.binary())})

    return run
