"""Every statement on the compression experiments on made-up rows: as published, contradicted, and of wrong programs."""

import dataclasses
import json
import math

import numpy as np
import pytest

from experiments.compressed_windows.compression import compression
from results.verdicts import HOLDS, NOT_JUDGED, NOT_MEASURED
from tests.experiments.made_rows import frame, row

RATES = (5000, 10_000, 20_000, 25_000, 40_000)
AGES = ("inf", 1200, 600, 60, 15, 0)
REPETITIONS = 7

LOST = dict(zip(AGES, (0, 0.05, 0.1, 0.2, 0.4, 0.45)))
LATER = dict(zip(AGES, (0, 0.2, 0.5, 2, 9, 10)))
SAVED = dict(zip(AGES, (0, 0.4, 0.5, 2 / 3, 0.7, 0.7)))
COMPRESSED = dict(zip(AGES, (0, 0.2, 0.3, 0.4, 0.7, 0.75)))
COUNTS = dict(zip(AGES, (0, 70_000, 80_000, 100_000, 480_000, 500_000)))


def published(rate, age):
    """What the paper has."""
    part = math.log2(rate / 2500) / 4
    memory = 1 - SAVED[age] * part / 0.75
    return {
        "throughput": rate * (1 - LOST[age] * part),
        "latency": 1e6 * part * (1 + LATER[age] * part),
        "since_arrival": 1e7 * (1 + LATER[age] * part),
        "compressions": COUNTS[age],
        "decompressions": COUNTS[age],
        "fed": 500_000,
        "memory": 3e6 * memory,
        "bytes": 4e6 * memory,
        "compressed": COMPRESSED[age] * part / 0.75,
    }


EXACT = ("compressed", "compressions", "decompressions", "fed")

QUIET = {"throughput": 0.2}
"""Of the noise: a rate that is sustained is met."""


def runs(numbers_of=published, ages=AGES, rates=RATES, noise=0.01, **parameters):
    """Rows of some repetitions; `numbers_of(rate, age)` without noise."""
    random = np.random.default_rng(1)
    made = []
    for rate in rates:
        for age in ages:
            for repetition in range(REPETITIONS):
                numbers = numbers_of(rate, age)
                noisy = {
                    name: n * (1 if name in EXACT else random.lognormal(0, noise * QUIET.get(name, 1)))
                    for name, n in numbers.items()
                }
                made.append(fed(noisy, repetition, {"rate": rate, "D": age, "layout": "rows", **parameters}))
    return frame(made)


def fed(numbers, repetition, parameters, algorithm="a_c"):
    """A row of one run; throughput in tuples/s."""
    parameters = {"codec": "snappy", **parameters}
    columns = {"value": 1e9, "unit": "ns", "operations": numbers.pop("throughput"), "repetition": repetition}
    facts = json.dumps({"injection": "compressed", "busy": 0.3, **numbers})
    cell = f"{algorithm} {parameters}"
    return row(algorithm, parameters, metric="injected", facts=facts, cell=cell, machine="m", counted=False, **columns)


def changed(of, **change):
    """`of` with some numbers replaced by functions of rate and age."""
    return lambda rate, age: of(rate, age) | {name: new(rate, age) for name, new in change.items()}


def flat(name):
    """As with D = infinity, whatever D is."""
    return runs(changed(published, **{name: lambda rate, age: published(rate, "inf")[name]}), noise=0.001)


def verdicts_on(experiment, rows):
    """The verdicts on what can be judged, by claim."""
    return {one.claim: one for one in experiment.verdicts(rows) if one.word != NOT_JUDGED}


def verdict_on(experiment, words, rows):
    (found,) = [verdict for claim, verdict in verdicts_on(experiment, rows).items() if words in claim]
    return found


def alike(rate, age):
    """As many with every D."""
    return 100_000 * (age != "inf")


def seldom_at_15_s(rate, age):
    return 100_000 if age == 15 else COUNTS[age]


def falling(rate, age):
    """Latency of which a higher rate has less."""
    return 1e6 + LATER[age] * 1e9 / rate


