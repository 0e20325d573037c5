"""What a run says when it is done fits the terminal and tells verdict, figure, claim and numbers."""

import pandas as pd
import pytest

from plots.claims import VERDICTS
from plots.terminal import claim_lines, problem_lines, show


def verdict(word="reproduced", **changes):
    return {
        "experiment": "fiba_ooo",
        "paper": "Figure 11",
        "claim": "The classic B-tree's throughput is mostly unaffected by the distance, whatever the operator costs",
        "paper_value": "flat",
        "measured": "fastest over slowest d: median 1.20, worst 1.48 (flat: at most 1.5); holds for 9 of 9",
        "verdict": word,
        "reason": "a cache-resident tree is searched faster near its hot end",
    } | changes


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("word", VERDICTS)
def test_a_claim_fits_the_width_and_loses_nothing(width, word):
    lines = claim_lines(verdict(word), width)
    assert max(map(len, lines)) <= width
    text = " ".join(" ".join(lines).split())
    for part in verdict(word).values():
        assert part in text or part == "fiba_ooo"
    assert word in lines[0] or width == 40
    assert all(line.startswith("    ") for line in lines[1:])


def test_what_is_empty_is_left_out():
    lines = claim_lines(verdict(measured="", reason=""), 80)
    assert not any("measured:" in line or "why:" in line for line in lines)


def problem(status, reason, algorithm="fiba", min_arity=4):
    return {"status": status, "reason": reason, "algorithm": algorithm, "parameters": f'{{"min_arity":{min_arity}}}'}


def test_problems_are_counted_by_reason_with_the_series():
    rows = pd.DataFrame([problem("ok", ""), *[problem("failed", "it broke")] * 3, problem("skipped", "no law")])
    assert problem_lines(rows, 80) == ["failed (3): bfinger4: it broke", "skipped (1): bfinger4: no law"]


def test_many_series_and_reasons_are_cut_short():
    many = pd.DataFrame([problem("failed", "x", min_arity=mu) for mu in range(2, 12)])
    assert problem_lines(many, 200)[0].count(",") <= 4 and "and 7 more: x" in problem_lines(many, 200)[0]
    reasons = pd.DataFrame([problem("failed", f"reason {i}") for i in range(20)])
    assert problem_lines(reasons, 80)[-1] == "... and 12 more reasons, in the rows and on the report page"


def test_show_prints_all_of_it(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "80")
    rows = pd.DataFrame([problem("timeout", "stopped after 4 s")])
    show("fiba_ooo-window_8", rows, [verdict(), verdict("partly")], [tmp_path / "figure.png"], {"t1": "no rows"}, 3, 5)
    said = capsys.readouterr().out
    assert "fiba_ooo-window_8: 2 claims: 1 reproduced, 1 partly" in said
    assert "3 measured now, 5 kept from earlier runs (force=true measures them again)" in said
    assert "timeout (1): bfinger4: stopped after 4 s" in said
    assert f"wrote {tmp_path / 'figure.png'}" in said
    assert "not drawn: t1: no rows" in said
