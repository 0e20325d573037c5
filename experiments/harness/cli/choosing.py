"""The jobs of a command: one configuration, or those of the experiments that experiment=all stands for."""

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from experiments.harness.cli import help_text
from experiments.harness.settings import ACTIONS, Settings, SettingsError, check_place, listed, of_an_experiment, path
from safeguards.wrong_input import unknown

ALL = "all"
"""The experiment that stands for every other."""

Job = tuple[dict[str, Any], list[str]]
"""A composed configuration and the settings given on the command line that led to it."""

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
        folder, profile = path("results", config["results"]), str((config.get("profile") or {}).get("name"))
        unless_named, where = _without_rows(every, Path(folder), profile), f" with rows of {profile} in {folder}"
        if len(unless_named) == len(every):
            raise SettingsError(f"results is {folder!r}; no experiment has rows of profile {profile} there")
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


def _without_rows(names: Iterable[str], folder: Path, profile: str) -> set[str]:
    """Those without rows of the profile in a folder of rows. One with a damaged file is not: its turn says so."""
    from results import Store

    def has_rows(name: str) -> bool:
        try:
            return profile in Store(folder).profiles(name)
        except (OSError, ValueError):
            return True

    return {name for name in names if not has_rows(name)}


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
