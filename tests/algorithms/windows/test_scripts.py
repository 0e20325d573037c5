"""Exhaustive search, mutants, plain against compiled, checked mode, reference counts: in processes of their own."""

from collections.abc import Callable

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
    name: ("34000:2", "33000:3", "33000:5") if card.order == ANY_ORDER else ("20000:2",) for name, card in CARDS.items()
}
"""Random programs for each window: operations, and min_arity, which is also the seed."""

TREES = {"fiba", "fiba_folds", "b_tree"}

SEARCHES = {
    **{("basic", name, "9"): 15_784 for name, card in CARDS.items() if card.order == IN_ORDER},
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


def in_plain_python(name: str) -> list[str]:
    """The operators that test_facade.py does not try compiled with the window; affine maps in both lives."""
    return ["affine", *sorted(set(SUBJECTS) - compiled_operators(name))]


def search(arguments: tuple[str, ...]) -> pytest.MarkDecorator:
    return script("algorithms.windows.exhaustive", *arguments, **PLAIN)


def compiled(name: str) -> pytest.MarkDecorator:
    return script("algorithms.windows.program", name, *PARTS[name])


def plain(name: str) -> pytest.MarkDecorator:
    return script("algorithms.windows.program", name, *PARTS[name], **PLAIN)


def checked(name: str) -> pytest.MarkDecorator:
    return script("algorithms.windows.program", name, PARTS[name][-1], **CHECKED)


def machine(name: str) -> pytest.MarkDecorator:
    return script("algorithms.windows.facade_machine", name, *in_plain_python(name), **PLAIN)


def references(name: str) -> pytest.MarkDecorator:
    return script("algorithms.windows.reference_counts", name)


def for_every_window(*scripts: Callable[[str], pytest.MarkDecorator]) -> pytest.MarkDecorator:
    """A test of each window, which waits for these."""
    return pytest.mark.parametrize(
        "name", [pytest.param(name, marks=[asked(name) for asked in scripts]) for name in CARDS]
    )


MUTATED = script("algorithms.windows.mutants", **PLAIN)


@pytest.mark.parametrize("arguments", [pytest.param(one, marks=search(one), id=" ".join(one)) for one in SEARCHES])
def test_every_short_history_agrees_with_the_naive_window(arguments):
    assert printed(search(arguments))["states"] >= SEARCHES[arguments]


@MUTATED
@pytest.mark.parametrize("mutant", MUTANTS)
def test_exhaustive_search_finds_a_mistake_made_on_purpose(mutant):
    """The mistake of the paper's pseudocode among them, which large random histories miss."""
    assert printed(MUTATED)[mutant], "the search noticed nothing"


@for_every_window(plain, compiled)
def test_plain_python_and_compiled_code_give_the_same_answers(name):
    assert printed(plain(name)) == printed(compiled(name))


def test_all_windows_of_any_order_give_the_same_answers():
    """On 100,000 random operations of every kind; recalculation from scratch is one of them."""
    windows = [name for name, card in CARDS.items() if card.order == ANY_ORDER]
    assert sum(int(part.split(":")[0]) for part in PARTS["recalc"]) == OPERATIONS
    for name in windows:
        assert printed(compiled(name)) == printed(compiled("recalc")), name


@for_every_window(checked, compiled)
def test_checked_mode_finds_no_index_outside_the_slots(name):
    assert printed(checked(name)) == printed(compiled(name))[-1:]


@for_every_window(machine)
def test_the_facade_agrees_with_the_naive_window_in_plain_python(name):
    done = printed(machine(name))
    assert done == [one for one in in_plain_python(name) if not CARDS[name].refusal(SUBJECTS[one].make())]


@for_every_window(references)
def test_compiled_drivers_count_no_references(name):
    counted = printed(references(name))
    assert counted.pop("counter-example") > 0, "reference counting would not be noticed"
    assert len(counted) >= (34 if name == "recalc" else 11)  # with the drivers of experiments
    assert not any(counted.values()), counted
