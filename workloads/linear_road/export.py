"""Write Linear Road tuples in the benchmark's text format: comma-separated, without a header, in order of time.

    python -m workloads.linear_road.export cars.txt records=44000000 expressways=4

The settings are those of workload=linear_road; what is not given takes its default. A record set that was made with
them is read (experiment=make_workload), and otherwise the tuples are generated. With path=... a file is written
anew, such as Parquet as text. A name that ends in .gz, .bz2, .zst or .lz4 is compressed.
"""

from __future__ import annotations

import argparse
import json
import sys
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from workloads.catalogue import workload
from workloads.linear_road.layout import COLUMNS, REPORTED

WIDTHS = {len(COLUMNS): COLUMNS, len(REPORTED): REPORTED}


def writable(path: Path) -> Path:
    """The path itself. Raises ValueError where no file can be put: replacing a device or a pipe would destroy it."""
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is not a regular file; give the name of a text file to write")
    if not path.parent.is_dir():
        raise ValueError(f"{path.parent} is not a folder; {path.name} is written into one that is there")
    return path


def write(path: Path, chunks: Iterable[Mapping[str, np.ndarray]]) -> int:
    """Write columns, chunk by chunk, as lines of text; return their number. About 3 million lines a second.

    The file appears when all is written, and replaces one that is there. Raises OSError, as `writable`, and what
    `chunks` raises.
    """
    path = writable(path)
    temporary = path.with_name(f".{uuid.uuid4().hex}.{path.name}")  # its ending tells how it is compressed
    options = pa.csv.WriteOptions(include_header=False)
    lines = 0
    try:
        with pa.output_stream(str(temporary), compression="detect") as stream:
            for chunk in chunks:
                table = pa.table(dict(chunk))
                pa.csv.write_csv(table, stream, options)
                lines += table.num_rows
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return lines


def setting(text: str) -> tuple[str, Any]:
    """Name and value of a setting such as records=1000. Raises ValueError."""
    name, sign, value = text.partition("=")
    if not sign or name == "name":
        raise ValueError(f"{text!r} is not a setting; they are written as records=1000")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def settings(texts: Iterable[str]) -> dict[str, Any]:
    """The settings by name. Raises ValueError for one that is none or that is given twice."""
    by_name: dict[str, Any] = {}
    for name, value in map(setting, texts):
        if name in by_name:
            raise ValueError(f"{name} is given twice, as {by_name[name]!r} and as {value!r}; give it once")
        by_name[name] = value
    return by_name


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m workloads.linear_road.export", description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="text file to write")
    parser.add_argument("settings", nargs="*", help="of workload=linear_road, such as records=1000 expressways=2")
    parser.add_argument("--columns", type=int, choices=sorted(WIDTHS), help="default: as many as there are")
    arguments = parser.parse_args()
    try:
        file = writable(arguments.file)  # before a file of millions of tuples is read
        source = workload({"name": "linear_road", **settings(arguments.settings)})
        lines = write(file, source.tuples(WIDTHS.get(arguments.columns)))
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{file}: {lines:,} tuple{'s' * (lines > 1)}, {file.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
