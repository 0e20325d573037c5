"""The command line behind run.py: jobs and actions, names of figures, exit codes, and errors in a line or two.

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
from experiments.harness.executors import shared
from experiments.harness.settings import OF_THE_COMMAND, Settings, SettingsError, listed, of_an_experiment, path
from safeguards.secrets import without_secrets
from safeguards.wrong_input import nearest, unknown

WRONG_INPUT = (ValueError, OSError, RuntimeError, ImportError)
"""Errors that wrong input raises, besides those of Hydra and OmegaConf. Anything else is a bug."""

ACTIONS = ("run", "draw", "report", "compare", "walk", "catalogue", "workload", "make")

ALL = "all"
"""The experiment that stands for every other."""

INTERRUPTED = "interrupted; what was measured is kept, and the same command goes on from there"

Job = tuple[dict[str, Any], list[str]]
"""A composed configuration and the settings given on the command line that led to it."""


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
        print(f"\n{INTERRUPTED}", file=sys.stderr)
        return 130
    except Exception as error:
        return reported(error)
    return max(codes, default=0)


SCRIPT = "script="


def quoted(argument: str) -> str:
    """The argument as Hydra reads it: a script is text with semicolons, which Hydra takes within quotes only."""
    text = argument.removeprefix(SCRIPT)
    if text == argument or text in ("", "null") or text[:1] in ("'", '"'):
        return argument
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'{SCRIPT}"{escaped}"'


FLAGS_WITH_VALUES = {
    *("--cfg", "-c", "--package", "-p", "--config-path", "-cp", "--config-name", "-cn", "--config-dir", "-cd"),
    *("--experimental-rerun", "--info", "-i"),
}
"""Flags of Hydra that take the next argument."""

RERUN = "experimental-rerun"
"""The flag of Hydra that --experiment, like every other beginning of it, would be taken for."""


def no_setting(arguments: list[str]) -> str:
    """The message for the first argument that is meant as a setting and is not one, such as --experiment NAME, or NAME
    alone. Empty if none is recognised here; Hydra checks all arguments again.
    """
    for place, text in enumerate(arguments):
        if place and arguments[place - 1] in FLAGS_WITH_VALUES:
            continue
        if "=" in text and not text.partition("=")[0].partition("@")[0].strip("+~ "):
            return f"cannot read {text!r}; settings are name=value, such as window=1024 or distances=[0,16]"
        if problem := _no_choice(text):
            return problem
        value = next((argument for argument in arguments[place + 1 :] if argument != "="), "")
        setting = _as_setting(text, "" if value.startswith("-") or "=" in value else value)
        if setting:
            return f"cannot read {text!r}; settings are name=value: did you mean {setting}?"
    return ""


def _no_choice(text: str) -> str:
    """The message for a group's choice that is no name, such as a list, of which Hydra takes the last. Else empty."""
    group, _, value = text.partition("=")
    if not re.match(r"[\[{\d-]", value) or group.lstrip("+") not in help_text.groups():
        return ""
    return f"{group} is {value}; it must be one name, such as {group}={help_text.names(group.lstrip('+'))[0]}"


def _as_setting(text: str, following: str) -> str:
    """The setting that an argument was meant as, with its own or the `following` value; empty if none is near."""
    name, equals, value = text.lstrip("-").partition("=")
    plain = name.partition(".")[0]
    dashed = text.startswith("-")
    if (equals and not dashed) or text.startswith("~") or name == RERUN:
        return ""
    known = help_text.settings()
    if dashed and name and RERUN.startswith(name):
        name = plain = "experiment"
    elif dashed and plain not in known:
        name = plain = next(iter(nearest(plain, known, 0.8)), "")
    if plain in known:
        return f"{name}={_chosen(plain, value or following) or '...'}"
    return "" if dashed else _choice(text)


def _chosen(group: str, value: str) -> str:
    """The group's choice that is nearest to the value; the value itself if none is near."""
    choices = help_text.names(group) if group in help_text.groups() else []
    return next(iter(nearest(value, choices, 0.6)), value)


def _choice(text: str) -> str:
    """The setting with the choice nearest to a text, of all groups and the actions; empty if none is near."""
    groups = ("experiment", *help_text.GROUPS)
    choices = {name: group for group in reversed(groups) for name in help_text.names(group)}
    choices = {**dict.fromkeys(ACTIONS, "action"), **choices}
    near = nearest(text, choices, 0.6)
    return f"{choices[near[0]]}={near[0]}" if near else ""


CHOOSING = ("only", "skip")
"""Settings that choose among the experiments of experiment=all."""

OF_EXPERIMENTS = ("run", "draw")
"""The actions that are done with each experiment in turn."""


def jobs(config: dict[str, Any], overrides: list[str], compose: Callable[[str, list[str]], dict]) -> list[Job]:
    """The configuration itself; for experiment=all, that of every experiment that is chosen; where nothing is measured,
    of those that have stored rows. Raises SettingsError.
    """
    if (action := config.get("action")) not in ACTIONS:
        raise SettingsError(unknown("action", action, ACTIONS))
    chosen = {field: config.get(field) for field in CHOOSING}
    if config.get("name") != ALL or action not in OF_EXPERIMENTS:
        which = "experiment=all" if action in OF_EXPERIMENTS else "experiment=all with action=run or action=draw"
        for field, value in chosen.items():
            if value is not None:
                raise SettingsError(f"{field} is {value!r}; it chooses among those of {which}: leave it out")
        return [(config, overrides)]
    names = _chosen_of_all(chosen, config)
    print("reading the settings of the experiments", file=sys.stderr, flush=True)  # it takes some seconds
    others = [text for text in overrides if text.partition("=")[0].lstrip("+") not in ("experiment", *CHOOSING)]
    return [(compose(name, others), [*others, f"experiment={name}"]) for name in names]


