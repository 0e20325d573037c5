"""Parsers of what others write: any bytes are read as a slow parser reads them, or refused by an error that says why.

A check takes bytes and raises AssertionError, or whatever else a parser should never raise. Seeds are good input.
"""

import csv
import io
import os
import re
import struct
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from algorithms import operators, window
from algorithms.streams.sliding.plan import plan_of
from algorithms.streams.window_spec import WindowSpec
from algorithms.windows.stored import documents
from workloads import workload
from workloads.debs12 import loader as debs12_loader
from workloads.flights import loader as flights_loader
from workloads.linear_road import loader as linear_road_loader
from workloads.reading.ingested import Content

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-"))


class Parser(NamedTuple):
    check: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]


def file_of(content: bytes, name: str) -> str:
    path = FOLDER / f"{os.getpid()}-{name}"
    path.write_bytes(content)
    return str(path)


def read(path: str, load: Callable[[str], Any]) -> Any:
    """What is read where every record must be good; None where an error refuses it, which names the file."""
    strict, lax = (loaded(path, load, on_error) for on_error in ("fail", "skip"))
    if strict is not None:
        assert strict.skipped == 0 and same(strict, lax), "what is good throughout is not read alike with on_error=skip"
    elif lax is not None:
        assert lax.skipped > 0, "a file is refused that has no bad record"
    return strict


def loaded(path: str, load: Callable[[str], Any], on_error: str) -> Any:
    """What is read, or None where it is refused."""
    try:
        return load(on_error)
    except ValueError as error:
        must_say(error, path)
        return None


def must_say(error: Exception, *words: str) -> None:
    """Raise AssertionError unless the error is a line and has one of the words."""
    if "\n" in str(error) or not any(word in str(error) for word in words):
        raise AssertionError(f"an error of more than a line, or without {' or '.join(words)}") from error


def same(one: Content, other: Content) -> bool:
    return one.columns.keys() == other.columns.keys() and all(
        np.array_equal(column, other.columns[name]) for name, column in one.columns.items()
    )


def plain_lines(content: bytes, delimiter: str) -> list[list[str]]:
    """Fields of the lines that are not blank."""
    lines = re.split(r"\r\n|\r|\n", content.decode("utf-8-sig", "replace"))
    return [line.split(delimiter) for line in lines if line]


# ------------------------------------------------------------------------------------------------------------ files


def linear_road(content: bytes) -> None:
    path = file_of(content, "tuples.dat")
    found = read(path, lambda on_error: linear_road_loader.load(path, on_error))
    if found is not None and not content.startswith(b"PAR1"):
        columns = zip(*([int(field.strip()) for field in line] for line in plain_lines(content, ",")), strict=True)
        assert [column.tolist() for column in found.columns.values()] == [list(column) for column in columns]


def tuples() -> list[bytes]:
    report, balance = [0, 5, 17, 60, 1, 2, 0, 4, 21_500], [2, 7, 17, -1, -1, -1, -1, -1, -1]
    whole = [report + [-1] * 6, balance + [9, -1, -1, -1, -1, -1]]
    texts = [lines_of(",", [report, report]), lines_of(",", whole)]
    return [*texts, texts[0].replace(b"\n", b"\r\n"), texts[0] + b"0,4,x\n", b"0,5,17\n"]


def debs12(content: bytes) -> None:
    path = file_of(content, "equipment.txt")
    found = read(path, lambda on_error: debs12_loader.load(path, on_error, False))
    for on_error in ("fail", "skip"):  # which counts a state that is not good as unchanged, and its record as good
        loaded(path, lambda on_error: debs12_loader.load(path, on_error, True), on_error)
    if found is not None and not content.startswith(b"PAR1"):
        fields = [[int(field.strip()) for field in line[2:5]] for line in plain_lines(content, "\t")]
        assert np.array_equal(np.stack([found.columns[name] for name in ("mf01", "mf02", "mf03")], 1), np.array(fields))


def records_of_equipment() -> list[bytes]:
    first = ["2012-02-22T16:46:28.9670320+00:00", 1, 14_000, 12_000, 9_000, 10, 20, 30, 0, 0, 0, 0, 1, 0]
    then = ["2012-02-22T16:46:28.9770284+00:00", 2, 14_001, 12_000, 9_000, 10, 20, 30, 0, 0, 0, 0, 0, 1]
    good = lines_of("\t", [first, then])
    return [good, good.replace(b"+00:00", b"Z"), lines_of("\t", [then, first]), lines_of("\t", [first[:11]])]


