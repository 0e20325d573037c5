"""Which code made a record set: a hash of the sources that its chunks depend on."""

from __future__ import annotations

import ast
import dataclasses
import functools
import hashlib
import inspect
from pathlib import Path

from workloads.record_sets.record_set import RecordSet

ROOT = Path(__file__).parents[2]
"""Where the packages of this project are. What modules import of these counts, packages of others are versions."""


def code_of(record_set: RecordSet) -> str:
    """Sixteen hexadecimal digits over the sources of a record set. Chunks of other code are made anew.

    Nothing depends on where a file is.
    """
    return _hash_of(frozenset(sources_of(record_set)))


def sources_of(record_set: RecordSet) -> set[Path]:
    """The files that decide what is in the chunks.

    These are the modules of its class and of the dataclasses that its fields hold, what writes chunks (this folder),
    and what all these import of this project, directly or not.
    """
    values = (getattr(record_set, field.name) for field in dataclasses.fields(record_set))
    parts = [value for value in values if dataclasses.is_dataclass(value)]
    unread = [Path(inspect.getfile(type(instance))) for instance in (record_set, *parts)]
    unread += Path(__file__).parent.glob("*.py")
    sources: set[Path] = set()
    while unread:
        if (path := unread.pop()) not in sources:
            sources.add(path)
            unread += _imported(path)
    return sources


@functools.cache
def _hash_of(paths: frozenset[Path]) -> str:
    contents = sorted(hashlib.sha256(path.read_bytes()).digest() for path in paths)
    return hashlib.sha256(b"".join(contents)).hexdigest()[:16]


@functools.cache
def imported_names(path: Path) -> tuple[str, ...]:
    """Names that a source imports: each may be a module, or something in one."""
    names = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(names)


@functools.cache
def _imported(path: Path) -> tuple[Path, ...]:
    """The files of this project that a source imports."""
    places = [ROOT.joinpath(*name.split(".")) for name in imported_names(path)]
    files = [file for place in places for file in (place.with_suffix(".py"), place / "__init__.py")]
    return tuple(file for file in files if file.is_file())
