"""The cells of the compression experiments: plans, settings that are refused, and small ones measured for real."""

import itertools
import re
from types import SimpleNamespace

import numpy as np
import pytest

from algorithms.streams.compressed import windows
from experiments.compressed_windows import grid as feeding
from experiments.compressed_windows.compression import compression
from experiments.compressed_windows.compression_auto import compression_auto, goals_of
from experiments.compressed_windows.grid import ages_of, fed_cell, rates_of
from experiments.compressed_windows.measuring import compressing, injecting
from experiments.compressed_windows.measuring.aggregates import Goal, aggregates, goal_of
from experiments.compressed_windows.measuring.compressing import injected
from experiments.harness.settings import Profile, Settings, SettingsError


def test_goals_are_read_as_they_are_written():
    assert goal_of("memory<=8MB") == Goal("memory", 8e6) and goal_of("latency<=2.5ms") == Goal("latency", 2.5e6)
    assert all(goal_of(age) is None for age in ("inf", 60, "memory<8MB", "memory<=8", "memory<=1.2.3MB"))


SIZES = {"clock": "compressed", "duration": 0.3, "checked": 500, "rates": [20_000, "saturating"], "D": ["inf", 60, 0],
         "goals": ["memory<=1MB"]}  # fmt: skip
WORKLOAD = {"name": "linear_road", "records": 22_000, "offset": 10_800}


A_C = {"name": "a_c", "codec": "snappy", "layout": "rows"}


def settings(sizes=None, **given):
    usual = {"name": "compression", "paper": "x", "workload": WORKLOAD, "profile": Profile("smoke", 1, 1, 60),
             "executor": {"name": "inline"}, "operators": (), "sizes": SIZES | (sizes or {}),
             "algorithms": ({"name": "a_c", "codec": "snappy", "layout": "rows"},)}  # fmt: skip
    return Settings(**(usual | given))


def test_a_cell_for_each_rate_and_d_all_on_one_stream():
    cells = compression.plan(settings())
    assert [cell.parameters for cell in cells] == [
        {"codec": "snappy", "layout": "rows", "D": age, "rate": rate} for rate in SIZES["rates"] for age in SIZES["D"]
    ]
    assert len({cell.asked for cell in cells}) == len({cell.stream for cell in cells}) == 1
    assert {cell.window for cell in cells} == {10_800} and {cell.metric for cell in cells} == {"injected"}
    assert {cell.window for cell in compression.plan(settings(window=600))} == {600}


def test_infinity_may_be_a_number_as_the_command_line_has_it():
    assert ages_of(settings({"D": [float("inf"), 60, "inf"]})) == ["inf", 60]


def test_a_controller_has_goals_and_the_others_have_ds():
    both = (A_C | {"codec": "lz4"}, A_C | {"name": "a_c_controlled"})
    cells = compression_auto.plan(settings(algorithms=both))
    assert [cell.parameters["D"] for cell in cells] == ["inf", 60, 0, "memory<=1MB"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"workload": {"name": "distance"}}, "workload is 'distance'; compression needs workload=linear_road"),
        ({"distances": (1,)}, r"distances is \[1\]; the stream is in order"),
        ({"operators": ("sum",)}, r"operators is \['sum'\]; stops are counted"),
        ({"sizes": {"rates": []}}, r"sizes.rates is \[\]; it must be a list, such as \[20000, saturating\]"),
        (
            {"sizes": {"rates": ["full"]}},
            "sizes.rates is 'full'; it must be a whole number of at least 1, or saturating",
        ),
        ({"sizes": {"D": "inf"}}, r"sizes.D is 'inf'; it must be a list, such as \[inf, 60, 0\]"),
        ({"sizes": {"D": [-1]}}, "sizes.D is -1; it must be a whole number of at least 0, or inf"),
        ({"sizes": {"clock": "wall"}}, "sizes.clock is 'wall'; it must be compressed or real"),
        ({"sizes": {"duration": 0}}, "sizes.duration is 0; it must be a number above 0"),
    ],
)
def test_what_it_does_not_leave_open_is_refused(change, words):
    with pytest.raises(SettingsError, match=words):
        compression.plan(settings(**change))