def _chosen_of_all(chosen: dict[str, Any], config: dict[str, Any]) -> list[str]:
    """The experiments that the lists of experiments and papers leave, by `CHOOSING`. Raises SettingsError."""
    every = {name: {name, help_text.paper(name)} for name in help_text.measured()}
    known = sorted(set().union(*every.values()))
    given = {field: None if value is None else listed(field, value) for field, value in chosen.items()}
    for field, wanted in given.items():
        for name in wanted or ():
            if name not in known:
                raise SettingsError(unknown(f"experiment or paper in {field}", name, known))
    only, skip = (given[field] for field in CHOOSING)
    unless_named, where = set(config.get("unless_named", ())), ""
    if config.get("action") == "draw":
        unless_named, where = _without_rows(every, config["results"]), f" with rows in {config['results']}"
        if len(unless_named) == len(every):
            raise SettingsError(f"results is {config['results']!r}; no experiment has rows there")
    skipped = {*(skip or ()), *unless_named.difference(only or ())}
    left = [
        name
        for name, names in every.items()
        if (only is None or not names.isdisjoint(only)) and names.isdisjoint(skipped)
    ]
    if not left:
        raise SettingsError(
            f"only is {chosen['only']!r} and skip is {chosen['skip']!r}; that leaves no experiment{where}"
        )
    return left


def _without_rows(names: Iterable[str], results: str) -> set[str]:
    return {name for name in names if not (Path(results) / name).is_dir()}


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
    ended = []
    for number, job in enumerate(chosen, 1):
        name, start = job[0].get("name"), time.monotonic()
        if len(chosen) > 1:
            print(f"\n{number} of {len(chosen)}: {name}", file=sys.stderr, flush=True)
        ended.append((name, attempt(job, *actions), time.monotonic() - start))
    if several_are_run:
        estimate.note(ended, runs, profile, Path(config["results"]))
    return ended


def refuse_what_all_refuse(chosen: Sequence[Job]) -> None:
    """Of several jobs, raise once, and before any is begun, what would end each of them in turn. Raises SettingsError.

    What only some refuse is said in their turn; the others are done.
    """
    refusals = []
    for config, _ in chosen if len(chosen) > 1 else ():
        try:
            check_place("figure_folder", config["figure_folder"])
            Settings.of(of_an_experiment(config))
        except SettingsError as error:
            refusals.append(error)
    if refusals and len(refusals) == len(chosen):
        raise refusals[0]


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


def check_place(field: str, folder: Any) -> None:
    """Raise SettingsError, before anything is measured for it, where no files can be made in the folder of a field."""
    place = os.path.abspath(path(field, folder))
    while not os.path.exists(place):
        place = os.path.dirname(place)
    if not os.path.isdir(place):
        raise SettingsError(f"{field} is {folder!r}, and {place} is a file: give a folder")
    if not os.access(place, os.W_OK | os.X_OK):
        raise SettingsError(f"{field} is {folder!r}, and you may not write in {place}: give another folder")


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


def reported(error: Exception) -> int:
    """Print what is wrong with the input, and return the exit code. Raises a bug of this project again.

    An error that no input caused, such as the loss of a worker, has an exit code of its own.

    With TRACEBACK=1 in the environment every error is raised.
    """
    of_hydra = type(error).__module__.partition(".")[0] in ("hydra", "omegaconf", "yaml")
    if os.environ.get("TRACEBACK") or not (of_hydra or isinstance(error, WRONG_INPUT)):
        raise error
    print(f"error: {without_secrets(explained(error))}", file=sys.stderr)
    return getattr(error, "exit_code", 2)


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


def explained(error: BaseException) -> str:
    """The error in a line or two; for an unknown name, with the nearest known ones.

    Hydra's errors are known by their attributes: only run.py imports it.
    """
    if choices := getattr(error, "options", None):
        group, _, name = error.missing_cfg_file.rpartition("/")
        return unknown(group, name, choices)
    if hasattr(error, "override"):
        name, equals, value = error.override.partition("=")
        if equals and re.fullmatch(r"[^\[{(]+[\[{(].*[\]})]", value):
            return f"cannot read {error.override!r}; text with brackets needs quotes of its own: \"{name}='{value}'\""
        return f"cannot read {error.override!r}; settings are name=value, such as window=1024 or distances=[0,16]"
    cause = error.__cause__
    if getattr(cause, "full_key", None) and "not in struct" in str(cause):
        return _unknown_key(cause)
    if "Cannot merge DictConfig with ListConfig" in str(cause):
        name, _, value = str(error).splitlines()[0].rpartition(" override ")[2].partition("=")
        return f"{name} is {value}; it must be a list: {name}=[{value}]"
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[:2]) or type(error).__name__


def _unknown_key(error: BaseException) -> str:
    """The message for an unknown setting; the error has its key, and the node of the configuration that lacks it."""
    prefix = error.full_key.rpartition(".")[0]
    known = {*map(str, error.parent_node or ()), *([] if prefix else help_text.groups())} - {"hydra"}
    if not known:
        return f"{prefix} has one value, and no settings of its own: give {prefix}=..., not {error.full_key}=..."
    return unknown("setting", error.full_key, [f"{prefix}.{key}" if prefix else key for key in sorted(known)])
