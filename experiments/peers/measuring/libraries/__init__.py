"""The libraries that are compared, a module for each: how it does each task, as its documentation says it is done.

A module has PACKAGE, the name that pip knows; THREADS, how many it uses by default; TASKS, what it has, and KINDS, for
which columns (see measuring.columns), with KINDS_OF for a task that it has for fewer; and `prepare`, which makes a
Call. It imports its package only there: all packages but pandas and PySpark are optional (requirements-peers.txt).
"""

import importlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from experiments.harness import provenance

TASKS = ("sum", "mean", "std", "min", "max", "argmax", "median", "distinct", "skew", "several")
"""The ten tasks; `skew` is to us an operator of the user's own, and `several` are sum, mean, std and max at once."""

NAMES = {
    "rolling": "rolling",
    "sliding": "SlidingAggregate",
    "pandas": "pandas",
    "polars": "Polars",
    "bottleneck": "Bottleneck",
    "numbagg": "numbagg",
    "duckdb": "DuckDB",
    "sql_window_tree": "Spark",
    "river": "River",
}
"""The libraries of columns by the names in rows, and what they are called."""

OURS = ("rolling", "sliding")

REMEDY = "make peers"


class Call(NamedTuple):
    """`run` is what is timed, and `read` makes of its result a column of answers for each task, NaN where none is."""

    run: Callable[[], Any]
    read: Callable[[Any], Mapping[str, np.ndarray]]


def module_of(name: str) -> Any:
    """The module of a library."""
    return importlib.import_module(f"{__name__}.in_{name}")


def version_of(package: str) -> str:
    """The installed version of a package; empty where it is not installed, and for this project."""
    return provenance.version_of(package) if package else ""


def offers(name: str, task: str, kind: str) -> bool:
    """Whether a library has a task for a kind of columns."""
    module = module_of(name)
    return task in module.TASKS and kind in module.KINDS and kind in getattr(module, "KINDS_OF", {}).get(task, (kind,))


def not_installed(package: str) -> str:
    """That a package is missing, and what to do; empty if it is there, and for this project."""
    return f"{package} is not installed: {REMEDY}" if package and not version_of(package) else ""
