"""A stream for half an hour, killed now and then and started again with another algorithm; every result is checked.

    python -m tests.streaming.long_stream --minutes 30 --rate 10000 --seed 1 --folder /var/tmp/stream

A file of rows comes every second, some of them late. A query with `sliding_aggregate` and one with a
`SlidingAggregateSink` read them. Every minute or two both are killed by kill -9, whatever they are doing. Results must
be those of a batch over the rows that were not late, by the watermarks in the checkpoint. State and the memory of
workers must not grow. The exit code is 1 if anything differs.
"""

import argparse
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from tests.streaming import conftest
from tests.streaming.made import SECOND, START

COLUMNS = "user long, ts timestamp, v double"
SIZE, SLIDE, DELAY = 60 * SECOND, 10 * SECOND, 30 * SECOND
ARGUMENTS = {"key": "user", "time": "ts", "value": "v", "size": "60 seconds", "slide": "10 seconds"}
ARGUMENTS |= {"watermark": "30 seconds", "operator": {"total": "sum", "most": "max", "rows": "count"}, "buckets": 4}
STREAMS = ("query", "sink")
RESULTS = ["user", "end", "total", "most", "rows"]

ALGORITHMS = ("fiba", "two_stacks_lite", "b_tree", "daba_lite")
"""In turn, one after each kill: two that take rows in any order and two that sort them first."""

KEYS = 2000
LATE, LATEST = 0.02, 200
"""The share of rows that come late, and up to how many seconds: some within the watermark, some after all windows."""

FAR = 10**6
"""The number of the last file, a single row so far ahead that every window of others is given out."""

KILLED_AFTER = (50, 110)
"""Seconds from a start to the kill, at least and at most."""

FILLED = 12
"""Minutes after which the state of a run has been as large as it gets for long enough to say whether it grows."""

FLAT = 1.25
"""What may grow at most by so much counts as flat, from the second quarter of the run to the last."""


def rows(number: int, rate: int, seed: int) -> pd.DataFrame:
    """The rows of the file that comes in second `number`: user, ts (µs), v. Users are Zipf-distributed."""
    rng = np.random.default_rng([seed, number])
    delays = rng.exponential(2, rate)
    late = rng.random(rate) < LATE
    delays[late] = rng.uniform(0, LATEST, late.sum())
    times = START + ((number + rng.random(rate) - delays) * SECOND).astype(np.int64)
    return pd.DataFrame({"user": rng.zipf(1.3, rate) % KEYS, "ts": times, "v": rng.integers(-99, 100, rate) * 1.0})


def write(folder: Path, number: int, some: pd.DataFrame) -> None:
    """Add a file of rows to those that the streams read."""
    columns = {"user": pa.array(some["user"], pa.int64()), "ts": pa.array(some["ts"], pa.timestamp("us", "UTC"))}
    hidden = folder / f".{number}.tmp"
    pq.write_table(pa.table({**columns, "v": pa.array(some["v"], pa.float64())}), hidden)
    hidden.rename(folder / f"{number:07d}.parquet")


# ------------------------------------------------------------------------------------------------ what should come out


def batches(checkpoint: Path) -> Iterator[tuple[list[int], float]]:
    """The numbers of the files of every batch, and its watermark in microseconds: up to it windows are given out."""
    path_of = {}
    for path in (checkpoint / "sources" / "0").glob("[0-9]*"):
        for line in path.read_text().splitlines()[1:]:
            entry = json.loads(line)
            path_of.setdefault(entry["batchId"], set()).add(int(Path(entry["path"]).stem))
    done = -1
    for number in sorted(int(path.name) for path in (checkpoint / "offsets").glob("[0-9]*")):
        _, about, offset = (checkpoint / "offsets" / str(number)).read_text().splitlines()[:3]
        last = json.loads(offset)["logOffset"] if offset != "-" else done
        files = sorted(set().union(*(path_of.get(entry, ()) for entry in range(done + 1, last + 1))))
        yield files, 1000 * json.loads(about)["batchWatermarkMs"] or -math.inf
        done = last


def given_out(name: str, checkpoint: Path, newest: list[float]) -> Iterator[tuple[list[int], float]]:
    """The files of every batch, and up to where windows had been given out before it.

    That is the watermark of the batch before. The sink's come from the `newest` time in each file.
    """
    so_far = before = -math.inf
    for files, watermark in batches(checkpoint):
        yield files, before
        before = watermark if name == "query" else so_far - DELAY
        so_far = max((so_far, *(newest[number] for number in files if number < FAR)))


