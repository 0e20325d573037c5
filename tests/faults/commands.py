"""run.py as a process of its own, small enough to be killed often."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests import HUNG

ROOT = Path(__file__).parent.parent.parent
SMALL = ("experiment=fiba_ooo", "profile=smoke", "window=32", "operators=[sum]", "algorithms=[recalc,fiba]",
         "distances=[0,32]", "profile.repetitions=2")  # fmt: skip
ROWS = 8  # distances 0 and 32, two algorithms, two repetitions


def command(folder: Path, *more: str) -> list[str]:
    where = (f"results={folder}/data", f"figure_folder={folder}/figures")
    return [sys.executable, str(ROOT / "run.py"), *SMALL, "executor=inline", *where, *more]


def environment(**changes: str) -> dict[str, str]:
    """Kernels as plain Python: nothing to compile, and every round slow enough to be interrupted."""
    kept = {name: value for name, value in os.environ.items() if name not in ("HYDRA_FULL_ERROR", "TRACEBACK")}
    return {**kept, "NUMBA_DISABLE_JIT": "1", **changes}


def heed_interrupts() -> None:
    """Undo what a shell does to commands in the background: they, and what they start, ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(folder: Path, *more: str, **changes: str) -> subprocess.Popen:
    return subprocess.Popen(
        command(folder, *more),
        preexec_fn=heed_interrupts,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(**changes),
        cwd=folder,
        start_new_session=True,
    )


def finish(folder: Path, *more: str, **changes: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        command(folder, *more), capture_output=True, text=True, env=environment(**changes), cwd=folder, timeout=HUNG
    )


def parts(folder: Path) -> int:
    """Row files that have been stored and not been compacted."""
    return len(list(folder.glob("data/*/parts/*.parquet")))


def children(pid: int) -> list[int]:
    """All processes below this one."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout.split()
    parents = dict(zip(map(int, listed[::2]), map(int, listed[1::2])))
    found, waiting = [], [pid]
    while waiting:
        parent = waiting.pop()
        below = [child for child, its_parent in parents.items() if its_parent == parent]
        found += below
        waiting += below
    return found


def alive(pids: list[int]) -> list[int]:
    """Those of the processes that run. One that is dead and waits for its parent to notice does not."""
    listed = subprocess.run(["ps", "-eo", "pid=,stat="], capture_output=True, text=True, check=True).stdout.split()
    states = dict(zip(map(int, listed[::2]), listed[1::2]))
    return [pid for pid in pids if not states.get(pid, "Z").startswith("Z")]


def kill(process: subprocess.Popen, number: int = signal.SIGKILL) -> tuple[str, str]:
    process.send_signal(number)
    return process.communicate(timeout=HUNG)
