"""The command line behind run.py: jobs and actions in their turn, names of figures, exit codes.

Nothing here imports Hydra, and nothing heavy is imported before it is needed: help and errors appear at once.
"""

import atexit
import functools
import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from experiments.harness.cli import help_text
from experiments.harness.cli.arguments import no_setting, quoted
from experiments.harness.cli.choosing import Job, jobs, refuse_what_all_refuse
from experiments.harness.cli.messages import reported
from experiments.harness.executors import shared
from experiments.harness.settings import OF_THE_COMMAND, Settings, SettingsError, check_place

INTERRUPTED = "interrupted; what was measured is kept, and the same command goes on from there"
INTERRUPTED_FORCED = "interrupted; what was measured is kept, and the same command, because of force=true, begins again"

FORCED = re.compile(r"\+*force=true", re.IGNORECASE)
"""The setting, as Hydra takes it."""


def main(regenerate: Callable[[], None], codes: list[int], runs: list[Any]) -> int:
    """Call Hydra's entry point, which collects the exit codes and runs of its jobs, and return the worst code."""
    codes.clear()
    runs.clear()
    os.environ.setdefault("HYDRA_FULL_ERROR", "1")  # errors come to this function, which says them in a line
    if problem := no_setting(sys.argv[1:]):
        print(f"error: {problem}", file=sys.stderr)
        return 2
    sys.argv[1:] = map(quoted, sys.argv[1:])
    try:
        with shared.by_all():  # by those of experiment=all, and by the jobs of a sweep
            regenerate()
    except KeyboardInterrupt:
        print(f"\n{INTERRUPTED_FORCED if any(map(FORCED.fullmatch, sys.argv)) else INTERRUPTED}", file=sys.stderr)
        return 130
    except Exception as error:
        return reported(error)
    return max(codes, default=0)


def each(
    config: dict[str, Any],
    overrides: list[str],
    compose: Callable[[str, list[str]], dict],
    actions: tuple[Callable[..., int], ...],
    runs: Sequence[Any],
) -> list[tuple[str, int, float]]:
    """Do the jobs of a configuration, saying which one is under way: the experiment, exit code and seconds of each.

    `actions` are the functions that `attempt` takes; they put into `runs` what has come of each experiment.
    """
    try:
        chosen = jobs(config, overrides, compose)
        refuse_what_all_refuse(chosen)
        several_are_run = len(chosen) > 1 and config.get("action") == "run"
        profile = str((config.get("profile") or {}).get("name"))
        if several_are_run:
            from experiments.harness.cli import estimate

            refused: list[str] = []
            for line in estimate.table([job[0] for job in chosen], profile, refused):
                print(line, file=sys.stderr, flush=True)
            if len(refused) == len(chosen):
                raise SettingsError("none of these experiments can be run with these settings; the table says why")
    except (SettingsError, OSError) as error:
        return [(str(config.get("name")), reported(error), 0.0)]
    ended, before = [], len(runs)
    try:
        for number, job in enumerate(chosen, 1):
            name, start = job[0].get("name"), time.monotonic()
            if len(chosen) > 1:
                print(f"\n{number} of {len(chosen)}: {name}", file=sys.stderr, flush=True)
            ended.append((name, attempt(job, *actions), time.monotonic() - start))
    finally:  # also where the user stops it
        if several_are_run:
            try:
                estimate.note(ended, runs[before:], profile, Path(config["results"]))
            except (OSError, KeyError, ValueError) as error:  # after hours of measuring, this must not end it
                print(f"{estimate.TIMES} of {config['results']} is not written: {error!r}", file=sys.stderr)
    return ended


def attempt(
    job: Job,
    measure: Callable[[dict, str, bool], int],
    report: Callable[[str, list[str]], int],
    compare: Callable[[list[str], str], int],
    walk: Callable[[Any, Any, Any, str], int],
) -> int:
    """Do a job and return its exit code. An error in one job of a multirun does not stop the others."""
    config, overrides = job
    try:
        action, runs, _, _, algorithm, script = (config.pop(name, None) for name in OF_THE_COMMAND)
        if action == "catalogue":
            help_text.catalogue()
            return 0
        if action == "workload":
            help_text.workload(config)
            return 0
        if action == "make":
            from experiments.harness import progress
            from experiments.harness.cli import making

            making.make(config, progress.display)
            return 0
        check_place("figure_folder", config["figure_folder"])
        if action == "report":
            return report(config["figure_folder"], [] if runs is None else _folders(runs, 1))
        if action == "compare":
            return compare(_folders(runs, 2), config["figure_folder"])
        if action == "walk":
            return walk(algorithm, script, config["operators"], config["figure_folder"])
        if algorithm is not None or script is not None:
            raise SettingsError(f"algorithm and script are for action=walk; of action={action} it is algorithms=[...]")
        if "name" not in config:
            print(f"error: no experiment is given; there are:\n{help_text.experiments()}", file=sys.stderr)
            print("Give one: python run.py experiment=fiba_ooo (more: python run.py --help)", file=sys.stderr)
            return 2
        Settings.of(config)  # before anything heavy is imported
        return measure(config, variant(overrides), action == "draw")
    except Exception as error:
        return reported(error)


def _folders(runs: Any, fewest: int) -> list[str]:
    """The setting runs. Raises SettingsError."""
    folders = runs if isinstance(runs, list) else [runs]
    if len(set(map(str, folders))) < max(fewest, len(folders)):
        number = {1: "different folders", 2: "at least two different folders"}[fewest]
        raise SettingsError(f"runs is {runs!r}; it must be a list of {number}, such as runs=[results/one,results/two]")
    for folder in folders:
        if not os.path.isdir(str(folder)):
            raise SettingsError(f"runs: {folder!r} is no folder; give those with the figures of each run")
    return list(map(str, folders))


@functools.cache
def scratch() -> str:
    """A folder that lasts as long as this process, for files that Hydra insists on writing in a multirun."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


NOT_IN_NAMES = ("experiment", *OF_THE_COMMAND, "results", "figure_folder", "force", "executor")
"""Settings that do not change what a figure shows."""

LONGEST = 120
"""Characters that the settings take in a file name at most."""


def variant(overrides: Iterable[str]) -> str:
    """The end of a figure's name that tells it from those of other settings, such as "-profile_smoke-window_1024"."""
    plain = sorted(text.lstrip("+~") for text in overrides)
    shown = [text for text in plain if re.split(r"[=.@]", text)[0] not in NOT_IN_NAMES]
    name = "".join("-" + re.sub(r"[^A-Za-z0-9.]+", "_", text).strip("_") for text in shown)
    if len(name) <= LONGEST:
        return name
    return f"{name[:LONGEST]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
