"""The README's table of windows on Spark, from made-up rows."""

import json

import pandas as pd
import pytest

from plots import spark_table
from plots.markdown_tables import NoRowsError
from tests.experiments.made_rows import frame, row

NS = {
    ("sliding_aggregate", 10, 1000, 1, 300_000): 4000.0,
    ("spark_window", 10, 1000, 1, 300_000): 8000.0,
    ("spark_window_in_memory", 10, 1000, 1, 300_000): 5000.0,
    ("sliding_aggregate", 600, 1000, 1, 7_500): 90_000.0,
    ("sliding_aggregate", 600, 1000, 1, 240_000): 3000.0,
    ("spark_window", 600, 1000, 1, 7_500): 1e6,
    ("sliding_aggregate", 10, 10_000, 1, 300_000): 1.0,
    ("sliding_by_slide", 60, 10, 400, 4_000_000): 125.0,
    ("table_panes_sql", 60, 10, 400, 4_000_000): 160.0,
    ("sliding_by_row", 1000, 2, None, 4_000_000): 500.0,
}


def rows(ns=NS, code="new", day=2):
    made = []
    for (name, window, keys, per_slide, most), time in ns.items():
        sizes = {"keys": keys, "rows": most} | ({"per_slide": per_slide} if per_slide else {})
        at = {"window": window, "workload_parameters": json.dumps(sizes), "experiment": "spark_operator"}
        since = {"code_hash": code, "machine": "m", "started": pd.Timestamp(2026, 1, day, tz="UTC")}
        for r in (-1, 0, 1):
            factors = {"ns": time * (1 + r / 10), "repetition": r, "cell": f"{name} {window} {sizes}"}
            made.append(row(name, **factors, **at, **since))
    return frame(made)


def test_each_way_counts_with_its_largest_triggers_and_the_quickest_is_bold():
    assert spark_table.markdown(rows()).splitlines() == [
        "| thousand rows/s | stream, size/slide 10 | 600 | table, a window for each slide, the same"
        " | table, a window of 1,000 rows for each row |",
        "| --- | --- | --- | --- | --- |",
        "| `sliding_aggregate` | **250** | **333** | **8,000** | **2,000** |",
        "| Spark's `window()` | 200 | 1 | – | – |",
        "| panes: a state of one's own, or SQL | – | – | 6,250 | – |",
    ]


def test_without_rows_it_says_which_run_has_them():
    with pytest.raises(NoRowsError, match="python run.py experiment=spark_operator"):
        spark_table.markdown(rows({("sliding_aggregate", 7, 1, 1, 10): 1.0}))
