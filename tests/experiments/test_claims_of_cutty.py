"""Every statement on Cutty's figures on made-up rows: holds, is contradicted, is not won by a wrong implementation."""

import copy
import functools
import itertools
import json

import numpy as np
import pytest

from experiments.cutty.complexity import cutty_complexity
from experiments.cutty.measuring.cuts import play
from experiments.cutty.measuring.table_1 import METRICS, formulas
from experiments.cutty.measuring.techniques import TECHNIQUES
from experiments.cutty.periodic import cutty_periodic
from experiments.cutty.sessions import cutty_sessions
from experiments.cutty.walkthrough import OPERATOR, SCRIPTS, cutty_walkthrough
from experiments.harness.judgement import judged
from results.verdicts import HOLDS, NOT_JUDGED, NOT_MEASURED
from tests.experiments.made_rows import frame, row

REPETITIONS, RECORDS = 7, 1_000_000
QUERIES = (1, 10, 20, 30, 40, 60, 100)
GRID = ((3310, 200), (8000, 300), (30_000, 170), (80_000, 1500))  # no range is a multiple of its slide
TIMED = ("time", "aggregator")


def periodic(algorithm, metric, q):
    """Values such that every statement on Figure 8 holds."""
    cutty, lazy = 50 + 80 * q, 6 + 4 * q
    gain = 11 + q / 10
    combines = {"cutty": cutty, "pairs_plus": 2 * cutty, "cutty_lazy": gain * cutty, "pairs": 2 * gain * cutty,
                "ra": 17_017_000, "naive": RECORDS * q}[algorithm]  # fmt: skip
    merge = combines * {"cutty": 0.52, "pairs_plus": 0.45 - 0.0004 * q, "ra": 0.001}.get(algorithm, 1)
    partials = {"cutty_lazy": lazy, "cutty": 2 * lazy - 1, "pairs": 2 * lazy - 1, "pairs_plus": 4 * lazy - 3}
    times = {"cutty": 1 + q / 22, "pairs_plus": 2.3 * (1 + q / 22), "ra": 60}
    return {
        "time": times.get(algorithm),
        "combines": combines,
        "merge": merge,
        "update": combines - merge,
        "partials": partials.get(algorithm, 160_000),
        "slices": {"cutty": 10, "cutty_lazy": 10, "pairs": 20, "pairs_plus": 20}.get(algorithm, 9000) * q,
    }.get(metric)


def sessions(algorithm, metric, q):
    times = (10 + q) * (500 if algorithm == "ra" else 1)
    of_ra = {"update": 99_890, "merge": 110, "combines": 100_000, "partials": 20_000}
    of_cutty = {"update": 40, "merge": 60, "combines": 100, "partials": 10}
    return times if metric in TIMED else q * (of_ra if algorithm == "ra" else of_cutty)[metric]


def complexity(algorithm, metric, at):
    """As the formulas say, of a record, slice or window."""
    return getattr(formulas(algorithm, *at), metric)


