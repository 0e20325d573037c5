"""What a record set is, what it is called, and the random numbers that its chunks are made of."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa


class RecordSet(ABC):
    """Records in chunks: a frozen dataclass of a module that workers can import; it is pickled and sent to them.

    `parameters` says everything that decides the records, the seed included, as JSON values: the fields, unless it says
    otherwise; `name`: letters, digits and '_', the start of the folder's name.
    """

    name: str
    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    @abstractmethod
    def chunks(self) -> int:
        """Number of chunks, at least 1."""

    @abstractmethod
    def chunk(self, number: int) -> Mapping[str, np.ndarray | pa.Array]:
        """The columns of one chunk by name, equally long; the same columns and types in every chunk."""

    def parameters(self) -> dict[str, Any]:
        """Everything that decides the records."""
        return {key: value for key, value in asdict(self).items() if key != "name"}

    def facts(self) -> dict[str, Any]:
        """What is known only with the records, for the manifest to keep: how many records of a file were bad."""
        return {}

    def shared(self, folder: Path) -> RecordSet:
        """The record set for workers. What each would have to find out anew is in files of `folder`, a new one that
        they see; it is deleted when all chunks are made."""
        return self


def stream(seed: int, chunk: int, purpose: int) -> np.random.Generator:
    """Random numbers for one purpose (from 0) in one chunk: the same wherever and whenever they are drawn.

    NumPy's Philox with key = (seed, chunk); the purpose is the highest word of the counter, so streams never meet.
    """
    key = np.array([seed, chunk], np.uint64)
    return np.random.Generator(np.random.Philox(key=key, counter=np.array([0, 0, 0, purpose], np.uint64)))


def identity(record_set: RecordSet) -> dict[str, Any]:
    """Name and parameters as the manifest has them: what JSON gives back."""
    return json.loads(json.dumps({"name": record_set.name, "parameters": record_set.parameters()}))


def folder_of(record_set: RecordSet, root: str | Path) -> Path:
    """Where the record set is kept under `root`: its name and sixteen digits that stand for its parameters."""
    text = json.dumps(identity(record_set), sort_keys=True, separators=(",", ":"))
    return Path(root) / f"{record_set.name}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
