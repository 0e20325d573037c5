"""Run what is missing: cells to tasks, repetitions interleaved, one atomic row file for each, resumed where it stopped.

Repetitions of all cells are interleaved, so that a drift of the machine is spread over them instead of falling on one.
Cells already measured by this code on this trace, profile and machine are not measured again (force=true does).
"""

import contextlib
import dataclasses
import functools
import itertools
import json
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import pandas as pd

from experiments.harness import executors, provenance, timing_lock
from experiments.harness.agreement import Agreement
from experiments.harness.cell import digest
from experiments.harness.executors import java, shared
from experiments.harness.outcome import Outcome
from experiments.harness.plan import Run, runs_of
from experiments.harness.progress import Tell
from experiments.harness.registry import find
from experiments.harness.settings import Settings, SettingsError
from results import DISAGREES, OK, SKIPPED, TIMEOUT, Store, empty_row, validate
from results.store import RUN, to_frame

Progress = Callable[[int, str], AbstractContextManager[Tell]]
"""From the number of steps, and what they are, to a context manager. Its value is called with the name of each step
before it begins, and with what the one before spent on compiling."""


@contextlib.contextmanager
def silent(total: int, steps: str = "") -> Iterator[Tell]:
    """Progress that is not shown."""
    yield lambda label, compiled=0.0: None


class Step(NamedTuple):
    """One repetition of one cell."""

    run: Run
    repetition: int


Taken = dict[tuple[str, int], dict[str, Any] | None]
"""What a run has measured itself, by cell and repetition: None where that is good, else the row, which says why not."""


def run(config: Mapping[str, Any], progress: Progress = silent, store: Store | None = None) -> Outcome:
    """Run an experiment from its composed configuration and return all rows of its cells, earlier ones too.

    Every cell is measured `profile.repetitions` times. Then rounds of repetitions are added, up to
    `profile.most_repetitions`, of the cells that undecided statements need, while `profile.budget_minutes` last.

    Rows are stored in the folder that the configuration names, and the run waits for the timing lock. A caller that
    passes a `store` must itself see to it that nothing else is measured meanwhile. Raises SettingsError, ResultsError,
    ExecutorError or what the workload raises, before anything is measured. KeyboardInterrupt passes through: what was
    measured is kept.
    """
    settings = Settings.of(config)
    runs = runs_of(settings)
    place = timing_lock.place_of(settings.executor)
    lock = functools.partial(timing_lock.held, place, settings.name) if store is None else contextlib.nullcontext
    store = store or Store(settings.results)
    store.must_be_writable()
    taken: Taken = {}
    begun = pd.Timestamp.now("UTC").to_pydatetime()
    with shared.executor_of(settings.executor) as executor:
        machines = executor.machines()

        def rows() -> pd.DataFrame:
            found = _of_runs(store.rows(settings.name), runs, settings, machines)
            return _with_taken(found, taken, settings.force)

        def measured_now(steps: Sequence[Step], purpose: str) -> int:
            """How many of the steps had no good rows, and have been measured."""
            if not (missing := _missing(steps, store, settings, machines)):
                return 0
            _refuse_without_java(missing, settings)
            with lock():
                missing = _missing(steps, store, settings, machines)  # another run may have measured meanwhile
                measurement = _Measurement(settings, config, store, runs, machines, taken)
                measurement.measure(_shuffled(missing, settings.seed), executor, progress, purpose)
                store.compact(settings.name)
            return len(missing)

        planned = [Step(run, r) for r in range(settings.profile.repetitions) for run in runs if r == 0 or run.repeated]
        measured = measured_now(planned, "measurements")
        kept = len(planned) - measured
        for steps, purpose in _further_rounds(settings, runs, rows):
            added = measured_now(steps, purpose)
            measured, kept = measured + added, kept + len(steps) - added
        if settings.force:
            store.forget(settings.name, _superseded(runs, taken, settings, machines), begun)
        return Outcome(settings, config, rows(), measured, kept, store.files(settings.name), store.damaged)


def _refuse_without_java(steps: Sequence[Step], settings: Settings) -> None:
    """Raise SettingsError where all steps measure Spark, in a worker of this machine, and Spark finds no Java here.

    An executor that is Spark itself has been refused, or is elsewhere.
    """
    if settings.executor["name"] != "inline" or any(step.run.cell.session is None for step in steps):
        return
    if java.ready():
        raise SettingsError(
            f"{settings.name} measures Spark itself, with any executor: install Java {java.LEAST} or newer, or get one "
            "for this project alone: make jre"
        )


