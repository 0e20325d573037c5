"""The plan of a run: the cells of its grid, with the hashes that decide whether their stored rows are still good."""

import dataclasses
import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from algorithms import operators
from algorithms.windows.contract import catalogue
from experiments.harness import provenance
from experiments.harness.cell import Cell, digest
from experiments.harness.feasibility import estimate, module_of, operator_called, refusal
from experiments.harness.registry import find
from experiments.harness.settings import Settings, SettingsError
from experiments.harness.traces import trace_of
from results import OK, empty_row
from safeguards.wrong_input import unknown


@dataclass(frozen=True)
class Run:
    """One cell of this run. `refusal` is why it is not measured at all, empty if it is."""

    cell: Cell
    code_hash: str
    trace_hash: str
    refusal: str

    @property
    def repeated(self) -> bool:
        """Whether the cell is measured again in every repetition: a count or a refusal is always the same."""
        return not self.cell.declared.counted and not self.refusal


def checked(settings: Settings) -> Settings:
    """The settings with all parameters of the algorithms filled in, and with those of `also` that are compared here.

    Raises SettingsError for an unknown operator, algorithm or parameter, or a value out of its range.
    """
    cards = find(settings.name).catalogue()
    for name in settings.operators:
        if (plain := name.partition(":")[0]) not in operators.names():
            raise SettingsError(unknown("operator", plain, operators.names()))
        try:
            operator_called(name)
        except ValueError as error:
            raise SettingsError(f"operators has {name!r}; {error}") from None
    complete = []
    also = [
        algorithm
        for algorithm in settings.also
        if settings.algorithms and (algorithm["name"] in cards or algorithm["name"] not in catalogue())
    ]
    for algorithm in (*settings.algorithms, *also):
        name, parameters = algorithm["name"], {key: value for key, value in algorithm.items() if key != "name"}
        if name not in cards:
            raise SettingsError(unknown("algorithm", name, cards))
        try:
            complete.append({"name": name, **cards[name].complete(parameters)})
        except ValueError as error:
            raise SettingsError(str(error)) from None
    return dataclasses.replace(settings, algorithms=tuple(complete))


def cells_of(settings: Settings) -> list[Cell]:
    """The cells of the experiment, each once. Raises SettingsError, and what the workload raises."""
    return list(dict.fromkeys(find(settings.name).plan(checked(settings))))


def any_results(cells: Iterable[Cell]) -> pd.DataFrame:
    """Rows as if these cells had been measured, each with some result: to see which statements they could decide."""
    rows = []
    for place, cell in enumerate(cells, 1):
        result = {"value": float(place), "operations": 1, "status": OK, "counted": cell.declared.counted}
        sampled = {"samples": np.array([float(place)])} if cell.declared.unit == "cycles" else {}
        rows.append({**empty_row(), **cell.columns, **result, **sampled})
    return pd.DataFrame(rows, columns=list(empty_row()))


def runs_of(settings: Settings) -> list[Run]:
    """The cells of the experiment with their hashes and refusals.

    Raises SettingsError also where no cell fits into the memory of this machine; the message has the estimate.
    """
    cells = cells_of(settings)
    if not cells:
        raise SettingsError(f"{settings.name} has nothing to measure with these settings")
    smallest = min(map(estimate, cells), key=lambda memory: memory.needed)
    if smallest.too_much:
        raise SettingsError(str(smallest))
    hashes = code_hashes(cells)
    return [Run(cell, hashes[cell.id], trace_hash(cell), refusal(cell)) for cell in cells]


def code_hashes(cells: Iterable[Cell]) -> dict[str, str]:
    """The hash of the code that would measure each cell today, by the cell's id. Each name is looked up once."""
    module = functools.cache(module_of)
    return {cell.id: code_hash(cell, module) for cell in cells}


def code_hash(cell: Cell, module_of: Callable[[str], str] = module_of) -> str:
    """Hash of the sources that decide what is measured in the cell, and of the versions of packages that do."""
    further = cell.declared.takes(cell) if cell.declared.takes else ()
    modules = {
        *(module for name in (cell.algorithm, cell.operator, *further) if (module := module_of(name))),
        *(cell.declared.modules(cell) if cell.declared.modules else ()),
        cell.declared.module,
        "experiments.harness.feasibility",
        f"workloads.{cell.workload}.parameters",
    }
    sources = provenance.code_hash(*sorted(modules))
    packages = cell.declared.packages(cell) if cell.declared.packages else ()
    return digest([sources, *map(provenance.version_of, packages)]) if packages else sources


def trace_hash(cell: Cell) -> str:
    """Hash of the trace's content, or of the workload's parameters where they determine it."""
    if cell.declared.replays:
        return trace_of(*cell.source).hash
    parameters = [cell.workload, cell.stream, cell.asked]
    return digest([*parameters, trace_of(*cell.source).hash] if cell.stream.get("path") else parameters)
