"""What the tests of this folder see of a standalone cluster's workers, in the list of this machine's processes."""

import os
import signal
import subprocess
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from experiments.spark.measuring.standalone import Cluster


def kill_executors(cluster: Cluster, name: str) -> None:
    """kill -9 for the executors of a worker, which itself goes on."""
    for executor in executors(cluster, name):
        os.kill(executor, signal.SIGKILL)


def executors(cluster: Cluster, *names: str) -> set[int]:
    """The processes of the executors that workers have now."""
    return _executors(cluster, names, _processes())


def measuring(cluster: Cluster) -> bool:
    """Whether a job measures on a worker: the process of its inline executor is below one of an executor's."""
    processes = _processes()
    known = _executors(cluster, ("one", "two"), processes)
    for number, process in processes.items():
        above = number if "experiments.harness.executors.worker" in process.command else 0
        while above in processes:
            if above in known:
                return True
            above = processes[above].parent
    return False


def _executors(cluster: Cluster, names: Iterable[str], processes: Mapping[int, "Process"]) -> set[int]:
    groups = {cluster.processes[name].pid for name in names}
    return {n for n, process in processes.items() if process.group in groups and "CoarseGrained" in process.command}


class Process(NamedTuple):
    group: int
    parent: int
    command: str


def _processes() -> dict[int, Process]:
    """The processes of this machine by their ids."""
    asked = ["ps", "-eo", "pid=,pgid=,ppid=,args=", "-ww"]
    lines = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()
    split = (line.split(maxsplit=3) for line in lines)
    return {int(number): Process(int(group), int(parent), command) for number, group, parent, command in split}