CONTRADICTED = {
    "The highest rate is sustained": runs(changed(published, throughput=lambda rate, age: 0.9 * rate)),
    "Throughput falls as D shrinks": flat("throughput"),
    "the larger the part of the throughput": flat("throughput"),
    "Latency grows as D shrinks": flat("latency"),
    "the more milliseconds are added": runs(changed(published, latency=falling)),
    "With D = 15 s throughput is 40 %": flat("throughput"),
    "nine times the latency is added": flat("latency"),
    "nine times the latency from arrival": flat("since_arrival"),
    "The number of compressions spikes": runs(changed(published, compressions=alike)),
    "a window is compressed for every tuple": runs(changed(published, compressions=alike)),
    "nearly every tuple finds its window": runs(changed(published, decompressions=seldom_at_15_s)),
    "The number of decompressions spikes": runs(changed(published, decompressions=alike)),
    "memory is visibly saved": flat("memory"),
    "two thirds of the memory": flat("memory"),
    "40 % of the windows are compressed": flat("compressed"),
    "15 % of the throughput": flat("throughput"),
    "Several D's at several rates": flat("memory"),
    "two thirds of the bytes": flat("bytes"),
}
"""By words of each claim: rows in which it alone, or it among others, is not so."""

EACH_FOR_ITSELF = (
    "Throughput falls as D shrinks",
    "Latency grows as D shrinks",
    "The number of compressions spikes",
    "a window is compressed for every tuple",
    "nearly every tuple finds its window",
    "The number of decompressions spikes",
    "memory is visibly saved",
    "Several D's at several rates",
)
"""Statements that every rate must fulfil for itself, or any: they do not depend on which rate is which."""

MIRRORED = dict(zip(AGES, reversed(AGES)))
OTHER_RATE = dict(zip(RATES, (40_000, 25_000, 5000, 10_000, 20_000)))
WRONG = {
    "reversed": runs(lambda rate, age: published(rate, MIRRORED[age])),
    "shuffled": runs(lambda rate, age: published(OTHER_RATE[rate], age)),
    "constant": runs(lambda rate, age: published(20_000, "inf")),
}


def test_all_hold_on_rows_as_published():
    found = verdicts_on(compression, runs())
    assert {claim: (v.word, v.measured) for claim, v in found.items() if v.word != HOLDS} == {}
    assert len(found) == len(CONTRADICTED)


@pytest.mark.parametrize("words", CONTRADICTED)
def test_a_statement_does_not_hold_where_it_is_contradicted(words):
    found = verdict_on(compression, words, CONTRADICTED[words])
    assert found.fails and not found.undecided, found


@pytest.mark.parametrize("kind", WRONG)
def test_rows_of_a_wrong_program_win_nothing(kind):
    exempt = EACH_FOR_ITSELF if kind == "shuffled" else ()
    won = [claim for claim, verdict in verdicts_on(compression, WRONG[kind]).items() if verdict.word == HOLDS]
    assert [claim for claim in won if not any(words in claim for words in exempt)] == []


LACKING = {
    "no rows": runs()[:0],
    "all failed": runs().assign(status="failed"),
    "no infinity": runs(ages=AGES[1:]),
    "infinity alone": runs(ages=("inf",)),
    "saturating": runs(lambda rate, age: published(40_000, age), rates=("saturating",)),
    "columns": runs(layout="columns"),
    "another codec": runs(codec="zstd"),
}


@pytest.mark.parametrize("kind", LACKING)
def test_series_that_the_paper_does_not_have_and_missing_rows_decide_nothing(kind):
    found = verdicts_on(compression, LACKING[kind])
    assert {verdict.word for verdict in found.values()} == {NOT_MEASURED}
    assert all(verdict.reason and not verdict.measured for verdict in found.values())


def test_the_reason_for_another_memory_says_how_many_windows_are_compressed():
    reason = verdict_on(compression, "two thirds of the memory", flat("memory")).reason
    assert "0% saved with 40% of the windows compressed at 20,000 t/s" in reason


def test_where_rates_are_sustained_the_reason_says_how_busy_a_c_was():
    rows = runs(changed(published, throughput=lambda rate, age: rate))
    assert "busy 30% of the time at most" in verdict_on(compression, "throughput is 40 %", rows).reason


def test_a_latency_that_was_not_measured_is_not_zero():
    """With an offset of 0 no window of 3 h closes."""
    rows = runs()
    without = [json.loads(text) | {"latency": None, "lacking": {"latency": "no window closes"}} for text in rows.facts]
    found = verdict_on(
        compression, "nine times the latency is added", rows.assign(facts=[json.dumps(entry) for entry in without])
    )
    assert (found.word, found.measured, found.reason) == (NOT_MEASURED, "", "no window closes")


def test_the_statements_without_an_experiment_say_why_they_have_no_verdict():
    (bare,) = [one for one in compression.paper.statements if not one.experiment]
    assert "Java" in bare.not_judged
    (found,) = dataclasses.replace(compression, name="").verdicts(runs())
    assert found.word == NOT_JUDGED
