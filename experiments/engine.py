"""Run what is missing: cells to tasks, repetitions interleaved, one atomic row file for each, resumed where it stopped.

Repetitions of all cells are interleaved, so that a drift of the machine is spread over them instead of falling on one.
What was measured by this code on this trace, profile and machine is not measured again (force=true does).
"""

import dataclasses
import json
import math
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from algorithms import operators
from algorithms.window import catalogue
from experiments import executors, provenance
from experiments.cell import LATENCY, REPLAY, Cell, digest
from experiments.measure import DoesNotFitError, most_in_window, refuse_what_does_not_fit, trace_of
from experiments.registry import find
from experiments.settings import Settings, SettingsError, nearest
from results import DISAGREES, FAILED, OK, SKIPPED, TIMEOUT, Store, empty_row

PROBLEMS = (FAILED, TIMEOUT, DISAGREES)

POINT = ("operator", "workload", "workload_parameters", "window", "distance", "batch")
"""What cells must share for their answers to be the same: all but the algorithm."""


@dataclass
class Outcome:
    """What a run did. `rows`: all rows of its cells, those measured earlier included."""

    settings: Settings
    config: Mapping[str, Any]
    rows: pd.DataFrame
    measured: int = 0
    kept: int = 0
    row_files: Mapping[str, str] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """Number of rows by status."""
        return self.rows["status"].value_counts().to_dict()

    @property
    def failed(self) -> bool:
        return any(self.counts.get(status, 0) for status in PROBLEMS)

    @property
    def verdicts(self) -> list[dict[str, str]]:
        return list(find(self.settings.name).verdicts(self.rows))

    @property
    def figure(self) -> dict[str, Any]:
        """The description of the figure of these rows."""
        if self.settings.workload["name"] == "distance":
            return dict(self.settings.figure)
        units = {json.loads(facts).get("time_unit") for facts in self.rows["facts"]} - {None}
        label = f"time span of the window ({', '.join(sorted(units))})"
        return {**self.settings.trace_figure, "x_label": label}


@dataclass(frozen=True)
class Run:
    """One cell of this run with the hashes that tell whether its rows are still good."""

    cell: Cell
    code_hash: str
    trace_hash: str
    refusal: str

    def key(self, repetition: int, settings: Settings, machine: str) -> tuple:
        return (self.cell.id, repetition, self.code_hash, self.trace_hash, settings.profile.name, machine)


def check_names(settings: Settings) -> None:
    """Raise SettingsError for an operator, algorithm or parameter that there is not."""
    cards = catalogue()
    for name in settings.operators:
        if name not in operators.names():
            raise SettingsError(nearest("operator", name, operators.names()))
    for algorithm in settings.algorithms:
        if algorithm["name"] not in cards:
            raise SettingsError(nearest("algorithm", algorithm["name"], cards))
        cards[algorithm["name"]].complete({k: v for k, v in algorithm.items() if k != "name"})


def _trace_hash(cell: Cell) -> str:
    if cell.drive == REPLAY:
        return trace_of(cell.workload, cell.workload_parameters).hash
    return digest([cell.workload, cell.workload_parameters])


def _out_of_order(cell: Cell) -> bool:
    if cell.drive == REPLAY:
        times = trace_of(cell.workload, cell.workload_parameters).times
        return bool((times[1:] < times[:-1]).any())
    return bool(cell.distance)


def _refusal(cell: Cell) -> str:
    """Why the cell is not measured at all; empty if it is."""
    card = catalogue()[cell.algorithm]
    op = operators.make(cell.operator)
    if reason := card.refusal(op):
        return reason
    if card.order == "in order" and _out_of_order(cell):
        return f"{cell.algorithm} takes times in order only, and this workload is out of order"
    if cell.drive == REPLAY:
        trace = trace_of(cell.workload, cell.workload_parameters)
        capacity = most_in_window(trace, cell.window * trace.ticks_per_unit)
    else:
        capacity = cell.window + 1
    try:
        refuse_what_does_not_fit(cell, capacity)
    except DoesNotFitError as error:
        return str(error)
    return ""


def _runs(cells: list[Cell]) -> list[Run]:
    runs = []
    for cell in cells:
        module = catalogue()[cell.algorithm].window.__module__
        operator_module = type(operators.make(cell.operator)).__module__
        code = provenance.code_hash(module, operator_module, "experiments.measure", f"workloads.{cell.workload}")
        runs.append(Run(cell, code, _trace_hash(cell), _refusal(cell)))
    if runs and all("this machine has" in run.refusal for run in runs):
        raise SettingsError(runs[0].refusal)
    return runs


class Agreement:
    """Whether algorithms give the same answers: the first checksum at a point is the measure of the others."""

    def __init__(self, rows: pd.DataFrame):
        self._first: dict[tuple, tuple[float, str]] = {}
        good = rows[(rows["status"] == OK) & rows["checksum"].notna()]
        for row in good.astype(object).where(good.notna(), None).to_dict("records"):
            point = tuple(row[name] for name in POINT)
            self._first.setdefault((point, row["trace_hash"]), (row["checksum"], row["algorithm"]))

    def problem(self, run: Run, checksum: float | None) -> str:
        """Why these answers are not to be trusted; empty if they agree with those seen first at the same point."""
        if checksum is None:
            return ""
        point = tuple(getattr(run.cell, name) for name in POINT)
        first, whose = self._first.setdefault((point, run.trace_hash), (checksum, run.cell.algorithm))
        if math.isclose(first, checksum, rel_tol=1e-9, abs_tol=1e-9) or (math.isnan(first) and math.isnan(checksum)):
            return ""
        return f"the answers sum to {checksum!r}, those of {whose} to {first!r}"


