"""Where tasks run: on Spark (embedded or a cluster), or in one process beside this one, without Java.

An executor has `run(task) -> answer` (see worker.attempt), which never raises for what goes wrong inside the task, and
`close()`. A task that does not answer in task["timeout"] seconds is stopped and answered for. What is not timed goes
through `each(work, numbers)`, which uses all cores.
"""

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol


class ExecutorError(RuntimeError):
    """An executor that cannot start or has lost a worker; the message says what is missing and what to do."""


class Executor(Protocol):
    """What the engine needs of an executor."""

    def run(self, task: dict[str, Any]) -> dict[str, Any]: ...

    def each(self, work: Callable[[int], Any], numbers: Sequence[int]) -> Iterator[Any]:
        """The results of `work` for some numbers, in any order, as they come. Raises what goes wrong, first of all."""

    def close(self) -> None: ...


def start(settings: Mapping[str, Any]) -> Executor:
    """The executor of settings["name"], inline or spark. Raises ExecutorError if it cannot start."""
    return importlib.import_module(f"experiments.executors.{settings['name']}").start(settings)


def stopped(task: Mapping[str, Any]) -> dict[str, Any]:
    """The answer for a task that was stopped."""
    return {"status": "timeout", "reason": f"stopped after {task['timeout']} s (profile.timeout)"}