@pytest.mark.parametrize(
    ("goals", "words"),
    [
        ("memory<=1MB", "sizes.goals is 'memory<=1MB'; it must be a list such as"),
        (["memory<1MB"], "sizes.goals has 'memory<1MB'; a goal is such as memory<=8MB or latency<=5ms"),
        (["latency<=0ms"], "sizes.goals has 'latency<=0ms'"),
    ],
)
def test_goals_that_are_none_are_refused(goals, words):
    with pytest.raises(SettingsError, match=words):
        goals_of(settings({"goals": goals}))


def test_parameters_of_aggregates():
    assert aggregates()["a_c"].complete({}) == {"codec": "snappy", "layout": "columns"}
    given = {"codec": "zstd", "level": 3, "layout": "rows"}
    assert aggregates()["a_c"].complete(given) == given
    with pytest.raises(ValueError, match="layout is 'row'; it must be columns, rows"):
        aggregates()["a_c"].complete({"layout": "row"})
    with pytest.raises(ValueError, match="codec is 'gzip'; it must be snappy, lz4, zstd"):
        aggregates()["a_c"].complete({"codec": "gzip"})
    with pytest.raises(
        ValueError, match="A_C has no parameter 'D'; it has codec, level and layout, and D is in sizes.D"
    ):
        aggregates()["a_c"].complete({"D": 3})


# ----------------------------------------------------------------------------------------------------- what is measured

NUMBERS = ("fed", "windows", "compressions", "decompressions", "memory", "compressed")
"""Facts that the tuples decide, and no clock."""


def measured(rate, age, codec="snappy", **given):
    return injected(fed_cell(settings(**given), {"name": "a_c", "codec": codec, "layout": "rows"}, age, rate=rate), {})


@pytest.fixture(scope="module")
def answers():
    """Two rates, three D's and a controller, run for real on a clock by which a block takes 1 ms, whatever the load."""
    ages, clock = ("inf", 60, 0, "memory<=0.05MB"), itertools.count(0, 1_000_000)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(injecting, "time", SimpleNamespace(perf_counter_ns=lambda: next(clock)))
        return {(rate, age): measured(rate, age) for rate in (20_000, "saturating") for age in ages}


def test_every_rate_and_d_gives_the_same_outputs(answers):
    assert len({answer["checksum"] for answer in answers.values()}) == 1
    assert measured(20_000, 60, "zstd")["checksum"] == answers[20_000, 60]["checksum"] > 0


def test_a_checksum_is_of_the_run_and_of_as_many_tuples_as_are_asked_for(answers, monkeypatch):
    """Also of tuples that a run did not come to; a run with one other output has another one."""
    assert measured(5000, 60, sizes={"checked": 3000})["facts"]["fed"] <= 1500
    wide = [measured(rate, age, sizes={"checked": 3000}) for rate, age in ((5000, 60), (20_000, 0), (20_000, "inf"))]
    assert len({answer["checksum"] for answer in wide}) == 1 and wide[0]["checksum"] != answers[20_000, 60]["checksum"]
    feed = compressing.Observed.feed

    def wrong(observed, first, last):
        feed(observed, first, last)
        observed.columns["value"][:1] += 1

    monkeypatch.setattr(compressing.Observed, "feed", wrong)
    assert measured(5000, 60, sizes={"checked": 3000})["checksum"] != wide[0]["checksum"]


def test_everything_is_compiled_before_the_clock(monkeypatch):
    """Also what only a change of D calls, or an aggregate that grows."""
    called = set()

    def recorded(name, function):
        return lambda *arguments: called.add(name) or function(*arguments)

    names = {"process", "go_on", "link_all", "renewed"}
    for name in names:
        monkeypatch.setattr(windows, name, recorded(name, getattr(windows, name)))
    cell = fed_cell(
        settings(), {"name": "a_c_controlled", "codec": "snappy", "layout": "rows"}, "memory<=0.05MB", rate="saturating"
    )
    compressing.warm(cell, compressing.reports_of(*cell.source))
    assert called == names