def expected(files: list[pd.DataFrame], of_batches: Iterator[tuple[list[int], float]]) -> tuple[pd.DataFrame, int]:
    """The results of a batch over the rows that were not late, in every window that was open; and how many were."""
    parts, late = [], 0
    for numbers, before in of_batches:
        some = pd.concat([files[number] for number in numbers if number < FAR] or [files[0][:0]])
        last = some["ts"] // SLIDE * SLIDE + SIZE
        late += int((last <= before).sum())
        panes = some.assign(last=last).groupby(["user", "last"])["v"].agg(["sum", "max", "count"]).reset_index()
        for earlier in range(SIZE // SLIDE):
            ends = panes["last"] - earlier * SLIDE
            parts.append(panes.assign(end=ends)[ends > before])
    windows = pd.concat(parts).groupby(["user", "end"]).agg({"sum": "sum", "max": "max", "count": "sum"}).reset_index()
    return windows.set_axis(RESULTS, axis=1), late


def differences(found: pd.DataFrame, wanted: pd.DataFrame) -> str:
    """How results differ from those that should be; empty if they do not."""
    if twice := int(found.duplicated(["user", "end"]).sum()):
        return f"{twice} results are there twice"
    both = found.merge(wanted, on=["user", "end"], how="outer", suffixes=("", "_wanted"), indicator=True)
    wrong = both[
        (both["_merge"] != "both") | ~np.logical_and.reduce([both[n] == both[f"{n}_wanted"] for n in RESULTS[2:]])
    ]
    return f"{len(wrong):,} of {len(both):,} results differ, such as {wrong.iloc[0].to_dict()}" if len(wrong) else ""


# ------------------------------------------------------------------------------------------------- running and killing


def stream(folder: Path, algorithm: str, ending: bool) -> None:
    """Both streams, in this process, until it is killed; or to the end of the files. Notes every batch."""
    from streaming import SlidingAggregateSink, sliding_aggregate

    with conftest.session("local[2,4]") as spark:
        spark.conf.set("spark.sql.shuffle.partitions", "2")
        spark.conf.set("spark.sql.streaming.minBatchesToRetain", "1000000")  # watermarks are read from them
        df = spark.readStream.schema(COLUMNS).parquet(str(folder / "in"))
        sink = SlidingAggregateSink(df, str(folder / "sink"), algorithm=algorithm, **ARGUMENTS)
        out = sliding_aggregate(df, algorithm=algorithm, **ARGUMENTS)
        writer = out.writeStream.format("parquet").option("path", str(folder / "query" / "results"))
        writers = {"query": writer.option("checkpointLocation", str(folder / "query" / "checkpoint"))}
        writers["sink"] = sink.writer()
        trigger = {"availableNow": True} if ending else {"processingTime": "1 second"}
        queries = {name: writer.trigger(**trigger).start() for name, writer in writers.items()}
        while any(query.isActive for query in queries.values()):
            _note(folder, queries["query"], sink)
            time.sleep(1)
        _note(folder, queries["query"], sink)
        for query in queries.values():
            query.awaitTermination()  # raises what it failed with
        sink.flush()


def _note(folder: Path, query: object, sink: object) -> None:
    """Add a line of the newest batches: the time, the bytes of the states."""
    newest = query.recentProgress[-1:]
    told = [counts.asDict() for one in newest for counts in one.observedMetrics.values()]
    line = {"time": time.time(), "query": told[-1]["state_bytes"] if told else None}
    line["sink"] = next((batch["state_bytes"] for batch in sink.progress[-1:]), None)
    with (folder / "told.jsonl").open("a") as lines:
        lines.write(json.dumps(line) + "\n")


def started(folder: Path, algorithm: str, *ending: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "tests.streaming.long_stream", "--folder", str(folder), "--stream", algorithm]
    with (folder / "log").open("a") as log:
        return subprocess.Popen([*command, *ending], start_new_session=True, stderr=log)


def worker_bytes(session: int) -> int:
    """The memory of the largest Python worker of a session of processes."""
    most = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            if os.getsid(int(status.parent.name)) == session and b"pyspark" in (status.parent / "cmdline").read_bytes():
                lines = dict(line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line)
                most = max(most, 1024 * int(lines["VmRSS"].split()[0])) if lines["Name"].startswith("python") else most
        except (OSError, KeyError):  # it has ended
            continue
    return most


def feed(folder: Path, files: list[pd.DataFrame], ended: threading.Event) -> None:
    """Add a file every second, whatever happens to those that read them."""
    begun = time.monotonic()
    for number, some in enumerate(files):
        if ended.wait(max(0.0, begun + number - time.monotonic())):
            return
        write(folder / "in", number, some)


def run(folder: Path, minutes: float, rate: int, seed: int) -> list[str]:
    """Let the streams run and be killed; returns what is wrong."""
    files = [rows(number, rate, seed) for number in range(round(60 * minutes))]
    (folder / "in").mkdir(parents=True)
    ended = threading.Event()
    feeding = threading.Thread(target=feed, args=(folder, files, ended))
    feeding.start()
    chance, end = np.random.default_rng(seed), time.monotonic() + 60 * minutes
    memory, starts = [], 0
    try:
        while time.monotonic() < end:
            algorithm = ALGORITHMS[starts % len(ALGORITHMS)]
            process, starts = started(folder, algorithm), starts + 1
            killed = min(end, time.monotonic() + chance.uniform(*KILLED_AFTER))
            while time.monotonic() < killed and process.poll() is None:
                time.sleep(1)
                memory.append((time.time(), worker_bytes(process.pid)))
            if process.poll() is not None:
                return [f"the streams with {algorithm} ended by themselves: {_last(folder)}"]
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            print(f"killed after {(60 * minutes - end + time.monotonic()) / 60:.1f} min, with {algorithm}", flush=True)
    finally:
        ended.set()
        feeding.join()
    last = START + FAR * SECOND
    write(folder / "in", FAR, pd.DataFrame({"user": [-1], "ts": [last], "v": [0.0]}))
    if started(folder, ALGORITHMS[starts % len(ALGORITHMS)], "--ending").wait():
        return [f"the streams did not come to their end: {_last(folder)}"]
    written = [files[number] for number in range(len(list((folder / "in").glob("*.parquet"))) - 1)]
    problems = checked(folder, written)
    if minutes < FILLED:
        return problems
    told = [json.loads(line) for line in (folder / "told.jsonl").read_text().splitlines()]
    for name in STREAMS:
        problems += _flat(f"state of {name}", [(one["time"], one[name]) for one in told if one[name]])
    return problems + _flat("memory of a worker", memory)


def _last(folder: Path) -> str:
    """The end of what the streams said."""
    return (folder / "log").read_text()[-2000:]


def _flat(what: str, measured: list[tuple[float, float]]) -> list[str]:
    """Say how large something was in the second and the last quarter of its time; a problem if it has grown."""
    values = [value for _, value in measured]
    quarter = max(1, len(values) // 4)
    before, after = np.median(values[quarter : 2 * quarter] or values), np.median(values[-quarter:])
    print(f"{what}: {before / 2**20:,.2f} MiB in the second quarter, {after / 2**20:,.2f} MiB in the last", flush=True)
    return [f"{what} has grown to {after / before:.2f} times"] if after > FLAT * before else []


def checked(folder: Path, files: list[pd.DataFrame]) -> list[str]:
    """What is wrong with the results in the folder, which have come of these files."""
    problems, newest = [], [some["ts"].max() for some in files]
    for name in STREAMS:
        found = results(folder / name / "results")
        wanted, late = expected(files, given_out(name, folder / name / "checkpoint", newest))
        print(f"{name}: {len(found):,} results of {sum(map(len, files)):,} rows, {late:,} late", flush=True)
        if problem := differences(found, wanted):
            problems.append(f"{name}: {problem}")
    return problems


def results(folder: Path) -> pd.DataFrame:
    """All results in a folder but that of the last row. Spark's file sink lists the files that count."""
    paths, noted = list(folder.glob("batch=*/*.parquet")), folder / "_spark_metadata"
    if noted.exists():
        lines = [line for path in noted.glob("[0-9]*") for line in path.read_text().splitlines()[1:]]
        paths = sorted({folder / Path(json.loads(line)["path"]).name for line in lines})
    columns = ["user", "window_end", *RESULTS[2:]]
    found = pa.concat_tables(pq.read_table(path, columns=columns, partitioning=None) for path in paths)
    ends = found["window_end"].cast(pa.timestamp("us")).cast(pa.int64())
    return found.set_column(1, "window_end", ends).rename_columns(RESULTS).to_pandas().query("user >= 0")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--rate", type=int, default=10_000, help="rows a second")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="for files, states and results: it must not exist; usually removed")
    parser.add_argument("--stream", choices=ALGORITHMS, help=argparse.SUPPRESS)
    parser.add_argument("--ending", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.stream:
        stream(given.folder, given.stream, given.ending)
        return 0
    with tempfile.TemporaryDirectory() as usual:
        problems = run(given.folder or Path(usual) / "stream", given.minutes, given.rate, given.seed)
    print(*(problems or ["every result is right, and nothing has grown"]), sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
