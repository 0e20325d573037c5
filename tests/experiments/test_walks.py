"""A reader's own script: every window that can be shown is, the answers are right, and wrong steps are named."""

import re

import pytest

from experiments.harness import walks
from experiments.harness.settings import SettingsError
from plots import walking

SCRIPT = "insert 1 a; insert 2 b; insert 3 c; evict; insert 5 d; evict; evict; evict; insert 6 e"
LEFT = ["a", "ab", "abc", "bc", "bcd", "cd", "d", "", "e"]
IN_ORDER = ["two_stacks", "two_stacks_lite", "daba", "daba_lite", "flat_fat", "reactive", "b_int", "flatfit", "recalc"]


@pytest.mark.parametrize("name", ["fiba", "b_tree", "amta", "log_mta", *IN_ORDER])
def test_the_answers_of_all_windows_are_those_of_the_script(name, capsys, tmp_path):
    family, [facts] = walks.walked(name, SCRIPT, None)
    assert [state["answer"] for state in facts["states"]] == LEFT
    text = "\n".join(walking.TEXTS[family]([facts]))
    assert all(answer in text for answer in LEFT)
    if name in ("fiba", "amta", "daba"):
        assert walking.show(name, SCRIPT, family, [facts], str(tmp_path)) == 0
        assert sorted(path.name for path in tmp_path.iterdir()) == [
            f"walk-{name}.{kind}" for kind in ("html", "png", "svg")
        ]
        assert (tmp_path / f"walk-{name}.html").read_text().count("<li ") == len(LEFT)
        assert f"walk-{name}.html" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "answers"), [("soe", ["4", "10", "6"]), ("slick_deque", ["4", "6", "6"])])
def test_windows_of_numbers(name, answers):
    _, [facts] = walks.walked(name, "insert 1 4; insert 2 6; evict", None)
    assert [state["answer"] for state in facts["states"]] == answers


def test_a_script_of_cutty_has_windows_and_records():
    _, [facts] = walks.walked("cutty", "window 4 2; insert 1 a; insert 1 b; insert 2 c; insert 7 d; insert 8 e", None)
    assert facts["windows"] == [[0, 0, 4, "abcd"]]
    assert [state["slices"][-1][2] for state in facts["states"]] == ["a", "ab", "c", "cd", "e"]
    assert "[---abcd--]  range 4, slide 2" in "\n".join(walking.slices([facts]))


def test_late_and_equal_times_in_a_tree():
    family, [facts] = walks.walked(
        {"name": "fiba", "min_arity": 3}, "insert 3 a; insert 1 b; insert 3 c; evict_at 1", None
    )
    assert [state["answer"] for state in facts["states"]] == ["a", "ba", "bac", "ac"]
    text = "\n".join(walking.TEXTS[family]([facts]))
    assert "out-of-order insert 1:b" in text and "insert at a time that is there: 3:ac" in text


@pytest.mark.parametrize(
    ("name", "script", "message"),
    [
        ("fibba", "evict", "'fibba'; did you mean fiba?"),
        (None, "evict", "algorithm is None; action=walk needs one, such as algorithm=fiba"),
        ("fiba", None, "script is None; it must be steps, such as script='insert 1 a"),
        ("fiba", "insert 1 a; insrt 2 b", "step 2, 'insrt 2 b': unknown operation 'insrt'; did you mean insert?"),
        ("fiba", "insert 1", "step 1, 'insert 1': it must be insert TIME VALUE"),
        ("fiba", "insert 1.5 a", "step 1, .*TIME is '1.5'; it must be a whole number"),
        ("fiba", f"insert {2**63} a", "it must fit in 64 bits"),
        ("fiba", "insert 1 abcdefgh", "step 1, .*VALUE: concat: a value must be a string of 1 to 7"),
        ("fiba", "insert 1 a; evict; evict", "step 3, 'evict': the window is empty"),
        ("fiba", "insert 1 a; evict_at 4", "step 2, 'evict_at 4': nothing has that time; there are 1"),
        ("daba", "insert 3 a; insert 1 b", "step 2, 'insert 1 b': daba is in order, and 3 has come"),
        ("daba", "insert 3 a; evict_at 3", "unknown operation 'evict_at'"),
        ("soe", "insert 3 a", "VALUE is 'a'; it must be a whole number"),
        ("cutty", "insert 3 a", "begins with its windows, such as window 4 2"),
        ("cutty", "window 0 2; insert 3 a", "RANGE is 0; it must be at least 1"),
        ("cutty", "window 4 2; insert 3 a; window 1 1", "step 3, .*windows come before the first insert"),
        ("cutty", "window 4 2", "script has windows and no insert"),
        ("cutty", "window 4 2; insert 3 ab", "VALUE is 'ab'; it must be one letter"),
        ("fiba", "evict;" * 61, "script has 61 steps; a walk has 60 at most"),
        ({"name": "fiba", "min_arty": 3}, "evict", "did you mean min_arity?"),
    ],
)
def test_a_wrong_script_is_refused_with_its_step(name, script, message):
    with pytest.raises(SettingsError, match=message.replace("?", r"\?").replace("(", r"\(")):
        walks.walked(name, script, None)


def test_operators_are_chosen_by_name():
    _, [facts] = walks.walked("two_stacks", "insert 1 4; insert 2 6", ["max"])
    assert facts["states"][-1]["answer"] == "6"
    with pytest.raises(SettingsError, match=re.escape("operators is ['sum', 'max']; a walk has one")):
        walks.walked("two_stacks", "insert 1 4", ["sum", "max"])
    with pytest.raises(SettingsError, match="soe needs an operator that is invertible"):
        walks.walked("soe", "insert 1 4", ["max"])
