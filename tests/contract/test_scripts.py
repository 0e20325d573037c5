"""Exhaustive search, mutants, plain against compiled, checked mode, reference counts: in processes of their own."""

import functools
from concurrent.futures import Future

import pytest
from facade_subjects import SUBJECTS, compiled_operators
from mutants import MUTANTS
from scripts import CHECKED, PLAIN, start

from algorithms import catalogue
from algorithms.window import ANY_ORDER, IN_ORDER

pytestmark = pytest.mark.slow

CARDS = catalogue()
OPERATIONS = 100_000
PARTS = {
    name: ("34000:2", "33000:3", "33000:5") if card.order == ANY_ORDER else ("20000:2",) for name, card in CARDS.items()
}
"""Random programs for each window: operations, and min_arity, which is also the seed."""

TREES = {"fiba", "b_tree"}

SEARCHES = {
    **{("basic", name, "9"): 15_784 for name, card in CARDS.items() if card.order == IN_ORDER},
    **{
        ("sequences", name, "3", "4"): 300
        for name, card in CARDS.items()
        if len(card.operations) > 3 and name not in TREES
    },
    **{("sequences", name, "8", "4"): 42 for name in sorted(TREES)},
    ("shapes", "fiba", "2", "9"): 102,
    ("shapes", "b_tree", "2", "8"): 70,
    ("shapes", "fiba", "3", "9"): 46,
}
"""Arguments of exhaustive.py, and the states that it must reach at least: all trees of so many entries, for one."""


def in_plain_python(name: str) -> list[str]:
    """The operators that test_facade.py does not try compiled with the window; affine maps in both lives."""
    return ["affine", *sorted(set(SUBJECTS) - compiled_operators(name))]


@functools.cache
def begin() -> dict[tuple, Future]:
    """All runs, begun together and taken up two at a time. conftest.py calls it before the first test."""
    runs = {("mutants",): start("mutants.py", **PLAIN)}
    for name in sorted(CARDS, key=lambda name: -len(CARDS[name].operations)):  # what takes longest first
        runs["references", name] = start("reference_counts.py", name)
        runs["compiled", name] = start("program.py", name, *PARTS[name])
        runs["plain", name] = start("program.py", name, *PARTS[name], **PLAIN)
        runs["checked", name] = start("program.py", name, PARTS[name][-1], **CHECKED)
        runs["machine", name] = start("facade_machine.py", name, *in_plain_python(name), **PLAIN)
    for arguments in SEARCHES:
        runs["exhaustive", *arguments] = start("exhaustive.py", *arguments, **PLAIN)
    return runs


@pytest.fixture
def begun() -> dict[tuple, Future]:
    return begin()


@pytest.mark.parametrize("arguments", SEARCHES, ids=" ".join)
def test_every_short_history_agrees_with_the_naive_window(begun, arguments):
    assert begun["exhaustive", *arguments].result()["states"] >= SEARCHES[arguments]


@pytest.mark.parametrize("mutant", MUTANTS)
def test_exhaustive_search_finds_a_mistake_made_on_purpose(begun, mutant):
    """The mistake of the paper's pseudocode among them, which large random histories miss."""
    assert begun[("mutants",)].result()[mutant], "the search noticed nothing"


@pytest.mark.parametrize("name", CARDS)
def test_plain_python_and_compiled_code_give_the_same_answers(begun, name):
    assert begun["plain", name].result() == begun["compiled", name].result()


def test_all_windows_of_any_order_give_the_same_answers(begun):
    """On 100,000 random operations of every kind; recalculation from scratch is one of them."""
    windows = [name for name, card in CARDS.items() if card.order == ANY_ORDER]
    assert sum(int(part.split(":")[0]) for part in PARTS["recalc"]) == OPERATIONS
    for name in windows:
        assert begun["compiled", name].result() == begun["compiled", "recalc"].result(), name


@pytest.mark.parametrize("name", CARDS)
def test_checked_mode_finds_no_index_outside_the_slots(begun, name):
    assert begun["checked", name].result() == begun["compiled", name].result()[-1:]


@pytest.mark.parametrize("name", CARDS)
def test_the_facade_agrees_with_the_naive_window_in_plain_python(begun, name):
    done = begun["machine", name].result()
    assert done == [one for one in in_plain_python(name) if not CARDS[name].refusal(SUBJECTS[one].make())]


@pytest.mark.parametrize("name", CARDS)
def test_compiled_drivers_count_no_references(begun, name):
    counted = begun["references", name].result()
    assert counted.pop("counter-example") > 0, "reference counting would not be noticed"
    assert len(counted) >= 11
    assert not any(counted.values()), counted
