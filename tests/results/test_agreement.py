"""Verdicts of several runs side by side: which can be compared, and which agree."""

import json

import numpy as np
import pandas as pd
import pytest

from results.agreement import Run, compared, paces, share
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


def test_what_has_no_pace():
    """Counts, failures, cells of one run alone, and cells with too few repetitions."""
    for other in (timed(1, counted=True), timed(1, status="failed"), timed(1, cell="c"), timed(1, repetitions=2)):
        assert paces(timed(1), other) == []


def test_where_a_run_ran():
    two = pd.concat([timed(1), timed(1, processor="Other 1", started=pd.Timestamp("2026-11-23", tz="UTC"))])
    assert Run([], two).where == (
        "Made-up 9000, 2 cores (00) and Other 1, 2 cores ( 1); profile laptop; revision 0123456789; "
        "2026-11-20 to 2026-11-23"
    )
