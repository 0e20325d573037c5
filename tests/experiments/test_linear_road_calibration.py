"""Rules, statistics and profiles of Linear Road tuples as cells, and the verdicts on them."""

import json

import pytest

from experiments.compressed_windows.linear_road_calibration import MOTION, SERIES, linear_road_calibration
from experiments.harness.engine import run
from experiments.harness.plan import runs_of
from experiments.harness.settings import Settings, SettingsError
from results.verdicts import DOES_NOT_HOLD, HOLDS, IN_PART, NOT_MEASURED
from tests.experiments.made_rows import frame, row
from tests.experiments.test_configurations import composed
from workloads import make
from workloads.linear_road.profiles import PROFILES
from workloads.linear_road.rules import RULES
from workloads.linear_road.statistics import STATISTICS

SMOKE = ("experiment=linear_road_calibration", "profile=smoke", "executor=inline")
RULES_OF_FORMAT, MOVES, STATED, INFLOW, DENSITY, NEAR, FAR, FEW, COLLIDE = range(9)
"""Places of the statements."""


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
    return frame(
        row(
            "",
            {"quantity": quantity, "at": at} | ({SERIES[quantity]: series} if series else {}),
            workload_parameters=json.dumps(stream),
            facts=json.dumps(_facts(quantity, at) | covered),
            metric="calibration",
            counted=True,
            machine="m",
            cell=f"{quantity} {at} {series}",
            repetition=1,
            value=value,
            operations=1,
        )
        for (quantity, at, series), value in values.items()
    )


def _facts(quantity, at):
    if quantity == "statistic":
        return {"low": STATISTICS[at].low, "high": STATISTICS[at].high, "text": at}
    return {"of": 100, "text": "7 of 100"} if quantity == "rule" else {}


def verdicts(rows):
    return [verdict.word for verdict in linear_road_calibration.verdicts(rows)]


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
    assert verdicts(rows)[:3] == [HOLDS] * 3 and set(verdicts(rows)[3:]) == {NOT_MEASURED}


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
    assert verdicts(made()) == [HOLDS] * 9
    assert verdicts(made()[:0]) == [NOT_MEASURED] * 9


def all_of(quantity, series, number):
    """A profile's series, all of them `number(at)`."""
    return {(quantity, at, series): number(at) for at in PROFILES[quantity][0]}


CHANGES = {
    "a rule": ({("rule", "Seg is Pos div 5280", ""): 7.0}, {RULES_OF_FORMAT: IN_PART}),
    "all rules": ({("rule", rule, ""): 7.0 for rule in RULES if rule not in MOTION}, {RULES_OF_FORMAT: DOES_NOT_HOLD}),
    "motion": ({("rule", "Vehicles do not go backwards", ""): 1.0}, {MOVES: IN_PART}),
    "a statistic": ({("statistic", "mph at entry, least", ""): 9.0}, {STATED: IN_PART}),
    "falling inflow": (all_of("rate", "reports", lambda at: 200.0 - at), {INFLOW: DOES_NOT_HOLD}),
    "constant inflow": (all_of("rate", "reports", lambda at: 7.0), {INFLOW: DOES_NOT_HOLD}),
    "rising speed": (all_of("density", "segments", lambda at: at), {DENSITY: DOES_NOT_HOLD}),
    "constant speed": (all_of("density", "segments", lambda at: 7.0), {DENSITY: DOES_NOT_HOLD}),
    "no queue": (all_of("accident", "during", lambda at: 100.0), {NEAR: DOES_NOT_HOLD}),
    "a long queue": (all_of("accident", "during", lambda at: 10.0), {FAR: DOES_NOT_HOLD}),
    "a queue in front": (
        all_of("accident", "during", lambda at: 10.0 if at <= -5 else 100.0),
        {NEAR: DOES_NOT_HOLD, FAR: DOES_NOT_HOLD},
    ),
    "many stop": ({("stops", 2, "vehicles"): 1e6}, {FEW: DOES_NOT_HOLD}),
    "none stops": ({("stops", count, "vehicles"): 0.0 for count in range(1, 6)}, {COLLIDE: DOES_NOT_HOLD}),
}
"""What is otherwise, and which statements then do not hold. Rules that are never broken are constant: 0 is claimed."""


@pytest.mark.parametrize("kind", CHANGES)
def test_a_claim_fails_alone_where_it_does_not_hold(kind):
    change, failing = CHANGES[kind]
    assert verdicts(made(change)) == [failing.get(place, HOLDS) for place in range(9)]


def test_what_is_outside_is_told_beside_what_is_documented():
    verdict = linear_road_calibration.verdicts(made({("statistic", "mph at entry, least", ""): 9.0}))[STATED]
    assert verdict.reason == "mph at entry, least: mph at entry, least"


@pytest.mark.parametrize("path", [None, "cars.txt"])
def test_short_streams_and_empty_roads_are_not_judged_by_what_they_cannot_show(path):
    assert verdicts(made(seconds=3_600, path=path))[STATED:] == [NOT_MEASURED] * 7
    of_empty = dict.fromkeys((DENSITY, NEAR, FAR), NOT_MEASURED)
    assert verdicts(made(full=0.04, path=path)) == [of_empty.get(place, HOLDS) for place in range(9)]
    assert verdicts(made(path=path)) == [HOLDS] * 9


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
    assert of_motion.word == NOT_MEASURED and of_motion.reason
    for verdict in of_traffic:
        assert verdict.word == NOT_MEASURED and f"this stream covers {seconds} s" in verdict.reason


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
