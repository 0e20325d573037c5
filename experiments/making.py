"""Make the record set of a workload on an executor: Parquet chunks, those of a stopped run kept."""

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from experiments import executors
from experiments.settings import executor_settings
from workloads import record_set, records
from workloads.records import Chunk, Manifest


def make(config: Mapping[str, Any], progress: Callable) -> Manifest:
    """Make what is missing of the record set and print what is there. `progress`: see experiments.progress.shown.

    Nothing is started where nothing is missing. Raises SettingsError, ExecutorError, OSError, and what the workload
    raises; chunks made until then are kept.
    """
    settings = executor_settings(config["executor"])
    made, folder = record_set(config["workload"])
    begun, chunks, rows = time.perf_counter(), 0, 0

    def run(work: Callable[[int], Chunk], numbers: Sequence[int]) -> Iterator[Chunk]:
        nonlocal begun, chunks, rows
        with contextlib.closing(executors.start(settings)) as executor, progress(len(numbers), "chunks") as tell:
            begun = time.perf_counter()
            tell("the first chunks")
            for chunk in executor.each(work, numbers):
                chunks, rows = chunks + 1, rows + chunk.rows
                if chunks < len(numbers):
                    tell(f"chunk {chunk.number} is made")
                yield chunk

    manifest = records.make(made, folder, run)
    seconds = time.perf_counter() - begun
    speed = f", {rows:,} records in {seconds:.1f} s ({rows / seconds / 1e6:.2f} million/s)" if rows else ""
    print(
        f"{manifest.folder}: {manifest.rows:,} records, {len(manifest.chunks)} chunks, {manifest.bytes / 1e6:,.1f} MB"
    )
    print(f"chunks: {chunks} made now, {len(manifest.chunks) - chunks} kept from earlier runs{speed}")
    return manifest
