"""Every judge of the compression experiments on made-up rows, in both directions; plans, refusals, small real cells."""

import itertools
import json
from types import SimpleNamespace

import pytest

from algorithms.streams.compressed import windows
from experiments.compressed_windows import grid as feeding
from experiments.compressed_windows.compression import compression
from experiments.compressed_windows.compression_auto import compression_auto, goals_of
from experiments.compressed_windows.grid import ages_of, fed_cell, rates_of
from experiments.compressed_windows.measuring import compressing, injecting
from experiments.compressed_windows.measuring.aggregates import Goal, aggregates, goal_of
from experiments.compressed_windows.measuring.compressing import injected
from experiments.harness import judgement
from experiments.harness.settings import Profile, Settings, SettingsError
from tests.experiments.made_rows import frame, row, verdict

RATES = (5000, 20_000, 40_000, "saturating")
AGES = ("inf", 1200, 600, 60, 15, 0)
HARM = dict(zip(AGES, (0.0, 0.03, 0.06, 0.15, 0.9, 1.0)))
"""How much of the harm of D = 0 each D does; in the paper 15 s does as much."""

PART = {rate: k / 3 for k, rate in enumerate(RATES, 1)}
"""Of the harm at the saturating rate."""


def fact(rate, age, **numbers):
    """A row of one run; throughput in tuples/s."""
    parameters = {"codec": numbers.pop("codec", "snappy"), "D": age, **({} if rate is None else {"rate": rate})}
    columns = {"value": 1e9, "unit": "ns", "operations": round(numbers.pop("throughput"))}
    name = numbers.pop("algorithm", "a_c")
    facts = json.dumps({"injection": "compressed", "busy": 0.3, **numbers})
    return row(name, parameters, metric="injected", facts=facts, **columns)


def usual(rate, age):
    """What the paper has, but for the share of compressed windows, which is that of its middle rate throughout."""
    harm, full = HARM[age] * min(PART[rate], 1), 400_000 if rate == "saturating" else rate
    base = 100_000 if age in ("inf", 1200, 600, 60) else 400_000
    return {
        "throughput": full * (1 - 0.45 * harm),
        "latency": 1e6 * PART[rate] * (1 + 9.5 * harm),
        "compressions": base + 1000 * AGES.index(age),
        "decompressions": base + 1000 * AGES.index(age),
        "memory": 3e6 * PART[rate] * {"inf": 1, 1200: 0.8, 600: 0.7}.get(age, 0.33),
        "bytes": 4e6 * PART[rate] * {"inf": 1, 1200: 0.9, 600: 0.8}.get(age, 0.5),
        "compressed": {"inf": 0.0, 0: 1.0}.get(age, 0.4),
    }


def runs(change=lambda rate, age, numbers: {}, ages=AGES, rates=RATES):
    made = {(rate, age): usual(rate, age) for rate in rates for age in ages}
    return frame(fact(rate, age, **(n | change(rate, age, n))) for (rate, age), n in made.items())


def flat(name):
    """As with D = infinity, whatever D is."""
    return runs(lambda rate, age, numbers: {name: usual(rate, "inf")[name]})


def set_to(name, value):
    return runs(lambda rate, age, numbers: {name: value})


def slower(part):
    """D = 60 s takes this part more of the throughput."""
    return runs(lambda rate, age, n: {"throughput": n["throughput"] * (part if age == 60 else 1)})


CLAIMS = [
    ("Throughput falls as D", runs(), flat("throughput")),
    ("more throughput is lost", runs(), flat("throughput")),
    ("Latency grows as D", runs(), flat("latency")),
    ("more latency is added", runs(), flat("latency")),
    ("throughput is 40 %", runs(), flat("throughput")),
    ("latency is 9 times", runs(), flat("latency")),
    ("Compressions jump", runs(), flat("compressions")),
    ("Decompressions jump", runs(), flat("decompressions")),
    ("memory falls by two thirds", runs(), flat("memory")),
    ("40 % of the windows", runs(), set_to("compressed", 1.0)),
    ("15 % of the throughput", slower(0.9), slower(0.5)),
    ("save at least a third", runs(), flat("memory")),
]


