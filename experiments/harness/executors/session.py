"""A Spark session from settings: embedded, on a cluster, of spark-submit, or at a Spark Connect server."""

import logging
import os
import re
import socket
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.harness.executors import SUBMITTED, ExecutorError, environment, java, quiet, shipping

LOGGING = Path(__file__).parent / "spark_logging.properties"

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
"""Settings of a session that is started here; `options` override them. Those given to spark-submit are kept."""

AT_CONNECT = ("spark.sql.shuffle.partitions", "spark.sql.adaptive.enabled", "spark.sql.codegen.wholeStage")
"""Those of OPTIONS that a session at a Connect server can set; the others are the server's."""

UNTIL_WORKERS = 60.0
"""Seconds to wait for the first executor of a cluster."""

IN_PYTHON = "An exception was thrown from the Python worker"
"""The beginning of Spark's message for an error in Python code on a worker."""

PATIENCE = 5.0
"""Seconds to wait for a connection to a master. Spark itself would try for a minute."""


def start(settings: Mapping[str, Any], tell: bool = False) -> tuple[Any, bool]:
    """A session for settings (master; options, archive, environment) and whether the caller must stop it.

    A session that this process has already is used as it is. `tell`: say that one is started, if it can be.
    Raises ExecutorError if Java, PySpark or a package that it needs is missing, nobody answers at the master's address,
    or Spark does not start.
    """
    master = str(settings["master"])
    submitted = SUBMITTED in os.environ
    remote = master.startswith("sc://") and not submitted
    if not (remote or submitted) and (problem := java.ready()):
        raise ExecutorError(problem)
    if not submitted:
        reachable(master)
    _prepare(master, settings, submitted)
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise ExecutorError(f"executor=spark needs the package pyspark ({error}); executor=inline does not") from error
    if (session := SparkSession.getActiveSession()) is not None:
        return session, False
    if tell and not sys.stderr.isatty():  # on a terminal the bar is there already
        print("starting Spark", file=sys.stderr, flush=True)
    try:
        if remote:
            return _connected(master, _texts(settings.get("options"))), True
        return _started(None if submitted else master, settings), True
    except ExecutorError:
        raise
    except Exception as error:  # Py4J and Spark raise errors of any kind for a wrong master or setting
        where = "spark-submit's master" if submitted else f"executor.master={master}"
        raise ExecutorError(f"Spark did not start with {where}: {first_line(error)}") from error


def _started(master: str | None, settings: Mapping[str, Any]) -> Any:
    """A session at a master, or at that of spark-submit; workers of a cluster get the project's sources."""
    from pyspark.sql import SparkSession

    options = {**OPTIONS, **on_workers(settings), **_texts(settings.get("options"))}
    builder = SparkSession.builder.appName("sliding-windows")
    if master is None:
        options = _not_submitted(options)
    else:
        quiet.start_jvm({"spark.master": master, **options})
        builder = builder.master(master)
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    if not is_local(session):
        session.sparkContext.addPyFile(str(shipping.zipped()))
        try:
            _wait_for_workers(session.sparkContext)
        except BaseException:
            session.stop()
            raise
    return session


def _prepare(master: str, settings: Mapping[str, Any], submitted: bool) -> None:
    """The environment variables that Spark reads when it starts."""
    os.environ.update(environment.for_workers())
    environment.silence_here()
    logging.getLogger().addFilter(_not_of_py4j)
    logging.getLogger("py4j").setLevel(logging.CRITICAL)  # tracebacks of commands that Ctrl-C breaks off
    if submitted:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        return
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    if settings.get("archive"):
        os.environ["PYSPARK_PYTHON"] = "./environment/bin/python"
    elif master.startswith("local"):
        os.environ["PYSPARK_PYTHON"] = sys.executable
    else:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if master.startswith("local") or re.search(r"://(localhost|127\.)", master):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def on_workers(settings: Mapping[str, Any]) -> dict[str, str]:
    """The options that give workers an environment: variables, and an archive that is unpacked beside them."""
    options = {f"spark.executorEnv.{name}": value for name, value in _texts(settings.get("environment")).items()}
    options.setdefault("spark.executorEnv.PYTHONWARNINGS", f"ignore:{environment.PANDAS_WARNING}:FutureWarning")
    if settings.get("archive"):
        options["spark.archives"] = f"{os.path.abspath(settings['archive'])}#environment"
    return options


