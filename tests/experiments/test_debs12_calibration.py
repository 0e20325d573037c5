"""Statistics of the synthetic DEBS 2012 records as cells, and the verdicts on them."""

import json

import pandas as pd
import pytest

from experiments.cutty.debs12_calibration import ENOUGH, debs12_calibration
from experiments.harness.engine import run
from experiments.harness.plan import runs_of
from experiments.harness.settings import Settings, SettingsError
from tests.experiments.test_configurations import composed
from workloads.debs12.statistics import DOCUMENTED

SMOKE = ("experiment=debs12_calibration", "profile=smoke", "executor=inline")


def made(factor=1.0, records=ENOUGH, path=None):
    """A row for each statistic, each the documented one times a factor."""
    return pd.DataFrame(
        {
            "status": "ok",
            "parameters": json.dumps({"quantity": quantity, "statistic": statistic}),
            "workload_parameters": json.dumps({"records": records, "path": path}),
            "facts": json.dumps({"documented": documented}),
            "value": documented * factor,
        }
        for quantity, statistics in DOCUMENTED.items()
        for statistic, documented in statistics.items()
    )


def verdicts(rows):
    return [verdict["verdict"] for verdict in debs12_calibration.verdicts(rows)]


def test_a_run_has_a_row_for_each_statistic_beside_the_documented_one(tmp_path):
    config = composed(*SMOKE, "workload.records=300000", f"results={tmp_path}")
    rows = run(config).rows
    assert set(rows["status"]) == {"ok"} and len(rows) == 24 and set(rows["metric"]) == {"calibration"}
    facts = {
        tuple(json.loads(parameters).values()): (value, json.loads(facts)["documented"], json.loads(facts)["text"])
        for parameters, value, facts in zip(rows["parameters"], rows["value"], rows["facts"])
    }
    found, documented, text = facts["spacing", "median"]
    assert found == pytest.approx(10, abs=0.01) and documented == 10 and text.endswith(" (10)")
    assert verdicts(rows)[1:] == ["not measured at this profile"] * 2


def test_sizes_are_those_of_the_profile_unless_given():
    sizes = {
        name: Settings.of(composed("experiment=debs12_calibration", f"profile={name}")).workload["records"]
        for name in ("smoke", "laptop", "paper")
    }
    assert sizes == {"smoke": 500_000, "laptop": ENOUGH, "paper": 33_000_000}
    assert Settings.of(composed(*SMOKE, "workload.records=7")).workload["records"] == 7


def test_verdicts_follow_how_far_off_the_statistics_are():
    assert verdicts(made()) == ["reproduced"] * 3
    assert verdicts(made(1.004)) == ["partly", "reproduced", "reproduced"]
    assert verdicts(made(1.3)) == ["not reproduced"] * 3
    few = "not measured at this profile"
    assert verdicts(made(records=ENOUGH - 1)) == ["reproduced", few, few]
    assert verdicts(made(records=2, path="a.txt")) == ["reproduced"] * 3
    assert verdicts(made()[:0]) == [few] * 3


OF_THE_SAMPLE = {
    "spacing": {"min": 2.148, "p1": 9.897, "median": 10.0, "p99": 10.102, "p99.9": 21.574, "max": 23.598},
    "mf01": {"min": 12_466, "median": 13_049, "max": 18_224, "deviation": 359.1, "step": 4.931, "changing": 0.8445},
    "mf02": {"min": 13_698, "median": 14_368, "max": 20_331, "deviation": 407.6, "step": 5.500, "changing": 0.8415},
    "mf03": {"min": 7_275, "median": 8_094, "max": 9_388, "deviation": 195.7, "step": 2.368, "changing": 0.8175},
}
"""What this project measured on the challenge's sample of 17,000 records, 170 s."""


def test_the_documented_sample_is_as_documented():
    rows = made(path="sample.txt")
    points = rows["parameters"].map(json.loads)
    rows["value"] = [OF_THE_SAMPLE[point["quantity"]][point["statistic"]] for point in points]
    assert verdicts(rows) == ["reproduced"] * 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("window=3", "window is 3; debs12_calibration is about the records alone"),
        ("distances=[3]", r"distances is \(3,\); "),
        ("operators=[sum]", "leave algorithms and operators out"),
        ("algorithms=[fiba]", "leave algorithms and operators out"),
        ("workload=delay", "workload is delay; debs12_calibration is about debs12 alone"),
    ],
)
def test_settings_that_say_nothing_here_are_refused(given, message):
    with pytest.raises(SettingsError, match=message):
        runs_of(Settings.of(composed(*SMOKE, given)))