@pytest.mark.parametrize(("words", "good", "bad"), CLAIMS, ids=[claim[0] for claim in CLAIMS])
def test_claims(words, good, bad):
    assert verdict(compression, words, good)["verdict"] == judgement.REPRODUCED, verdict(compression, words, good)
    found = verdict(compression, words, bad)
    assert found["verdict"] == judgement.NOT_REPRODUCED and found["reason"], found
    for rows in (good[:0], good.assign(status="failed"), good.assign(facts="{}")):
        assert verdict(compression, words, rows)["verdict"] == judgement.NOT_MEASURED
    few = runs(ages=(1200,))
    assert verdict(compression, words, few)["verdict"] == judgement.NOT_MEASURED


def test_every_claim_is_tested():
    assert len(compression.claims) == len(CLAIMS) and len(compression_auto.claims) == len(AUTO)


def test_where_the_rates_are_sustained_the_reason_says_how_busy_a_c_was():
    rows = runs(lambda rate, age, n: {"throughput": n["throughput"] if rate == "saturating" else rate})
    found = verdict(compression, "Throughput falls as D", rows)
    assert found["verdict"] == judgement.NOT_REPRODUCED and "busy 30% of the time at most" in found["reason"]
    assert verdict(compression, "throughput is 40 %", rows)["verdict"] == judgement.PARTLY
    assert verdict(compression, "more throughput is lost", rows)["verdict"] == judgement.REPRODUCED


def test_a_latency_that_was_not_measured_is_not_zero():
    """With an offset of 0 no window of 3 h closes."""
    lacking = {"latency": "no window closes: say workload.offset"}
    rows = runs(lambda rate, age, n: {"latency": None, "lacking": lacking})
    for words in ("Latency grows as D", "more latency is added", "latency is 9 times"):
        found = verdict(compression, words, rows)
        assert (found["verdict"], found["measured"]) == (judgement.NOT_MEASURED, "")
        assert found["reason"] == lacking["latency"]


# ------------------------------------------------------------------------------------------- codecs and the controller

DENSE = {"snappy": 1.0, "lz4": 1.1, "zstd": 0.9}
FAST = {"snappy": 1.0, "lz4": 1.1, "zstd": 0.2}


def taking(bytes_):
    return {"memory": bytes_, "most_memory": bytes_, "mean_memory": bytes_}


def ending(mean):
    """Less at the end than in the mean, which is what counts."""
    return taking(mean) | {"memory": 1e5}


def goals(memory=0.95, throughput=0.9, latency=0.8, kept=1.2, dense=DENSE, fast=FAST):
    """Fixed D's and codecs, and two goals with what the controller makes of them, of the bound and of the best D."""
    made = []
    for codec in DENSE:
        for age, bytes_ in zip(AGES, (3e6, 2.4e6, 2e6, 1e6, 9e5, 8e5)):
            times = {"throughput": 8e5 * fast[codec] * (1 - 0.8 * HARM[age]), "latency": 1e6 * (1 + 9 * HARM[age])}
            made.append(fact(None, age, codec=codec, **times, **taking(bytes_ * (1 if age == "inf" else dense[codec]))))
    given, best = {"algorithm": "a_c_controlled"}, 8e5 * (1 - 0.8 * HARM[600])
    made.append(fact(None, "memory<=2MB", throughput=best * throughput, latency=3e6, **taking(2e6 * memory), **given))
    made.append(fact(None, "latency<=3ms", throughput=5e5, latency=3e6 * latency, **ending(1e6 * kept), **given))
    made.append(fact(None, "memory<=0.1MB", throughput=1e5, latency=3e6, **taking(8e5), **given))
    return frame(made)


AUTO = [
    ("keeps to the budget", goals(), goals(memory=1.05)),
    ("of the best fixed D's throughput", goals(), goals(throughput=0.7)),
    ("keeps to the bound", goals(), goals(latency=1.1)),
    ("of the best fixed D's memory", goals(), goals(kept=1.6)),
    ("Zstandard needs the least", goals(), goals(dense=dict(DENSE, zstd=1.3))),
    ("more throughput than Zstandard", goals(), goals(fast=dict(FAST, zstd=2))),
]


