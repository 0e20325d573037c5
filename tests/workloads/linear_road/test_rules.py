"""Rules of the format, statistics and profiles: each sees what it is for, in made streams and in hand-made ones."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workloads import workload
from workloads.linear_road.layout import COLUMNS
from workloads.linear_road.profiles import PROFILES, profile
from workloads.linear_road.rules import RULES, Breaches, Stream, check
from workloads.linear_road.statistics import STATISTICS, accidents, statistics, stops

pytestmark = pytest.mark.smoke


def generated(**parameters):
    usual = {"name": "linear_road", "records": 8_000, "expressways": 2, "seconds": 3_600, "folder": "none"}
    return Stream(workload({**usual, "travel_time": True, **parameters}).tuples())


def by_hand(*reports):
    """A stream of reports (time, vid, speed, lane, direction, position) on expressway 0."""
    rows = [(0, time, vid, speed, 0, lane, way, place // 5280, place) for time, vid, speed, lane, way, place in reports]
    return Stream([{name: np.array(column) for name, column in zip(COLUMNS, zip(*rows))}])


def test_a_made_stream_keeps_every_rule():
    stream = generated()
    for rule in RULES:
        broken, of = check(stream, rule)
        assert broken == 0 and of > 0, rule


@settings(max_examples=examples(30), deadline=None)
@given(
    records=st.integers(1, 3_000),
    expressways=st.integers(1, 4),
    seconds=st.integers(60, 12_000),
    seed=st.integers(0, 2**63 - 1),
    offset=st.integers(0, 2**30),
    travel_time=st.booleans(),
)
def test_any_made_stream_keeps_every_rule_and_has_its_count(**parameters):
    stream = generated(**parameters)
    assert len(stream) == parameters["records"]
    assert {rule: check(stream, rule).broken for rule in RULES} == dict.fromkeys(RULES, 0)


DAMAGE = {
    "Type is 0, 2, 3 or 4": ("Type", 1),
    "Time is at least 0": ("Time", -1),
    "Times do not go back": ("Time", 3_601),
    "VID is at least 0": ("VID", -1),
    "Spd is from 0 to 100": ("Spd", 101),
    "XWay is at least 0": ("XWay", -1),
    "Lane is from 0 to 4": ("Lane", 5),
    "Dir is from 0 to 1": ("Dir", 2),
    "Seg is from 0 to 99": ("Seg", 100),
    "Pos is from 0 to 527,999": ("Pos", 528_000),
    "Fields that a type does not use are -1": ("QID", 5),
    "Seg is Pos div 5280": ("Seg", -1),
    "Reports of a vehicle are 30 s apart": ("Time", 1),
    "A vehicle keeps its direction": ("Dir", -1),
    "Vehicles do not go backwards": ("Pos", None),
    "Positions change as speeds say, to 1 mph": ("Spd", 100),
    "Lane is 0 in the first report of a vehicle only": ("Lane", 0),
    "Lane is 4 in its last report only, if it leaves": ("Lane", 4),
}
ASKED = {"QID": -1, "Sinit": 100, "Send": -1, "DOW": 0, "TOD": 1441, "Day": 70}


@pytest.mark.parametrize("rule", DAMAGE)
def test_a_damaged_report_breaks_its_rule(rule):
    """A report in the middle of a vehicle's journey."""
    stream = generated()
    place = int(np.flatnonzero(np.isin(stream.columns["Lane"], (1, 2, 3)) & (stream.columns["Time"] > 1_000))[0])
    name, value = DAMAGE[rule]
    if value is None:
        way, position = stream.columns["Dir"][place], stream.columns["Pos"][place]
        value = position - 20_000 if way == 0 else position + 20_000
    stream.columns[name] = stream.columns[name].astype(np.int32)
    stream.columns[name][place] = value
    assert 1 <= check(stream, rule).broken <= 2


@pytest.mark.parametrize("name", ASKED)
def test_a_damaged_query_breaks_the_rule_of_its_field(name):
    stream = generated()
    place = int(np.flatnonzero(stream.columns[name] != -1)[3])
    stream.columns[name] = stream.columns[name].astype(np.int32)
    stream.columns[name][place] = ASKED[name]
    [rule] = [rule for rule in RULES if rule.startswith(f"{name} is ")]
    assert check(stream, rule).broken == 1


def test_queries_are_numbered_and_asked_in_time():
    stream = generated()
    first, second = np.flatnonzero(stream.columns["QID"] != -1)[:2]
    stream.columns["QID"][second] = stream.columns["QID"][first]
    stream.columns["VID"][first] += 1
    assert check(stream, "No QID comes twice").broken == 1
    assert check(stream, "Queries come in the second of a report").broken == 1


def test_a_journey_that_ends_early_breaks_a_rule():
    whole = [(30 * k, 1, 50, lane, 0, 2200 * k) for k, lane in enumerate((0, 1, 2, 4))]
    rule = "Lane is 4 in its last report only, if it leaves"
    assert check(by_hand(*whole, (120, 2, 20, 0, 0, 0)), rule) == Breaches(0, 5)
    assert check(by_hand(*whole[:3], (120, 2, 20, 0, 0, 0)), rule) == Breaches(1, 4)
    assert check(by_hand(*whole[:3]), rule) == Breaches(0, 3)
    assert (
        check(by_hand(*whole[1:], (120, 2, 20, 0, 0, 0)), "Lane is 0 in the first report of a vehicle only").broken == 1
    )


