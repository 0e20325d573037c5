"""What the tests of this folder see of a standalone cluster's workers, in the list of this machine's processes."""

import os
import signal
import subprocess
import time
from collections.abc import Callable

from experiments.executors.standalone import Cluster


def wait_for(happened: Callable[[], bool], what: str, seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, f"{what} did not happen in {seconds:.0f} s"
        time.sleep(0.05)


def kill_executors(cluster: Cluster, name: str) -> None:
    """kill -9 for the executors of a worker, which itself goes on."""
    for executor in executors(cluster, name):
        os.kill(int(executor), signal.SIGKILL)


def executors(cluster: Cluster, name: str) -> set[str]:
    """The processes of the executors that a worker has now."""
    group = str(cluster.processes[name].pid)
    return {line.split()[0] for line in _listed() if line.split()[1] == group and "CoarseGrained" in line}


def measuring(cluster: Cluster) -> bool:
    """Whether a job measures on a worker: the process of its inline executor is below one of an executor's."""
    parents = {line.split()[0]: line.split()[2] for line in _listed()}
    known = executors(cluster, "one") | executors(cluster, "two")
    for line in _listed():
        above = line.split()[0] if "experiments.executors.worker" in line else ""
        while above in parents:
            if above in known:
                return True
            above = parents[above]
    return False


def _listed() -> list[str]:
    """The processes of this machine: id, group, parent and command line of each."""
    asked = ["ps", "-eo", "pid=,pgid=,ppid=,args=", "-ww"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()