def delimited(content: bytes) -> None:
    path = file_of(content, "events.csv")
    settings = {"name": "file", "path": path, "time": 1, "value": 2, "header": False, "key": 3}
    found = read(path, lambda on_error: workload({**settings, "on_error": on_error}).parsed())
    if found is not None and not content.startswith(b"PAR1"):
        text = content.decode("utf-8-sig", "replace")
        lines = [line for line in csv.reader(io.StringIO(text, newline="")) if line]
        assert found.columns["time"].tolist() == [int(line[0].strip()) for line in lines]
        whole = found.columns["value"].dtype.kind == "i"
        values = [int(line[1].strip()) if whole else float(line[1].strip()) for line in lines]
        assert found.columns["value"].tolist() == values
        assert len(set(found.columns["key"].tolist())) == len({line[2].strip() for line in lines})


def events() -> list[bytes]:
    return [
        b"3,10,a\n1,20,b\n2,30,a\n",
        b'3,1.5,"a,b"\r\n1,2e3,"say ""so"""\r\n\r\n2,.5,c\r\n',
        b"3,10,7\n1,x,8\n2,30\n",
        b"\xef\xbb\xbf 3 ,+10,007\n1,20,-7\n",
        b'1,2,"a\nb"\n2,3,c\n',
    ]


def parquet(content: bytes) -> None:
    path = file_of(content, "events.parquet")
    settings = {"name": "file", "path": path, "time": "t", "value": "v"}
    read(path, lambda on_error: workload({**settings, "on_error": on_error}).parsed())


def tables() -> list[bytes]:
    whole = {"t": pa.array([3, 1, 2], pa.int64()), "v": pa.array([1.5, None, 2.0])}
    dated = {"t": pa.array([3, 1, None], pa.timestamp("ns", "UTC")), "v": pa.array([1, 2, 3], pa.int16())}
    return [in_parquet(whole), in_parquet(dated), in_parquet(dated, compression="zstd")]


def flights(content: bytes) -> None:
    path = Path(file_of(b"", "flights.csv.zip"))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("flights.csv", content)
    try:
        found = flights_loader.read(path, ("dep_delay",))
    except ValueError as error:
        must_say(error, str(path))
        return
    complete = found.drop_null()
    flights_loader.minutes({name: complete[name].to_numpy() for name in complete.column_names})


def departures() -> list[bytes]:
    header = b"year,month,day,dep_time,sched_dep_time,dep_delay\n"
    return [header + b"2013,1,1,517,515,2\n2013,12,31,NA,2359,NA\n", header + b"2013,1,1,517,x,2\n", header]


# ------------------------------------------------------------------------------------------------------------- words


def overrides(content: bytes) -> None:
    """Words of a command, one a line, through the command line and Hydra to the settings of an experiment."""
    import hydra
    from omegaconf import OmegaConf

    from experiments.harness.cli import arguments, choosing, command_line, help_text, messages
    from experiments.harness.settings import Settings, of_an_experiment

    words = [word for word in content.decode("utf-8", "replace").splitlines() if word]
    if arguments.no_setting(words):
        return
    OmegaConf.register_new_resolver("page", help_text.page, replace=True)
    OmegaConf.register_new_resolver("scratch", command_line.scratch, replace=True)
    try:
        with hydra.initialize_config_dir(str(Path(help_text.CONF).resolve()), version_base="1.3"):
            config: Any = OmegaConf.to_container(hydra.compose("config", words), resolve=True)
        for job, given in choosing.jobs(config, words, lambda name, others: {"paper": "none"}):
            command_line.variant(given)
            if "name" in job:
                Settings.of(of_an_experiment(job))
    except Exception as error:
        with open(os.devnull, "w") as nowhere, redirect_stderr(nowhere):
            messages.reported(error)  # which raises what no input should cause


def commands() -> list[bytes]:
    some = ["experiment=fiba_ooo", "window=1024", "distances=[0,16]", "profile=smoke", "algorithms=[fiba,b_tree]"]
    return ["\n".join(some).encode(), b"experiment=all\nonly=[fiba]", b"workload=file\nworkload.path='a b.csv'",
            b"+algorithms=[{name: fiba, min_arity: 4}]\nexperiment=fiba_fifo", b"--experiment\nfiba_ooo"]  # fmt: skip


def policies(content: bytes) -> None:
    """Which records are in a window and when it fires: name=value, one a line, the values as in YAML."""
    text = content.decode("utf-8", "replace")
    try:
        pairs = [(name, yaml.safe_load(value)) for name, _, value in (line.partition("=") for line in text.split("\n"))]
    except (yaml.YAMLError, ValueError, OverflowError):  # not a value at all; ValueError: a date that is none
        return
    settings = {"size": 5} | {name: value for name, value in pairs if name in WindowSpec.__dataclass_fields__}
    algorithm, kind = dict(pairs).get("window", "fiba"), dict(pairs).get("time", "int64")
    if algorithm not in ("fiba", "two_stacks_lite") or kind not in ("int64", "float64", "datetime64"):
        return
    try:
        plan_of(str(algorithm), WindowSpec(**settings), str(kind), {})
    except ValueError as error:
        must_say(error, *WindowSpec.__dataclass_fields__, "window", "time")