def _row(run: Run, repetition: int, settings: Settings, config: Mapping[str, Any], answer: Mapping) -> dict[str, Any]:
    """The row of one repetition: what the plan knows and what the worker answered."""
    revision, dirty = provenance.revision()
    known = provenance.of_this_process()
    cell = dataclasses.asdict(run.cell)
    drive = cell.pop("drive")
    return {
        **empty_row(),
        **cell,
        "cell": run.cell.id,
        "profile": settings.profile.name,
        "repetition": repetition,
        "metric": run.cell.metric,
        "unit": "cycles" if drive == LATENCY else "ns",
        "config_hash": digest(config),
        "code_hash": run.code_hash,
        "trace_hash": run.trace_hash,
        "git_revision": revision,
        "git_dirty": dirty,
        "executor": settings.executor["name"],
        "seed": settings.seed,
        **known,
        **{name: value for name, value in answer.items() if name != "facts"},
        "facts": json.dumps(answer.get("facts", {})),
    }


def run(
    config: Mapping[str, Any],
    watch: Callable[[Iterator, int], Iterator] = lambda steps, total: steps,
) -> Outcome:
    """Run an experiment from its composed configuration; `watch` wraps the steps to show progress.

    Raises SettingsError, WorkloadError, ResultsError or ExecutorError before anything is measured. KeyboardInterrupt
    passes through: what was measured is kept.
    """
    settings = Settings.of(config)
    check_names(settings)
    store = Store(settings.results)
    cells = find(settings.name).plan(settings)
    runs = _runs(cells)
    machine = provenance.of_this_process()["machine"]
    done = set() if settings.force else store.done(settings.name, profile=settings.profile.name, machine=machine)
    steps = list(_steps(runs, settings, done, machine))
    kept = len(runs) * settings.profile.repetitions - len(steps)
    if steps:
        _measure_all(steps, settings, config, store, watch)
    store.compact(settings.name)
    rows = _rows_of(store.rows(settings.name), runs, settings, machine)
    return Outcome(settings, config, rows, len(steps), kept, store.files(settings.name))


def _steps(runs: list[Run], settings: Settings, done: set, machine: str) -> Iterator[tuple[Run, int]]:
    """Which repetition of which cell to measure, in order: repetitions interleaved, cells shuffled by the seed."""
    order = random.Random(settings.seed)
    for repetition in range(settings.profile.repetitions):
        missing = [one for one in runs if one.key(repetition, settings, machine) not in done]
        order.shuffle(missing)
        yield from ((one, repetition) for one in missing if not one.refusal or repetition == 0)


def _measure_all(steps: list, settings: Settings, config: Mapping, store: Store, watch: Callable) -> None:
    earlier = store.rows(settings.name)
    agreement = Agreement(earlier)
    operations = _operations(earlier)
    executor = None
    try:
        for one, repetition in watch(iter(steps), len(steps)):
            if one.refusal:
                answer = {"status": SKIPPED, "reason": one.refusal, "started": pd.Timestamp.now("UTC")}
            else:
                executor = executor or executors.start(settings.executor["name"], settings.executor)
                answer = executor.run(_task(one, settings, operations))
            if answer["status"] == OK:
                operations.setdefault((one.cell.id, one.code_hash), answer["operations"])
                if problem := agreement.problem(one, answer["checksum"]):
                    answer = {**answer, "status": DISAGREES, "reason": problem}
            answer.setdefault("started", pd.Timestamp.now("UTC"))
            store.append([_row(one, repetition, settings, config, answer)])
    finally:
        if executor is not None:
            executor.close()


def _operations(rows: pd.DataFrame) -> dict[tuple[str, str], int]:
    """Rounds that each cell was calibrated to, so that its repetitions measure the same work."""
    good = rows[rows["status"] == OK].sort_values("started")
    return {(cell, code): int(n) for cell, code, n in zip(good["cell"], good["code_hash"], good["operations"])}


def _task(one: Run, settings: Settings, operations: Mapping) -> dict[str, Any]:
    return {
        "cell": dataclasses.asdict(one.cell),
        "label": one.cell.label,
        "operations": operations.get((one.cell.id, one.code_hash)),
        "minimum_ns": int(settings.profile.minimum_ms * 1e6),
        "timeout": settings.profile.timeout,
    }


def _rows_of(rows: pd.DataFrame, runs: list[Run], settings: Settings, machine: str) -> pd.DataFrame:
    """The rows of this run's cells, measured now or earlier, by the present code."""
    keys = {one.key(repetition, settings, machine) for one in runs for repetition in range(settings.profile.repetitions)}
    columns = ["cell", "repetition", "code_hash", "trace_hash", "profile", "machine"]
    mine = [key in keys for key in rows[columns].itertuples(index=False, name=None)]
    return rows[mine].reset_index(drop=True)
