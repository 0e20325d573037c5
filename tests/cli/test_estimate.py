"""What experiments are said to take: as long as the published run, without its pauses."""

from types import SimpleNamespace

import pandas as pd
import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from experiments.harness.cli import estimate, help_text

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


def test_minutes_of_runs_of_all_are_noted(tmp_path):
    def run(name, measured, kept):
        started = pd.Timestamp("2026-11-20", tz="UTC") + pd.to_timedelta([0, 0.5], unit="s")
        rows, settings = pd.DataFrame({"machine": ["a", "a"], "started": started}), SimpleNamespace(name=name)
        return SimpleNamespace(settings=settings, measured=measured, kept=kept, rows=rows)

    first = [run("whole", 2, 0), run("stopped", 1, 1), run("kept", 0, 2)]
    ended = [("whole", 0, 90.0), ("stopped", 1, 30.0), ("kept", 0, 1.0), ("wrong", 2, 0.1)]
    estimate.note(ended, first, "smoke", tmp_path / "data")
    assert estimate.minutes("whole", "smoke", tmp_path / "data") == 1.5
    for name, profile in (("stopped", "smoke"), ("kept", "smoke"), ("wrong", "smoke"), ("whole", "paper")):
        assert estimate.minutes(name, profile, tmp_path / "data") is None
    estimate.note([("whole", 0, 0.1)], [run("whole", 2, 0)], "smoke", tmp_path / "data")  # measured by a job on Spark
    assert estimate.minutes("whole", "smoke", tmp_path / "data") == 1.5
    ended, again = [("whole", 0, 1.0), ("kept", 0, 60.0)], [run("whole", 0, 2), run("kept", 2, 0)]
    estimate.note(ended, again, "smoke", tmp_path / "data")
    assert [estimate.minutes(name, "smoke", tmp_path / "data") for name in ("whole", "kept")] == [1.5, 1.0]
    assert (tmp_path / "data" / "minutes.csv").read_text().splitlines()[1] == "smoke,kept,1.00,a"


def test_a_line_for_each_experiment_and_one_for_all(tmp_path):
    published(tmp_path, "long", [9, 0, 5, 3, 500, 503])
    published(tmp_path, "short", [0, 0.25])
    memory = {"long": estimate.Needs(2.5, 3), "short": estimate.Needs(0.01, 0), "none": estimate.Needs(1.0, 0)}
    configs = [{"name": name} for name in memory]
    _, _, long, short, none, all_, *_ = estimate.table(
        configs, "laptop", [], tmp_path, lambda each: memory[each["name"]]
    )
    assert long.split(maxsplit=3) == ["long", "12", "2.5", "3 cells need more than there is"]
    assert short.split() == ["short", "<1", "<0.1"] and none.split() == ["none", "?", "1.0"]
    assert all_ == "  all: 0 h 12 min for 2 experiments, and 1 of which it has nothing; at most 2.5 GiB at once."


def test_at_another_profile_it_takes_at_least_as_long_for_each_measurement(tmp_path):
    published(tmp_path, "quick", [0, 0.1, 0.2])  # 4 s each
    published(tmp_path, "slow", [0, 2, 4])  # 80 s each
    smaller = ["smoke", "laptop"]
    for name, each, least in (("quick", 10, 5), ("quick", 1, 2), ("slow", 10, 40), ("none", 10, None)):
        assert estimate.at_least(name, 30, each, smaller, tmp_path) == least
    assert estimate.at_least("slow", 30, 10, ["smoke"], tmp_path) is None  # laptop's take longer: they bound nothing
    memory = {"slow": estimate.Needs(1.0, 0, 60, 1), "quick": estimate.Needs(1.0, 0, 1, 1)}
    memory["none"] = estimate.Needs(1.0, 0, 9)
    configs = [{"name": name, "sizes": dict.fromkeys((*smaller, "paper"))} for name in memory]
    _, _, slow, quick, none, all_, *_ = estimate.table(
        configs, "paper", [], tmp_path, lambda each: memory[each["name"]]
    )
    assert slow.split()[:2] == ["slow", "≥80"] and quick.split()[:2] == ["quick", "≥1"] and none.split()[1] == "?"
    least = "at least 1 h 20 min for 2 that it has at a smaller profile, and 1 of which it has nothing"
    assert all_ == f"  all: {least}; at most 1.0 GiB at once."


def needs_of(*overrides):
    with initialize_config_dir(config_dir=str(help_text.CONF), version_base="1.3"):
        config = compose("config", [*overrides, "profile=smoke"])
    return estimate.needs(OmegaConf.to_container(config, resolve=True))


def test_what_is_timed_is_measured_in_each_repetition_and_what_is_counted_once():
    once, thrice = (needs_of("experiment=ra_cost", f"profile.repetitions={repetitions}") for repetitions in (1, 3))
    timed, rest = divmod(thrice.measurements - once.measurements, 2)  # the experiment has both
    assert 0 < timed < once.measurements and rest == 0
    counted = once.measurements - timed
    for repetitions, found in ((1, once), (3, thrice)):
        assert found.each == pytest.approx(0.002 * repetitions * timed / (counted + repetitions * timed))
    once, thrice = (needs_of("experiment=mta_complexity", f"profile.repetitions={n}") for n in (1, 3))
    assert thrice == once and once.measurements > 0 and once.each == 0


def test_what_waits_for_tuples_by_the_clock_takes_as_long_as_they_do():
    waiting, computing = (
        needs_of("experiment=compression", f"sizes.smoke.clock={clock}", "sizes.smoke.duration=600")
        for clock in ("real", "compressed")
    )
    assert waiting.each == pytest.approx(600) and computing.each < 1 < waiting.measurements == computing.measurements


def test_an_experiment_that_cannot_be_planned_says_why(tmp_path):
    def wrong(config):
        raise ValueError("window is 0; it must be at least 1")

    refused = []
    line = list(estimate.table([{"name": "short"}], "laptop", refused, tmp_path, wrong))[2]
    assert refused == ["short"]
    assert line.split(maxsplit=3) == ["short", "?", "?", "window is 0; it must be at least 1"]


def test_the_published_run_is_known():
    assert estimate.minutes("fiba_ooo", "laptop") > 1
