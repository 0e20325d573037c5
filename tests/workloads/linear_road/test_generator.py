"""Synthetic Linear Road tuples: counts met exactly, journeys that hold across chunks, accidents, congestion."""

from collections import defaultdict

import numpy as np
import pytest

from workloads import calibration, make, record_set, record_sets, workload
from workloads.linear_road import generator
from workloads.linear_road.congestion import BLOCKED, LEAST, blocked
from workloads.linear_road.generator import SLICE, Traffic
from workloads.linear_road.layout import COLUMNS
from workloads.linear_road.rules import Stream
from workloads.linear_road.statistics import accidents
from workloads.linear_road.streams import of_traffic

SMALL = Traffic(30_000, 3, 5_400, 7, 100, True)


def linear_road(**parameters):
    return workload({"name": "linear_road", "folder": "none", **parameters})


def whole(traffic):
    parts = list(of_traffic(traffic, "none", COLUMNS))
    return {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}


@pytest.fixture(scope="module")
def small():
    return whole(SMALL)


@pytest.fixture(scope="module")
def journeys(small):
    """The reports of each vehicle as tuples (time, speed, lane, direction, position), in the stream's order."""
    found = defaultdict(list)
    columns = ("XWay", "VID", "Time", "Spd", "Lane", "Dir", "Pos")
    for xway, vid, *report in zip(*(small[name][small["Type"] == 0].tolist() for name in columns)):
        found[xway, vid].append(tuple(report))
    return found


