"""What a run says when it is done fits the terminal and tells verdict, figure, claim and numbers."""

from types import SimpleNamespace

import pandas as pd
import pytest

from plots.claims import signed
from plots.terminal import claim_lines, open_lines, problem_lines, show
from results.verdicts import IN_PART, UNDECIDED, WORDS, Verdict


def verdict(word="holds", **changes):
    given = {
        "experiment": "fiba_ooo",
        "panel": "Figure 11, section 5.1",
        "claim": "The classic B-tree's throughput is mostly unaffected by the distance, whatever the operator costs",
        "says": "mostly unaffected by the change in distance",
        "bound": "at most 1.5 times (a factor far below the finger tree's own fall; the paper prints no number)",
        "measured": "min_arity 2, sum: 1.20 (1.13 to 1.31); min_arity 4, sum: 1.48 (1.44 to 1.53)",
        "word": word,
        "reason": "restless machine: an uneven clock rate in 17% of the timed repetitions",
    }
    return Verdict(**given | changes)


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("word", WORDS)
def test_a_claim_fits_the_width_and_loses_nothing(width, word):
    found = verdict(word)
    lines = claim_lines(found, width)
    assert max(map(len, lines)) <= width
    text = " ".join(" ".join(lines).split())
    for part in (found.panel, found.claim, found.says, found.bound, found.measured, found.reason, signed(found)):
        assert part in text
    assert word in lines[0] or width == 40
    assert all(line.startswith("    ") for line in lines[1:])


def test_what_is_empty_is_left_out():
    lines = claim_lines(verdict(measured="", reason=""), 80)
    assert not any("measured:" in line or "why:" in line for line in lines)


def test_what_is_undecided_for_one_reason_has_one_line_in_each_experiment():
    few = "2 repetitions; an interval takes 6"
    found = [
        verdict(UNDECIDED, claim="RA is flat", reason=few),
        verdict("holds", claim="DABA is flat", reason=""),
        verdict(UNDECIDED, claim="AMTA is flat", reason="about 4 more repetitions would decide"),
        verdict(UNDECIDED, claim="Cutty is flat", reason=few),
        verdict(UNDECIDED, claim="Pairs are flat", reason=few, experiment="cutty_periodic"),
    ]
    assert open_lines(found) == [
        f"  fiba_ooo: 2 statements: {few}",
        "  fiba_ooo: AMTA is flat: about 4 more repetitions would decide",
        f"  cutty_periodic: Pairs are flat: {few}",
    ]


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
    verdicts = [verdict(holds=1), verdict(IN_PART, holds=2, fails=1)]
    run = SimpleNamespace(
        name="fiba_ooo-window_8", rows=rows, verdicts=verdicts, measured=3, kept=5, warning="", failed=False
    )
    published = SimpleNamespace(paths=[tmp_path / "figure.png"], undrawn={"t1": "no rows"}, failed=False)
    assert show(run, published) == 0
    for failed in (run, published):
        failed.failed = True
        assert show(run, published) == 1
        failed.failed = False
    said = capsys.readouterr().out
    assert "fiba_ooo-window_8: 2 statements: 1 holds, 1 holds in part" in said
    assert "3 measured now, 5 kept from earlier runs (force=true measures them again)" in said
    assert "timeout (1): bfinger4: stopped after 4 s" in said
    assert f"wrote {tmp_path / 'figure.png'}" in said
    assert "not drawn: t1: no rows" in said
