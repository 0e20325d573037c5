"""Cells that ask queries of a stream, measured: counts against an operator that counts, answers against brute force."""

import dataclasses

import numpy as np
import pytest

from algorithms import SharedAggregate, operators
from experiments.cutty.measuring import counts, queries, slicing, table_1
from experiments.cutty.measuring.queries import ONE_SLICE, PERIODIC, SESSIONS
from experiments.cutty.measuring.techniques import TECHNIQUES
from experiments.harness.cell import Cell
from experiments.harness.feasibility import estimate, refusal
from experiments.harness.measurement import find
from experiments.harness.plan import checked, runs_of
from experiments.harness.settings import Profile, Settings, SettingsError
from experiments.harness.traces import trace_of
from workloads import workload
from workloads.queries import periodic, sessions

RECORDS = 3000
STREAM = {"records": RECORDS, "seed": 4, "value": "mf01"}
TASK = {"operations": None, "minimum_ns": 1, "trace_hash": ""}
TWO_QUERIES = {"ask": PERIODIC, "queries": 2, "divide": 1000}


def cell_of(algorithm, asked, metric="combines", **columns):
    usual = {"paper": "cutty", "experiment": "made", "parameters": {}, "operator": "sum", "workload": "debs12",
             "stream": STREAM, "asked": asked, "window": 0}  # fmt: skip
    return Cell(**{**usual, "algorithm": algorithm, "measurement": f"slicing.{metric}", **columns})


def values():
    return workload({"name": "debs12", **STREAM}).trace().values


