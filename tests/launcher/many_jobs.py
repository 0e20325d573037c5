"""A multirun of many jobs on a standalone cluster, a worker of which is killed in the middle: what has become of it.

    python -m tests.launcher.many_jobs --jobs 200

Not in the suite: 200 jobs take twenty minutes. Exits with 1 if a cell was measured twice or not at all, if a job
failed, or if two jobs measured on this machine at the same time.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from experiments.spark.measuring import standalone
from results import Store
from tests.launcher.conftest import PLAIN, ROOT, SMALL

FIRST = 8
"""The window of the first job; the next has one more."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=200)
    jobs = parser.parse_args().jobs
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {**PLAIN, "XDG_CACHE_HOME": str(folder / "cache")}
        (folder / "cluster").mkdir()
        with standalone.started(folder / "cluster", **environment) as cluster:
            windows = ",".join(map(str, range(FIRST, FIRST + jobs)))
            command = [sys.executable, str(ROOT / "run.py"), "-m", "hydra/launcher=spark", *SMALL, f"window={windows}"]
            command += [f"hydra.launcher.master={cluster.master}", f"results={folder / 'data'}"]
            command += [f"figure_folder={folder / 'figures'}", f"hydra.sweep.dir={folder / 'multirun'}"]
            begin, killed = time.monotonic(), False
            with open(folder / "out", "w") as out:
                run = subprocess.Popen(
                    command,
                    stdout=out,
                    stderr=out,
                    cwd=folder,
                    env={**os.environ, **environment, "TIMING_SLOT": "many"},
                )
                while run.poll() is None:
                    time.sleep(0.2)
                    if not killed and _done(folder) >= jobs // 2:
                        cluster.kill("one")
                        killed = True
                        print(
                            f"killed a worker after {_done(folder)} jobs, {time.monotonic() - begin:.0f} s", flush=True
                        )
            minutes = (time.monotonic() - begin) / 60
        return _judged(folder, jobs, run.returncode, killed, minutes)


def _done(folder: Path) -> int:
    """Jobs whose rows have been stored."""
    return (folder / "out").read_text().count("measured now")


def _judged(folder: Path, jobs: int, code: int, killed: bool, minutes: float) -> int:
    said, rows = (folder / "out").read_text(), Store(folder / "data").rows("fiba_fifo")
    measured = sum(map(int, re.findall(r"(\d+) measured now", said)))  # the store keeps one row of each cell
    spans = sorted((start, start + seconds) for start, seconds in _spans(rows))
    beside = sum(later[0] < one[1] for one, later in zip(spans, spans[1:], strict=False))
    print(f"{jobs} jobs in {minutes:.1f} min, exit code {code}, a worker killed: {killed}")
    print(f"{rows['cell'].nunique()} cells, {measured} measurements, {(rows['status'] != 'ok').sum()} not ok, ", end="")
    print(f"{(rows['attempt'] > 1).sum()} at a second attempt")
    print(f"jobs that measured on this machine at the same time as another: {beside}")
    good = code == 0 and killed and set(rows["window"]) == set(range(FIRST, FIRST + jobs))
    good = good and measured == rows["cell"].nunique() == len(rows) and (rows["status"] == "ok").all() and not beside
    if not good:
        print(said[-3000:])
    return 0 if good else 1


def _spans(rows):
    """When each measurement began and how long it took without its preparation, in seconds."""
    started = rows["started"].astype("datetime64[us, UTC]").astype("int64") / 1e6
    return zip(started, rows["compile_seconds"] + rows["value"] / 1e9, strict=True)


if __name__ == "__main__":
    sys.exit(main())