def test_counts_are_those_of_the_tuples_and_of_d(answers):
    facts = {key: answer["facts"] for key, answer in answers.items()}
    for rate in (20_000, "saturating"):
        ordinary, minute, always = (facts[rate, age] for age in ("inf", 60, 0))
        assert ordinary["compressions"] == ordinary["decompressions"] == ordinary["compressed"] == 0
        assert ordinary["compressed"] < minute["compressed"] < always["compressed"] == 1
        assert minute["compressions"] < always["compressions"] and minute["memory"] > always["memory"]
    for age in ("inf", 60, 0):  # the stream ends at the same tuple: a saturating rate gets as many as the highest
        one, other = facts[20_000, age], facts["saturating", age]
        assert [one[name] for name in NUMBERS] == [other[name] for name in NUMBERS]


def test_mean_memory_is_no_matter_of_the_clock(answers):
    for age in ("inf", 60):
        facts = answers["saturating", age]["facts"]
        assert facts["mean_memory"] == measured("saturating", age)["facts"]["mean_memory"] < facts["most_memory"]


def test_latency_is_there_and_a_rate_that_is_sustained_is_the_throughput(answers):
    for (rate, age), answer in answers.items():
        assert answer["facts"]["latency"] > 0 and answer["facts"]["outputs"] > 0
        if rate == 20_000 and age == "inf":
            assert answer["operations"] / answer["value"] * 1e9 <= 1.2 * rate


def test_latency_from_arrival_has_the_wait_for_the_block_too():
    """A block is a fiftieth of a second, and its first tuple waits for its last; of the mean, about half."""
    facts = measured(20_000, "inf")["facts"]
    assert facts["latency"] < facts["since_arrival"] - 1e6
    lacking = measured("saturating", 60)["facts"]["lacking"]
    assert lacking == {"since_arrival": "no tuple is waited for: all have arrived at the beginning"}


def test_latency_from_arrival_is_the_block_s_beginning_and_the_time_since_less_the_arrival():
    cell = fed_cell(settings(), A_C, 60, rate=1000)
    observed = compressing.Observed(cell, compressing.reports_of(*cell.source), 1)
    blocks = 100
    observed.outputs, observed.since_began = [2] * blocks, [2 * 3e6] * blocks
    observed.triggered = [2.0 * 10 * k for k in range(blocks)]  # tuple 10 k arrives at 10 k ms, 5 ms before its block
    began = 1e7 * np.arange(blocks) + 5e6
    course = injecting.Course(np.arange(blocks), began + 4e6, 0.0, began)
    assert observed.since_arrival(course, 1000) == pytest.approx(5e6 + 3e6)


def test_the_traffic_is_told_with_its_vehicles_and_speeds():
    told = measured("saturating", 60, workload=dict(WORKLOAD, records=2_000_000, one_in=100))["facts"]["distances"]
    found = re.search(r"1 expressway with ([\d,]+) vehicles on the road at the end, of which one in 100 reports", told)
    assert 5000 < int(found[1].replace(",", "")) < 12_000
    assert re.search(r"mean speed \d+ mph in the first tenth of the stream and \d+ at its end", told)


def test_a_controller_lowers_d_when_its_budget_is_used_up(answers):
    facts = answers["saturating", "memory<=0.05MB"]["facts"]
    assert facts["ages"][0] is None and 0 <= facts["ages"][-1] < 10_800
    assert facts["most_memory"] < answers["saturating", "inf"]["facts"]["most_memory"]
    assert facts["bounded"] == "memories" and facts["bound"] == 50_000
    assert len(facts["ages"]) == len(facts["times"]) == len(facts["memories"])


def test_without_an_offset_no_window_closes_and_latency_is_lacking():
    facts = measured("saturating", 60, workload=dict(WORKLOAD, offset=0))["facts"]
    assert "latency" not in facts and facts["outputs"] == 0
    assert facts["lacking"]["latency"].startswith("no window closes") and "10800" in facts["lacking"]["latency"]
    assert "offset by 0 s" in facts["distances"]


def test_a_stream_that_is_too_short_is_told():
    with pytest.raises(ValueError, match="30,000 tuples are fed, and the stream has 21,780: give workload.records"):
        measured(100_000, 60)


def test_the_highest_rate_decides_how_much_is_fed_at_a_saturating_one():
    cell = fed_cell(settings({"rates": ["saturating"]}), A_C, 60, rate="saturating")
    assert cell.asked["most"] == round(0.3 * feeding.HIGHEST)
    assert rates_of(settings()) == SIZES["rates"] and ages_of(settings()) == SIZES["D"]
