"""What experiments are said to take: as long as the published run, without its pauses."""

import pandas as pd
import pytest

from experiments.harness.cli import estimate

pytestmark = pytest.mark.smoke


def published(folder, name, minutes, profile="laptop"):
    started = pd.Timestamp("2026-11-20", tz="UTC") + pd.to_timedelta(minutes, unit="min")
    (folder / name).mkdir()
    pd.DataFrame({"started": started, "profile": profile}).to_parquet(folder / name / "rows.parquet")


def test_minutes_are_those_of_the_run_without_pauses(tmp_path):
    published(tmp_path, "long", [9, 0, 5, 3, 500, 503])
    published(tmp_path, "short", [0, 0.25])
    published(tmp_path, "other", [0, 5], profile="smoke")
    assert estimate.minutes("long", "laptop", tmp_path) == 12
    assert estimate.minutes("other", "laptop", tmp_path) is estimate.minutes("none", "laptop", tmp_path) is None


def test_a_line_for_each_experiment_and_one_for_all(tmp_path):
    published(tmp_path, "long", [9, 0, 5, 3, 500, 503])
    published(tmp_path, "short", [0, 0.25])
    memory = {"long": estimate.Needs(2.5, 3), "short": estimate.Needs(0.01, 0), "none": estimate.Needs(1.0, 0)}
    configs = [{"name": name} for name in memory]
    _, _, long, short, none, all_, *_ = estimate.table(configs, "laptop", tmp_path, lambda each: memory[each["name"]])
    assert long.split(maxsplit=3) == ["long", "12", "2.5", "3 cells need more than there is"]
    assert short.split() == ["short", "<1", "<0.1"] and none.split() == ["none", "?", "1.0"]
    assert all_ == "  all: 0 h 12 min for 2 experiments, and 1 of which it has nothing; at most 2.5 GiB at once."


def test_an_experiment_that_cannot_be_planned_says_why(tmp_path):
    def wrong(config):
        raise ValueError("window is 0; it must be at least 1")

    line = list(estimate.table([{"name": "short"}], "laptop", tmp_path, wrong))[2]
    assert line.split(maxsplit=3) == ["short", "?", "?", "window is 0; it must be at least 1"]


def test_the_published_run_is_known():
    assert estimate.minutes("fiba_ooo", "laptop") > 1
