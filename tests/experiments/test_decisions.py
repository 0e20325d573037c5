"""The rule on numbers small enough to follow: intervals, bounds that are touched, repetitions that lack, words."""

import numpy as np
import pandas as pd
import pytest

from experiments.harness import judgement
from experiments.harness.judgement import FAILS, HOLDS, LEAST, UNDECIDED, Decision, in_words, interval
from experiments.harness.measured import NotMeasuredError
from experiments.harness.statements import RELATIONS, Statement
from results.laps import typical_values
from results.verdicts import Verdict
from tests.experiments.made_rows import frame, row

pytestmark = pytest.mark.smoke


def relation(**bound):
    ((name, value),) = bound.items()
    return RELATIONS[name.replace("_", " ")][0](value)


def decided(values, exact=False, **bound):
    return judgement._decision({}, np.array(values, float).reshape(len(values), -1), relation(**bound), exact)


# ---------------------------------------------------------------------------------------------------------- intervals


def test_an_interval_is_wider_the_surer_it_is_and_the_median_if_it_need_not_be_sure():
    values = np.arange(1.0, 12.0).reshape(-1, 1)
    assert interval(values, 0.0) == (6, 6)
    low, high = interval(values, 0.5)
    assert 4 <= low < 6 < high <= 8
    low, high = interval(values)
    assert 1 <= low <= 3 and 9 <= high <= 11


def test_an_interval_is_of_other_draws_than_what_was_measured():
    """Draw 0 is the measurement, and the value that is shown; the others say how far it could have been elsewhere."""
    values = np.ones((LEAST, 16))
    values[:, 0] = 0
    assert interval(values) == (1, 1)
    assert interval(np.full((LEAST, 1), 7.0)) == (7, 7)
    values[:, 1] = 100
    assert interval(values)[1] > 1, "draw 1 is one of the others"


def test_a_repetition_without_all_of_its_numbers_is_left_out():
    line = [1.0, 1.0, np.nan, 9.0] + [1.0, 1.0] * LEAST
    names = pd.MultiIndex.from_product([range(LEAST + 2), range(2)], names=["repetition", "draw"])
    table = pd.DataFrame([line, [np.nan] * len(line)], pd.Index(["a", "b"], name="x"), names)
    (one,) = judgement.decided(table, relation(at_most=2), exact=False)
    assert (one.configuration, one.repetitions, one.state, one.high) == ({"x": "a"}, LEAST + 1, HOLDS, 1)


# ------------------------------------------------------------------------------------------------------------- bounds


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    ("bound", "state"),
    [
        ({"at_most": 10}, HOLDS), ({"at_least": 10}, HOLDS), ({"exactly": 10}, HOLDS), ({"between": [10, 11]}, HOLDS),
        ({"between": [9, 10]}, HOLDS), ({"at_most": 9.99}, FAILS), ({"at_least": 10.01}, FAILS),
        ({"between": [11, 12]}, FAILS), ({"between": [8, 9]}, FAILS),
    ],
)  # fmt: skip
def test_a_bound_is_part_of_what_holds(exact, bound, state):
    one = decided([10] * LEAST, exact, **bound)
    assert (one.state, one.value, one.low, one.high, one.repetitions, one.more) == (state, 10, 10, 10, LEAST, None)


@pytest.mark.parametrize("bound", [{"at_least": 10}, {"at_most": 9}, {"between": [9.5, 20]}, {"between": [5, 9.5]}])
def test_an_interval_that_reaches_a_bound_from_outside_or_crosses_it_is_undecided(bound):
    one = decided([9, 10] * LEAST, **bound)
    assert (one.low, one.high) == (9, 10) and one.state == UNDECIDED