def operations(algorithm, metric, at):
    """Records, slices or windows of the stream."""
    if metric == "store":
        return round(RECORDS * formulas(algorithm, *at).slices)
    return {"partials": 1, "merge": RECORDS // at[1]}.get(metric, RECORDS)


SIX, TWO = ("naive", "ra", "pairs", "pairs_plus", "cutty", "cutty_lazy"), ("cutty", "ra")
EIGHT = tuple(name for name in TECHNIQUES if name != "naive")
COUNTED = ("combines", "update", "merge", "partials", "slices")
MADE = {
    # experiment: values as published, techniques, metrics, x
    cutty_periodic.name: (periodic, SIX, (*COUNTED, "time"), QUERIES),
    cutty_sessions.name: (sessions, TWO, (*COUNTED[:-1], *TIMED), QUERIES),
    cutty_complexity.name: (complexity, EIGHT, METRICS, GRID),
}


def rows_of(experiment, value=None, names=None):
    """The rows of an experiment; `value(algorithm, metric, x)` other than as published."""
    published, techniques, metrics, xs = MADE[experiment.name]
    noise, rows = np.random.default_rng(1), []
    for cell, (name, metric, x) in enumerate(itertools.product(names or techniques, metrics, xs)):
        if (found := (value or published)(name, metric, x)) is None:
            continue
        asked, facts, count = {"queries": x, "divide": 10}, {"discretizer_ns_per_record": 3.0}, RECORDS
        found = float(found) * (RECORDS if metric in TIMED else 1)
        if experiment is cutty_complexity:
            asked, facts = dict(zip(("range", "slide"), x)), {"formula": complexity(name, metric, x)}
            count = operations(name, metric, x)
            found *= count
        known = {"metric": metric, "cell": f"{cell}", "operations": count,
                 "workload_parameters": json.dumps(asked), "facts": json.dumps(facts)}  # fmt: skip
        if metric not in TIMED:
            rows.append(row(name, value=found, counted=True, **known))
            continue
        values = found * noise.lognormal(0, 0.01, REPETITIONS)
        rows += [row(name, value=v, unit="ns", repetition=n, **known) for n, v in enumerate(values)]
    fold = [row("cutty", metric="fold", value=700.0, repetition=n, cell="fold") for n in range(REPETITIONS)]
    return frame(rows + fold * (experiment is cutty_periodic))


def verdicts(experiment, rows):
    found = experiment.verdicts(rows)
    assert len({verdict.claim for verdict in found}) == len(found), "a claim is said twice"
    return {verdict.claim: verdict for verdict in found if verdict.word != NOT_JUDGED}


EXPERIMENTS = [cutty_periodic, cutty_sessions, cutty_complexity]
each_experiment = pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda one: one.name)


@each_experiment
def test_every_statement_holds_on_rows_as_published(experiment):
    for verdict in verdicts(experiment, rows_of(experiment)).values():
        assert verdict.word == HOLDS, verdict


def constant(experiment):
    """Of each metric one value, whatever the technique and x."""
    published, names, _, xs = MADE[experiment.name]
    fixed = {}

    def value(name, metric, x):
        if published(name, metric, x) is None:
            return None
        if metric not in fixed:
            every = [published(*at) for at in itertools.product(names, [metric], xs)]
            fixed[metric] = float(np.median([one for one in every if one is not None]))
        return fixed[metric]

    return value


def reversed_over_x(experiment):
    published, _, _, xs = MADE[experiment.name]
    return lambda name, metric, x: published(name, metric, xs[-1 - xs.index(x)])


def shuffled(experiment, places):
    """Each technique under the name of another, `places` further in the list."""
    published, names, _, _ = MADE[experiment.name]

    def value(name, metric, x):
        those = [one for one in names if published(one, metric, x) is not None]
        return published(those[(those.index(name) + places) % len(those)], metric, x) if name in those else None

    return value


def multiplied(experiment, name, metric, factor):
    published = MADE[experiment.name][0]

    def value(one, what, x):
        found = published(one, what, x)
        if not found or (one, what) != (name, metric):
            return found
        return found * (factor(x) if callable(factor) else factor)

    return value


