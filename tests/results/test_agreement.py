"""Verdicts of several runs side by side: which can be compared, and which agree."""

import pytest

from results.agreement import compared, share
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