def specs() -> list[bytes]:
    return [
        b"size=10\nslide=2\nby=count",
        b"size=5min\nslide=90s\ntime=datetime64\nlateness=30s",
        b"size=7\nslide=row",
        b"size=0.3\nslide=0.1\ntime=float64\noffset=0.05",
        b"size=2\nslide=1\nby=punctuation\nwindow=fiba",
    ]


# ------------------------------------------------------------------------------------------------------- saved state


def saved_state(content: bytes) -> None:
    """The state of a bucket of the Spark operator: written again it is the same, or it is refused."""
    from streaming import bucket, state
    from tests.streaming.test_bucket import aggregation_of

    for aggregation in (aggregation_of(kept="rows"), aggregation_of()):
        try:
            keys, kept = state.read(aggregation, content)
        except state.StateError as error:
            must_say(error, "the saved state")
            continue
        again = state.read(aggregation, state.written(aggregation, keys, kept))
        of_kept = [key.take(pa.array(kept.codes)) for key in keys]  # a key without a slice is not kept
        assert [key.to_pylist() for key in again[0]] == [key.to_pylist() for key in of_kept]
        assert all(
            np.array_equal(np.asarray(one), np.asarray(other), equal_nan=True)
            for one, other in zip(columns_of(kept), columns_of(again[1]), strict=True)
        )
        bucket.take(aggregation, content, [], kept.watermark)


def columns_of(kept: Any) -> Iterator[np.ndarray]:
    yield from (kept.counts, kept.done, kept.offsets, kept.positions, *kept.values.values(), *kept.valid.values())


def states() -> list[bytes]:
    from streaming import bucket
    from tests.streaming import made
    from tests.streaming.test_bucket import aggregation_of, packs

    records = [("a", made.START + 1, 1.0), (None, made.START + 2, None), ("a", made.START, 3.0)]
    found = []
    for aggregation in (aggregation_of(kept="rows"), aggregation_of()):
        found += [
            bucket.take(aggregation, None, packs(aggregation, some), made.START - 1).state for some in (records, [])
        ]
    return found


def stored_header(content: bytes) -> None:
    """The header of a window in a key-value store."""
    w = window("kvs_amta", operators.make("affine"), 100, store="memory:", stored_as="w", cache=4)
    try:
        found = documents.recovered(content, w.storage.w, w.storage.signed, w.storage.first)
    except ValueError as error:
        must_say(error, "its ")
        return
    assert documents.header_of(w.storage.signed, found).partition(b"\n")[2] == content.partition(b"\n")[2]


def headers() -> list[bytes]:
    w = window("kvs_amta", operators.make("affine"), 100, store="memory:", stored_as="w", cache=4)
    w.insert_many(range(50), range(50))
    w.storage.flush()
    return [w.storage.store.read([documents.header_key("w")])[0]]


PARSERS = {
    "linear_road": Parser(linear_road, tuples),
    "debs12": Parser(debs12, records_of_equipment),
    "csv": Parser(delimited, events),
    "parquet": Parser(parquet, tables),
    "flights": Parser(flights, departures),
    "overrides": Parser(overrides, commands),
    "policies": Parser(policies, specs),
    "saved_state": Parser(saved_state, states),
    "stored_header": Parser(stored_header, headers),
}


# ------------------------------------------------------------------------------------------------------------- input


def lines_of(delimiter: str, records: list[list[Any]]) -> bytes:
    return "".join(delimiter.join(map(str, record)) + "\n" for record in records).encode()


def in_parquet(columns: dict[str, Any], **options: Any) -> bytes:
    target = io.BytesIO()
    pq.write_table(pa.table(columns), target, **options)
    return target.getvalue()


def mutated(content: bytes, chance: Any) -> bytes:
    """The content with some bytes changed, doubled, or left out: damage that a random string does not do."""
    damaged = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        i = chance.randrange(len(damaged) + 1)
        j = min(len(damaged), i + chance.choice([1, 1, 2, 8, 40]))
        new = chance.choice(
            [
                b"",
                damaged[i:j] * 2,
                bytes([chance.randrange(256)]),
                struct.pack("<q", chance.choice([-1, 0, 1 << 40, -(1 << 62)])),
                chance.choice([b"-", b",", b"\t", b"\n", b'"', b"9" * 20, b"NaN", b"\0", b"1e400", b"=", b"[", b"${"]),
            ]
        )
        damaged[i:j] = new
    return bytes(damaged)
