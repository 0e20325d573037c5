"""The outcome of a run: its rows, verdicts and descriptions of figures; the same from rows stored earlier."""

import functools
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.harness import provenance, surroundings
from experiments.harness.cell import Cell
from experiments.harness.feasibility import estimate
from experiments.harness.plan import any_results, cells_of, code_hashes
from experiments.harness.registry import find
from experiments.harness.settings import Settings, SettingsError
from results import DISAGREES, FAILED, TIMEOUT, Store
from results.agreement import Run
from results.origin import of_one_origin
from results.store import IDENTITY
from results.verdicts import NOT_MEASURED, Verdict, published_in

PROBLEMS = (FAILED, TIMEOUT, DISAGREES)

OF_SIDECARS = {"figure", "config", "rows", "drawn"}
"""Keys of the sidecar of a figure: other JSON in a folder is the user's own."""


@dataclass
class Outcome:
    """The outcome of a run. `rows`: all rows of its cells, earlier ones too."""

    settings: Settings
    config: Mapping[str, Any]
    rows: pd.DataFrame
    measured: int = 0
    kept: int = 0
    row_files: Mapping[str, str] = field(default_factory=dict)
    damaged: Sequence[Any] = ()
    """Row files that were found unreadable and set aside."""
    variant: str = ""
    """The end of its figures' names, by which they differ from figures of other settings."""

    @property
    def name(self) -> str:
        """The name of the run: its experiment, and its variant."""
        return self.settings.name + self.variant

    @property
    def failed(self) -> bool:
        """Whether any repetition failed, ran out of time or disagrees with the others."""
        return bool(self.rows["status"].isin(PROBLEMS).any())

    @functools.cached_property
    def _cells(self) -> list[Cell]:
        """The cells that today's code plans."""
        return _planned(self.settings)

    @property
    def code(self) -> dict[str, Any]:
        """The code that draws: its revision, and of how many rows the code that measured does as it does.

        A run would keep these `rows_of_it`, whatever their own revision is, and measure the others anew.
        """
        of_it = int((self.rows["cell"].map(code_hashes(self._cells)) == self.rows["code_hash"]).sum())
        revision, dirty = provenance.revision()
        return {"revision": revision, "dirty": dirty, "rows": len(self.rows), "rows_of_it": of_it}

    @functools.cached_property
    def restless(self) -> str:
        """Why the machine was not quiet, in a sentence; empty if it was."""
        return surroundings.restless(without_their_own(self.rows, self._cells))

    @property
    def warning(self) -> str:
        """What is printed of a restless run: why it is one, and what to do."""
        return f"{self.restless}: {surroundings.WHAT_TO_DO}" if self.restless else ""

    @functools.cached_property
    def verdicts(self) -> list[Verdict]:
        """The verdict on every statement about the experiment; what is not measured says which profile would do."""
        found = find(self.settings.name).verdicts(self.rows)
        larger = self._measured_by({verdict.claim for verdict in found if verdict.word == NOT_MEASURED})
        return [self._completed(verdict, larger) for verdict in found]

    def _completed(self, verdict: Verdict, larger: Mapping[str, str]) -> Verdict:
        if verdict.word == NOT_MEASURED:
            by = larger.get(verdict.claim)
            return verdict._replace(reason=f"{verdict.reason}; profile={by} measures it") if by else verdict
        if self.restless and verdict.timed and verdict.configurations:
            return verdict._replace(reason="; ".join(filter(None, (verdict.reason, self.restless))))
        return verdict

    def _measured_by(self, claims: set[str]) -> dict[str, str]:
        """The smallest larger profile whose cells, if they fit this machine, would let a claim be judged, by claim."""
        names, found = list(self.config["sizes"]), dict[str, str]()
        for name in names[names.index(self.settings.profile.name) + 1 :]:
            if open_ones := claims - found.keys():
                cells = _planned(replace(self.settings, sizes=self.config["sizes"][name]))
                rows = any_results(cell for cell in cells if not estimate(cell).too_much)
                verdicts = find(self.settings.name).verdicts(rows, open_ones)
                found |= {verdict.claim: str(name) for verdict in verdicts if verdict.word != NOT_MEASURED}
        return found

    @property
    def figures(self) -> list[dict[str, Any]]:
        """The descriptions of the figures of these rows."""
        traces = self.settings.workload["name"] != "distance" and self.settings.trace_figures
        chosen = self.settings.trace_figures if traces else self.settings.figures
        descriptions = [
            {**self.settings.every_figure, **figure, "name": figure["name"] + self.variant} for figure in chosen
        ]
        for figure in descriptions:
            if traces and figure.get("x") == "window":
                units = {json.loads(facts).get("time_unit") for facts in self.rows["facts"]} - {None}
                unit = f" ({', '.join(sorted(units))})" if units else ""
                figure["x_label"] = f"time span of the window{unit}"
            if figure.get("panel") == "operator" and self.settings.operators:
                figure["panels"] = list(self.settings.operators)
        return descriptions


def _planned(settings: Settings) -> list[Cell]:
    """The cells of a run; none where today's code refuses its configuration, which may be an earlier one."""
    try:
        return cells_of(settings)
    except ValueError:
        return []