SPOILT = {
    # words of a claim: technique, metric and factor (or what it is at x) that contradict it
    "With up to 10 queries RA": ("naive", "combines", 1e3),
    "With more than 10 queries RA": ("ra", "combines", 1e3),
    "From a single query on, every": ("naive", "combines", 1e-6),
    "All in all Pairs+ makes": ("cutty", "combines", 1.8),
    "fewer combines than RA, Pairs": ("cutty", "combines", 1e6),
    "The more combines": ("ra", "time", 0.01),
    "a thousand times the combines of Cutty": ("ra", "combines", 0.01),
    "a thousand times the combines of Pairs+": ("ra", "combines", 0.01),
    "Cutty with an eager store makes over ten": ("cutty_lazy", "combines", 0.1),
    "Pairs+ makes over ten": ("pairs", "combines", 0.1),
    "as many partial aggregates as Pairs": ("cutty", "partials", 2),
    "costs Cutty no more than hundreds": ("cutty", "partials", 1e3),
    "costs Pairs no more than hundreds": ("pairs_plus", "partials", 1e3),
    "far more partial aggregates than Cutty and": ("ra", "partials", 1e-4),
    "RA has the lowest throughput": ("ra", "time", 0.01),
    "twice the throughput of Pairs+": ("pairs_plus", "time", 0.5),
    "RA's throughput hardly depends": ("ra", "time", lambda queries: queries),
    "Most of Cutty's combines": ("cutty", "merge", 0.5),
    "than to merge windows": ("pairs_plus", "merge", 2),
    "combines of Cutty to store": ("pairs_plus", "update", 0.3),
    "Almost all of RA's": ("ra", "merge", 1e3),
    "costs RA the logarithm": ("ra", "update", 2),
    "Pairs+ stores twice the slices": ("cutty", "slices", 2),
    "From a single query on, RA's": ("ra", "time", 0.01),
    "whose sessions are marked": ("ra", "aggregator", 0.01),
    "RA keeps far more partial aggregates than Cutty": ("ra", "partials", 1e-4),
    "about a thousand times fewer": ("ra", "combines", 0.01),
    "RA's merges": ("ra", "merge", 100),
    "With a lazy store Cutty keeps": ("cutty_lazy", "partials", 2),
    "With a lazy store Pairs keeps": ("pairs", "partials", 2),
    "With a lazy store Panes keeps": ("panes", "partials", 2),
    "With a lazy store RA keeps": ("ra_lazy", "partials", 2),
    "With an eager store Cutty keeps": ("cutty", "partials", 0.5),
    "With an eager store Pairs keeps": ("pairs_plus", "partials", 0.5),
    "With an eager store Panes keeps": ("panes_plus", "partials", 0.5),
    "With an eager store RA keeps": ("ra", "partials", 0.5),
    "costs Cutty at most one": ("cutty_lazy", "update", 1.5),
    "costs Pairs at most one": ("pairs", "update", 1.5),
    "costs Panes at most one": ("panes", "update", 1.5),
    "costs RA at most one": ("ra_lazy", "update", 1.5),
    "a slice costs Cutty": ("cutty", "store", 2),
    "a slice costs Pairs": ("pairs_plus", "store", 2),
    "With an eager store a slice costs Panes": ("panes_plus", "store", 2),
    "With an eager store a record costs RA": ("ra", "store", 2),
    "Amortised, a record costs Cutty": ("cutty", "update", 2),
    "Amortised, a record costs Pairs": ("pairs_plus", "update", 2),
    "Amortised, a slice costs Panes": ("panes_plus", "update", 2),
    "Amortised, a record costs RA": ("ra", "update", 2),
    "With a lazy store a window costs Cutty": ("cutty_lazy", "merge", 2),
    "With a lazy store a window costs Pairs": ("pairs", "merge", 2),
    "With a lazy store a window costs Panes": ("panes", "merge", 2),
    "With a lazy store a window costs RA": ("ra_lazy", "merge", 2),
    "With an eager store a window costs Cutty": ("cutty", "merge", 2),
    "With an eager store a window costs Pairs": ("pairs_plus", "merge", 2),
    "With an eager store a window costs Panes": ("panes_plus", "merge", 2),
    "With an eager store a window costs RA": ("ra", "merge", 2),
    "Cutty stores a slice": ("cutty", "slices", 2),
    "Pairs stores a slice": ("pairs", "slices", 0.5),
    "Panes stores a slice": ("panes", "slices", 2),
    "RA stores a record": ("ra", "slices", 0.9),
    "the eager store merges": ("pairs_plus", "merge", 1e4),
    "updates of the eager store": ("ra", "update", 1e-3),
    "Cutty keeps fewer": ("panes", "partials", 1e-3),
    "Cutty makes fewer combines": ("cutty", "update", 1e4),
    "Pairs keeps twice": ("cutty", "partials", 2),
    "Pairs makes twice": ("cutty", "store", 2),
    "Pairs stores twice": ("cutty", "slices", 2),
    "Panes keeps the most": ("panes", "partials", 1e-3),
    "Panes makes the most": ("panes", "merge", 1e-3),
    "updates cost Cutty the least": ("cutty", "update", 1e4),
    "RA keeps significantly": ("ra", "partials", 1e-3),
    "RA makes significantly": ("ra", "update", 1e-3),
}

OVER_X = {
    # claims on the order of x, which constant values contradict as well as reversed ones
    "With up to 10 queries RA", "With more than 10 queries RA", "saves grows with the number", "and of Pairs+ falls",
    "cost Cutty a factor", "cost Pairs+ a factor", "queries cost Cutty more", "The share of merges",
}  # fmt: skip

