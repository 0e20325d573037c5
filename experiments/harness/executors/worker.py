"""What runs a task where it is sent: one call that never raises, and the loop of the inline executor's process."""

import ctypes
import os
import pickle
import signal
import sys
from typing import Any


def attempt(task: dict[str, Any]) -> dict[str, Any]:
    """Measure; the answer has `status` and `reason` besides what was measured. What went wrong is an answer, too."""
    try:
        from experiments.harness.measuring.measure import DoesNotFitError, measure
    except Exception as error:
        return {"status": "failed", "reason": f"the worker cannot load the project: {said(error)}"}
    try:
        return {"status": "ok", "reason": "", **measure(task)}
    except DoesNotFitError as error:
        return {"status": "skipped", "reason": str(error)}
    except Exception as error:  # whatever a kernel or a workload raises fails this cell, not the run
        return {"status": "failed", "reason": said(error)}


def said(error: Exception) -> str:
    """The kind of an error and the first line of its message."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def main() -> None:
    """Read pickled tasks from standard input and write pickled answers to standard output, until the input ends."""
    _end_with_parent()
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a stray print must not damage the answers
    while True:
        try:
            task = pickle.load(requests)
        except EOFError:
            return
        signal.alarm(task["timeout"] + 5)  # ends this process, even in a compiled loop, if nobody else does
        answer = attempt(task)
        signal.alarm(0)
        pickle.dump(answer, answers)
        answers.flush()


def _end_with_parent() -> None:
    """Have the system end this process with its parent: what a killed run leaves would disturb the next one."""
    if sys.platform == "linux":
        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


if __name__ == "__main__":
    main()
