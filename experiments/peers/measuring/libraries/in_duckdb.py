"""DuckDB: SQL window functions over a table of its own in memory, fetched as NumPy arrays."""

from typing import Any

import numpy as np
import pyarrow as pa

from experiments.peers.measuring.columns import KEYED, LATE, MISSING, ROWS, TIME, Column
from experiments.peers.measuring.exact import SEVERAL
from experiments.peers.measuring.libraries import Call

PACKAGE = "duckdb"
THREADS = "one for each core"
KINDS = (ROWS, TIME, LATE, KEYED, MISSING)
TASKS = {
    "sum": "sum(v)",
    "mean": "avg(v)",
    "std": "stddev_samp(v)",
    "min": "min(v)",
    "max": "max(v)",
    "argmax": "arg_max(i, v)",
    "median": "median(v)",
    "distinct": "count(DISTINCT v)",
    "skew": "skewness(v)",
    "several": "",
}


def prepare(task: str, column: Column, window: int) -> Call:
    import duckdb

    rows = np.arange(len(column.values))
    columns = {"i": rows, "v": pa.array(column.values, from_pandas=column.kind == MISSING)}
    extra = {name: part for name, part in (("t", column.times), ("k", column.keys)) if part is not None}
    connection = duckdb.connect()
    connection.register("given", pa.table(columns | extra))
    connection.execute("CREATE TABLE columns AS SELECT * FROM given")
    query = _query(task, column, window)
    return Call(lambda: connection.execute(query).fetchnumpy(), _read)


def _query(task: str, column: Column, window: int) -> str:
    by, unit = ("i", "ROWS") if column.times is None else ("t", "RANGE")
    partition = "" if column.keys is None else "PARTITION BY k "
    named = ", ".join(f"{TASKS[name]} OVER w AS {name}" for name in (SEVERAL if task == "several" else (task,)))
    frame = f"{partition}ORDER BY {by} {unit} BETWEEN {window - 1} PRECEDING AND CURRENT ROW"
    return f"SELECT i, {named} FROM columns WINDOW w AS ({frame})"


def _read(result: dict[str, Any]) -> dict[str, np.ndarray]:
    order = np.argsort(result["i"])
    answers = {name: np.ma.filled(found.astype(float), np.nan) for name, found in result.items() if name != "i"}
    return {name: answer[order] for name, answer in answers.items()}