def test_files_of_nine_columns_have_nothing_to_check_in_the_others():
    stream = Stream(workload({"name": "linear_road", "records": 2_000, "folder": "none"}).tuples(COLUMNS[:9]))
    found = {rule: check(stream, rule) for rule in RULES}
    assert {rule for rule, one in found.items() if one.of == 0} == {
        *(rule for rule in RULES if rule.startswith(tuple(f"{name} is " for name in COLUMNS[9:]))),
        "No QID comes twice",
    }
    assert all(one.broken == 0 for one in found.values())


@given(st.lists(st.lists(st.sampled_from([0, 0, 7]), min_size=1, max_size=9), min_size=1, max_size=4))
def test_stops_are_maximal_runs_of_speed_0(speeds):
    reports = [(30 * k, vid, mph, 1, 0, 0) for vid, many in enumerate(speeds) for k, mph in enumerate(many)]
    stream = by_hand(*sorted(reports))
    expected = []
    for vid, many in enumerate(speeds):
        runs = [(mph == 0, len(list(run))) for mph, run in itertools.groupby(many)]
        expected += [(vid, length) for still, length in runs if still]
    found = stops(stream)
    assert list(zip(found.vehicle.tolist(), (found.end - found.begin + 1).tolist())) == expected
    assert found.vehicles == len(speeds)
    often = np.bincount([vid for vid, _ in expected], minlength=len(speeds))
    counted = {count: value for (count, _), value in profile(stream, "stops").items()}
    assert counted == {k: np.count_nonzero(np.minimum(often, 5) == k) for k in range(6)}


def test_an_accident_is_two_long_stops_in_one_place_at_one_time():
    def stands(vid, since, count, place=5_000, way=0):
        return [(since + 30 * k, vid, 0, 2, way, place) for k in range(count)]

    def found(*vehicles):
        one = accidents(by_hand(*sorted(report for vehicle in vehicles for report in vehicle)))
        return list(zip(one.position.tolist(), one.begin.tolist(), one.end.tolist()))

    assert found(stands(1, 0, 4), stands(2, 10, 6)) == [(5_000, 10, 90)]
    assert found(stands(1, 0, 4), stands(2, 10, 3)) == []
    assert found(stands(1, 0, 4), stands(2, 91, 4)) == []
    assert found(stands(1, 0, 4), stands(2, 0, 4, 5_001)) == []
    assert found(stands(1, 0, 4), stands(2, 0, 4, way=1)) == []
    assert found(stands(1, 0, 4), stands(1, 200, 4), stands(2, 220, 9), stands(3, 0, 5, 9)) == [(5_000, 220, 290)]


def test_statistics_of_a_stream_that_has_none_are_left_out():
    found = statistics(by_hand((0, 1, 50, 1, 0, 0), (30, 1, 50, 1, 0, 2_200)))
    assert found["accidents an hour and expressway"] == 0 and found["queries, % of all tuples"] == 0
    assert not [name for name in found if "entry" in name or "journey" in name or "minutes of" in name]


def test_statistics_of_a_made_stream_are_those_documented():
    found = statistics(generated(records=300_000, expressways=1, seconds=10_800), full=300_000 / 12_000_000)
    assert list(found) == list(STATISTICS)
    off = {name: value for name, value in found.items() if not STATISTICS[name].low <= value <= STATISTICS[name].high}
    assert not off


def test_profiles_add_up():
    stream = generated()
    rate = profile(stream, "rate")
    assert sum(rate[at, "reports"] for at in PROFILES["rate"][0]) * 200 * 2 == pytest.approx(
        len(stream) * 0.99, rel=0.01
    )
    speeds = profile(stream, "speeds")
    assert sum(value for (_, third), value in speeds.items() if third == "first") == pytest.approx(100)
    assert speeds[65, "first"] > 10 > speeds[20, "first"]
    vehicles = len(np.unique(stream.journeys.key))
    assert sum(profile(stream, "stops").values()) == vehicles
    assert all(set(profile(stream, name)) <= set(itertools.product(*PROFILES[name])) for name in PROFILES)


def test_speeds_by_density_and_around_an_accident():
    """Ten vehicles stand in mile 3 and one drives in mile 1; of those that stand two have collided."""
    standing = [(30 * k, vid, 0, 1, 0, 3 * 5280 + max(vid - 1, 0)) for k in range(40) for vid in range(10)]
    driving = [(30 * k, 50 + k // 2, 60, 1, 0, 5280 + 2640 * (k % 2)) for k in range(40)]
    stream = by_hand(*sorted(standing + driving))
    density = profile(stream, "density")
    assert density == {(25, "segments"): pytest.approx((10 * 0 + 60) / 11)}
    around = profile(stream, "accident")
    assert around[-2, "during"] == 60 and around[0, "during"] == 0
    assert (-2, "before") not in around