@pytest.mark.parametrize(("words", "good", "bad"), AUTO, ids=[claim[0] for claim in AUTO])
def test_claims_on_codecs_and_the_controller(words, good, bad):
    assert verdict(compression_auto, words, good)["verdict"] == judgement.REPRODUCED
    found = verdict(compression_auto, words, bad)
    assert found["verdict"] == judgement.NOT_REPRODUCED and found["reason"], found
    fixed_alone = good[good["algorithm"] == "a_c"]
    for rows in (good[:0], good.assign(status="failed"), fixed_alone[fixed_alone["parameters"].str.contains("snappy")]):
        assert verdict(compression_auto, words, rows)["verdict"] == judgement.NOT_MEASURED


def test_a_goal_that_no_fixed_d_keeps_to_does_not_count():
    assert "0.1MB" not in verdict(compression_auto, "keeps to the budget", goals())["measured"]


def test_goals_are_read_as_they_are_written():
    assert goal_of("memory<=8MB") == Goal("memory", 8e6) and goal_of("latency<=2.5ms") == Goal("latency", 2.5e6)
    assert all(goal_of(age) is None for age in ("inf", 60, "memory<8MB", "memory<=8", "memory<=1.2.3MB"))


# -------------------------------------------------------------------------------------------------- plans and refusals

SIZES = {"clock": "compressed", "duration": 0.3, "checked": 500, "rates": [20_000, "saturating"], "D": ["inf", 60, 0],
         "goals": ["memory<=1MB"]}  # fmt: skip
WORKLOAD = {"name": "linear_road", "records": 22_000, "offset": 10_800}


def settings(sizes=None, **given):
    usual = {"name": "compression", "paper": "x", "workload": WORKLOAD, "profile": Profile("smoke", 1, 1, 60),
             "executor": {"name": "inline"}, "operators": (), "sizes": SIZES | (sizes or {}),
             "algorithms": ({"name": "a_c", "codec": "snappy"},)}  # fmt: skip
    return Settings(**(usual | given))


def test_a_cell_for_each_rate_and_d_all_on_one_stream():
    cells = compression.plan(settings())
    assert [cell.parameters for cell in cells] == [
        {"codec": "snappy", "D": age, "rate": rate} for rate in SIZES["rates"] for age in SIZES["D"]
    ]
    assert len({cell.asked for cell in cells}) == len({cell.stream for cell in cells}) == 1
    assert {cell.window for cell in cells} == {10_800} and {cell.metric for cell in cells} == {"injected"}
    assert {cell.window for cell in compression.plan(settings(window=600))} == {600}


def test_infinity_may_be_a_number_as_the_command_line_has_it():
    assert ages_of(settings({"D": [float("inf"), 60, "inf"]})) == ["inf", 60]


def test_a_controller_has_goals_and_the_others_have_ds():
    both = ({"name": "a_c", "codec": "lz4"}, {"name": "a_c_controlled", "codec": "snappy"})
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
    assert aggregates()["a_c"].complete({}) == {"codec": "snappy"}
    assert aggregates()["a_c"].complete({"codec": "zstd", "level": 3}) == {"codec": "zstd", "level": 3}
    with pytest.raises(ValueError, match="codec is 'gzip'; it must be snappy, lz4, zstd"):
        aggregates()["a_c"].complete({"codec": "gzip"})
    with pytest.raises(ValueError, match="A_C has no parameter 'D'; it has codec and level, and D is in sizes.D"):
        aggregates()["a_c"].complete({"D": 3})


# ----------------------------------------------------------------------------------------------------- what is measured

NUMBERS = ("fed", "windows", "compressions", "decompressions", "memory", "compressed")
"""Facts that the tuples decide, and no clock."""


def measured(rate, age, codec="snappy", **given):
    return injected(fed_cell(settings(**given), {"name": "a_c", "codec": codec}, age, rate=rate), {})


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
    cell = fed_cell(settings(), {"name": "a_c_controlled", "codec": "snappy"}, "memory<=0.05MB", rate="saturating")
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
    cell = fed_cell(settings({"rates": ["saturating"]}), {"name": "a_c", "codec": "snappy"}, 60, rate="saturating")
    assert cell.asked["most"] == round(0.3 * feeding.HIGHEST)
    assert rates_of(settings()) == SIZES["rates"] and ages_of(settings()) == SIZES["D"]
