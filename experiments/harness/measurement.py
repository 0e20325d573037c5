"""Measurements: what can be measured of a cell, declared beside the function that does it, and found by its name."""

import importlib.util
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Measurement:
    """A function from a cell and a task to a row's columns, and what there is to know of it before it is called."""

    name: str
    """Unique, such as "rounds.time"; what follows the dot is the row column `metric`."""
    function: Callable[[Any, Any], dict[str, Any]]
    unit: str = "1"
    counted: bool = False
    """Counted, not timed: the same in every repetition."""
    replays: bool = False
    """The trace of the workload passes through the window as it is, whose length is in the trace's time units."""
    entries: Callable[[Any], int] | None = None
    """The most entries that a cell's windows hold at once, where that is not one window of the cell's size."""
    check: Callable[[Any], None] | None = None
    """Raises ValueError for a cell that cannot be measured on its stream: asked before anything is measured."""
    session: Callable[[Any], str] | None = None
    """What a cell needs that takes long to start: cells that share one are measured one after the other."""

    takes: Callable[[Any], Iterable[str]] | None = None
    """Names of the windows and operators that are looked up for a cell besides its own: their code counts, too."""

    @property
    def metric(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def module(self) -> str:
        """The module that declares it, which a worker imports."""
        return self.function.__module__


_DECLARED: dict[str, Measurement] = {}


def measurement(name: str, **known: Any) -> Callable[[Callable], Callable]:
    """Declare a function as the measurement of that name. `known`: other fields of Measurement."""

    def declare(function: Callable) -> Callable:
        _DECLARED[name] = Measurement(name, function, **known)
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