def test_fewer_repetitions_than_an_interval_takes_decide_nothing():
    one = decided([3, 1, 2, 5, 4], at_most=100)
    assert len([3, 1, 2, 5, 4]) == LEAST - 1
    assert (one.state, one.value, one.low, one.high, one.more) == (UNDECIDED, 3, 1, 5, 1)
    assert decided([3, 1, 2, 5, 4, 3], at_most=100).state == HOLDS
    assert decided([3, 1], at_most=100).more == LEAST - 2
    assert decided([3, 1], True, at_most=100).state == HOLDS, "what is counted needs no interval"


@pytest.mark.parametrize(
    ("n", "bound", "more"),
    [
        (8, {"at_most": 11}, 24),  # the upper half, 2, must become 1: a quarter, so four times as many
        (8, {"at_least": 9.5}, 24),
        (8, {"between": [9.5, 11.5]}, 24),  # the nearer of two bounds
        (8, {"between": [9.5, 20]}, 24),  # one that is not reached does not count
        (8, {"between": [0, 11]}, 24),
        (7, {"at_most": 11.25}, 11),  # rounded up: 7 (2.56 - 1) = 10.92
        (8, {"at_least": 9}, 1),  # the bound is the end itself
        (8, {"at_most": 10}, None),  # the median is the bound
    ],
)
def test_how_many_repetitions_would_decide(n, bound, more):
    assert judgement._more(n, 10.0, 9.0, 12.0, relation(**bound)) == more


ROOT_OF_TEN = 3.1622776601683795


@pytest.mark.parametrize(
    ("bound", "low", "high", "words"),
    [
        ({"at least": 2}, 2, np.inf, "at least 2"),
        ({"at most": 2}, -np.inf, 2, "at most 2"),
        ({"exactly": 2}, 2, 2, "exactly 2"),
        ({"between": [1, 2]}, 1, 2, "1 to 2"),
        ({"same order": True}, 1 / ROOT_OF_TEN, ROOT_OF_TEN, "within half an order of magnitude of 1"),
        (
            {"same order as": 2000},
            2000 / ROOT_OF_TEN,
            2000 * ROOT_OF_TEN,
            "within half an order of magnitude of 2,000",
        ),
        ({"orders": 2}, 2, np.inf, "at least 2 orders of magnitude"),
        ({"rising": {"over": "window"}}, 0, np.inf, "rising over window"),
        ({"rising": {"over": "window", "by": 0.5}}, 0.5, np.inf, "rising over window by at least 50% of the mean"),
        ({"falling": {"over": "window"}}, -np.inf, 0, "falling over window"),
        ({"falling": {"over": "window", "by": 0.5}}, -np.inf, -0.5, "falling over window by at least 50% of the mean"),
        (
            {"flat": {"over": "window", "within": 0.1}},
            -0.1,
            0.1,
            "rising or falling over window by at most 10% of the mean",
        ),
    ],
)
def test_a_relation_is_two_ends_and_their_words(bound, low, high, words):
    found = Statement("Figure 1", "c", "s", relation=bound, tolerance="t").bound
    assert (found.low, found.high) == pytest.approx((low, high))
    assert judgement.bound_of(Statement("Figure 1", "c", "s", relation=bound, tolerance="t")) == f"{words} (t)"


def test_a_place_is_the_panel_and_its_section_where_it_has_one():
    assert Statement("Figure 1", "c", "s", section="5.1").place == "Figure 1, section 5.1"
    assert Statement("Figure 1", "c", "s").place == "Figure 1"


# -------------------------------------------------------------------------------------------------------------- words


def line(value, state=HOLDS, low=None, high=None, repetitions=8, more=None, **configuration):
    ends = (value, value) if low is None else (low, high)
    return Decision(configuration, value, *ends, state, repetitions, more)


