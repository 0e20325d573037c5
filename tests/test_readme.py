"""The README's examples give what it prints, and what it names is there."""

import doctest
import re
from pathlib import Path

from results.verdicts import published_in

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"


def test_examples_print_what_the_readme_says():
    failed, tried = doctest.testfile(str(README), module_relative=False)
    assert tried >= 15
    assert failed == 0


def test_linked_files_exist():
    links = re.findall(r"\]\(([^)#:]+)\)", README.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_experiment_that_is_named_has_a_configuration():
    named = set(re.findall(r"experiment=(\w+)", README.read_text(encoding="utf-8")))
    assert {name for name in named if not (ROOT / f"conf/experiment/{name}.yaml").exists()} == set()


def test_how_often_the_rule_is_wrong_is_as_published():
    published, readme = published_in(ROOT / "results" / "published"), " ".join(README.read_text("utf-8").split())
    [false_alarms] = [verdict.measured for verdict in published["verdict_false_alarms"]]
    [found] = [verdict.measured for verdict in published["verdict_power"] if "is found in" in verdict.claim]
    assert f"of equal windows it calls {false_alarms} different, and of windows that are a tenth slower" in readme
    assert f"it finds {found} (" in readme


def test_how_far_the_sizes_agree_is_as_published():
    """README and docs by what `action=compare` wrote of the two published runs."""
    page = (ROOT / "results/paper_sizes/agreement.md").read_text("utf-8")
    same, of = re.search(r"The runs agree on (\d+) of (\d+) statements", page).groups()
    readme, experiments, verdicts = (
        " ".join(path.read_text("utf-8").split())
        for path in (README, ROOT / "docs/experiments.md", ROOT / "docs/verdicts.md")
    )
    said = f"{same} of {of} statements"
    assert said in readme and said in experiments
    assert f"Of the {of} statements that both sizes decided, [{same} have the same verdict]" in verdicts
