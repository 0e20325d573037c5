"""The README's table of other libraries, from made-up rows."""

import json

import pandas as pd
import pytest

from plots import peers_table
from tests.experiments.made_rows import frame, row

NS = {
    ("rolling", "sum"): 1.2, ("bottleneck", "sum"): 0.6, ("pandas", "sum"): 1234.5,
    ("rolling", "max"): 1.0, ("bottleneck", "max"): 10.0,
    ("sliding", "argmax"): 30.0, ("bottleneck", "argmax"): 20.0,
}  # fmt: skip


def rows(ns=NS, code="new", day=2):
    at = {"window": 1000, "workload_parameters": json.dumps({"shape": "random"}), "experiment": "peers"}
    since = {"code_hash": code, "machine": "m", "started": pd.Timestamp(2026, 1, day, tz="UTC")}
    made = []
    for (name, task), time in ns.items():
        facts = json.dumps({"version": "1.6" if name == "bottleneck" else ""})
        made += [
            row(
                name,
                cell=f"{name} {task}",
                operator=task,
                ns=time * (1 + r / 10),
                repetition=r,
                facts=facts,
                **at,
                **since,
            )
            for r in (-1, 0, 1)
        ]
        count = {"metric": "wrong", "value": 30.0 * (name == "bottleneck" and task == "sum"), "counted": True}
        made.append(row(name, cell=f"{name} {task} wrong", operator=task, **count, **at, **since))
    return frame(made)


def test_medians_with_the_quickest_in_bold_and_the_share_of_wrong_answers():
    assert peers_table.markdown(rows()).splitlines() == [
        "| ns a row | rolling | SlidingAggregate | pandas | Bottleneck |",
        "| --- | --- | --- | --- | --- |",
        "| sum | 1.2 | – | 1,234 | **0.6** |",
        "| max | **1** | – | – | 10 |",
        "| argmax | – | 30 | – | **20** |",
        "| wrong, random values | none | – | none | 3 % |",
        "",
        "Quicker than ours: Bottleneck at sum (2.0 times), argmax (1.5 times).",
        "Versions: Bottleneck 1.6.",
    ]


def test_the_code_that_measured_last_counts_and_rows_without_a_result_do_not():
    slow = rows({key: 100 * ns for key, ns in NS.items()}, "old", 1)
    failed = rows().assign(status="failed", code_hash="newest", started=pd.Timestamp(2026, 1, 3, tz="UTC"))
    assert peers_table.markdown(pd.concat([slow, rows(), failed])) == peers_table.markdown(rows())


def test_nobody_is_quicker():
    found = rows({key: ns for key, ns in NS.items() if key[0] != "bottleneck"})
    assert peers_table.markdown(found).endswith("\nNo other library is quicker than ours here.\n")


def test_without_rows_the_run_is_named_that_would_measure_them():
    for none in (rows()[:0], rows().assign(window=10)):
        with pytest.raises(peers_table.NoRowsError, match="python run.py experiment=peers"):
            peers_table.markdown(none)
