"""Exhaustive search, mutants, plain against compiled, checked mode, reference counts: in processes of their own."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from algorithms import catalogue
from algorithms.windows.contract import ANY_ORDER, IN_ORDER
from tests.algorithms.windows.facade_subjects import SUBJECTS, compiled_operators
from tests.algorithms.windows.mutants import MUTANTS
from tests.scripts import CHECKED, PLAIN, printed, script

pytestmark = pytest.mark.slow

CARDS = catalogue()
OPERATIONS = 100_000
PARTS = {
    name: ("80000:2", "10000:3", "10000:5") if card.order == ANY_ORDER else ("20000:2",) for name, card in CARDS.items()
}
"""Random programs for each window: operations, and min_arity, which is also the seed. Plain Python has the last two."""

CHECKED_WINDOWS = ("amta",)
"""One shows that checked mode works: plain Python, in which all windows run these programs, checks the same indices."""

TREES = {"fiba", "fiba_folds", "b_tree"}

SEARCHES = {
    **{
        ("basic", name, operations): states
        for operations, states in (("8", 5_352), ("9", 15_784))
        for name, card in CARDS.items()
        if card.order == IN_ORDER
    },
    **{
        ("sequences", name, "3", "4"): 300
        for name, card in CARDS.items()
        if len(card.operations) > 3 and name not in TREES
    },
    **{("sequences", name, "8", "4"): 42 for name in sorted(TREES)},
    ("slides", "flat_fat", "8", "1", "1"): 1152,
    ("slides", "reactive", "8", "2", "1"): 5832,
    ("slides", "reactive", "8", "1", "0"): 1152,
    ("shapes", "fiba", "2", "9"): 102,
    ("shapes", "b_tree", "2", "8"): 70,
    ("shapes", "fiba_folds", "2", "9"): 102,
    ("shapes", "fiba", "3", "9"): 46,
}
"""Arguments of exhaustive.py, and the states that it must reach at least: all trees of so many entries, for one."""

THOROUGH = {search for search in SEARCHES if search[0] == "basic" and search[2] == "9"}
"""Three times the histories, and the time, of those by one operation less."""


EVERY_OPERATOR = ("recalc", "two_stacks_lite")
"""Windows of both orders that the façade is tried on with every kind of value: it takes values alike for all."""


def in_plain_python(name: str) -> list[str]:
    """The operators that a window takes and test_facade.py does not try compiled; affine maps in both lives.

    No other than these two is as strict: maps do not commute, and joined texts are wide besides.
    """
    chosen = SUBJECTS if name in EVERY_OPERATOR else ("affine", "concat")
    tried = ["affine", *sorted(set(chosen) - {"affine"} - compiled_operators(name))]
    return [operator for operator in tried if not CARDS[name].refusal(SUBJECTS[operator].make())]


def search(arguments: tuple[str, ...]) -> pytest.MarkDecorator:
    return script("algorithms.windows.exhaustive", *arguments, **PLAIN)


def compiled(name: str) -> pytest.MarkDecorator:
    return script("algorithms.windows.reference_counts", name, *PARTS[name])


def answers(name: str) -> list[str]:
    return printed(compiled(name))["answers"]


def plain(name: str) -> pytest.MarkDecorator:
    return script("algorithms.windows.program", name, *PARTS[name][-2:], **PLAIN)


def checked(name: str) -> pytest.MarkDecorator:
    return script("algorithms.windows.program", name, PARTS[name][-1], **CHECKED)


def machine(name: str) -> pytest.MarkDecorator:
    return script("algorithms.windows.facade_machine", name, *in_plain_python(name), **PLAIN)


def for_windows(names: Iterable[str], *scripts: Callable[[str], pytest.MarkDecorator]) -> pytest.MarkDecorator:
    """A test of each of these windows, which waits for these."""
    return pytest.mark.parametrize(
        "name", [pytest.param(name, marks=[asked(name) for asked in scripts]) for name in names]
    )


MUTATED = script("algorithms.windows.mutants", **PLAIN)


def searched(arguments: tuple[str, ...]) -> Any:
    marks = [search(arguments), *([pytest.mark.thorough] if arguments in THOROUGH else [])]
    return pytest.param(arguments, marks=marks, id=" ".join(arguments))


@pytest.mark.parametrize("arguments", [searched(one) for one in SEARCHES])
def test_every_short_history_agrees_with_the_naive_window(arguments):
    assert printed(search(arguments))["states"] >= SEARCHES[arguments]


@MUTATED
@pytest.mark.parametrize("mutant", MUTANTS)
def test_exhaustive_search_finds_a_mistake_made_on_purpose(mutant):
    """The mistake of the paper's pseudocode among them, which large random histories miss."""
    assert printed(MUTATED)[mutant], "the search noticed nothing"


@for_windows(CARDS, plain, compiled)
def test_plain_python_and_compiled_code_give_the_same_answers(name):
    assert printed(plain(name)) == answers(name)[-2:]


def test_all_windows_of_any_order_give_the_same_answers():
    """On 100,000 random operations of every kind; recalculation from scratch is one of them."""
    windows = [name for name, card in CARDS.items() if card.order == ANY_ORDER]
    assert sum(int(part.split(":")[0]) for part in PARTS["recalc"]) == OPERATIONS
    for name in windows:
        assert answers(name) == answers("recalc"), name


@for_windows(CHECKED_WINDOWS, checked, compiled)
def test_checked_mode_finds_no_index_outside_the_slots(name):
    assert printed(checked(name)) == answers(name)[-1:]


@for_windows([name for name in CARDS if in_plain_python(name)], machine)
def test_the_facade_agrees_with_the_naive_window_in_plain_python(name):
    assert printed(machine(name)) == in_plain_python(name)


def test_every_window_is_behind_the_facade_in_some_life():
    assert all(in_plain_python(name) or compiled_operators(name) for name in CARDS)


@for_windows(CARDS, compiled)
def test_compiled_drivers_count_no_references(name):
    counted = printed(compiled(name))["references"]
    assert counted.pop("counter-example") > 0, "reference counting would not be noticed"
    assert {"program", "algorithms.windows.policy_window._arrive_many"} <= counted.keys()
    assert len(counted) >= (34 if name == "recalc" else 2)  # with the drivers of experiments
    assert not any(counted.values()), counted
