"""Rules, statistics and profiles of Linear Road tuples as cells, and the verdicts on them."""

import json

import pandas as pd
import pytest

from experiments.compressed_windows.linear_road_calibration import MOTION, SERIES, linear_road_calibration
from experiments.harness.engine import run
from experiments.harness.plan import runs_of
from experiments.harness.settings import Settings, SettingsError
from tests.experiments.test_configurations import composed
from workloads import make
from workloads.linear_road.profiles import PROFILES
from workloads.linear_road.rules import RULES
from workloads.linear_road.statistics import STATISTICS

SMOKE = ("experiment=linear_road_calibration", "profile=smoke", "executor=inline")
NO = "not measured at this profile"


def made(change=None, seconds=10_800, full=1.0, **workload):
    """Rows of a stream in which all is as documented, but for the values by (quantity, at, series) in `change`.

    It covers `seconds`, and an expressway has the share `full` of the benchmark's tuples.
    """
    values = {("rule", rule, ""): 0.0 for rule in RULES}
    values |= {("statistic", name, ""): (known.low + known.high) / 2 for name, known in STATISTICS.items()}
    for quantity, (places, many) in PROFILES.items():
        values |= {(quantity, at, series): 100.0 for at in places for series in many}
    values |= {("rate", at, "reports"): at for at in PROFILES["rate"][0]}
    values |= {("density", at, "segments"): 70 - at / 20 for at in PROFILES["density"][0]}
    values |= {("accident", at, "during"): 10.0 for at in (-1, 0)}
    values |= {("stops", count, "vehicles"): (10_000, 60, 5, 0, 0, 0)[count] for count in range(6)}
    values |= change or {}
    stream = {"path": None, "records": 12_000_000, "expressways": 1, "seconds": 10_800} | workload
    covered = {"seconds": seconds, "full": full}
    return pd.DataFrame(
        {
            "status": "ok",
            "parameters": json.dumps({"quantity": quantity, "at": at} | ({SERIES[quantity]: series} if series else {})),
            "workload_parameters": json.dumps(stream),
            "facts": json.dumps(_facts(quantity, at) | covered),
            "value": value,
        }
        for (quantity, at, series), value in values.items()
    )


def _facts(quantity, at):
    if quantity == "statistic":
        return {"low": STATISTICS[at].low, "high": STATISTICS[at].high, "text": at}
    return {"of": 100, "text": "7 of 100"} if quantity == "rule" else {}


def verdicts(rows):
    return [verdict["verdict"] for verdict in linear_road_calibration.verdicts(rows)]


def test_there_is_a_cell_for_each_point():
    cells = runs_of(Settings.of(composed(*SMOKE, "workload.folder=none")))
    points = len(RULES) + len(STATISTICS) + sum(len(places) * len(many) for places, many in PROFILES.values())
    assert len(cells) == len({one.cell.parameters for one in cells}) == points


def test_a_run_measures_them_beside_what_is_documented(tmp_path, monkeypatch):
    some = [("rule", rule, "") for rule in ("Seg is Pos div 5280", "TOD is from 1 to 1,440", MOTION[0])]
    some += [("statistic", "queries, % of all tuples", ""), ("rate", 175, "reports"), ("density", 575, "segments")]
    monkeypatch.setattr("experiments.compressed_windows.linear_road_calibration._points", lambda: iter(some))
    rows = run(composed(*SMOKE, "workload.records=20000", "workload.folder=none", f"results={tmp_path}")).rows
    assert set(rows["metric"]) == {"calibration"}
    found = {json.loads(one)["at"]: row for one, (_, row) in zip(rows["parameters"], rows.iterrows())}
    for nothing in ("TOD is from 1 to 1,440", 575):
        row = found.pop(nothing)
        assert (row["status"], row["reason"]) == ("skipped", "these tuples have nothing that it is about")
    assert {row["status"] for row in found.values()} == {"ok"} and len(found) == 4
    texts = {at: json.loads(row["facts"]).get("text") for at, row in found.items()}
    assert texts["Seg is Pos div 5280"] == "0 of 19,800" and texts["queries, % of all tuples"] == "1 (1)"
    trace = make({"name": "linear_road", "records": 20_000, "folder": "none"})
    assert found[175]["value"] == pytest.approx((trace.times >= 10_200).sum() / 600, rel=0.02)
    assert verdicts(rows) == ["reproduced"] * 3 + [NO] * 4


def test_sizes_are_those_of_the_profile_unless_given():
    def sizes(*given):
        workload = Settings.of(composed("experiment=linear_road_calibration", *given)).workload
        return workload["records"], workload["expressways"]

    assert [sizes(f"profile={name}") for name in ("smoke", "laptop", "paper")] == [
        (500_000, 1),
        (12_000_000, 1),
        (44_000_000, 4),
    ]
    assert sizes("workload.records=7") == (7, 1)


def test_all_holds_where_all_is_as_documented():
    assert verdicts(made()) == ["reproduced"] * 7
    assert verdicts(made()[:0]) == [NO] * 7


