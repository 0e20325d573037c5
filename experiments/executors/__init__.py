"""Where tasks run: on Spark (embedded or a cluster), or in one process beside this one, without Java.

An executor has `run(task) -> answer` (see worker.attempt), which never raises for what goes wrong inside the task, and
`close()`. A task that does not answer in task["timeout"] seconds is stopped and answered for.
"""

import importlib
from collections.abc import Mapping
from typing import Any, Protocol


class ExecutorError(RuntimeError):
    """An executor that cannot start; the message says what is missing and what to do."""


class Executor(Protocol):
    """What the engine needs of an executor."""

    def run(self, task: dict[str, Any]) -> dict[str, Any]: ...

    def close(self) -> None: ...


def start(settings: Mapping[str, Any]) -> Executor:
    """The executor of settings["name"], inline or spark. Raises ExecutorError if it cannot start."""
    return importlib.import_module(f"experiments.executors.{settings['name']}").start(settings)


def stopped(task: Mapping[str, Any]) -> dict[str, Any]:
    """The answer for a task that was stopped."""
    return {"status": "timeout", "reason": f"stopped after {task['timeout']} s (profile.timeout)"}
