"""Verdicts as a table, and counted."""

import pytest

from plots.claims import VERDICTS, ClaimError, claims_markdown, summary


def verdict(word="reproduced", **changes):
    return {
        "experiment": "fiba_ooo",
        "paper": "Figure 11",
        "claim": "classic is flat in d",
        "paper_value": "flat",
        "measured": "within 4 %",
        "verdict": word,
        "reason": "",
    } | changes


def test_a_verdict_must_be_whole_and_known():
    with pytest.raises(ClaimError, match="verdict 1 is 'maybe'; it must be one of reproduced, partly"):
        claims_markdown([verdict(), verdict("maybe")])
    lacking = verdict()
    del lacking["measured"]
    with pytest.raises(ClaimError, match="verdict 0 has no measured"):
        claims_markdown([lacking])


def test_markdown_has_one_line_a_claim_whatever_the_text():
    text = claims_markdown([verdict(claim="a | b\nc_d <script>"), verdict("partly")])
    lines = text.splitlines()
    assert len(lines) == 4
    assert lines[0] == "| figure | claim | paper | measured | verdict | why |"
    assert lines[2] == "| Figure 11 | a \\| b c\\_d \\<script> | flat | within 4 % | ✓ reproduced |  |"
    assert all(line.replace("\\|", "").count("|") == 7 for line in lines)


def test_the_summary_counts():
    assert summary([]) == "no claims"
    assert summary([verdict()]) == "1 claim: 1 reproduced"


@pytest.mark.parametrize("word", VERDICTS)
def test_every_verdict_is_written_out(word):
    assert word in claims_markdown([verdict(word)])