@pytest.mark.parametrize(
    ("count", "expressways", "seconds"),
    [(1, 1, 60), (1, 3, 10_800), (2, 2, 60), (99, 1, 10_800), (100, 1, 60), (12_345, 7, 5_000), (3_000, 1, 86_400),
     (130_000, 1, 60), (200_000, 1, 601)],
)  # fmt: skip
@pytest.mark.parametrize("seed", [0, 5])
def test_the_count_is_met_exactly(count, expressways, seconds, seed):
    traffic = Traffic(count, expressways, seconds, seed, 10, False)
    columns = whole(traffic)
    assert len(columns["Type"]) == count
    per_road = [traffic.records_of(xway) for xway in range(expressways)]
    assert sum(per_road) == count and max(per_road) - min(per_road) <= 1
    assert np.count_nonzero(columns["Type"]) == sum(one // 100 for one in per_road)
    reports = columns["XWay"][columns["Type"] == 0]
    assert np.bincount(reports, minlength=expressways).tolist() == [one - one // 100 for one in per_road]
    assert columns["Time"].min() >= 10 and columns["Time"].max() < 10 + seconds


def test_a_vehicle_drives_as_it_reports(journeys):
    """Worked out vehicle by vehicle: 30 s apart, from lane 0 to lane 4, and 22 feet for each mph at either end."""
    assert len(journeys) > 900
    left = 0
    for reports in journeys.values():
        times, speeds, lanes, ways, positions = zip(*reports)
        assert all(later - earlier == 30 for earlier, later in zip(times, times[1:]))
        assert len(set(ways)) == 1 and min(positions) >= 0 and max(positions) < 528_000
        sign = 1 - 2 * ways[0]
        for k in range(len(reports) - 1):
            assert sign * (positions[k + 1] - positions[k]) == 22 * (speeds[k] + speeds[k + 1])
        assert lanes[0] == 0 and 10 <= speeds[0] <= 30
        assert all(lane in (1, 2, 3) for lane in lanes[1:-1])
        if times[-1] + 30 < 100 + 5_400:
            left += 1
            assert lanes[-1] == 4 and 10 <= speeds[-1] <= 30 and len(reports) >= 4
        assert lanes[-1] == 4 or lanes[-1] < 4 and times[-1] + 30 >= 100 + 5_400
    assert left > 500


def test_the_columns_are_in_their_domains(small):
    kind = small["Type"]
    assert set(kind.tolist()) == {0, 2, 3, 4}
    assert (np.diff(small["Time"]) >= 0).all()
    reports = {name: column[kind == 0] for name, column in small.items()}
    assert (reports["Seg"] == reports["Pos"] // 5280).all()
    assert set(reports["XWay"].tolist()) == {0, 1, 2} and set(reports["Dir"].tolist()) == {0, 1}
    used = {2: ["QID"], 3: ["XWay", "QID", "Day"], 4: ["XWay", "QID", "Sinit", "Send", "DOW", "TOD"], 0: COLUMNS[1:9]}
    ends = {"Sinit": (0, 99), "Send": (0, 99), "DOW": (1, 7), "TOD": (1, 1440), "Day": (1, 69)}
    for type_, names in used.items():
        for name in COLUMNS[3:]:
            values = small[name][kind == type_]
            assert (values >= 0).all() if name in names else (values == -1).all(), (type_, name)
            if name in names and name in ends:
                assert ends[name][0] <= values.min() and values.max() <= ends[name][1]
    assert len(np.unique(small["QID"][kind > 0])) == np.count_nonzero(kind)
    assert not {4} & set(whole(Traffic(5_000, 1, 5_400, 7, 0, False))["Type"].tolist())


def test_queries_come_with_a_report_of_their_vehicle(small):
    asked = small["Type"] > 0
    reported = set(zip(small["Time"][~asked].tolist(), small["VID"][~asked].tolist()))
    assert set(zip(small["Time"][asked].tolist(), small["VID"][asked].tolist())) <= reported
    shares = np.bincount(small["Type"][asked], minlength=5) / asked.sum()
    assert shares[[2, 3, 4]] == pytest.approx([0.5, 0.1, 0.4], abs=0.12)


def test_vehicles_are_those_of_one_expressway(small):
    reports = small["Type"] == 0
    assert (small["VID"][reports] % 3 == small["XWay"][reports]).all()


def test_accidents_are_two_vehicles_that_stand_in_one_place(journeys):
    """Of each accident a pair stands for 10 to 20 minutes; there is one in every period of 20 minutes."""
    stood = defaultdict(list)
    for (xway, vid), reports in journeys.items():
        still = [one for one in reports if one[1] == 0]
        for position in {one[4] for one in still}:
            times = [one[0] for one in still if one[4] == position]
            if len(times) >= 10:
                stood[xway, position].append((vid, times[0], times[-1]))
    pairs = [vehicles for vehicles in stood.values() if len(vehicles) == 2]
    assert len(pairs) >= 9  # of 15, some of which begin near the end
    for (_, first, until), (_, second, to) in pairs:
        assert max(first, second) < min(until, to)
        complete = max(until, to) + 60 < 100 + 5_400
        assert not complete or 19 * 30 <= until - first == to - second <= 39 * 30


def test_seeds_and_expressways_differ():
    one, other = whole(Traffic(2_000, 2, 600, 1, 0, False)), whole(Traffic(2_000, 2, 600, 2, 0, False))
    assert not np.array_equal(one["Pos"], other["Pos"])
    roads = [one["Pos"][(one["XWay"] == xway) & (one["Type"] == 0)] for xway in (0, 1)]
    assert not np.array_equal(roads[0][:100], roads[1][:100])


def test_an_offset_moves_times_and_nothing_else(small):
    moved = whole(Traffic(30_000, 3, 5_400, 7, 10_900, True))
    assert (moved["Time"] == small["Time"] + 10_800).all()
    assert all(np.array_equal(moved[name], small[name]) for name in COLUMNS if name != "Time")


def test_a_full_road_is_slow_where_it_is_dense_and_behind_accidents():
    road = generator.road_of(12_000_000, 10_800, 0, 0)
    assert road.vehicles.reports.sum(dtype=np.int64) == 11_880_000
    shares = road.allowed
    assert shares.shape == (361, 2, 100) and shares.min() >= LEAST - 1e-6 and shares.max() == 1
    assert shares[:20].mean() > 0.97 and shares[-20:].mean() < 0.9
    places = blocked(road.vehicles, road.accidents, road.noise)
    assert len(places) == 9
    for step, way, segment, lasts in places:
        assert (shares[step : step + lasts, way, segment] <= BLOCKED + 1e-6).all()
    step, way, segment, lasts = max(places)
    queue = shares[min(step + lasts, 360) - 1, way]
    assert queue[segment - 1] < 0.5 and queue[segment + 2] > 0.9


def test_traffic_is_held_up_in_the_mile_of_the_accident():
    traffic = Traffic(60_000, 1, 10_800, 11, 0, False)
    road = generator.road_of(60_000, 10_800, 11, 0)
    places = {(way, segment if way == 0 else 99 - segment) for _, way, segment, _ in blocked(*road[:3])}
    happened = accidents(Stream(of_traffic(traffic, "none", COLUMNS)))
    assert len(happened.way) >= 8
    assert set(zip(happened.way.tolist(), (happened.position // 5280).tolist())) <= places


def test_the_inflow_grows():
    counts = [len(SMALL.chunk(number)["Type"]) for number in range(0, SMALL.chunks, 3)]
    assert counts[-1] > 2.5 * counts[0] and np.corrcoef(counts, range(len(counts)))[0, 1] > 0.9


def test_the_trace_has_the_reports_of_all_expressways_in_order(small):
    trace = linear_road(records=30_000, expressways=3, seconds=5_400, seed=7, offset=100, travel_time=True).trace()
    here = small["Type"] == 0
    assert (trace.times.dtype, trace.values.dtype, trace.keys.dtype) == (np.int64,) * 3
    assert trace.times.tolist() == small["Time"][here].tolist()
    assert trace.values.tolist() == small["Spd"][here].tolist()
    assert (trace.keys >> 32).tolist() == small["XWay"][here].tolist()
    assert (trace.keys & 0xFFFFFFFF).tolist() == small["VID"][here].tolist()
    assert trace.time_unit == "s" and trace.notes[-1] == "100 s are added to all times"


def test_a_made_record_set_is_read_instead_of_generated(tmp_path, monkeypatch):
    settings = {"name": "linear_road", "records": 5_000, "expressways": 2, "seconds": 1_300, "folder": str(tmp_path)}
    generated = make(settings)
    made, folder = record_set(settings)
    assert record_sets.make(made, folder).rows == 5_000
    monkeypatch.setattr(Traffic, "chunk", lambda self, number: pytest.fail("generated"))
    assert (make(settings).hash, make(settings).notes) == (generated.hash, generated.notes)
    assert [set(part) for part in workload(settings).tuples(("Pos",))] == [{"Pos"}] * 3


def test_slices_are_the_trace_in_pieces():
    made = linear_road(records=5_000, expressways=2, seconds=1_300)
    slices = list(made.slices())
    assert [len(np.unique(one.times // SLICE)) for one in slices] == [1, 1, 1]
    trace = made.trace()
    assert np.array_equal(np.concatenate([one.keys for one in slices]), trace.keys)
    assert np.array_equal(np.concatenate([one.speeds for one in slices]), trace.values)


def test_what_is_documented_is_said_beside_what_is_here():
    said = calibration({"name": "linear_road", "records": 20_000, "folder": "none"})
    assert any(
        line.startswith("queries, % of all tuples ") and line.endswith(" 1 said,         1 here") for line in said
    )
    assert any(line.startswith("Seg is Pos div 5280 ") and line.endswith("broken by 0 of 19,800") for line in said)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"records": 0}, "records is 0; it must be from 1"),
        ({"records": 24_000_001}, r"records is 24000001; the road has room for 24000000 \(workload.expressways=1,"),
        ({"records": 200_000, "seconds": 60}, "the road has room for 133333"),
        ({"expressways": 0}, "expressways is 0; it must be from 1 to 250"),
        ({"seconds": 59}, "seconds is 59; it must be from 60 to 86400"),
        ({"seed": -1}, "seed is -1; it must be from 0"),
        ({"offset": -1}, "offset is -1; it must be from 0"),
        ({"travel_time": 1}, "travel_time is 1; it must be true or false"),
        ({"on_error": "stop"}, "unknown on_error 'stop'"),
    ],
)
def test_wrong_parameters_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        linear_road(**settings)


def test_of_so_many_vehicles_one_reports_and_what_it_reports_is_as_in_the_full_stream():
    given = {"records": 400_000, "expressways": 4, "seconds": 1_800, "seed": 3}
    full, few = (linear_road(**given, one_in=one_in).trace() for one_in in (1, 4))
    kept = np.isin(full.keys, few.keys)
    for name in ("times", "keys", "values"):
        np.testing.assert_array_equal(getattr(few, name), getattr(full, name)[kept])
    vehicles, chosen = (np.bincount(np.unique(trace.keys) >> 32) for trace in (full, few))
    np.testing.assert_allclose(chosen / vehicles, 0.25, atol=0.03)
    assert "of 4 vehicles one reports" in few.notes and not any("reports" in note for note in full.notes)
    with pytest.raises(ValueError, match="one_in is 0"):
        linear_road(one_in=0)
