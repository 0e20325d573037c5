"""Statements of in_order_latency and peers_reference on made-up rows: as they should be, and contradicted."""

import json

import numpy as np
import pytest

from experiments.peers.in_order_latency import in_order_latency
from experiments.peers.measuring.reference import REFERENCES
from experiments.peers.reference import HERE, HERE_NS, peers_reference
from results.verdicts import DOES_NOT_HOLD, HOLDS, IN_PART, NOT_MEASURED, UNDECIDED
from tests.experiments.made_rows import frame, row

N, SEVEN, FOURTEEN = 1024, range(7), range(14)
NAMES = ("two_stacks", "two_stacks_lite", "daba", "daba_lite")


def statement_verdicts(experiment, words, rows):
    """The verdicts on the statements that have these words."""
    found = [verdict for verdict in experiment.verdicts(rows) if words in verdict.claim]
    assert found, words
    return found


def cycles(worst, repetition, noise):
    """A thousand rounds of which one is costly by itself, and another, elsewhere in each repetition, is disturbed."""
    samples = 26 * noise.lognormal(0, 0.01, 1000)
    samples[500], samples[repetition] = worst, 1e7
    return samples


def in_order(worst, counted, repetitions=FOURTEEN):
    """`worst` cycles and `counted` combines of the costliest round by algorithm."""
    noise = np.random.default_rng(1)
    timed = [
        row(name, cell=name, metric="latency", window=N, samples=cycles(worst(name), r, noise), repetition=r)
        for name in NAMES
        for r in repetitions
    ]
    facts = {name: json.dumps({"costliest_round": counted(name)}) for name in NAMES}
    counts = [
        row(name, cell=f"{name} counted", metric="combines", window=N, value=1.0, facts=facts[name], counted=True)
        for name in NAMES
    ]
    return frame(timed + counts)


def published(name, burst, steady):
    return burst if "stacks" in name else steady


def of_bursts(repetitions=FOURTEEN):
    return in_order(lambda name: published(name, 5e5, 400), lambda name: published(name, N, 6), repetitions)


CYCLES, CONSTANT, LINEAR = "orders of magnitude fewer cycles", "at most eight combines", "takes n combines"


@pytest.mark.parametrize("words", [CYCLES, CONSTANT, LINEAR])
def test_bursts(words):
    """Also against wrong implementations: names permuted, and every algorithm alike."""
    (good,) = statement_verdicts(in_order_latency, words, of_bursts())
    assert good.word == HOLDS, good
    permuted = in_order(lambda name: published(name, 400, 5e5), lambda name: published(name, 6, N))
    (bad,) = statement_verdicts(in_order_latency, words, permuted)
    assert bad.word == DOES_NOT_HOLD
    alike = in_order(lambda name: 400, lambda name: 100)
    (same,) = statement_verdicts(in_order_latency, words, alike)
    assert same.word == DOES_NOT_HOLD
    for none in (of_bursts()[:0], of_bursts().assign(status="failed"), of_bursts().assign(algorithm="soe")):
        (missing,) = statement_verdicts(in_order_latency, words, none)
        assert missing.word == NOT_MEASURED and missing.reason


def test_two_repetitions_make_one_number():
    (six,) = statement_verdicts(in_order_latency, CYCLES, of_bursts(range(6)))
    assert six.word == UNDECIDED and six.reason == "6 repetitions; an interval takes 12"
    (one,) = statement_verdicts(in_order_latency, CYCLES, of_bursts(range(1)))
    assert (one.word, one.reason) == (NOT_MEASURED, "needs two repetitions of the same work")


def rounds(times, sets_scale=HERE_NS, references=REFERENCES):
    """Rows of every reference; `times` as long as it is."""
    noise = np.random.default_rng(2)
    rows = []
    for reference in references:
        for (name, arity), ns in reference.nanoseconds.items():
            sets = name == HERE and reference.key() == ("sum", N, 0, 0, "")
            given = ({"min_arity": arity} if arity else {}) | reference.uses()
            rows += [
                row(name, given, cell=f"{reference.says} {name} {arity}", operator=reference.operator,
                    window=reference.window, distance=reference.distance, batch=reference.batch, repetition=r,
                    facts=json.dumps({"reference": ns}),
                    ns=(sets_scale if sets else times * ns) * noise.lognormal(0, 0.01))
                for r in SEVEN
            ]  # fmt: skip
    return frame(rows)


def test_every_reference_number_has_a_statement_that_holds_where_ours_is_faster():
    verdicts = peers_reference.verdicts(rounds(0.8))
    assert [verdict.text for verdict in verdicts if verdict.word != HOLDS] == []
    numbers = sum(len(reference.nanoseconds) for reference in REFERENCES)
    assert sum(verdict.configurations for verdict in verdicts) == numbers - 1  # but for the one that sets the scale
    for text in (f"{ns:g}" for reference in REFERENCES for ns in reference.nanoseconds.values()):
        assert any(text in verdict.says for verdict in verdicts) or text == "8.2"


def test_slower_rounds_do_not_hold_and_a_slower_machine_is_allowed_for():
    slow = peers_reference.verdicts(rounds(1.2))
    assert {verdict.word for verdict in slow} == {DOES_NOT_HOLD}
    assert all(verdict.reason.startswith("the reference is scaled by 1.0") for verdict in slow)
    assert {verdict.word for verdict in peers_reference.verdicts(rounds(1.2, 2 * HERE_NS))} == {HOLDS}


def test_one_slow_min_arity_holds_in_part():
    rows = rounds(0.8)
    slow = (rows["algorithm"] == "fiba") & rows["parameters"].str.contains('"min_arity": 8')
    rows.loc[slow, "value"] *= 2
    (found,) = statement_verdicts(peers_reference, "bloom, in order, n = 2^10, takes", rows[rows.algorithm != "daba"])[
        :1
    ]
    assert (found.word, found.text) == (IN_PART, "holds for 2 of 3")


def test_without_the_window_that_sets_the_scale_nothing_is_judged():
    rows = rounds(0.8)
    for none in (rows[:0], rows[rows["algorithm"] != HERE], rows.assign(status="failed")):
        assert {verdict.word for verdict in peers_reference.verdicts(none)} == {NOT_MEASURED}
