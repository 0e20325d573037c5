"""Every judge of cutty_periodic and cutty_sessions on made-up rows: holds, does not hold, was not measured."""

import json

import pytest

from experiments.cutty.periodic import cutty_periodic
from experiments.cutty.sessions import cutty_sessions
from experiments.harness import judgement
from experiments.harness.settings import Profile, Settings, SettingsError
from tests.experiments.made_rows import frame, row, verdict

QUERIES = (1, 10, 20, 100)
COUNTED = ("combines", "update", "merge", "partials", "slices")


def periodic_as_published(algorithm, metric, q):
    """Values such that every claim of the paper holds; times are of a record."""
    combines = {"cutty": 100 * q, "pairs_plus": 200 * q, "cutty_lazy": 2000 * q, "pairs": 4000 * q, "ra": 1e6 * q}
    partials = {"cutty": 20 * q, "pairs_plus": 40 * q, "cutty_lazy": 10 * q, "pairs": 20 * q, "ra": 160_000}
    if metric == "time":
        return {"cutty": 1 + q / 22, "pairs_plus": 2.2 + q / 10, "ra": 60}.get(algorithm)
    if metric == "combines":
        return combines.get(algorithm, 2e5 * q if q <= 10 else 1e7 * q)
    if metric == "update":
        return {"cutty": 30, "pairs_plus": 120, "ra": 999_000}.get(algorithm, 0) * q
    if metric == "merge":
        return {"cutty": 70, "pairs_plus": 80, "ra": 1000}.get(algorithm, 1) * q
    if metric == "slices":
        return {"pairs_plus": 20 * q, "pairs": 20 * q}.get(algorithm, 10 * q)
    return partials.get(algorithm, 50_000 * q)


def sessions_as_published(algorithm, metric, q):
    if metric == "time":
        return 1 if algorithm == "cutty" else 500
    cutty = {"update": 40, "merge": 60, "combines": 100, "partials": 10, "slices": 10}
    ra = {"update": 299_890, "merge": 110, "combines": 300_000, "partials": 20_000, "slices": 10_000}
    return (cutty if algorithm == "cutty" else ra)[metric] * q


def made(experiment, value, algorithm, metric, q, repetition=0):
    asked = {"ask": experiment.name, "queries": q}
    columns = {"workload_parameters": json.dumps(asked), "repetition": repetition}
    found = value(algorithm, metric, q)
    if metric == "time":
        facts = json.dumps({"discretizer_ns_per_record": 3.0 * q})
        return row(algorithm, ns=found * (1 + repetition / 100), facts=facts, **columns)
    return row(algorithm, metric=metric, value=float(found), **columns)


def rows_of(experiment, algorithms, value):
    timed = [
        made(experiment, value, algorithm, "time", q, repetition)
        for algorithm in algorithms for q in QUERIES for repetition in (0, 1)
        if value(algorithm, "time", q)
    ]  # fmt: skip
    counted = [made(experiment, value, name, metric, q) for name in algorithms for metric in COUNTED for q in QUERIES]
    fold = row("cutty", metric="fold", value=700.0, unit="ns", workload_parameters=json.dumps({"ask": "one slice"}))
    states = [
        row("", metric="transitions", value=16_000 / 1.8**k, workload_parameters=json.dumps({"state": k}))
        for k in range(20)
    ]
    return frame([*timed, *counted, fold, *states])


SIX = ("naive", "ra", "pairs", "pairs_plus", "cutty", "cutty_lazy")


def periodic_rows(value=periodic_as_published):
    return rows_of(cutty_periodic, SIX, value)


def session_rows(value=sessions_as_published):
    return rows_of(cutty_sessions, ("cutty", "ra"), value)


def with_factor(usual, algorithm, metric, factor):
    """The usual values, but those of an algorithm and metric times a factor."""

    def value(name, what, q):
        found = usual(name, what, q)
        return found * factor if (name, what) == (algorithm, metric) and found else found

    return value


PERIODIC_CLAIMS = {
    # words of the claim: algorithm, metric and factor with which it no longer holds
    "nearly half of the combines": ("cutty", "combines", 1.8),
    "a thousand times the combines": ("ra", "combines", 0.001),
    "fewer combines than Naive only": ("naive", "combines", 1e-6),
    "over 10 times fewer combines": ("cutty_lazy", "combines", 0.1),
    "half as many partial aggregates": ("cutty", "partials", 2),
    "as many as Pairs with a lazy one": ("cutty", "partials", 2),
    "twice as many partial aggregates as lazy": ("cutty_lazy", "partials", 3),
    "twice the throughput of Pairs+": ("pairs_plus", "time", 0.5),
    "cost a factor of 5 to 6": None,
    "lowest throughput": ("ra", "time", 0.01),
    "Of Cutty's combines": ("cutty", "update", 3),
    "Of the combines of Pairs+": ("pairs_plus", "update", 0.2),
    "Of RA's combines": ("ra", "update", 0.5),
    "twice the slices of Cutty": ("cutty", "slices", 2),
}
SESSION_CLAIMS = {
    "orders of magnitude faster": ("ra", "time", 0.01),
    "more partial aggregates than Cutty": ("ra", "partials", 0.01),
    "a thousand times fewer combines": ("ra", "combines", 0.01),
    "RA's merges": ("ra", "merge", 10),
    "change their state at frequencies": None,
}


