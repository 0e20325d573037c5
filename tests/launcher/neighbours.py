"""Whether a job of a multirun on a standalone cluster is disturbed by its neighbour on the same machine: an A/A test.

    python -m tests.launcher.neighbours --pairs 20

Two jobs of equal windows run on two workers of this machine: alone, one after the other; as neighbours, the launcher's
default, which gives a machine one job at a time; alone once more; and side by side, which `n_jobs=2` allows. Not in the
suite: it takes some ten minutes and a machine that does nothing else. Prints how many times as long each took as alone,
and in how many cells that is certain. Exits with 1 if neighbours differ in more than one cell of twenty.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from experiments.spark.measuring import standalone
from results import Store
from results.agreement import Pace, paces
from tests.launcher.conftest import ROOT

EXPERIMENT, WINDOWS = "verdict_false_alarms", (256, 4096)
"""The experiment whose cells are pairs of equal windows, and the window of each job."""

ONE, DEFAULT, TWO = 1, -1, 2
"""Jobs at a time: one; one on each machine; two, wherever there is room."""

RUNS = {"alone": ONE, "neighbours": DEFAULT, "alone again": ONE, "side by side": TWO}

MOST = 0.05
"""The share of cells that may differ for certain by chance: what is asked of the rule of verdicts, too."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--pairs", type=int, default=20, help="pairs of equal windows in each job (default: 20)")
    pairs = parser.parse_args().pairs
    with tempfile.TemporaryDirectory() as name, standalone.started(Path(name)) as cluster:
        rows = {
            run: _rows(cluster.master, Path(name, str(number)), pairs, at_once)
            for number, (run, at_once) in enumerate(RUNS.items())
        }
    found = {run: paces(rows["alone"], rows[run])[0] for run in RUNS if run != "alone"}
    for run, pace in found.items():
        print(
            f"{run}: {pace.middle:.3f} times as long as alone (eight of ten cells: {pace.low:.3f} to {pace.high:.3f}); "
            f"of {pace.cells} cells {pace.slower} are slower and {pace.faster} faster for certain"
        )
    return 0 if _certain(found["neighbours"]) <= MOST else 1


def _rows(master: str, folder: Path, pairs: int, at_once: int):
    """The rows of a multirun of both jobs. Raises CalledProcessError if one fails."""
    command = [sys.executable, str(ROOT / "run.py"), "-m", "hydra/launcher=spark", f"experiment={EXPERIMENT}"]
    command += [f"sizes.laptop.windows={','.join(f'[{window}]' for window in WINDOWS)}", f"sizes.laptop.pairs={pairs}"]
    command += ["sizes.laptop.beside=false", "profile.most_repetitions=0"]
    command += [f"hydra.launcher.master={master}", f"hydra.launcher.n_jobs={at_once}"]
    where = {"results": "data", "figure_folder": "figures", "hydra.sweep.dir": "multirun"}
    folder.mkdir()
    command += [f"{setting}={folder / inner}" for setting, inner in where.items()]
    environment = {**os.environ, "TIMING_SLOT": "neighbours"}
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    return Store(folder / "data").rows(EXPERIMENT)


def _certain(pace: Pace) -> float:
    return (pace.slower + pace.faster) / pace.cells


if __name__ == "__main__":
    sys.exit(main())
