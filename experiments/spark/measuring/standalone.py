"""A standalone Spark cluster of this machine: a master and workers, each a process, from the package pyspark alone."""

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from experiments.harness.executors import ExecutorError, java
from experiments.harness.executors.worker import end_with_parent

HOST = "127.0.0.1"

PATIENCE = 90.0
"""Seconds that a process may take to start. A quiet machine needs three."""

LEADS, REGISTERED = "I have been elected leader", "Successfully registered"
"""The lines that a master and a worker write into their logs when they are ready."""


class Cluster:
    """Processes of Spark in a folder, each the leader of a group of its own, ended with this process."""

    def __init__(self, folder: Path, **environment: str):
        self.folder, self.environment = folder, environment
        self.processes: dict[str, subprocess.Popen] = {}
        self.master = ""

    def start(self, name: str, *command: str) -> None:
        """Start a program of pyspark's folder bin under a name."""
        import pyspark

        small = {"SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", "SPARK_DAEMON_MEMORY": "600m"}
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYSPARK")}
        with open(self.folder / f"{name}.log", "wb") as log:
            self.processes[name] = subprocess.Popen(
                [str(Path(pyspark.__file__).parent / "bin" / command[0]), *command[1:]],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**inherited, **small, "SPARK_LOCAL_IP": HOST, **self.environment},
                cwd=self.folder,
                start_new_session=True,
                preexec_fn=end_with_parent,
            )

    def log(self, name: str) -> str:
        """What a process has written so far."""
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def start_master(self) -> None:
        """Start the master. Raises ExecutorError if it does not come up."""
        master = ("org.apache.spark.deploy.master.Master", "--host", HOST, "--port", "0", "--webui-port", "0")
        self.start("master", "spark-class", *master)
        self._wait("master", LEADS)
        self.master = re.search(r"spark://[\d.]+:\d+", self.log("master"))[0]

    def start_workers(self, *names: str) -> None:
        """Start workers of the master, with a core each. Raises ExecutorError if one does not come up."""
        for name in names:
            size = ("--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", str(self.folder / name))
            self.start(name, "spark-class", "org.apache.spark.deploy.worker.Worker", "--host", HOST, self.master, *size)
        for name in names:
            self._wait(name, REGISTERED)

    def kill(self, name: str) -> None:
        """kill -9 the process and all that it started, as when a machine is lost."""
        process = self.processes.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def _wait(self, name: str, words: str) -> None:
        end = time.monotonic() + PATIENCE
        while words not in self.log(name):
            if self.processes[name].poll() is not None or time.monotonic() > end:
                last = self.log(name).strip().splitlines()[-1:] or ["it wrote nothing"]
                raise ExecutorError(f"the {name} of a standalone cluster did not come up in {PATIENCE:g} s: {last[0]}")
            time.sleep(0.05)


@contextlib.contextmanager
def started(folder: Path, **environment: str) -> Iterator[Cluster]:
    """A cluster of two workers of a core each, stopped at the end of a with block whatever happens in it.

    Raises ExecutorError where Java is missing or a process does not come up.
    """
    if problem := java.ready():
        raise ExecutorError(problem)
    cluster = Cluster(folder, **environment)
    try:
        cluster.start_master()
        cluster.start_workers("one", "two")
        yield cluster
    finally:
        for name in list(cluster.processes):
            cluster.kill(name)


@contextlib.contextmanager
def address() -> Iterator[str]:
    """The address of the master of two workers of a core each, in a folder that is deleted with them."""
    with tempfile.TemporaryDirectory() as folder, started(Path(folder)) as cluster:
        yield cluster.master