def _further_rounds(
    settings: Settings, runs: Sequence[Run], rows: Callable[[], pd.DataFrame]
) -> Iterator[tuple[list[Step], str]]:
    """A round of repetitions after the other, of the cells that undecided statements need, and what it is for.

    Statements are looked at again only when the number of repetitions has doubled: every look is one more chance to be
    wrong. Ends when all are decided, at the most repetitions, and when the budget is spent.
    """
    end = time.monotonic() + 60 * settings.profile.budget_minutes
    for least, most in itertools.pairwise(settings.profile.looks):
        so_far = rows()
        rulings = find(settings.name).rulings(so_far[so_far["repetition"] < least])
        needed = [ruling.undecided_cells() for ruling in rulings]
        cells, open_ones = frozenset().union(*needed), sum(map(bool, needed))
        for repetition in range(least, most):
            steps = [Step(run, repetition) for run in runs if run.repeated and run.cell.id in cells]
            if not steps or time.monotonic() > end:
                return
            statements = "1 undecided statement" if open_ones == 1 else f"{open_ones} undecided statements"
            number = f"repetition {repetition + 1} of at most {settings.profile.looks[-1]}"
            yield steps, f"measurements: {number}, for {statements}"


def _missing(planned: Sequence[Step], store: Store, settings: Settings, machines: Iterable[str]) -> list[Step]:
    """The steps without good rows; all of them where force is set."""
    done = set() if settings.force else store.done(settings.name, profile=settings.profile.name)
    return [step for step in planned if done.isdisjoint(_keys(step.run, step.repetition, settings, machines))]


def _superseded(runs: Sequence[Run], taken: Taken, settings: Settings, machines: Iterable[str]) -> set[tuple[Any, ...]]:
    """The keys of all repetitions of these cells, but for those that went wrong now: what was good there is kept."""
    wrong = {key for key, row in taken.items() if row is not None}
    numbers = range(settings.profile.looks[-1])
    return {
        key
        for run in runs
        for r in numbers
        if (run.cell.id, r) not in wrong
        for key in _keys(run, r, settings, machines)
    }


def _shuffled(steps: Sequence[Step], seed: int) -> list[Step]:
    """Repetition by repetition, the cells of each in an order that the seed decides.

    Cells that need the same session follow each other: starting one takes longer than measuring a cell.
    """
    order = random.Random(seed)
    mixed = order.sample(steps, len(steps))
    first_place: dict[tuple[int, str | None], int] = {}
    for place, step in enumerate(mixed):
        first_place.setdefault((step.repetition, step.run.cell.session), place)
    return sorted(mixed, key=lambda step: (step.repetition, first_place[step.repetition, step.run.cell.session]))


def _keys(run: Run, repetition: int, settings: Settings, machines: Iterable[str]) -> set[tuple[Any, ...]]:
    """The keys of one repetition of a cell, one for each of these machines: its values of the columns in RUN.

    What is refused is refused here, wherever the others are measured.
    """
    key = (run.cell.id, repetition, run.code_hash, run.trace_hash, settings.profile.name)
    here = [provenance.of_this_process()["machine"]] if run.refusal else []
    return {(*key, machine) for machine in (*machines, *here)}


def _of_runs(rows: pd.DataFrame, runs: Sequence[Run], settings: Settings, machines: Iterable[str]) -> pd.DataFrame:
    """The rows of these runs, measured now or earlier, by the present code on these machines."""
    repetitions = range(settings.profile.looks[-1])
    keys = {key for run in runs for r in repetitions for key in _keys(run, r, settings, machines)}
    of_these = [key in keys for key in rows[list(RUN)].itertuples(index=False, name=None)]
    return rows[pd.Series(of_these, rows.index, dtype=bool)].reset_index(drop=True)


def _with_taken(rows: pd.DataFrame, taken: Taken, alone: bool) -> pd.DataFrame:
    """The rows, and of what this run has measured also those that are not good; `alone`: no others, as force=true asks.

    The store has other rows for them where an earlier one of the same code was good, and does not find them by machine
    where a worker was lost before it said which one it was on.
    """
    keys = zip(rows["cell"], rows["repetition"], strict=True)
    kept = [taken[key] is None if key in taken else not alone for key in keys]
    good = rows[pd.Series(kept, rows.index, dtype=bool)].reset_index(drop=True)
    wrong = [row for row in taken.values() if row is not None]
    return pd.concat([good, to_frame(validate(wrong))], ignore_index=True) if wrong else good