def by_definition(asked):
    """The sum of the aggregates of all windows that end within the stream, and their number."""
    if asked["ask"] == PERIODIC:
        windows = [
            (begin, begin + r)
            for r, s in (periodic(asked["queries"]) // asked["divide"]).tolist()
            for begin in range(0, RECORDS - r, s)
        ]
    else:
        transitions = workload({"name": "debs12", **STREAM}).transitions()
        edges = [[0, *transitions[state].tolist()] for state in sessions(asked["queries"], transitions)]
        windows = [window for one in edges for window in zip(one, one[1:])]
    total = np.concatenate(([0], np.cumsum(values())))
    return sum(int(total[end] - total[begin]) for begin, end in windows), len(windows)


THREE_SESSIONS = {"ask": SESSIONS, "queries": 3}
CASES = [
    *((name, TWO_QUERIES) for name in TECHNIQUES),
    *((name, THREE_SESSIONS) for name in ("naive", "ra", "ra_lazy", "cutty", "cutty_lazy")),
]


@pytest.mark.parametrize(("technique", "asked"), CASES, ids=lambda one: one if isinstance(one, str) else one["ask"])
def test_answers_are_those_of_brute_force_however_they_are_measured(technique, asked):
    checksum, windows = by_definition(asked)
    assert windows > 10
    made = counts.combines(cell_of(technique, asked), TASK)
    assert (made["checksum"], made["facts"]["windows"]) == (checksum, windows)
    timed = slicing.time(cell_of(technique, asked, "time"), TASK)
    assert (timed["checksum"], timed["facts"]["windows"], find("slicing.time").unit) == (checksum, windows, "ns")
    assert timed["value"] > 0 and timed["operations"] % RECORDS == 0
    alone = slicing.aggregator(cell_of(technique, asked, "aggregator"), TASK)
    assert (alone["checksum"], alone["facts"]) == (checksum, {"windows": windows})
    if asked["ask"] == SESSIONS:
        assert 0 < timed["facts"]["discretizer_ns_per_record"] < timed["value"] / timed["operations"], "it is inside"


@pytest.mark.parametrize("technique", ["naive", "ra", "pairs", "cutty"])
def test_counts_are_those_of_an_operator_that_counts(technique):
    cell, chosen = cell_of(technique, TWO_QUERIES), TECHNIQUES[technique]
    op = operators.counting(operators.make("sum", "int64"))
    SharedAggregate(queries.queries_of(cell), op, chosen.slicing, chosen.store).batch(None, values())
    made = counts.counted(cell)
    assert made.folds + made.update + made.merge == op.combines() > 0
    parts = {name: getattr(counts, name)(cell, TASK)["value"] for name in counts.COUNTED}
    assert parts["combines"] == parts["update"] + parts["merge"] == made.update + made.merge
    assert (parts["partials"], parts["slices"]) == (made.partials, made.slices)


def test_pieces_of_a_stream_are_the_whole(monkeypatch):
    cell = cell_of("cutty", THREE_SESSIONS)
    whole, timed = counts.combines(cell, TASK), slicing.time(cell, TASK)
    monkeypatch.setattr(queries, "PIECE", 700)
    counts._counted.cache_clear()
    assert counts.combines(cell, TASK) == whole
    assert slicing.time(cell, TASK)["checksum"] == timed["checksum"]


def test_counting_is_done_once_for_all_metrics(monkeypatch):
    cell = cell_of("cutty", {**TWO_QUERIES, "queries": 4})
    made = counts.update(cell, TASK)
    monkeypatch.setattr(counts, "shared_aggregate", None)  # to be called: TypeError
    again = dataclasses.replace(cell, measurement="slicing.merge")
    assert counts.merge(again, TASK)["facts"] == made["facts"]


def test_one_slice_takes_every_record_and_no_window_ends():
    made = counts.counted(cell_of("cutty", {"ask": ONE_SLICE}))
    assert (made.folds, made.update, made.merge, made.slices, made.windows) == (RECORDS, 0, 0, 0, 0)
    timed = slicing.fold(cell_of("cutty", {"ask": ONE_SLICE}, "fold"), TASK)
    assert timed["value"] > 0 and timed["checksum"] == 0


def test_what_is_drawn_is_told():
    asked = {"ask": PERIODIC, "range": 30, "slide": 7, "query": 0}
    assert queries.slide(cell_of("", asked, "slide", window=30), TASK)["value"] == 7
    drawn = [len(one) for one in workload({"name": "debs12", **STREAM}).transitions()]
    found = [queries.transitions(cell_of("", {"ask": SESSIONS, "state": k}, "transitions"), TASK) for k in range(3)]
    assert [one["value"] for one in found] == sorted(drawn, reverse=True)[:3]
    assert all(one["operations"] == RECORDS and drawn[one["facts"]["state"]] == one["value"] for one in found)


FORMULAS = [
    # technique, range, slide: space, slices a record, to store a slice, a record, a window; by hand, from Table 1
    ("cutty_lazy", 10, 3, (5, 1 / 3, 1, 1, 5)),
    ("cutty", 8, 2, (9, 1 / 2, 2, 1.5, 2)),
    ("pairs", 10, 3, (7, 2 / 3, 1, 1, 7)),
    ("pairs_plus", 8, 2, (16, 1, 3, 3, 3)),
    ("panes", 10, 4, (5, 1 / 2, 1, 1, 5)),
    ("panes_plus", 16, 6, (16, 1 / 2, 3, 2, 3)),
    ("ra_lazy", 16, 6, (16, 1, 1, 1, 16)),
    ("ra", 16, 6, (32, 1, 4, 4, 4)),
]


@pytest.mark.parametrize(("technique", "r", "s", "expected"), FORMULAS)
def test_formulas_of_table_1(technique, r, s, expected):
    assert table_1.formulas(technique, r, s) == pytest.approx(expected)


def test_entries_of_table_1_have_the_count_and_the_formula():
    cell = cell_of(
        "cutty_lazy",
        {"ask": PERIODIC, "range": 10, "slide": 3},
        measurement="table_1.partials",
    )
    made = table_1.partials(cell, TASK)
    assert made["value"] == 4 and made["facts"] == {"formula": 5, "shown": "4 (5)", "grid": "10 / 3"}
    merged = table_1.merge(dataclasses.replace(cell, measurement="table_1.merge"), TASK)
    windows = counts.counted(cell).windows
    assert (merged["value"], merged["operations"]) == (3 * windows, windows), (
        "three slices and the open one take three combines"
    )


def settings_of(name, **given):
    usual = {"name": name, "paper": "cutty", "workload": {"name": "debs12", **STREAM}, "operators": ("sum",),
             "profile": Profile("smoke", 1, 1, 60), "executor": {}, "sizes": {"queries": [1, 2], "divide": 1000},
             "algorithms": ({"name": "cutty"},)}  # fmt: skip
    return Settings(**(usual | given))


def test_techniques_have_a_catalogue_of_their_own():
    assert checked(settings_of("cutty_periodic")).algorithms == ({"name": "cutty"},)
    with pytest.raises(SettingsError, match="unknown algorithm 'fiba'; there are: naive, ra"):
        checked(settings_of("cutty_periodic", algorithms=({"name": "fiba"},)))
    with pytest.raises(SettingsError, match="unknown algorithm 'cutty'"):
        checked(settings_of("fiba_ooo"))
    with pytest.raises(SettingsError, match="cutty has no parameter 'min_arity'"):
        checked(settings_of("cutty_periodic", algorithms=({"name": "cutty", "min_arity": 2},)))


def test_a_stream_that_does_not_fit_is_refused_with_the_estimate():
    large = cell_of("cutty", TWO_QUERIES, stream={**STREAM, "records": 1 << 40})
    assert estimate(large).too_much and "GiB for 1,099,511,627,776 entries" in refusal(large)
    assert refusal(cell_of("cutty", TWO_QUERIES)) == ""
    with pytest.raises(SettingsError, match="GiB"):
        runs_of(settings_of("cutty_periodic", workload={"name": "debs12", "records": 1 << 40}))


def test_sessions_on_a_stream_whose_states_never_change_are_refused_before_anything_is_measured(tmp_path):
    path = tmp_path / "still.txt"
    path.write_text("2012-02-22T16:46:28.9670320+00:00\t1\t" + "\t".join(["1"] * 64) + "\n")
    for stream, message in (
        ({"path": str(path)}, r"still.txt: no state ever changes, and sessions begin where one does; take a file"),
        ({"records": 2}, r"no state of these 2 records ever changes, and sessions begin .* take more records"),
    ):
        settings = settings_of("cutty_sessions", workload={"name": "debs12", **stream, "value": "mf01"})
        with pytest.raises(ValueError, match=message):
            runs_of(settings)


def test_rows_of_a_file_that_changed_are_measured_again(tmp_path):
    path, line = tmp_path / "stream.txt", "2012-02-22T16:46:28.{0:03d}0320+00:00\t{0:08d}\t" + "\t".join(["1"] * 54)
    stream = {"name": "debs12", "path": str(path), "value": "mf01"}
    hashes = []
    for records in (5, 5, 6):
        path.write_text("".join(line.format(i) + "\n" for i in range(records)))
        trace_of.cache_clear()
        hashes.append({run.trace_hash for run in runs_of(settings_of("cutty_periodic", workload=stream))})
    assert hashes[0] == hashes[1] != hashes[2]


def test_labels_tell_what_is_asked():
    assert cell_of("cutty", TWO_QUERIES).label == "cutty sum queries=2 divide=1000"
    assert cell_of("", {"ask": SESSIONS, "state": 3}, "transitions").label == "sum: transitions state=3"
    assert cell_of("cutty", TWO_QUERIES).workload_settings == {"name": "debs12", **STREAM}
