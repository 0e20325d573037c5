"""Mutation testing finds what no test notices, writes nothing, and what left.yaml says is up to date."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests import HUNG
from tests.mutation.changes import MODULE, changes

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
SAMPLE = HERE / "sample.py"
TARGETS = yaml.safe_load((HERE / "targets.yaml").read_text(encoding="utf-8"))
LEFT = yaml.safe_load((HERE / "left.yaml").read_text(encoding="utf-8"))


def changes_of(path):
    return changes(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.smoke
def test_every_kind_of_mistake_is_made_once_at_a_place():
    made = [(change.function, change.text) for change in changes_of(SAMPLE)]
    assert made == [
        (MODULE, "10 -> 11"),
        ("clipped", "value >= LIMIT -> value > LIMIT"),
        ("clipped", "value >= LIMIT -> value < LIMIT"),
        ("clipped", "return LIMIT -> pass"),
        ("summed", "0 -> 1"),
        ("summed", "total += clipped(value) -> total -= clipped(value)"),
        ("summed", "total += clipped(value) -> pass"),
    ]


SOURCES = {
    "a and not b": {"a and (not b) -> a or not b", "not b -> b"},
    "x if y else -z": {"y -> not y", "-z -> z"},
    "combine(op, dst, k, a, i, b, j)": {"combine(op, dst, k, a, i, b, j) -> combine(op, dst, k, b, j, a, i)"},
    "max(a) + b.any()": {"max(a) + b.any() -> max(a) - b.any()", "max(a) -> min(a)", "b.any() -> b.all()"},
    "a is None": {"a is None -> a is not None"},
    "True": {"True -> False"},
    "f'{a + 1}'": set(),
}


@pytest.mark.smoke
@pytest.mark.parametrize("source", SOURCES)
def test_what_may_stand_in_place_of_an_expression(source):
    tree = ast.parse(f"def f():\n    return {source}\n")
    assert {change.text for change in changes(tree)} == SOURCES[source]
    for change in changes(tree):
        again = ast.parse(f"def f():\n    return {source}\n")
        next(one for one in changes(again) if one.text == change.text).make()
        assert ast.unparse(again) != ast.unparse(tree)
        compile(again, "changed", "exec")


@pytest.mark.smoke
@pytest.mark.parametrize("module", sorted(LEFT))
def test_what_is_left_unnoticed_is_still_there_and_has_a_reason(module):
    there = {(change.function, change.text) for change in changes_of(ROOT / module)}
    for entry in LEFT[module]:
        assert (entry["in"], entry["change"]) in there, f"{module} has no such change any more: {entry}"
        (reason,) = (entry[kind] for kind in ("equivalent", "left") if kind in entry)
        assert reason and set(entry) == {"in", "change", "equivalent" if "equivalent" in entry else "left"}


@pytest.mark.smoke
def test_modules_and_their_tests_are_there():
    assert set(LEFT) <= set(TARGETS)
    for module, tests in TARGETS.items():
        assert (ROOT / module).is_file(), module
        for test in tests:
            assert (ROOT / test.removeprefix("--deselect=").partition("::")[0]).is_file(), test


def test_the_tool_lists_what_no_test_notices_and_writes_nothing(tmp_path):
    before = SAMPLE.read_bytes()
    (tmp_path / "targets.yaml").write_text("tests/mutation/sample.py: [tests/mutation/sample_checks.py]\n")
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutation", "sample"],
        cwd=ROOT,
        env={**os.environ, "MUTATION_TARGETS": str(tmp_path / "targets.yaml")},
        capture_output=True,
        text=True,
        timeout=HUNG,
    )
    lines = done.stdout.splitlines()
    assert lines[0] == "  tests/mutation/sample.py:11 in clipped: value >= LIMIT -> value > LIMIT", done.stderr
    assert "6 of 7 noticed (85.7%)" in lines[1] and "1 not known" in lines[1] and done.returncode == 1
    assert SAMPLE.read_bytes() == before
