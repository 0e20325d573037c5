"""Verdicts as a table, and counted."""

import pytest

from plots.claims import SIGNS, claims_markdown, signed, summary
from results.verdicts import DOES_NOT_HOLD, HOLDS, IN_PART, NOT_JUDGED, UNDECIDED, WORDS, Verdict


def verdict(word=HOLDS, holds=1, **changes):
    given = {
        "experiment": "fiba_ooo",
        "panel": "Figure 11, section 5.1",
        "claim": "classic is flat in d",
        "says": "mostly unaffected",
        "bound": "at most 1.5 times (printed)",
        "measured": "1.04 (1.02 to 1.07)",
        "word": word,
        "holds": holds,
    }
    return Verdict(**given | changes)


def test_markdown_has_one_line_a_claim_whatever_the_text():
    text = claims_markdown([verdict(claim="a | b\nc_d <script>"), verdict(IN_PART, holds=2, fails=1)])
    lines = text.splitlines()
    assert len(lines) == 4
    assert lines[0] == "| figure | claim | paper | measured | holds if | verdict | why |"
    assert lines[2] == (
        "| Figure 11, section 5.1 | a \\| b c\\_d \\<script> | mostly unaffected | 1.04 (1.02 to 1.07) "
        "| at most 1.5 times (printed) | ✓ holds |  |"
    )
    assert "| ≈ holds for 2 of 3 |" in lines[3]
    assert all(line.replace("\\|", "").count("|") == 8 for line in lines)


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (verdict(), "✓ holds"),
        (verdict(holds=3), "✓ holds for all 3"),
        (verdict(IN_PART, holds=3, fails=2), "≈ holds for 3 of 5"),
        (verdict(IN_PART, holds=3, fails=1, undecided=1), "≈ holds for 3 of 5, 1 undecided"),
        (verdict(DOES_NOT_HOLD, holds=0, fails=1), "✗ does not hold"),
        (verdict(DOES_NOT_HOLD, holds=0, fails=2), "✗ does not hold for any of 2"),
        (verdict(UNDECIDED, holds=1, undecided=4), "? holds for 1 of 5, 4 undecided"),
        (verdict(NOT_JUDGED, holds=0), "· not judged"),
    ],
)
def test_a_verdict_is_shown_with_its_counts(found, text):
    assert signed(found) == text


def test_the_summary_counts():
    assert summary([]) == "no statements"
    assert summary([verdict()]) == "1 statement: 1 holds"
    several = [verdict(), verdict(), verdict(IN_PART, holds=1, fails=1), verdict(UNDECIDED, holds=0, undecided=1)]
    assert summary(several) == "4 statements: 2 hold, 1 holds in part, 1 undecided"


@pytest.mark.parametrize("word", WORDS)
def test_every_word_is_written_out_with_a_sign_of_its_own(word):
    assert f"{SIGNS[word]} {word}" in claims_markdown([verdict(word)])
    assert len(set(SIGNS.values())) == len(WORDS)
