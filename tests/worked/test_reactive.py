"""The Reactive Aggregator paper's examples, Figures 3 to 5, with concatenation on the library's own windows."""

import pytest

from algorithms import operators
from algorithms.windows.contract import card, evict, evict_at, insert, query
from algorithms.windows.in_order.flat_fat import PREFIX, TREE, prefix, suffix

LETTERS = "stuvwxyz"
"""a[1] to a[8]: the paper's figures have numbers there, and a to g are its nodes."""

NODES = {"g": 1, "e": 2, "f": 3, "a": 4, "b": 5, "c": 6, "d": 7}
"""The inner nodes of Figure 3 by their place in the array."""


def made(name: str, capacity: int, **parameters: int):
    op = operators.counting(operators.make("concat"))
    return op, card(name).new(op, capacity, **parameters)


def text(w, slot: int) -> str:
    return operators.present(w.op, w.agg, slot)


def put(w, time: int, letter: str) -> None:
    insert(w, time, operators.encode(w.op, letter))


def full(name: str, **parameters: int):
    """The tree of Figure 3: eight leaves."""
    op, w = made(name, 8, **parameters)
    for time, letter in enumerate(LETTERS, 1):
        put(w, time, letter)
    query(w)
    return op, w


@pytest.mark.parametrize("name", ["flat_fat", "reactive"])
def test_figure_3_a_new_tree_makes_one_combine_for_each_inner_node(name):
    op, w = full(name)
    assert op.combines() == 7
    texts = ["st", "uv", "wx", "yz", "stuv", "wxyz", "stuvwxyz"]
    assert {node: text(w, TREE + place) for node, place in NODES.items()} == dict(zip("abcdefg", texts))


def test_figure_3_prefix_of_seven_is_e_and_c_and_the_seventh():
    op, w = full("flat_fat")
    op.reset()
    prefix(w, 6, w.agg, PREFIX)
    assert (text(w, PREFIX), op.combines()) == ("stuvwxy", 2)


@pytest.mark.parametrize("i", range(8))
def test_every_prefix_and_suffix_takes_at_most_as_many_combines_as_there_are_levels(i):
    op, w = full("flat_fat")
    for part, expected in ((prefix, LETTERS[: i + 1]), (suffix, LETTERS[i:])):
        op.reset()
        part(w, i, w.agg, PREFIX)
        assert text(w, PREFIX) == expected
        assert op.combines() <= 3


def test_figure_4_four_leaves_change_six_nodes_each_once():
    """a[1], a[2], a[4] and a[7] change: they leave, two of them from the middle, and the identity takes their place."""
    op, w = full("reactive", fifo=0)
    before = {node: text(w, TREE + place) for node, place in NODES.items()}
    op.reset()
    evict(w)
    evict(w)
    assert evict_at(w, 4) and evict_at(w, 7)
    assert op.combines() == 0, "the changes wait for the window to trigger"
    query(w)
    assert op.combines() == 6
    changed = {node for node, place in NODES.items() if text(w, TREE + place) != before[node]}
    assert changed == set("abdefg")
    assert text(w, TREE + NODES["g"]) == "uwxz"


def test_figure_4_where_the_update_knows_front_and_back():
    """Section 5.2: a is not in use, and e is its right child b; the four others of the six are combined."""
    op, w = full("reactive")
    op.reset()
    evict(w)
    evict(w)
    assert evict_at(w, 4) and evict_at(w, 7)
    query(w)
    assert op.combines() == 4
    assert [text(w, TREE + NODES[node]) for node in "ebg"] == ["u", "u", "uwxz"]
    assert [text(w, TREE + 8 + place) for place in (0, 1)] == ["s", "t"], "slots outside of the window are not written"
    assert text(w, TREE + NODES["a"]) == "st", "nor are nodes over nothing else"


FIGURE_5 = (
    # event, window's contents, slots; F and B are the places of front and back
    ("4", "4", ["4", "", "", ""], 0, 0),
    ("7", "47", ["4", "7", "", ""], 0, 1),
    ("3", "473", ["4", "7", "3", ""], 0, 2),
    ("2", "4732", ["4", "7", "3", "2"], 0, 3),
    ("leaves", "732", ["", "7", "3", "2"], 1, 3),
    ("9", "7329", ["9", "7", "3", "2"], 1, 0),
)


def test_figure_5_events_1_to_6():
    _, w = made("flat_fat", 4)
    for time, (event, contents, slots, front, back) in enumerate(FIGURE_5):
        if event == "leaves":
            evict(w)
        else:
            put(w, time, event)
        query(w)
        assert text(w, 0) == contents
        assert [text(w, TREE + 4 + place) for place in range(4)] == slots
        assert (w.ends[0].front % 4, (w.ends[0].end - 1) % 4) == (front, back)
    assert text(w, TREE + 1) == "9732", "inverted: the root has them in the wrong order"