def test_numbers_are_shown_with_three_digits_and_large_ones_in_full_or_with_a_power():
    shown = {0.12345: "0.123", 999.4: "999", 999.6: "1,000", 123456.7: "123,457", -2000.0: "-2,000"}
    shown |= {9.996e11: "999,600,000,000", 1e12: "1 × 10¹²", -1.00116e31: "-1 × 10³¹", 1.234e-5: "1.23 × 10⁻⁵"}
    shown |= {0.0: "0", 0.0001: "0.0001", float("inf"): "inf"}
    assert {value: in_words([line(value)], "ns") for value in shown} == shown
    assert in_words([line(0.0512)], "%") == "5.12 %"
    assert in_words([line(2.0, low=1.5, high=2.5)], "ns") == "2 (1.5 to 2.5)"


def test_a_few_configurations_are_all_written_out():
    both = [line(2.0, window=4096, algorithm="fiba", store=""), line(1.0, low=0.5, high=3.0, window=8, store=None)]
    assert in_words(both, "") == "window 4,096, fiba: 2; window 8: 1 (0.5 to 3)"
    six = [line(float(n), n=n) for n in range(6)]
    assert in_words(six, "") == "n 0: 0; n 1: 1; n 2: 2; n 3: 3; n 4: 4; n 5: 5"


def test_of_many_the_ends_are_written_and_what_does_not_hold():
    seven = [line(float(n), FAILS if n in (0, 3) else HOLDS, n=n) for n in (6, 5, 4, 3, 2, 1, 0)]
    assert in_words(seven, "") == "n 0: 0 to n 6: 6; n 3: 3 fails"
    assert in_words([one._replace(state=HOLDS) for one in seven], "") == "n 0: 0 to n 6: 6"
    assert in_words([one._replace(state=FAILS) for one in seven], "") == "n 0: 0 to n 6: 6", "that all fail, it says"
    but_one = [one._replace(state=HOLDS if one.value == 3 else FAILS) for one in seven]
    assert in_words(but_one, "") == "n 0: 0 to n 6: 6; n 1: 1 fails; n 2: 2 fails; n 4: 4 fails; n 5: 5 fails"
    ten = [line(float(n), UNDECIDED if n < 9 else HOLDS, n=n) for n in range(10)]
    assert in_words(ten, "").count("undecided") == judgement.MOST_LISTED


@pytest.mark.parametrize(
    ("decisions", "said"),
    [
        ([], ""),
        ([line(1.0, HOLDS, repetitions=1)], ""),
        ([line(1.0, UNDECIDED, repetitions=1)], "1 repetition; an interval takes 6"),
        ([line(1.0, UNDECIDED, repetitions=5), line(1.0, UNDECIDED)], "5 repetitions; an interval takes 6"),
        ([line(1.0, UNDECIDED, repetitions=6, more=4), line(1.0, FAILS)], "about 4 more repetitions would decide"),
        ([line(1.0, UNDECIDED, more=4), line(1.0, UNDECIDED, more=1200)], "about 1,200 more repetitions would decide"),
        (
            [line(1.0, UNDECIDED, more=4), line(1.0, UNDECIDED)],
            "a median is the bound itself: no number of repetitions decides",
        ),
    ],
)
def test_why_a_statement_is_undecided_is_said(decisions, said):
    assert judgement._undecided_because(decisions, 1) == said


def test_a_number_of_two_repetitions_takes_twice_as_many():
    assert judgement._undecided_because([line(1.0, UNDECIDED, repetitions=3)], 2) == (
        "6 repetitions; an interval takes 12"
    )
    assert judgement._undecided_because([line(1.0, UNDECIDED, more=4)], 2) == "about 8 more repetitions would decide"


STATEMENT = Statement("Figure 1", "so it is", "so", relation={"at most": 5}, tolerance="printed", unit="times")


