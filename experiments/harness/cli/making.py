"""Make the record set of a workload on an executor: Parquet chunks, those of a stopped run kept."""

import contextlib
import functools
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.harness import executors
from experiments.harness.settings import SettingsError, executor_settings, nothing_missing, whole_number, whole_numbers
from workloads import record_set, record_sets
from workloads.record_sets import Chunk, Manifest, RecordSet
from workloads.record_sets.chunks import write_chunk
from workloads.record_sets.code import code_of
from workloads.record_sets.making import SHARED

TRIED = 16
"""Chunks that a dry run makes."""


def make(config: Mapping[str, Any], progress: Callable) -> Manifest | None:
    """Make the missing chunks of the record set and print what it has. `progress`: see harness.progress.display.

    With dry_run=true print what there would be, and give None (see `tried`). No executor is started if nothing is
    missing. Raises SettingsError, ExecutorError, OSError, and what the workload raises; chunks made until then are
    kept.
    """
    nothing_missing(config)
    settings = executor_settings(config["executor"])
    if not isinstance(dry_run := config.get("dry_run", False), bool):
        raise SettingsError(f"dry_run is {dry_run!r}; it must be true or false")
    if dry_run:
        tried(*record_set(stream_of(config)), settings, progress)
        return None
    begin = started = ended = time.perf_counter()
    records, folder = record_set(stream_of(config))
    chunks, rows = 0, 0

    def run(work: Callable[[int], Chunk], numbers: Sequence[int]) -> Iterator[Chunk]:
        nonlocal started, ended, chunks, rows
        with (
            contextlib.closing(executors.start(settings)) as executor,
            progress(len(numbers), f"chunk{'s'[: len(numbers) - 1]}") as tell,
        ):
            started = time.perf_counter()
            tell("the first chunks")
            for chunk in executor.each(work, numbers):
                chunks, rows, ended = chunks + 1, rows + chunk.rows, time.perf_counter()
                if chunks < len(numbers):
                    tell(speed(rows, ended - started))
                yield chunk

    manifest = record_sets.make(records, folder, run)
    whole = time.perf_counter() - begin
    files = f"{len(manifest.chunks)} chunk{'s' * (len(manifest.chunks) > 1)}, {manifest.bytes / 1e6:,.1f} MB"
    print(f"{manifest.folder}: {manifest.rows:,} records, {files}")
    summary = f"chunks: {chunks} made now, {len(manifest.chunks) - chunks} kept from earlier runs"
    if chunks:
        seconds = ended - started
        summary += f", {rows:,} records in {seconds:.1f} s ({speed(rows, seconds)}), {whole:.1f} s with start and end"
    print(summary)
    return manifest


def tried(records: RecordSet, folder: str, settings: Mapping[str, Any], progress: Callable) -> None:
    """Make a few chunks from all over a record set, delete them, and print how large it would be and how long it takes.

    The rate is that of all but the first chunk, for which workers start and compile. What they share is made and timed.
    """
    count, begin = records.chunks, time.perf_counter()
    first, *others = sorted({i * count // TRIED for i in range(TRIED)})  # of a few also the last, which is shorter
    Path(folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="dry-run-") as place:
        shared = records.shared(Path(place) / SHARED)
        prepared = time.perf_counter() - begin
        work = functools.partial(write_chunk, shared, place, code_of(records))
        with contextlib.closing(executors.start(settings)) as executor, progress(1 + len(others), "chunks") as tell:
            tell("a dry run")
            made = list(executor.each(work, [first]))
            started = time.perf_counter()
            for chunk in executor.each(work, others) if others else ():
                tell("a dry run")
                made.append(chunk)
            elapsed = time.perf_counter() - started
    rows, size = (sum(values) / len(made) * count for values in ([c.rows for c in made], [c.bytes for c in made]))
    print(f"would make {count} chunks of about {rows:,.0f} records in all, {size / 1e6:,.0f} MB, in {folder}")
    if others:
        rate = sum(chunk.rows for chunk in made[1:]) / elapsed
        minutes = (prepared + rows / rate) / 60
        print(
            f"about {minutes:,.1f} min at {rate / 1e6:.2f} million/s, the rate of {len(made)} chunks; nothing is kept"
        )
    if (free := shutil.disk_usage(folder).free) < size:
        print(f"there is not enough room: {free / 1e6:,.0f} MB are free")


def stream_of(config: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the workload; of the distance protocol with its window and distance. Raises SettingsError."""
    if not isinstance(config["workload"], Mapping) or "name" not in config["workload"]:
        raise SettingsError(f"workload is {config['workload']!r}; it must be settings with a name: workload=debs12")
    stream = dict(config["workload"])
    if stream["name"] != "distance":
        return stream
    window, distances = config.get("window"), config.get("distances")
    if window is None or distances is None:
        raise SettingsError("workload=distance needs window and distances: give, say, window=4096 distances=[16]")
    if len(distances := whole_numbers("distances", distances, 0)) > 1:
        raise SettingsError(f"distances is {list(distances)}; a record set has one distance, such as distances=[16]")
    return {**stream, "window": whole_number("window", window, 1), "distance": distances[0]}


def speed(rows: int, seconds: float) -> str:
    """How fast records are made, in words."""
    return f"{rows / seconds / 1e6:.2f} million/s"