CHANGES = {
    "a rule": ({("rule", "Seg is Pos div 5280", ""): 7.0}, 0, "partly"),
    "all rules": ({("rule", rule, ""): 7.0 for rule in RULES if rule not in MOTION}, 0, "not reproduced"),
    "motion": ({("rule", "Vehicles do not go backwards", ""): 1.0}, 1, "partly"),
    "a statistic": ({("statistic", "mph at entry, least", ""): 9.0}, 2, "partly"),
    "statistics": ({("statistic", name, ""): -1.0 for name in STATISTICS}, 2, "not reproduced"),
    "inflow": ({("rate", at, "reports"): -at for at in PROFILES["rate"][0]}, 3, "not reproduced"),
    "density": ({("density", at, "segments"): at for at in PROFILES["density"][0]}, 4, "not reproduced"),
    "no queue": ({("accident", at, "during"): 100.0 for at in (-1, 0)}, 5, "partly"),
    "a queue": ({("accident", at, "during"): 10.0 for at in (-6, -5)}, 5, "partly"),
    "many stop": ({("stops", 2, "vehicles"): 1e6}, 6, "partly"),
    "none stops": ({("stops", count, "vehicles"): 0.0 for count in range(1, 6)}, 6, "partly"),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_a_claim_fails_alone_where_it_does_not_hold(kind):
    change, place, verdict = CHANGES[kind]
    found = verdicts(made(change))
    assert found[place] == verdict
    assert [one for number, one in enumerate(found) if number != place] == ["reproduced"] * 6


def test_broken_rules_are_told_with_their_number():
    [verdict, *_] = linear_road_calibration.verdicts(made({("rule", "Seg is Pos div 5280", ""): 7.0}))
    assert verdict["measured"].startswith("Seg is Pos div 5280: not in 7 of 100; holds for ")


def test_a_broken_rule_is_put_down_to_whoever_made_the_tuples():
    broken = {("rule", "Seg is Pos div 5280", ""): 7.0}
    for path, reason in ((None, "perhaps the generator breaks it"), ("a", "perhaps other software wrote the file")):
        [verdict, *_] = linear_road_calibration.verdicts(made(broken, path=path))
        assert verdict["reason"] == reason


@pytest.mark.parametrize("path", [None, "cars.txt"])
def test_short_streams_and_empty_roads_are_not_judged_by_what_they_cannot_show(path):
    assert verdicts(made(seconds=3_600, path=path))[2:] == [NO] * 5
    assert verdicts(made(full=0.04, path=path))[2:] == ["reproduced"] * 2 + [NO] * 2 + ["reproduced"]
    assert verdicts(made(path=path)) == ["reproduced"] * 7


def file_of(path, seconds, *rates):
    """A file of nine columns: one report of each vehicle, as many a second as each of `rates` says in its turn."""
    parts = [(rate, range(n * seconds // len(rates), (n + 1) * seconds // len(rates))) for n, rate in enumerate(rates)]
    times = [time for rate, part in parts for time in part for _ in range(rate)]
    path.write_text("".join(f"0,{time},{vid},20,0,0,0,1,5280\n" for vid, time in enumerate(times)))
    return path


@pytest.mark.parametrize(("seconds", "rates", "first", "last"), [(20, (13,), 13, 13), (200, (13, 30, 46, 60), 13, 59)])
def test_a_short_file_has_the_rates_that_it_has_and_what_it_cannot_show_is_not_judged(
    tmp_path, monkeypatch, seconds, rates, first, last
):
    some = [("rule", rule, "") for rule in RULES] + [("statistic", name, "") for name in STATISTICS]
    monkeypatch.setattr("experiments.compressed_windows.linear_road_calibration._points", lambda: iter(some))
    path = file_of(tmp_path / "cars.txt", seconds, *rates)
    rows = run(composed(*SMOKE, f"workload.path={path}", f"results={tmp_path / 'results'}")).rows
    found = {json.loads(one)["at"]: value for one, value in zip(rows["parameters"], rows["value"])}
    assert found["reports a second in the first 30 s"] == pytest.approx(first)
    assert found["reports a second in the last minute"] == pytest.approx(last, abs=3)
    _, of_motion, *of_traffic = linear_road_calibration.verdicts(rows)
    assert of_motion["verdict"] == NO and "nothing here that the claim could be held against" in of_motion["reason"]
    for verdict in of_traffic:
        assert verdict["verdict"] == NO and f"this stream covers {seconds} s" in verdict["reason"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("window=3", "window is 3; linear_road_calibration is about the records alone"),
        ("distances=[3]", r"distances is \(3,\); "),
        ("operators=[sum]", "leave algorithms and operators out"),
        ("algorithms=[fiba]", "leave algorithms and operators out"),
        ("workload=debs12", "workload is debs12; linear_road_calibration is about linear_road alone"),
    ],
)
def test_settings_that_say_nothing_here_are_refused(given, message):
    with pytest.raises(SettingsError, match=message):
        runs_of(Settings.of(composed(*SMOKE, given)))
