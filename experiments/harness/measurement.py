"""Measurements: what can be measured of a cell, declared beside the function that does it, and found by its name."""

import importlib.util
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Measurement:
    """A function from a cell and a task to a row's columns, with what is known of it before it is called."""

    name: str
    """Unique, such as "rounds.time"; what follows the dot is the row column `metric`."""
    function: Callable[[Any, Any], dict[str, Any]]
    unit: str = "1"
    counted: bool = False
    """The value is counted, not timed: the same in every repetition."""
    replays: bool = False
    """The workload's trace is replayed through a window, whose length is in the trace's time units."""
    entries: Callable[[Any], int] | None = None
    """The most entries that a cell's windows hold at once, where that is not one window of the cell's size."""
    check: Callable[[Any], None] | None = None
    """Raises ValueError for a cell that cannot be measured on its stream; called before anything is measured."""
    session: Callable[[Any], str | None] | None = None
    """The session that a cell needs, slow to start: cells that share one are measured one after the other. None if a
    cell needs none."""
    takes: Callable[[Any], Iterable[str]] | None = None
    """Names of further windows and operators that a cell is measured with: their code counts, too."""
    modules: Callable[[Any], Iterable[str]] | None = None
    """Modules that it imports by name, for some cells: their code counts, too."""
    packages: Callable[[Any], Iterable[str]] | None = None
    """Packages that are measured themselves, by the names that pip has: their versions count as code does."""
    refuses: Callable[[Any], str] | None = None
    """Why a cell is not measured at all, in a sentence; empty if it is."""

    @property
    def metric(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def module(self) -> str:
        """The module that declares it, which a worker imports."""
        return self.function.__module__


_DECLARED: dict[str, Measurement] = {}


def measurement(name: str, **fields: Any) -> Callable[[Callable], Callable]:
    """Declare a function as the measurement of that name. `fields`: other fields of Measurement."""

    def declare(function: Callable) -> Callable:
        _DECLARED[name] = Measurement(name, function, **fields)
        return function

    return declare


def find(name: str) -> Measurement:
    """The measurement of that name, looked for in the folders `measuring`. Raises LookupError."""
    if name not in _DECLARED:
        for module in modules("measuring"):
            importlib.import_module(module)
    if name not in _DECLARED:
        raise LookupError(f"there is no measurement {name!r}")
    return _DECLARED[name]


def modules(within: str = "") -> Iterator[str]:
    """The names of the modules in the folders of experiments, or in a folder `within` each."""
    import experiments

    for folder in pkgutil.iter_modules(experiments.__path__, "experiments."):
        name = f"{folder.name}.{within}" if within else folder.name
        if folder.ispkg and importlib.util.find_spec(name):
            package = importlib.import_module(name)
            yield from (module.name for module in pkgutil.iter_modules(package.__path__, f"{name}."))
