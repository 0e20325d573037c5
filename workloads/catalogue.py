"""Finds workloads by their folders' names and builds them from plain mappings."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workloads.checks import UnknownName
from workloads.record_sets import RecordSet
from workloads.traces import Trace

__all__ = ["UnknownName", "calibration", "make", "names", "record_set", "workload"]


def names() -> tuple[str, ...]:
    """Names of all workloads, sorted: the folders with a module of parameters. Nothing is imported to list them."""
    return tuple(sorted(path.parent.name for path in Path(__file__).parent.glob("*/parameters.py")))


def workload(settings: Mapping[str, Any]) -> Any:
    """The workload that `settings` describe. Its parameters are checked, but nothing is generated or read yet.

    `settings` has `name` and any of the workload's parameters; the others have their defaults. The result is the frozen
    dataclass of the parameters. Its `trace()` makes the trace, and the distance protocol also has `prefill()`. Raises
    UnknownName (a ValueError) for an unknown name or parameter, ValueError for a missing or wrong one.
    """
    parameters = dict(settings)
    name = parameters.pop("name", None)
    if name is None:
        raise ValueError(f"workload settings need a name, one of {', '.join(names())}; got {parameters}")
    if name not in names():
        raise UnknownName("workload", name, names())
    cls = _dataclass_of(name)
    fields = {field.name: field for field in dataclasses.fields(cls)}
    for parameter in parameters:
        if parameter not in fields:
            raise UnknownName(f"parameter of workload {name}", parameter, tuple(fields))
    for parameter, field in fields.items():
        if parameter not in parameters and field.default is dataclasses.MISSING:
            raise ValueError(f"workload {name} needs {parameter}: give workload.{parameter}=...")
    return cls(**parameters)


def make(settings: Mapping[str, Any]) -> Trace:
    """The trace of the workload that `settings` describe. Raises as `workload` does, and the errors of reading data."""
    return workload(settings).trace()


def record_set(settings: Mapping[str, Any]) -> tuple[RecordSet, str]:
    """The record set of the workload that `settings` describe, and its folder.

    Raises ValueError for a workload that has none, and as `workload` does.
    """
    with_record_set = [name for name in names() if hasattr(_dataclass_of(name), "record_set")]
    if settings.get("name") in names() and settings["name"] not in with_record_set:
        offer = " or ".join(f"workload={name}" for name in with_record_set)
        raise ValueError(f"workload {settings['name']} has no record set to make: give {offer}")
    source = workload(settings)
    return source.record_set(), source.folder


def calibration(settings: Mapping[str, Any]) -> list[Any]:
    """Documented statistics of the data that a workload imitates, and those of this stream; empty if it imitates none.

    Each item, as text, is one statement. Raises as `make` does.
    """
    source = workload(settings)
    return source.calibration() if hasattr(source, "calibration") else []


def _dataclass_of(name: str) -> type:
    module = importlib.import_module(f"workloads.{name}.parameters")
    classes: list[Any] = [
        member
        for member in vars(module).values()
        if dataclasses.is_dataclass(member) and hasattr(member, "trace") and member.__module__ == module.__name__
    ]
    if len(classes) != 1:
        raise TypeError(f"{module.__name__} must define one dataclass with a trace method, and defines {len(classes)}")
    return classes[0]
