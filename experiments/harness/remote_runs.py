"""Runs that a worker measures: what is sent to it, what it does there, and how its rows come back.

A multirun sends a job to a worker, which may be on another machine. The rows that are stored here go with its
configurations, so that nothing is measured twice; the rows that it measures come back and are stored here. The rest of
the job (figures, claims) is done here, as if it had been measured here.
"""

import contextlib
import pickle
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

from experiments.harness import engine, provenance, timing_lock
from experiments.harness.cell import digest
from experiments.harness.cli import messages
from experiments.harness.outcome import Outcome, recall
from experiments.harness.plan import cells_of
from experiments.harness.progress import display
from experiments.harness.settings import Settings, SettingsError, check_place, of_an_experiment
from results import SCHEMA, Store, validate
from results.store import RUN, to_frame

JOBS = "jobs on this machine"
"""The slot of jobs on workers; that of the machine is held by a run which has its workers there."""

_returned: dict[str, Outcome | Exception] = {}
"""Outcomes and errors of runs that came back, by configuration, until `run` takes them."""


def run(config: Mapping[str, Any], progress: Callable = display) -> Outcome:
    """As engine.run; for a run that a worker measured, its outcome. Raises what was raised there."""
    outcome = _returned.pop(_key(config), None)
    if outcome is None:
        return engine.run(config, progress)
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def outcome_of(config: Mapping[str, Any], variant: str, stored: bool) -> Outcome:
    """The outcome of `run`, or if `stored` of `recalled`; its figures' names end in the variant."""
    outcome = recalled(config) if stored else run(config)
    outcome.variant = variant
    return outcome


def recalled(config: Mapping[str, Any]) -> Outcome:
    """The outcome from stored rows alone, whatever code measured them. Raises SettingsError if there are none."""
    found = recall(config)
    if found.rows.empty:
        settings = found.settings
        raise SettingsError(
            f"{settings.results} has no rows of {settings.name} with profile={settings.profile.name} and these "
            "settings; without action=draw they are measured"
        )
    return found


def cells(config: Mapping[str, Any]) -> set[str]:
    """The ids of the cells that a job of this configuration may measure; empty if it measures nothing.

    Empty, too, if the settings are wrong: the error is reported when the job is done here.
    """
    if config.get("action") != "run" or "name" not in config:
        return set()
    try:
        check_place("figure_folder", config["figure_folder"])
        return {cell.id for cell in cells_of(Settings.of(of_an_experiment(config)))}
    except messages.WRONG_INPUT:
        return set()


def sent(configs: Sequence[Mapping[str, Any]], alone: bool = False) -> dict[str, Any]:
    """The task in which a worker measures these configurations: the argument of `measured`.

    `alone`: not while another such task measures on the same machine, which Spark may give it as well.
    """
    known = [[] if config.get("force") else _with_few_samples(_stored(config)) for config in configs]
    runs = [(of_an_experiment(config), rows) for config, rows in zip(configs, known, strict=True)]
    return {"runs": runs, "alone": alone, "revision": provenance.revision()}


def measured(task: Mapping[str, Any]) -> list[dict[str, Any]]:
    """On a worker: measure what is missing; for each configuration the new rows, or the error."""
    with timing_lock.held(JOBS, "a job") if task["alone"] else contextlib.nullcontext():
        return [_measured(config, known, task) for config, known in task["runs"]]


def bring(configs: Sequence[Mapping[str, Any]], answers: Sequence[Mapping[str, Any]], attempt: int) -> None:
    """Store the rows that a worker measured at some attempt, and keep the outcomes for `run`."""
    for config, answer in zip(configs, answers, strict=True):
        answer = {**answer, "rows": [{**row, "attempt": row["attempt"] + attempt - 1} for row in answer["rows"]]}
        outcome = _stored_here(config, answer) if answer["rows"] or not answer["error"] else None
        _returned[_key(config)] = answer["error"] or outcome


def _key(config: Mapping[str, Any]) -> str:
    return digest(of_an_experiment(config))


def _stored(config: Mapping[str, Any]) -> pa.Table:
    rows = Store(config["results"]).rows(config["name"])
    return _table(rows[rows["profile"] == config["profile"]["name"]])


def _table(rows: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(rows, SCHEMA, preserve_index=False)


def _with_few_samples(rows: pa.Table) -> list[dict[str, Any]]:
    """Latencies with one sample at most, for a cell has a million: enough to tell what is done. Laps are kept.

    A worker that looks whether repetitions must be added decides statements about stored latencies by these; the
    verdicts are decided here, by all.
    """
    return [{**row, "samples": row["samples"] and row["samples"][: max(1, row["laps"])]} for row in rows.to_pylist()]


def _measured(config: dict[str, Any], known: list[dict[str, Any]], task: Mapping[str, Any]) -> dict[str, Any]:
    answer = {"error": None, "rows": [], "runs": set(), "measured": 0, "kept": 0}
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        if known:
            store.append(known)
        before = {tuple(row[name] for name in (*RUN, "started")) for row in known}
        try:
            outcome = engine.run({**config, "executor": {"name": "inline"}}, store=store)
            answer["runs"] = set(outcome.rows[list(RUN)].itertuples(index=False, name=None))
            answer |= {"measured": outcome.measured, "kept": outcome.kept}
        except Exception as error:  # reported where the run was started
            answer["error"] = _portable(error)
        rows = [row for row in _table(store.rows(config["name"])).to_pylist()
                if tuple(row[name] for name in (*RUN, "started")) not in before]  # fmt: skip
    revision, dirty = task["revision"]
    origin = {"git_revision": revision, "git_dirty": dirty}
    return {**answer, "rows": [{**row, **origin} for row in rows]}


def _portable(error: Exception) -> Exception:
    """The error itself if it can be pickled, else one with the same message."""
    try:
        return pickle.loads(pickle.dumps(error))  # noqa: S301 - pickled on this very line
    except Exception:  # errors of other packages may have arguments of their own
        return RuntimeError(f"{type(error).__name__}: {messages.explained(error)}")


def _stored_here(config: Mapping[str, Any], answer: Mapping[str, Any]) -> Outcome:
    settings = Settings.of(of_an_experiment(config))
    store = Store(settings.results)
    if answer["rows"]:
        store.append(answer["rows"])
        store.compact(settings.name)
    if settings.force:  # what went wrong now counts, though the store keeps what was good before
        rows = to_frame(validate(answer["rows"]))
    else:
        rows = store.rows(settings.name)
        of_run = [key in answer["runs"] for key in rows[list(RUN)].itertuples(index=False, name=None)]
        rows = rows[pd.Series(of_run, rows.index, dtype=bool)].reset_index(drop=True)
    files = store.files(settings.name)
    return Outcome(settings, of_an_experiment(config), rows, answer["measured"], answer["kept"], files, store.damaged)
