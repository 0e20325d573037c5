"""What a run gave: its rows, verdicts and the description of its figure; the same from rows stored earlier."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.plan import cells_of
from experiments.registry import find
from experiments.settings import Settings, SettingsError
from results import DISAGREES, FAILED, TIMEOUT, Store

PROBLEMS = (FAILED, TIMEOUT, DISAGREES)

ORIGIN = ["code_hash", "trace_hash", "machine"]


@dataclass
class Outcome:
    """What a run did. `rows`: all rows of its cells, those measured earlier included."""

    settings: Settings
    config: Mapping[str, Any]
    rows: pd.DataFrame
    measured: int = 0
    kept: int = 0
    row_files: Mapping[str, str] = field(default_factory=dict)
    damaged: Sequence[Any] = ()
    """Row files that were found unreadable and set aside."""

    @property
    def failed(self) -> bool:
        """Whether any repetition failed, ran out of time or disagrees with the others."""
        return bool(self.rows["status"].isin(PROBLEMS).any())

    @property
    def verdicts(self) -> list[dict[str, str]]:
        """The verdict on every claim of the experiment."""
        return list(find(self.settings.name).verdicts(self.rows))

    @property
    def figure(self) -> dict[str, Any]:
        """The description of the figure of these rows."""
        if self.settings.workload["name"] == "distance" or not self.settings.trace_figure:
            figure = dict(self.settings.figure)
        else:
            units = {json.loads(facts).get("time_unit") for facts in self.rows["facts"]} - {None}
            unit = f" ({', '.join(sorted(units))})" if units else ""
            figure = {**self.settings.trace_figure, "x_label": f"time span of the window{unit}"}
        if figure.get("panel") == "operator":
            figure["panels"] = list(self.settings.operators)
        return figure


def drawn(folder: str) -> dict[str, Outcome]:
    """The outcome of every figure in the folder by its name, from the rows that are stored for it.

    The sidecar of a figure has the configuration that it was drawn with. Figures without rows are left out.
    Raises SettingsError where none is left, and what `recall` raises.
    """
    sidecars = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(Path(folder).glob("*.json"))]
    found = {sidecar["figure"]["name"]: recall(sidecar["config"]) for sidecar in sidecars}
    if kept := {name: outcome for name, outcome in found.items() if len(outcome.rows)}:
        return kept
    raise SettingsError(f"{folder} has no figures with stored rows; run an experiment first")


def recall(config: Mapping[str, Any]) -> Outcome:
    """The outcome of a run of this configuration from stored rows alone; nothing is measured.

    Of each cell the rows with the newest origin (code, trace, machine) are taken. Raises as engine.run does.
    """
    settings = Settings.of(config)
    store = Store(settings.results)
    rows = store.rows(settings.name)
    ids = {cell.id for cell in cells_of(settings)}
    mine = rows[rows["cell"].isin(ids) & (rows["profile"] == settings.profile.name)].sort_values("started")
    newest = mine.groupby("cell")[ORIGIN].transform("last")
    kept = mine[(mine[ORIGIN] == newest).all(axis=1)].reset_index(drop=True)
    return Outcome(settings, config, kept, 0, len(kept), store.files(settings.name), store.damaged)