def _texts(options: Mapping[str, Any] | None) -> dict[str, str]:
    values = (options or {}).items()
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in values}


def _not_submitted(options: Mapping[str, str]) -> dict[str, str]:
    """The options that were not given to spark-submit, without those for the JVM, which runs already."""
    from pyspark import SparkConf, SparkContext

    SparkContext._ensure_initialized()
    submitted = SparkConf()
    return {k: v for k, v in options.items() if not submitted.contains(k) and not k.startswith("spark.driver.")}


def _connected(master: str, options: Mapping[str, str]) -> Any:
    """A session at a Spark Connect server, which gets the project's sources."""
    try:
        from pyspark.sql.connect.session import SparkSession
    except ImportError as error:
        need = "make connect, or pip install -r requirements-connect.txt"
        raise ExecutorError(f"executor.master={master} needs packages that are not there: {need} ({error})") from error
    session = SparkSession.builder.remote(master).create()
    for name, value in {**{name: OPTIONS[name] for name in AT_CONNECT}, **options}.items():
        session.conf.set(name, value)
    session.addArtifacts(str(shipping.zipped()), pyfile=True)
    return session


def reachable(master: str) -> None:
    """Raise ExecutorError unless somebody listens at one of the addresses of a standalone master or a server."""
    kind, _, addresses = master.partition("://")
    if kind not in ("spark", "sc"):
        return
    failures = []
    for address in addresses.partition("/")[0].split(","):
        host, _, port = address.rpartition(":")
        if not host or not port.isdigit():
            failures.append(f"{address!r} is not host:port")
            continue
        try:
            socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
            return
        except (OSError, OverflowError) as error:
            failures.append(f"{address}: {getattr(error, 'strerror', None) or error}")
    raise ExecutorError(f"nobody answers at executor.master={master} ({'; '.join(failures)}); is it running?")


def _wait_for_workers(context: Any) -> None:
    """Raise ExecutorError if a cluster provides no executor: Spark would wait for ever."""
    end = time.monotonic() + UNTIL_WORKERS
    while context._jsc.sc().getExecutorMemoryStatus().size() < 2:  # one of them is the driver
        if time.monotonic() > end:
            problem = "has no worker with the cores and the memory that are asked for"
            raise ExecutorError(f"executor.master={context.master} {problem}; looked for {UNTIL_WORKERS:.0f} s")
        time.sleep(0.1)


def is_connect(session: Any) -> bool:
    """Whether the session is at a Spark Connect server: it has no Spark context then."""
    return type(session).__module__.startswith("pyspark.sql.connect")


def is_local(session: Any) -> bool:
    """Whether the workers are processes of this machine, with this project on their path."""
    master = "" if is_connect(session) else session.sparkContext.master
    return master.startswith("local") and not master.startswith("local-cluster")


def first_line(error: BaseException) -> str:
    """The message of an error, without the stacks of the JVM and of a worker and without Py4J's own first line."""
    lines = [line.strip(" :") for line in str(error).splitlines() if line.strip()]
    if IN_PYTHON in lines[:1]:
        return next((line for line in reversed(lines) if re.match(r"[\w.]+(Error|Exception|Exit)\b", line)), lines[-1])
    messages = [line for line in lines if not line.startswith("An error occurred while calling")]
    return messages[0] if messages else type(error).__name__


def _not_of_py4j(record: logging.LogRecord) -> bool:
    """Keep Py4J from logging, as errors of the root logger, the exceptions that pass through it: Ctrl-C, too."""
    return "py4j" not in Path(record.pathname).parts