def test_a_bound_has_its_unit_and_where_it_comes_from():
    assert judgement.bound_of(STATEMENT) == "at most 5 times (printed)"
    share = Statement("Figure 1", "c", "s", relation={"between": [0.1, 0.25]}, tolerance="t", unit="%")
    assert judgement.bound_of(share) == "10 % to 25 % (t)"
    plain = Statement("Figure 1", "c", "s", relation={"at least": 2000}, tolerance="t")
    assert judgement.bound_of(plain) == "at least 2,000 (t)"
    assert judgement.bound_of(Statement("Figure 1", "c", "s", not_judged="lost")) == ""


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ((1, 0, 0), "holds"), ((3, 0, 0), "holds for all 3"), ((0, 2, 0), "does not hold for any of 2"),
        ((1, 1, 0), "holds for 1 of 2"), ((1, 1, 1), "holds for 1 of 3, 1 undecided"),
        ((0, 0, 2), "holds for 0 of 2, 2 undecided"),
    ],
)  # fmt: skip
def test_a_verdict_says_how_many_configurations_hold(counts, text):
    from results.verdicts import word_of

    verdict = Verdict("x", "Figure 1", "c", "s", "b", "m", word_of(*counts), *counts)
    assert (verdict.text, verdict.configurations) == (text, sum(counts))


# ----------------------------------------------------------------------------------------------------------- verdicts


def counted(**values):
    """Counts of some algorithms."""
    return frame(
        row(name, metric="combines", value=value, operations=1, counted=True, repetition=0, cell=name)
        for name, value in values.items()
    )


def judged(statement, reason=None, **values):
    return judgement.judged(
        "x", statement, lambda m: m.each("combines", "algorithm"), reason, counted(**values)
    ).verdict


def test_a_reason_is_given_where_a_statement_fails_and_can_be_computed():
    assert judged(STATEMENT, lambda m: "because", fiba=6.0, daba=1.0).reason == "because"
    assert judged(STATEMENT, lambda m: "because", fiba=5.0, daba=1.0).reason == ""
    assert judged(STATEMENT, None, fiba=6.0).reason == ""

    def lacking(measured):
        raise NotMeasuredError("no rows")

    failed = judged(STATEMENT, lacking, fiba=6.0, daba=1.0)
    assert (failed.reason, failed.word, failed.timed) == ("", "holds in part", False)


def test_a_statement_about_some_configurations_is_decided_by_these():
    of_fiba = Statement(
        "Figure 1", "so it is", "so", where={"algorithm": "fiba"}, relation={"at most": 5}, tolerance="printed"
    )
    assert judged(of_fiba, fiba=5.0, daba=6.0).word == "holds"
    assert judged(of_fiba, fiba=6.0, daba=5.0).word == "does not hold"
    none = judged(of_fiba, daba=5.0)
    assert none.word == "not measured" and none.reason == "no rows with algorithm=fiba"


def test_without_a_number_for_any_configuration_a_statement_is_not_measured():
    def nothing(measured):
        return measured.each("combines", "algorithm") * np.nan

    verdict = judgement.judged("x", STATEMENT, nothing, None, counted(fiba=1.0)).verdict
    assert (verdict.word, verdict.reason) == ("not measured", "no configuration has all the cells that it needs")


def test_the_series_of_a_paper_are_chosen_by_name_and_all_parameters():
    rows = frame(
        row(name, {"min_arity": arity, "fifo": fifo}, ns=1.0)
        for name, arity, fifo in (("fiba", 2, 0), ("fiba", 4, 0), ("fiba", 4, 1), ("daba", 4, 1), ("soe", 4, 1))
    )
    assert judgement.of_the_paper(rows, None) is rows
    chosen = judgement.of_the_paper(rows, ["soe", {"name": "fiba", "min_arity": 4, "fifo": [1, 2]}])
    assert list(zip(chosen["algorithm"], chosen["parameters"])) == [
        ("fiba", '{"min_arity": 4, "fifo": 1}'),
        ("soe", '{"min_arity": 4, "fifo": 1}'),
    ]


def test_rows_without_laps_keep_their_values_and_a_single_lap_is_one():
    rows = frame([row("a", value=7.0, laps=0), row("b", value=9.0, laps=1, samples=np.array([3.0]))])
    assert typical_values(rows).tolist() == [7.0, 3.0]
