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
    said = estimate.said(["short", "none", "long", "other"], "laptop", tmp_path).splitlines()
    assert said[0].startswith("At profile laptop the published run took 0 h 12 min for 2 of these experiments")
    assert said[1:3] == ["  long 12, short <1 minutes.", "  It has nothing of none, other."]


def test_nothing_is_said_where_nothing_is_known(tmp_path):
    assert estimate.said(["none"], "laptop", tmp_path) == ""


def test_the_published_run_is_known():
    assert estimate.minutes("fiba_ooo", "laptop") > 1