EACH_X = {
    # claims on Table 1 that hold at each x by itself, as they are about techniques, not about a formula in x
    "at most one combine", "RA stores a record", "the eager store", "Cutty keeps fewer", "Cutty makes fewer",
    "Pairs keeps twice", "Pairs makes twice", "Pairs stores twice", "keeps the most", "makes the most",
    "updates cost Cutty", "significantly",
}  # fmt: skip

CONSTANT = {
    # what is claimed is that two values are equal, or small, or a share of the technique's own, or for a single slice
    "as many partial aggregates as Pairs", "no more than hundreds", "Most of Cutty's combines",
    "throughput hardly depends",
}  # fmt: skip

PLACES = {
    # claims that do not tell a technique from that two places further (one of two, four of eight)
    "With more than 10": 4, "no more than hundreds": 3, "cost Cutty a factor": 4, "twice the throughput of Pairs+": 4,
    "to store slices than": 3, "Most of Cutty's combines": 3,
}  # fmt: skip

EVERY_SERIES = ("queries cost Cutty more",)
"""Claims that hold of the other techniques as well."""

STATEMENTS = [
    pytest.param(experiment, statement, id=statement.claim)
    for experiment in EXPERIMENTS
    for statement in experiment.paper.of(experiment.name)
    if not statement.not_judged
]
each_statement = pytest.mark.parametrize(("experiment", "statement"), STATEMENTS)


def any_of(words, statement):
    return any(one in statement.claim for one in words)


def word(experiment, statement, value=None):
    rows = rows_of(experiment, value)
    return judged(experiment.name, statement, experiment.quantities[statement.quantity], None, rows).verdict.word


@each_statement
def test_a_statement_that_is_contradicted_does_not_hold(experiment, statement):
    if any_of(OVER_X, statement):
        assert word(experiment, statement, constant(experiment)) != HOLDS
    if spoilt := [
        change for words, change in SPOILT.items() if words in statement.claim and change[0] in MADE[experiment.name][1]
    ]:
        assert word(experiment, statement, multiplied(experiment, *spoilt[0])) not in (HOLDS, NOT_MEASURED)
    assert spoilt or any_of(OVER_X, statement), "nothing contradicts it"


@each_statement
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_a_wrong_implementation_wins_no_statement(experiment, statement):
    if not any_of(CONSTANT, statement):
        assert word(experiment, statement, constant(experiment)) != HOLDS
    over_x = not any_of(EACH_X, statement) if experiment is cutty_complexity else any_of(OVER_X, statement)
    if over_x:
        assert word(experiment, statement, reversed_over_x(experiment)) != HOLDS
    if not any_of(EVERY_SERIES, statement):
        usual = len(MADE[experiment.name][1]) // 2 if experiment is not cutty_periodic else 2
        places = next((places for words, places in PLACES.items() if words in statement.claim), usual)
        assert word(experiment, statement, shuffled(experiment, places)) != HOLDS


@each_experiment
def test_no_statement_is_won_by_a_series_that_the_paper_lacks(experiment):
    rows = rows_of(experiment)
    theirs = [verdict for verdict in experiment.verdicts(rows) if verdict.word != NOT_JUDGED]
    ours = rows.assign(algorithm="ours")
    assert experiment.verdicts(frame([*rows.to_dict("records"), *ours.to_dict("records")])) == experiment.verdicts(rows)
    for none in (ours, rows[:0], rows.assign(status="failed")):
        words = [verdict.word for verdict in experiment.verdicts(none) if verdict.word != NOT_JUDGED]
        assert words == [NOT_MEASURED] * len(theirs)


def test_a_statement_on_one_technique_needs_its_rows():
    few = verdicts(cutty_periodic, rows_of(cutty_periodic, names=("ra", "naive")))
    words = {verdict.word for claim, verdict in few.items() if "Cutty" in claim and "RA" not in claim}
    assert words == {NOT_MEASURED}