def without_their_own(rows: pd.DataFrame, cells: Iterable[Cell]) -> pd.DataFrame:
    """The rows without what cells in a session do to themselves: of their surroundings only stolen time is left.

    A session works on all cores, and goes on for a while (compiles, collects): its load is no sign of others, and it
    slows the fixed loop that is timed before and after.
    """
    in_sessions = rows["cell"].isin({cell.id for cell in cells if cell.session is not None})
    stolen = rows["surroundings"].map(lambda text: json.dumps({"steal": json.loads(text).get("steal", 0.0)}))
    return rows.assign(surroundings=rows["surroundings"].mask(in_sessions, stolen))


def outcomes_in(folder: str) -> list[Outcome]:
    """The outcome of every run with a figure in the folder, by name, from the rows that are stored for it.

    The sidecar of a figure has the configuration that it was drawn with; of several under one name the latest counts.
    So do the cells that it names: today's code might plan others. Runs without rows are left out. Raises SettingsError
    if no run has rows, and what `recall` raises.
    """
    files = [(path, json.loads(path.read_text(encoding="utf-8"))) for path in sorted(Path(folder).glob("*.json"))]
    sidecars = [(path, found) for path, found in files if isinstance(found, dict) and found.keys() >= OF_SIDECARS]
    latest: dict[str, tuple[dict[str, Any], str]] = {}
    cells: dict[str, list[str] | None] = {}
    for path, sidecar in sorted(sidecars, key=lambda pair: pair[1]["drawn"]):
        try:
            settings = Settings.of(sidecar["config"])
        except SettingsError as error:
            raise SettingsError(f"{path}: {error}; draw that figure again, or delete the file") from None
        variant = _variant(settings, sidecar["figure"]["name"])
        name = settings.name + variant
        latest[name] = {**sidecar["config"], "results": _results_of(path, sidecar)}, variant
        cells[name] = sidecar.get("cells") or cells.get(name)
    recalled = [
        replace(recall(config, cells[name]), variant=variant) for name, (config, variant) in sorted(latest.items())
    ]
    if outcomes := [outcome for outcome in recalled if len(outcome.rows)]:
        return outcomes
    raise SettingsError(f"{folder} has no figures with stored rows; run an experiment first")


def _results_of(path: Path, sidecar: Mapping[str, Any]) -> str:
    """The folder of the rows of a figure: its own if they are there, as in a published folder and in a copy of one."""
    results, files = sidecar["config"]["results"], sidecar["rows"]["files"]
    beside = files and all((path.parent / name).is_file() for name in files)
    return str(path.parent) if beside and path.parent.resolve() != Path(results).resolve() else results


def named(outcomes: Sequence[Outcome]) -> dict[str, Outcome]:
    """The runs of a folder by the names that they have on pages.

    Where all of them have one profile, it is left out: a statement at the paper's sizes is the same one as at a
    laptop's, and runs are compared by it. It stays where a run that was given it would have the name of another.
    """
    profiles = {outcome.settings.profile.name for outcome in outcomes}
    of_profile = f"-profile_{profiles.pop()}" if len(profiles) == 1 else ""
    runs = {outcome.name.replace(of_profile, ""): outcome for outcome in outcomes}
    return runs if len(runs) == len(outcomes) else {outcome.name: outcome for outcome in outcomes}


def by_name(folder: str) -> dict[str, Outcome]:
    """The runs with figures in a folder by the names that they have on pages. Raises as `outcomes_in`."""
    return named(outcomes_in(folder))


def runs_in(folders: Sequence[str]) -> dict[str, Run]:
    """The run whose figures are in each folder. Raises as `outcomes_in`."""
    return {folder: run_in(folder) for folder in folders}


def run_in(folder: str) -> Run:
    """The run whose figures are in a folder, to be compared with others. Raises as `outcomes_in`.

    Its verdicts are those of the sidecars; where these have none, rows are judged.
    """
    runs, published = by_name(folder), published_in(Path(folder))
    verdicts = [
        verdict._replace(experiment=name)
        for name, run in runs.items()
        for verdict in published.get(run.name) or run.verdicts
    ]
    rows = pd.concat([run.rows for run in runs.values()], ignore_index=True)
    return Run(verdicts, rows.drop_duplicates([*IDENTITY, "started"], ignore_index=True), folder)  # runs share cells


def _variant(settings: Settings, name: str) -> str:
    """The end of a drawn figure's name, after the name that these settings give the figure."""
    bases = [figure["name"] for figure in (*settings.figures, *settings.trace_figures)]
    return name.removeprefix(max((base for base in bases if name.startswith(base)), key=len))


def recall(config: Mapping[str, Any], cells: Collection[str] | None = None) -> Outcome:
    """The outcome of a run of this configuration from stored rows alone; nothing is measured.

    `cells` are the ids of its cells; None: those that it has by today's code. Of each cell rows of one origin (code,
    trace, machine) are taken: of today's code, else the newest. Raises as engine.run does.
    """
    settings = Settings.of(config)
    store = Store(settings.results)
    rows = store.rows(settings.name)
    planned = cells_of(settings) if cells is None else _planned(settings)
    ids = {cell.id for cell in planned} if cells is None else cells
    of_run = rows[rows["cell"].isin(ids) & (rows["profile"] == settings.profile.name)]
    kept = of_one_origin(of_run, code_hashes(planned)).reset_index(drop=True)
    return Outcome(settings, config, kept, 0, len(kept), store.files(settings.name), store.damaged)
