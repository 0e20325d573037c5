"""What goes with a figure: short on the image, whole on the page and in the sidecar."""

import json

import pandas as pd
import pytest

from plots import draw, figure, publish
from plots.families import described
from plots.telling import clocks, on_image, page_faults, told, workloads

CLOCK = {"time": "one compiled loop of rounds. Not timed: filling the window."}


@pytest.fixture
def told_more(description):
    assumes = ["sensors change evenly. The paper's frequencies are lost."]
    return {**description, "clock": CLOCK, "assumes": assumes, "store": "The paper's was Couchbase."}


def test_the_image_has_first_sentences_and_the_whole_goes_beside(told_more, make_rows, tmp_path):
    rows = make_rows(xs=(0, 16), executor="inline", workload_parameters='{"window":65536,"seed":3}')
    spec = described(told_more)
    assert on_image(spec, rows) == [
        "Finger trees fall with the distance; classic trees do not depend on it.",
        "Workload: synthetic, the distance protocol.",
        "Timed: one compiled loop of rounds.",
        "Assumed: sensors change evenly.",
    ]
    assert [tuple(entry) for entry in told(spec, rows)] == [
        ("Workload", "synthetic, the distance protocol. Parameters: window 65,536, seed 3."),
        ("Timed", CLOCK["time"]),
        ("Assumed", told_more["assumes"][0]),
        ("Profile", "laptop, 3 repetitions of each cell, executor inline."),
    ]
    written = {text.get_text() for text in figure(told_more, rows).texts}
    assert set(on_image(spec, rows)) <= written
    *_, sidecar = draw(told_more, rows, tmp_path, {})
    assert [tuple(entry) for entry in json.loads(sidecar.read_text())["told"]] == told(spec, rows)


def test_the_page_has_the_whole(told_more, make_rows, tmp_path):
    class Run:
        name, figures, rows, verdicts = "probe", [told_more], make_rows(xs=(0, 16)), []
        config, row_files, code = {}, {}, {}

    *_, page = publish(Run, tmp_path).paths
    text = page.read_text()
    assert "**FiBA, Figure 11.** Finger trees fall with the distance" in text
    assert "- Timed: one compiled loop of rounds. Not timed: filling the window." in text
    assert "- Assumed: sensors change evenly. The paper's frequencies are lost." in text


@pytest.mark.parametrize(
    ("workload", "parameters", "text"),
    [
        ("linear_road", "{}", "synthetic, Linear Road."),
        ("linear_road", '{"path":null}', "synthetic, Linear Road."),
        ("linear_road", '{"path":"/data/cars.txt"}', "Linear Road, read from a file."),
        ("flights", "{}", "flights from New York in 2013."),
        ("file", '{"path":"/data/trips.csv"}', "a file."),
        ("new", "{}", "synthetic, new."),
        ("partials", '{"trials":20}', "synthetic, partial aggregates, drawn at random. Parameters: trials 20."),
        ("source", "{}", "the source of the operators."),
        ("distance", "{}", "synthetic, the distance protocol."),
    ],
)
def test_a_workload_is_synthetic_unless_it_is_recorded_or_read(make_rows, workload, parameters, text):
    assert workloads(make_rows(xs=(4,), workload=workload, workload_parameters=parameters)) == [text]


def test_without_a_distance_items_are_in_order(make_rows):
    assert workloads(make_rows(xs=(0,))) == ["synthetic, items in order of time."]


def test_only_parameters_that_all_rows_share_are_said(make_rows):
    rows = make_rows(xs=(4, 8), workload="debs12")
    rows["workload_parameters"] = [json.dumps({"queries": int(q), "seed": 0}) for q in rows["distance"]]
    assert workloads(rows) == ["synthetic, manufacturing equipment (DEBS 2012). Parameters: seed 0."]


def test_metrics_that_are_timed_alike_are_told_once(told_more, make_rows):
    both = pd.concat([make_rows(), make_rows().assign(metric="other")])
    spec = described({**told_more, "metric": ["time", "other"], "clock": {"time": "a loop.", "other": "a loop."}})
    assert [entry.text for entry in told(spec, both) if entry.heading == "Timed"] == ["a loop."]


def test_counts_have_no_clock_and_a_store_is_told_of_windows_in_one_only(told_more, make_rows):
    counted = make_rows(xs=(4,), metric="combines", counted=True)
    assert list(clocks(described({**told_more, "metric": "combines"}), counted)) == ["nothing (counted: combines)."]
    lmdb, redis, far = (("kvs_amta", {"cache": 512, "store": store}) for store in ("lmdb", "redis", "redis+0.5ms"))
    here = "LMDB in a folder of this machine, in the same process"
    away = "Redis on this machine, with 0.5 ms added to each request"
    for series, said in (
        ([lmdb], here),
        ([("cutty", {"store": "lazy"}), lmdb], here),
        ([lmdb, far], f"{here}; {away}"),
        ([redis, far], f"Redis on this machine; {away}"),
    ):
        stored = make_rows(xs=(4,), series=series)
        assert ("Store", f"{said}. The paper's was Couchbase.") in told(described(told_more), stored)


def test_page_faults_are_told_of_the_timed_repetitions_that_count_them(told_more, make_rows):
    rows = make_rows(xs=(0, 16))
    assert page_faults(rows) == []
    assert page_faults(rows.assign(page_faults=0)) == [f"none while the clock ran, in {len(rows)} timed repetitions."]
    some = rows.assign(page_faults=[1200, 7, *[0] * (len(rows) - 2)])
    assert page_faults(some) == [f"while the clock ran in 2 of {len(rows)} timed repetitions, at most 1,200 in one."]
    assert page_faults(some.assign(counted=True)) == []
    assert ("Page faults", page_faults(some)[0]) in [tuple(entry) for entry in told(described(told_more), some)]
    assert not any("Page faults" in line for line in on_image(described(told_more), some))
