"""Where tasks run: on Spark (embedded or a cluster), or in one process beside this one, without Java.

An executor has `run(task) -> answer` (see worker.attempt), which never raises for an error inside the task, and
`close()`. A task is stopped, and the answer says so, when it has had task["timeout"] seconds of processor time, which a
busy machine does not make more, or CLOCK times as many seconds by the clock: then it hangs. On Spark only the latter is
known. Work that is not timed goes through `each(work, numbers)`, which uses all cores.
"""

import importlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from safeguards.secrets import without_secrets

SUBMITTED = "PYSPARK_GATEWAY_PORT"
"""The environment variable that is set if spark-submit started this process, with a master of its own."""

CLOCK = 10
"""So many times its processor time a task may take by the clock."""

DISCOVERY_TASKS = 32
"""Short tasks that find the machines of a cluster. One that they miss is noted when it measures."""


class ExecutorError(RuntimeError):
    """An executor that cannot start or has lost a worker; the message says what is missing and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(without_secrets(message))


class Executor(Protocol):
    """The executor's calls that the engine needs."""

    def run(self, task: dict[str, Any]) -> dict[str, Any]: ...

    def each(self, work: Callable[[int], Any], numbers: Sequence[int]) -> Iterator[Any]:
        """The results of `work` for some numbers, in any order, as they come. Raises the first error."""

    def close(self) -> None: ...


class LazyExecutor:
    """The executor of some settings, started when it is first needed and closed with this object."""

    def __init__(self, settings: Mapping[str, Any]):
        self._settings = settings
        self._executor: Executor | None = None

    def start(self) -> Executor:
        """The executor. Raises ExecutorError if it cannot start."""
        self._executor = self._executor or start(self._settings)
        return self._executor

    def machines(self) -> set[str]:
        """The machines that tasks will run on, as rows name them; for a cluster, those that some short tasks run on."""
        master = str(self._settings.get("master", ""))
        here = master.startswith("local") and SUBMITTED not in os.environ
        if self._settings["name"] == "inline" or here:
            return {_machine()}
        return set(self.start().each(_machine, range(DISCOVERY_TASKS)))

    def close(self) -> None:
        """Close what was started."""
        if self._executor is not None:
            self._executor.close()


def _machine(number: int = 0) -> str:
    from experiments.harness import provenance  # not loaded, with Numba, for an executor alone

    return provenance.of_this_process()["machine"]


def start(settings: Mapping[str, Any]) -> Executor:
    """The executor of settings["name"], inline or spark. Raises ExecutorError if it cannot start."""
    return importlib.import_module(f"experiments.harness.executors.{settings['name']}").start(settings)


def stopped(task: Mapping[str, Any], by_clock: bool) -> dict[str, Any]:
    """The answer of a task that was stopped: by the clock, or because it has had its processor time."""
    seconds = task["timeout"]
    if by_clock:
        return {"status": "timeout", "reason": f"stopped after {CLOCK * seconds} s, {CLOCK} times profile.timeout"}
    return {"status": "timeout", "reason": f"stopped after {seconds} s of processor time (profile.timeout)"}
