"""The runs that a page is about: their rows, verdicts and figures, in the order of their papers."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from results.verdicts import Verdict

PAPERS = {
    "fiba": "FiBA: finger B-trees for out-of-order windows",
    "reactive_aggregator": "The Reactive Aggregator",
    "cutty": "Cutty: slicing for shared windows",
    "mta": "Monoid Tree Aggregators",
    "compressed_windows": "Compressed windows",
}
"""The five papers, in the order of the page."""

OURS = "Goals and checks of this project"

SMOKE = "smoke"

MEDIA = (".svg", ".png")
"""Kinds of files of a figure, in the order in which they are taken."""


class Run(NamedTuple):
    """One experiment as it was run: its name, rows, verdicts and figures (stems of files)."""

    name: str
    rows: pd.DataFrame
    claims: list[Verdict]
    figures: dict[Path, Mapping[str, Any]]
    """The sidecar of each."""

    @property
    def experiment(self) -> str:
        return str(self.rows["experiment"].iloc[0]) if len(self.rows) else self.name

    @property
    def counts(self) -> bool:
        """Whether it is a run of the whole experiment: of its own settings, and not of the smallest sizes."""
        return self.name == self.experiment and (self.rows.empty or SMOKE not in set(self.rows["profile"]))

    @property
    def paper(self) -> str:
        papers = [] if self.rows.empty else [paper for paper in self.rows["paper"].unique() if paper]
        return PAPERS.get(papers[0], OURS) if papers else OURS


def of_the_page(rows: Mapping[str, pd.DataFrame], verdicts: list[Verdict], figures: Iterable[Path | str]) -> list[Run]:
    """The runs in the order of their papers. A figure belongs to the run whose experiment drew it."""
    stems = list(dict.fromkeys(Path(path).with_suffix("") for path in figures if Path(path).suffix in MEDIA))
    names = list(dict.fromkeys([*rows, *(verdict.experiment for verdict in verdicts)]))
    drawn: dict[str, dict[Path, Mapping[str, Any]]] = {name: {} for name in names}
    for stem in stems:
        sidecar = _sidecar(stem)
        drawn.setdefault(_run_of(stem, sidecar, names), {})[stem] = sidecar
    empty = pd.DataFrame({"experiment": [], "paper": [], "profile": []})
    runs = [
        Run(name, rows.get(name, empty), [claim for claim in verdicts if claim.experiment == name], found)
        for name, found in drawn.items()
    ]
    order = [*PAPERS.values(), OURS]
    return sorted(runs, key=lambda run: (order.index(run.paper), _first_number(run), run.name))


def _first_number(run: Run) -> float:
    """The number of the first figure that a run's statements are about; those about no figure come last."""
    numbers = [int(found[1]) for claim in run.claims if (found := re.match(r"Figures? (\d+)", claim.panel))]
    return min(numbers, default=float("inf"))


def _run_of(stem: Path, sidecar: Mapping[str, Any], names: Sequence[str]) -> str:
    """The run that a figure is of: the one whose experiment, and end of the name, it has. A profile need not fit."""
    experiment = str(sidecar.get("config", {}).get("name", ""))
    ends = {name: name.removeprefix(experiment) for name in names if experiment and name.startswith(experiment)}
    plain = without_profile(stem.name)
    fitting = [name for name, end in ends.items() if plain.endswith(without_profile(end))]
    if not fitting:
        return next((name for name in names if stem.name.startswith(name)), stem.name)
    return max(fitting, key=lambda name: (len(without_profile(name)), stem.name.endswith(ends[name]), len(name)))


def without_profile(name: str) -> str:
    """The name of a run or a figure without the profile, which it has anywhere among its settings.

    Pages leave it out of the names of runs; the files of figures keep it.
    """
    return re.sub(r"-profile_[\w.]+", "", name)


def _sidecar(stem: Path) -> dict[str, Any]:
    path = stem.with_name(f"{stem.name}.json")
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
