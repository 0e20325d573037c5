"""Statistics of the synthetic DEBS 2012 records as cells, and the verdicts on them."""

import json

import numpy as np
import pytest

from experiments.cutty.debs12_calibration import ENOUGH, debs12_calibration
from experiments.harness.engine import run
from experiments.harness.plan import runs_of
from experiments.harness.settings import Settings, SettingsError
from results.verdicts import DOES_NOT_HOLD, HOLDS, IN_PART, NOT_JUDGED, NOT_MEASURED
from tests.experiments.made_rows import frame, row
from tests.experiments.test_configurations import composed
from workloads.debs12.statistics import DOCUMENTED

SMOKE = ("experiment=debs12_calibration", "profile=smoke", "executor=inline")


def made(factor=1.0, records=ENOUGH, path=None):
    """A row for each statistic, each the documented one times a factor, which may depend on which it is."""
    of = factor if callable(factor) else lambda quantity, statistic: factor
    return frame(
        row(
            "",
            {"quantity": quantity, "statistic": statistic},
            metric="calibration",
            cell=f"{quantity} {statistic}",
            workload_parameters=json.dumps({"records": records, "path": path}),
            facts=json.dumps({"documented": documented}),
            value=documented * of(quantity, statistic),
            counted=True,
        )
        for quantity, statistics in DOCUMENTED.items()
        for statistic, documented in statistics.items()
    )


def words(rows):
    """The words on the spacing's three statements, and on the energy's three."""
    found = [verdict.word for verdict in debs12_calibration.verdicts(rows) if verdict.word != NOT_JUDGED]
    return found[:3], found[3:]


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
    (p1, p99, _), energy = words(rows)  # so few records are too few for p99.9
    assert p1 == p99 == HOLDS and energy == [NOT_MEASURED] * 3


def test_sizes_are_those_of_the_profile_unless_given():
    sizes = {
        name: Settings.of(composed("experiment=debs12_calibration", f"profile={name}")).workload["records"]
        for name in ("smoke", "laptop", "paper")
    }
    assert sizes == {"smoke": 500_000, "laptop": ENOUGH, "paper": 33_000_000}
    assert Settings.of(composed(*SMOKE, "workload.records=7")).workload["records"] == 7


def test_verdicts_follow_how_far_off_the_statistics_are():
    hold, fail, few = [HOLDS] * 3, [DOES_NOT_HOLD] * 3, [NOT_MEASURED] * 3
    assert words(made()) == (hold, hold)
    assert words(made(1.004)) == ([DOES_NOT_HOLD, DOES_NOT_HOLD, HOLDS], hold)
    assert words(made(4.0)) == words(made(0.25)) == (fail, fail)
    assert words(made(records=ENOUGH - 1)) == (hold, few)
    assert words(made(records=2, path="a.txt")) == (hold, hold)
    assert words(made()[:0]) == (few, few)
    one_measure = made(lambda quantity, statistic: 4.0 if quantity == "mf02" else 1.0)
    assert words(one_measure) == (hold, [IN_PART] * 3)


def test_other_values_than_the_documented_do_not_hold():
    """The same value for every statistic, statistics in reverse, quantities under each other's names."""
    constant = made().assign(value=10.0)
    reverse = made().assign(value=made()["value"].to_numpy()[::-1])
    turned = made().assign(value=np.roll(made()["value"], 6))
    for rows in (constant, reverse, turned):
        assert HOLDS not in [*words(rows)[0], *words(rows)[1]]


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
    assert words(rows) == ([HOLDS] * 3, [HOLDS] * 3)


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
