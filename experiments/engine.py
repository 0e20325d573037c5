"""Run what is missing: cells to tasks, repetitions interleaved, one atomic row file for each, resumed where it stopped.

Repetitions of all cells are interleaved, so that a drift of the machine is spread over them instead of falling on one.
What was measured by this code on this trace, profile and machine is not measured again (force=true does).
"""

import contextlib
import dataclasses
import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import pandas as pd

from experiments import executors, provenance
from experiments.agreement import Agreement
from experiments.cell import digest
from experiments.outcome import Outcome
from experiments.plan import Run, runs_of
from experiments.settings import Settings
from results import DISAGREES, OK, SKIPPED, TIMEOUT, Store, empty_row
from results.store import RUN

Tell = Callable[[str], None]
Progress = Callable[[int], AbstractContextManager[Tell]]
"""From the number of steps to a context whose value is told, before each step, what is measured next."""


@contextlib.contextmanager
def silent(total: int) -> Iterator[Tell]:
    """Progress that nobody sees."""
    yield lambda label: None


class Step(NamedTuple):
    """One repetition of one cell."""

    run: Run
    repetition: int


def run(config: Mapping[str, Any], progress: Progress = silent) -> Outcome:
    """Run an experiment from its composed configuration and give all rows of its cells, those kept from before too.

    Raises SettingsError, ResultsError, ExecutorError or what the workload raises, before anything is measured.
    KeyboardInterrupt passes through: what was measured is kept.
    """
    settings = Settings.of(config)
    runs = runs_of(settings)
    store = Store(settings.results)
    machine = provenance.of_this_process()["machine"]
    done = set() if settings.force else store.done(settings.name, profile=settings.profile.name, machine=machine)
    planned = [Step(one, r) for r in range(settings.profile.repetitions) for one in runs if r == 0 or one.repeated]
    missing = [step for step in planned if step.run.key(step.repetition, settings.profile.name, machine) not in done]
    if missing:
        _Measurement(settings, config, store, runs, machine).measure(_shuffled(missing, settings.seed), progress)
        store.compact(settings.name)
    rows = _of_runs(store.rows(settings.name), runs, settings, machine)
    files, kept = store.files(settings.name), len(planned) - len(missing)
    return Outcome(settings, config, rows, len(missing), kept, files, store.damaged)


def _shuffled(steps: Sequence[Step], seed: int) -> list[Step]:
    """Repetition by repetition, the cells of each in an order that the seed decides."""
    order = random.Random(seed)
    return sorted(order.sample(steps, len(steps)), key=lambda step: step.repetition)


def _of_runs(rows: pd.DataFrame, runs: Sequence[Run], settings: Settings, machine: str) -> pd.DataFrame:
    """The rows of these runs, measured now or earlier, by the present code on this machine."""
    wanted = {one.key(r, settings.profile.name, machine) for one in runs for r in range(settings.profile.repetitions)}
    mine = [key in wanted for key in rows[list(RUN)].itertuples(index=False, name=None)]
    return rows[pd.Series(mine, rows.index, dtype=bool)].reset_index(drop=True)


class _Measurement:
    """The loop over the steps, and what it must remember between them."""

    def __init__(self, settings: Settings, config: Mapping, store: Store, runs: Sequence[Run], machine: str):
        self.settings, self.config, self.store, self.machine = settings, config, store, machine
        earlier = _of_runs(store.rows(settings.name), runs, settings, machine)
        good = earlier[(earlier["status"] == OK) & (not settings.force)]
        self.agreement = Agreement(good, runs)
        # Repetitions measure the same work: as many rounds as the first was calibrated to.
        self.operations = {cell: int(n) for cell, n in zip(good["cell"], good["operations"])}
        self.attempts = defaultdict(int, earlier.groupby(["cell", "repetition"])["attempt"].max())
        self.too_long: set[str] = set()

    def measure(self, steps: Sequence[Step], progress: Progress) -> None:
        """Measure, storing each answer before the next is asked for."""
        with contextlib.ExitStack() as stack:
            executor = None
            if not all(step.run.refusal for step in steps):
                executor = stack.enter_context(contextlib.closing(executors.start(self.settings.executor)))
            tell = stack.enter_context(progress(len(steps)))
            for step in steps:
                tell(f"{step.run.cell.label}, repetition {step.repetition + 1}")
                self.store.append([self._row(step, self._answer(step, executor))])

    def _answer(self, step: Step, executor: Any) -> dict[str, Any]:
        run, started = step.run, pd.Timestamp.now("UTC")
        if run.refusal:
            return {"status": SKIPPED, "reason": run.refusal, "started": started}
        if run.cell.id in self.too_long:
            reason = "not tried: another repetition ran out of time"
            return {"status": TIMEOUT, "reason": reason, "started": started}
        answer = {"started": started, **executor.run(self._task(run))}
        if answer["status"] == TIMEOUT:
            self.too_long.add(run.cell.id)
        elif answer["status"] == OK:
            self.operations.setdefault(run.cell.id, answer["operations"])
            if problem := self.agreement.problem(run, answer["checksum"]):
                return {**answer, "status": DISAGREES, "reason": problem}
        return answer

    def _task(self, run: Run) -> dict[str, Any]:
        return {
            "cell": dataclasses.asdict(run.cell),
            "label": run.cell.label,
            "trace_hash": run.trace_hash,
            "operations": self.operations.get(run.cell.id),
            "minimum_ns": int(self.settings.profile.minimum_ms * 1e6),
            "timeout": self.settings.profile.timeout,
        }

    def _row(self, step: Step, answer: Mapping[str, Any]) -> dict[str, Any]:
        """The row of one repetition: what the plan knows and what the worker answered."""
        run, repetition = step
        revision, dirty = provenance.revision()
        cell = dataclasses.asdict(run.cell)
        del cell["drive"]
        known = {
            "cell": run.cell.id,
            "profile": self.settings.profile.name,
            "repetition": repetition,
            "metric": run.cell.metric,
            "unit": run.cell.unit,
            "config_hash": digest(self.config),
            "code_hash": run.code_hash,
            "trace_hash": run.trace_hash,
            "git_revision": revision,
            "git_dirty": dirty,
            "executor": self.settings.executor["name"],
            "seed": self.settings.seed,
            **provenance.of_this_process(),
        }
        attempt = self.attempts[run.cell.id, repetition] + answer.get("attempt", 1)
        measured = {**answer, "attempt": int(attempt), "facts": json.dumps(answer.get("facts", {}))}
        return {**empty_row(), **cell, **known, **measured}
