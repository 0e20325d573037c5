"""The worker's side of an executor: one call that never raises, and the loop of the inline executor's process."""

import contextlib
import ctypes
import datetime
import importlib
import os
import pickle
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.harness.executors import CLOCK


def attempt(task: dict[str, Any]) -> dict[str, Any]:
    """Measure; the answer has `status` and `reason` besides the measured columns. An error is an answer, too."""
    try:
        from experiments.harness.measuring.rig import DoesNotFitError, NotHereError, TooSlowError
    except Exception as error:
        return {"status": "failed", "reason": f"the worker cannot load the project: {in_one_line(error)}"}
    try:
        return {"status": "ok", "reason": "", **measure(task)}
    except (DoesNotFitError, NotHereError, TooSlowError) as error:
        return {"status": "skipped", "reason": str(error)}
    except Exception as error:  # whatever a kernel or a workload raises fails this cell, not the run
        return {"status": "failed", "reason": in_one_line(error)}


def measure(task: Mapping[str, Any]) -> dict[str, Any]:
    """One repetition. `task`: cell (fields of Cell), the module that declares its measurement, trace_hash, operations
    and the laps that they are done in (None: calibrate), minimum_ns.

    The result has those of the row's columns that only the measuring process knows.
    """
    from experiments.harness import provenance
    from experiments.harness.cell import Cell
    from experiments.harness.surroundings import watched

    importlib.import_module(task["module"])
    cell = Cell.of(task["cell"])
    started = datetime.datetime.now(datetime.UTC)
    values = watched(lambda: cell.declared.function(cell, task), task["minimum_ns"])
    return {"started": started, "unit": cell.declared.unit, **provenance.of_this_process(), **values}


def in_one_line(error: Exception) -> str:
    """The kind of an error and the first line of its message."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def main() -> None:
    """Read pickled tasks from standard input and write pickled answers to standard output, until the input ends."""
    end_with_parent()
    be_ended_first()
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a stray print must not damage the answers
    while True:
        try:
            task = pickle.load(requests)  # noqa: S301 - the pipe of the process that started this one
        except EOFError:
            return
        # Both end this process, even in a compiled loop: after so much processor time by SIGPROF, which the executor
        # knows; and by the clock, if the executor does not.
        signal.setitimer(signal.ITIMER_PROF, task["timeout"])
        signal.alarm(CLOCK * task["timeout"] + 5)
        answer = attempt(task)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        pickle.dump(answer, answers)
        answers.flush()


def end_with_parent() -> None:
    """Have the system end this process with its parent: processes left by a killed run would disturb the next one."""
    if sys.platform == "linux":
        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def be_ended_first() -> None:
    """Have the system end this process where memory is short, and not the run: then a cell fails, and no more."""
    with contextlib.suppress(OSError):  # another system, or one that does not let us
        Path("/proc/self/oom_score_adj").write_text("1000")


if __name__ == "__main__":
    main()