def flat(name, metric, q):
    """As published, but that many queries cost no more than one."""
    return 1.0 if metric == "time" else periodic_as_published(name, metric, q)


def rare(rows):
    """Rows in which no state changes more than a few times."""
    few = rows["value"].where(rows["metric"] != "transitions", 3.0)
    return rows.assign(value=few)


def cases():
    for words, change in PERIODIC_CLAIMS.items():
        value = with_factor(periodic_as_published, *change) if change else flat
        yield cutty_periodic, words, periodic_rows(), periodic_rows(value)
    for words, change in SESSION_CLAIMS.items():
        value = with_factor(sessions_as_published, *change) if change else sessions_as_published
        contrary = session_rows(value) if change else rare(session_rows())
        yield cutty_sessions, words, session_rows(), contrary


CASES = list(cases())
IDS = [words for _, words, _, _ in CASES]


def test_every_claim_is_tried():
    assert len(cutty_periodic.claims) == len(PERIODIC_CLAIMS)
    assert len(cutty_sessions.claims) == len(SESSION_CLAIMS)


@pytest.mark.parametrize(("experiment", "words", "rows", "contrary"), CASES, ids=IDS)
def test_rows_as_published_reproduce_the_claim(experiment, words, rows, contrary):
    assert verdict(experiment, words, rows)["verdict"] == judgement.REPRODUCED


@pytest.mark.parametrize(("experiment", "words", "rows", "contrary"), CASES, ids=IDS)
def test_rows_that_contradict_the_claim_do_not(experiment, words, rows, contrary):
    found = verdict(experiment, words, contrary)
    assert found["verdict"] in (judgement.NOT_REPRODUCED, judgement.PARTLY) and found["reason"], found
    if "Naive" not in words:  # of which the claim with few queries is the contrary of that with many
        assert found["verdict"] == judgement.NOT_REPRODUCED


@pytest.mark.parametrize(("experiment", "words", "rows", "contrary"), CASES, ids=IDS)
def test_without_rows_the_claim_is_not_judged(experiment, words, rows, contrary):
    for none in (rows[:0], rows.assign(status="failed"), rows[rows["algorithm"] == "naive"]):
        assert verdict(experiment, words, none)["verdict"] == judgement.NOT_MEASURED


def test_a_claim_that_holds_for_some_numbers_of_queries_holds_partly():
    def value(name, metric, q):
        return periodic_as_published(name, metric, q) * (0.5 if (name, metric, q) == ("pairs_plus", "time", 100) else 1)

    found = verdict(cutty_periodic, "twice the throughput", periodic_rows(lambda *at: value(*at) if at[0] in
                    ("cutty", "pairs_plus", "ra") or at[1] != "time" else None))  # fmt: skip
    assert found["verdict"] == judgement.PARTLY
    assert "is 67% at 1" in found["reason"] and "of Cutty's time" in found["reason"], "the share that was measured"


def test_ranges_that_are_not_the_papers_are_said():
    rows = periodic_rows(with_factor(periodic_as_published, "ra", "combines", 0.001))
    rows["workload_parameters"] = [
        json.dumps({**json.loads(text), "divide": 10}) for text in rows["workload_parameters"]
    ]
    assert "a 10th of the paper's" in verdict(cutty_periodic, "a thousand times", rows)["reason"]


def settings_of(experiment, **given):
    profile = Profile("smoke", 1, 1, 60)
    names = ("cutty", "ra") if experiment is cutty_sessions else SIX
    usual = {"name": experiment.name, "paper": "cutty", "workload": {"name": "debs12", "records": 1000},
             "profile": profile, "executor": {}, "operators": ("sum",), "sizes": {"queries": [1, 3], "divide": 10},
             "algorithms": tuple({"name": name} for name in names)}  # fmt: skip
    return Settings(**(usual | given))


def test_the_plan_counts_all_and_times_those_of_the_figure():
    cells = cutty_periodic.plan(settings_of(cutty_periodic))
    assert {cell.algorithm for cell in cells if cell.metric == "time"} == {"cutty", "pairs_plus", "ra"}
    assert {cell.algorithm for cell in cells if cell.metric == "combines"} == set(SIX)
    drawn = [(cell.window, cell.asked["slide"]) for cell in cells if cell.metric == "slide"]
    assert len(drawn) == 3 and all(2000 <= r <= 8000 and 100 <= s <= 2000 for r, s in drawn)


@pytest.mark.parametrize("experiment", [cutty_periodic, cutty_sessions], ids=lambda one: one.name)
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"window": 5}, "window is 5"),
        ({"distances": (0,)}, "distances is"),
        ({"operators": ("sum", "max")}, "takes one operator"),
        ({"workload": {"name": "flights"}}, "workload is 'flights'"),
        ({"workload": {"name": "debs12", "value": "mean"}}, "take 'sum:float64', or workload.value=mf01"),
        ({"sizes": {"queries": [0], "divide": 1}}, r"queries\[0\] is 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(experiment, given, said):
    with pytest.raises(SettingsError, match=said):
        experiment.plan(settings_of(experiment, **given))


@pytest.mark.parametrize("name", ["pairs", "pairs_plus", "panes"])
def test_sessions_cannot_be_sliced_by_period(name):
    with pytest.raises(SettingsError, match=f"'{name}', which slices for periodic queries only"):
        cutty_sessions.plan(settings_of(cutty_sessions, algorithms=({"name": name},)))