def test_reasons_are_facts_of_the_rows():
    def reason(experiment, words, change):
        found = verdicts(experiment, rows_of(experiment, multiplied(experiment, *change)))
        (text,) = [verdict.reason for claim, verdict in found.items() if words in claim]
        return text

    half = reason(cutty_periodic, "All in all Pairs+", ("cutty", "combines", 1.8))
    assert half == (
        "combines that merge windows with 100 queries: cutty 4,186, pairs_plus 6,601; "
        "ranges and slides are the paper's divided by 10"
    )
    folded = reason(cutty_periodic, "twice the throughput", ("pairs_plus", "time", 0.5))
    assert folded == "folding records into slices takes of Cutty's time 67% with 1, 13% with 100 queries"
    marked = reason(cutty_sessions, "From a single query", ("ra", "time", 0.01))
    assert (
        marked == "of Cutty's time of a record, window functions take 3 of 11 ns with 1, 3 of 110 ns with 100 queries"
    )
    assert "the same slices: cutty, pairs at " in reason(cutty_complexity, "Pairs stores twice", ("cutty", "slices", 2))


def test_a_reason_neither_fails_for_lack_of_rows_nor_asks_for_more_of_them():
    def ruling(rows):
        found = zip(cutty_periodic.paper.of("cutty_periodic"), cutty_periodic.rulings(rows))
        return next(one for statement, one in found if "twice the throughput" in statement.claim)

    slower = rows_of(cutty_periodic, multiplied(cutty_periodic, "pairs_plus", "time", 0.5))
    assert ruling(slower).verdict.reason and not ruling(slower[slower["metric"] != "fold"]).verdict.reason
    with_one_query = slower["workload_parameters"].str.contains('"queries": 1,')
    swinging = with_one_query & (slower["metric"] == "time") & (slower["algorithm"] == "pairs_plus")
    swinging &= slower["repetition"] > 3
    mixed = ruling(slower.assign(value=slower["value"].where(~swinging, 9 * slower["value"])))
    assert mixed.verdict.undecided == 1 and mixed.verdict.reason.count("folding records") == 1
    timed = slower[with_one_query & (slower["metric"] == "time") & slower["algorithm"].isin(["cutty", "pairs_plus"])]
    assert mixed.undecided_cells() == set(timed["cell"])


@functools.cache
def facts_of_scripts():
    return [play(name, script, OPERATOR) for name, script in SCRIPTS]


def walkthrough_rows(facts):
    return frame(
        row(one["technique"], metric="slices", value=1.0, cell=f"{cell}", counted=True, facts=json.dumps(one),
            workload_parameters=json.dumps({"figure": one["figure"]}))
        for cell, one in enumerate(facts)
    )  # fmt: skip


def fewer_slices(facts):
    facts["slices"] = facts["slices"][::2]


def another_cut(facts):
    facts["slices"].append([7, 9, "zz"])


def other_windows(facts):
    facts["windows"][0][2] += 1


def no_windows(facts):
    facts["windows"] = []


def another_aggregate(facts):
    facts["windows"][0][3] = "zz"


WALKTHROUGH = {
    "cut into four slices": ("Figure 4", (fewer_slices, another_cut)),
    "end in this order": ("Figure 4", (other_windows, no_windows)),
    "where a window of either query does": ("Figure 5", (fewer_slices, another_cut)),
    "window 1 ends with record 3": ("Figure 5", (other_windows, no_windows)),
    "over time and a query over distance": ("Figure 6", (fewer_slices,)),
    "Panes cuts after every": ("Figure 7", (fewer_slices,)),
    "its records in order": ("Figure 7", (another_aggregate, other_windows)),
}


def test_the_examples_are_as_printed():
    found = verdicts(cutty_walkthrough, walkthrough_rows(facts_of_scripts()))
    assert len(found) == len(WALKTHROUGH) and {verdict.word for verdict in found.values()} == {HOLDS}
    assert {one.word for one in verdicts(cutty_walkthrough, walkthrough_rows([])).values()} == {NOT_MEASURED}


@pytest.mark.parametrize("words", WALKTHROUGH)
def test_spoilt_examples_are_not_as_printed(words):
    figure, spoils = WALKTHROUGH[words]
    for spoil in spoils:
        facts = copy.deepcopy(facts_of_scripts())
        for one in facts:
            if one["figure"] == figure:
                spoil(one)
        (word_,) = [
            v.word for claim, v in verdicts(cutty_walkthrough, walkthrough_rows(facts)).items() if words in claim
        ]
        assert word_ not in (HOLDS, NOT_MEASURED)
