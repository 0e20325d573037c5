"""Verdicts of several runs side by side: which can be compared, and which agree."""

import json

import numpy as np
import pandas as pd
import pytest

from results.agreement import Run, compared, paces, ratio, share
from results.verdicts import DOES_NOT_HOLD, HOLDS, IN_PART, NOT_JUDGED, NOT_MEASURED, UNDECIDED, Verdict

pytestmark = pytest.mark.smoke


def said(**words):
    return [Verdict("an experiment", "Figure 1", claim, "", "", "", word) for claim, word in words.items()]


@pytest.mark.parametrize(
    ("words", "comparable", "agrees"),
    [
        ((HOLDS, HOLDS, HOLDS), True, True),
        ((HOLDS, UNDECIDED, HOLDS), True, True),
        ((HOLDS, HOLDS, IN_PART), True, False),
        ((DOES_NOT_HOLD, HOLDS, UNDECIDED), True, False),
        ((HOLDS, UNDECIDED, NOT_MEASURED), False, True),
        ((UNDECIDED, UNDECIDED, UNDECIDED), False, False),
        ((NOT_JUDGED, NOT_JUDGED, NOT_JUDGED), False, False),
    ],
)
def test_runs_agree_if_all_that_decided_say_the_same(words, comparable, agrees):
    [line] = compared(said(claim=word) for word in words)
    assert (line.comparable, line.agrees) == (comparable, agrees)
    assert share([line]) == (int(comparable and agrees), int(comparable))


def test_a_statement_of_one_run_alone_is_listed_and_not_counted():
    lines = compared([said(first=HOLDS), said(first=HOLDS, second=HOLDS), said(third=NOT_MEASURED)])
    assert [line.claim for line in lines] == ["first", "second"]
    assert lines[1].verdicts[0] is None and share(lines) == (1, 1)


def timed(factor, repetitions=7, processor="Made-up 9000", **columns):
    """Rows of two cells, whose operations take `factor` times 10 ns, give or take a tenth."""
    noise = np.random.default_rng(int(100 * factor)).uniform(0.9, 1.1, repetitions)
    rows = [
        {
            "experiment": "e",
            "cell": cell,
            "status": "ok",
            "counted": False,
            "laps": 0,
            "samples": None,
            "value": 1000 * factor * around,
            "unit": "ns",
            "operations": 100,
            "machine": processor[-2:],
            "machine_facts": json.dumps({"processor": processor, "cores": 2}),
            "profile": "laptop",
            "git_revision": "0123456789abcdef",
            "started": pd.Timestamp("2026-11-20", tz="UTC"),
        }
        | columns
        for cell in ("a", "b")
        for around in noise
    ]
    return pd.DataFrame(rows)


def test_the_pace_of_two_runs():
    (pace,) = paces(timed(1), timed(2))
    assert pace[:2] == ("e", 2) and 1.8 < pace.low <= pace.middle <= pace.high < 2.2
    assert (pace.slower, pace.faster) == (2, 0)
    (back,) = paces(timed(2), timed(1))
    assert (back.slower, back.faster) == (0, 2) and 0.45 < back.middle < 0.55
    (alike,) = paces(timed(1), timed(1.01))
    assert (alike.slower, alike.faster) == (0, 0)
    (same,) = paces(timed(1, value=1000.0), timed(1, value=1000.0))
    assert same == ("e", 2, 1, 1, 1, 0, 0)


def test_a_pace_is_of_one_operation():
    (pace,) = paces(timed(1), timed(1, operations=200, repetitions=3))
    assert pace.middle == pytest.approx(0.5, rel=0.1)
    assert paces(timed(0.05, operations=1000), timed(0.05, operations=1000))  # less than a nanosecond
    assert paces(timed(1, operations=1), timed(1, operations=1))


def test_one_time_in_a_hundred_is_outside_of_the_interval():
    before, after = (np.random.default_rng(seed).normal(10, 1, 9) for seed in (1, 2))
    middle, low, high = ratio(before, after)
    random = np.random.default_rng(3)
    drawn = [np.median(random.choice(values, (20_000, 9)), axis=1) for values in (before, after)]
    assert middle == np.median(after) / np.median(before)
    for outside in (drawn[1] / drawn[0] < low, drawn[1] / drawn[0] > high):
        assert 0.0005 < outside.mean() < 0.0125


def test_what_has_no_pace():
    """Counts, failures, cells of one run alone, with too few repetitions, without an operation, or a time of 0; and
    what is no time: bytes, or cycles, of which another machine has others."""
    others = [{"counted": True}, {"status": "failed"}, {"cell": "c"}, {"repetitions": 2}, {"operations": 0}]
    others += [{"unit": "bytes"}, {"unit": "cycles"}]
    for other in others:
        assert paces(timed(1), timed(1, **other)) == []
    zero = timed(1)
    zero.loc[zero.groupby("cell").head(1).index, "value"] = 0.0
    assert paces(timed(1), zero) == []


def test_where_a_run_ran():
    two = pd.concat([timed(1), timed(1, processor="Other 1", started=pd.Timestamp("2026-11-23", tz="UTC"))])
    assert Run([], two).where == (
        "Made-up 9000, 2 cores (00) and Other 1, 2 cores ( 1); profile laptop; revision 0123456789; "
        "2026-11-20 to 2026-11-23"
    )


@pytest.mark.parametrize(("revisions", "said"), [(3, "0, 1, 2"), (4, "0, 1, 2 and others")])
def test_of_many_revisions_three_are_named(revisions, said):
    rows = pd.concat([timed(1, git_revision=str(number)) for number in range(revisions)])
    assert Run([], rows).where.endswith(f"; revision {said}; 2026-11-20")
