"""The table of claims in its two forms."""

import io

import pytest
from rich.console import Console

from plots.claims import VERDICTS, ClaimError, claims_markdown, claims_table, summary


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


def printed(table, width=140):
    console = Console(file=io.StringIO(), width=width)
    console.print(table)
    return console.file.getvalue()


def test_the_table_shows_claim_numbers_and_verdict():
    text = printed(claims_table([verdict(), verdict("not reproduced", reason="caches are larger now")], title="FiBA"))
    for words in ("FiBA", "Figure 11", "classic is flat in d", "flat", "within 4 %", "✓ reproduced"):
        assert words in text
    assert "✗ not reproduced" in text and "caches are larger now" in text
    assert "2 claims: 1 reproduced, 1 not reproduced" in text


@pytest.mark.parametrize("word", VERDICTS)
def test_every_verdict_is_written_out_in_a_narrow_terminal(word):
    text = " ".join(printed(claims_table([verdict(word)]), width=80).split())
    assert all(part in text for part in word.split())


def test_brackets_are_text_not_markup():
    text = printed(claims_table([verdict(claim="d in [1, n] [bold]and 0[/bold]", measured="[0.5]")], title="[red]T"))
    assert "[bold]and 0[/bold]" in text and "[0.5]" in text and "[red]T" in text


def test_numbers_are_written_as_they_are():
    assert "3.5" in printed(claims_table([verdict(measured=3.5)]))


def test_a_verdict_must_be_whole_and_known():
    with pytest.raises(ClaimError, match="verdict 1 is 'maybe'; it must be one of reproduced, partly"):
        claims_table([verdict(), verdict("maybe")])
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
    assert printed(claims_table([])).strip()
