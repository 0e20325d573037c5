"""Verdicts as data in sidecars: nothing is lost on the way, and the last drawn sidecar of a run counts."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest

from plots.scoreboard import scoreboard
from results.verdicts import DOES_NOT_HOLD, HOLDS, UNDECIDED, Decision, Verdict, as_data, of_data, published_in

DECISIONS = (
    Decision({"operator": "sum", "window": np.int64(1024)}, 1.04, 1.02, 1.07, HOLDS, 7),
    Decision({"operator": "max", "window": np.int64(16)}, np.float64(1.2), 0.9, math.inf, UNDECIDED, 7, 12),
)


def verdict(**changes):
    words = {"panel": "Figure 11", "claim": "flat", "says": "flat", "bound": "at most 1.1", "measured": "1.04"}
    return Verdict(**{"experiment": "fiba_ooo", "word": HOLDS, "holds": 1, **words, "decisions": DECISIONS, **changes})


def test_json_keeps_everything():
    text = json.dumps(as_data(verdict(unit="%", timed=False)), allow_nan=False)
    assert of_data(json.loads(text)) == verdict(unit="%", timed=False)


@pytest.fixture
def folder(tmp_path):
    def write(name, drawn, config=None, **entries):
        config = {"name": "fiba_ooo", "paper": "fiba", **(config or {})}
        (tmp_path / f"{name}.json").write_text(json.dumps({"config": config, "drawn": drawn, **entries}))

    both = [as_data(verdict()), as_data(verdict(word=DOES_NOT_HOLD))]
    write("fiba_ooo", "2026-01-02", verdicts=both, cells=["0123456789abcdef"])
    write("fiba_ooo_second", "2026-01-01", verdicts=[as_data(verdict(claim="older"))])
    write("fiba_ooo_third", "2026-01-03", verdicts=[])
    write("fiba_ooo-window_8", "2026-01-03", verdicts=[as_data(verdict(experiment="fiba_ooo-window_8"))])
    return SimpleNamespace(path=tmp_path, write=write)


def test_of_several_sidecars_of_a_run_the_last_drawn_counts(folder):
    found = published_in(folder.path)
    assert sorted(found) == ["fiba_ooo", "fiba_ooo-window_8"]
    assert [each.claim for each in found["fiba_ooo"]] == ["flat", "flat"]
    assert found["fiba_ooo"][0].decisions == DECISIONS


def test_the_scoreboard_counts_whole_experiments(folder):
    assert scoreboard(folder.path).splitlines()[2:] == [
        "| FiBA: finger B-trees for out-of-order windows | 1 | – | 1 | – | – | – |"
    ]


@pytest.mark.parametrize("entries", [{}, {"verdicts": [], "cells": []}], ids=["of before", "of another figure"])
def test_verdicts_that_are_lost_are_to_be_drawn_again(folder, entries):
    folder.write("ra_cost", "2026-01-01", {"name": "ra_cost", "paper": "reactive_aggregator"}, **entries)
    with pytest.raises(ValueError, match=r"no verdicts of ra_cost; draw again: .*experiment=ra_cost action=draw"):
        scoreboard(folder.path)
    folder.write("ra_cost", "2026-01-01", {"name": "ra_cost", "paper": "reactive_aggregator"}, verdicts=[], cells=["0"])
    assert "Reactive Aggregator | – |" in scoreboard(folder.path)  # which has no statements


def test_json_of_the_users_own_is_left_out_and_damaged_sidecars_are_named(tmp_path):
    (tmp_path / "list.json").write_text("[1, 2]")
    assert published_in(tmp_path) == {}
    (tmp_path / "cut.json").write_text('{"verdicts": [')
    with pytest.raises(ValueError, match="cut.json: .*; draw that figure again, or delete the file"):
        published_in(tmp_path)
    (tmp_path / "cut.json").write_text(json.dumps({"verdicts": [{"experiment": "x", "colour": 1}], "drawn": "now"}))
    with pytest.raises(ValueError, match="cut.json"):
        published_in(tmp_path)