class _Measurement:
    """The loop over the steps, and what it must remember between them."""

    def __init__(
        self,
        settings: Settings,
        config: Mapping[str, Any],
        store: Store,
        runs: Sequence[Run],
        machines: set[str],
        taken: Taken,
    ):
        self.settings, self.config, self.store, self.machines, self.taken = settings, config, store, machines, taken
        earlier = _of_runs(store.rows(settings.name), runs, settings, machines)
        counting = _with_taken(earlier, taken, settings.force)
        good = counting[counting["status"] == OK]
        self.agreement = Agreement(good, runs)
        # Repetitions measure the same work: as many rounds and laps as the first was calibrated to.
        self.work = {cell: (int(n), int(k)) for cell, n, k in zip(good["cell"], good["operations"], good["laps"])}
        self.attempts = defaultdict(int, earlier.groupby(["cell", "repetition"])["attempt"].max())
        self.given_up: dict[str, dict[str, str]] = {}
        """By cell, the status and reason of what is not tried again."""

    def measure(
        self, steps: Sequence[Step], executor: executors.LazyExecutor, progress: Progress, purpose: str
    ) -> None:
        """Measure the steps, storing the row of each before the next one begins."""
        compiled = 0.0
        with progress(len(steps), purpose) as tell:
            if not all(step.run.refusal for step in steps):
                executor.start()
            for step in steps:
                tell(f"{step.run.cell.label}, repetition {step.repetition + 1}", compiled)
                answer = self._answer(step, executor)
                row = self._row(step, answer)
                compiled = row["compile_seconds"] if step.repetition == 0 and row["status"] == OK else 0.0
                if "machine" in answer:
                    self.machines.add(row["machine"])  # a worker may be on a machine that is new
                self.store.append([row])
                self.taken[row["cell"], step.repetition] = None if row["status"] == OK else row

    def _answer(self, step: Step, executor: executors.LazyExecutor) -> dict[str, Any]:
        run, started = step.run, pd.Timestamp.now("UTC")
        if run.refusal:
            return {"status": SKIPPED, "reason": run.refusal, "started": started}
        if run.cell.id in self.given_up:
            return {**self.given_up[run.cell.id], "started": started}
        answer = {"started": started, **executor.start().run(self._task(step))}
        if answer["status"] == TIMEOUT:
            reason = "not tried: another repetition ran out of time"
            self.given_up[run.cell.id] = {"status": TIMEOUT, "reason": reason}
        elif answer["status"] == SKIPPED:
            self.given_up[run.cell.id] = {"status": SKIPPED, "reason": answer["reason"]}
        elif answer["status"] == OK:
            self.work.setdefault(run.cell.id, (answer["operations"], answer.get("laps", 0)))
            if problem := self.agreement.problem(run, answer["checksum"]):
                return {**answer, "status": DISAGREES, "reason": problem}
        return answer

    def _task(self, step: Step) -> dict[str, Any]:
        run = step.run
        operations, laps = self.work.get(run.cell.id, (None, None))
        return {
            "cell": dataclasses.asdict(run.cell),
            "module": run.cell.declared.module,
            "label": run.cell.label,
            "round": step.repetition,
            "trace_hash": run.trace_hash,
            "operations": operations,
            "laps": laps,
            "minimum_ns": int(self.settings.profile.minimum_ms * 1e6),
            "timeout": self.settings.profile.timeout,
        }

    def _row(self, step: Step, answer: Mapping[str, Any]) -> dict[str, Any]:
        """The row of one repetition: what the plan knows and what the worker answered."""
        run, repetition = step
        revision, dirty = provenance.revision()
        known = {
            "profile": self.settings.profile.name,
            "repetition": repetition,
            "config_hash": digest(self.config),
            "code_hash": run.code_hash,
            "trace_hash": run.trace_hash,
            "git_revision": revision,
            "git_dirty": dirty,
            "executor": self.settings.executor["name"],
            "seed": self.settings.seed,
            "counted": run.cell.declared.counted,
            **provenance.of_this_process(),
        }
        attempt = self.attempts[run.cell.id, repetition] + answer.get("attempt", 1)
        measured = {**answer, "attempt": int(attempt), "facts": json.dumps(answer.get("facts", {}))}
        return {**empty_row(), **run.cell.columns, **known, **measured}
