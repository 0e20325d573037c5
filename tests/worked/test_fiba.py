"""The FiBA paper's worked example on the library's own trees, built through insert, evict and evict_at alone."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import operators, window
from experiments.fiba.measuring.snapshots import apply, coins_at
from tests.examples import examples

pytestmark = [pytest.mark.plain, pytest.mark.smoke]

STEPS = {
    # state: entry that comes or goes, splits, merges, moves, coins spent, billed, refunded, change of height
    "B": ("+v", 0, 0, 0, 0, 0, 1, 0),
    "C": ("+r", 0, 0, 0, 0, 2, 0, 0),
    "D": ("-a", 0, 0, 0, 0, 1, 0, 0),
    "E": ("+p", 1, 0, 0, 1, 0, 1, 0),
    "F": ("-b", 0, 1, 0, 1, 0, 0, 0),
    "H": ("+c", 2, 0, 0, 2, 0, 0, 1),
    "J": ("-d", 0, 1, 1, 2, 1, 0, 0),
    "L": ("-o", 0, 2, 0, 2, 0, 2, -1),
    "N": ("-i", 0, 0, 0, 0, 1, 0, 0),
}
LETTERS = {"A": "abcdefghijklmnoqstu", "G": "defghijkl", "I": "defghijklmnopqrstuv", "K": "ijklmno"}


def find(state, **wanted):
    """The only node of a state with these properties."""
    (node,) = (one for one in state["nodes"] if all(one[name] == value for name, value in wanted.items()))
    return node


def below(state, node):
    return [one for one in state["nodes"] if one["parent"] == node["id"]]


def up(state, node):
    """Figure 2, from the entries alone: everything in the subtree."""
    children = below(state, node)
    if not children:
        return "".join(node["values"])
    return up(state, children[0]) + "".join(v + up(state, z) for v, z in zip(node["values"], children[1:], strict=True))


def inner(state, node):
    """Figure 2: without the first and the last child; of a leaf everything."""
    children = below(state, node)
    if not children:
        return up(state, node)
    between = "".join(v + up(state, z) for v, z in zip(node["values"], children[1:-1]))
    return between + node["values"][-1]


def left(state, node):
    """Figure 2: what lies between the node's first child and the root's inner part."""
    children, parent = below(state, node), find(state, id=node["parent"])
    last = up(state, children[-1]) if children else ""
    return inner(state, node) + last + (left(state, parent) if parent["parent"] is not None else "")


def right(state, node):
    children, parent = below(state, node), find(state, id=node["parent"])
    first = up(state, children[0]) if children else ""
    return (right(state, parent) if parent["parent"] is not None else "") + first + inner(state, node)


def kind_by_position(state, node):
    """Which aggregate a node has to keep, by walking from it to the root."""
    if node["parent"] is None:
        return "inner"
    first = last = True
    while node["parent"] is not None:
        siblings = below(state, find(state, id=node["parent"]))
        first, last = first and siblings[0] is node, last and siblings[-1] is node
        node = find(state, id=node["parent"])
    return "left" if first else "right" if last else "up"


def test_aggregates_that_the_text_prints(states):
    a = states["A"]
    root = find(a, parent=None)
    assert (root["kind"], root["aggregate"]) == ("inner", "ghijklmno")
    first, centre, last = below(a, root)
    assert (centre["kind"], centre["aggregate"]) == ("up", "hijklmn")
    assert (first["kind"], first["aggregate"]) == ("left", "cdef")
    assert (last["kind"], last["aggregate"]) == ("right", "qst")
    # "the left subtree of the root except for the left finger", and the same on the right
    assert up(a, first) == up(a, find(a, finger="left")) + "cdef"
    assert up(a, last) == "qst" + up(a, find(a, finger="right"))


def test_classic_tree_of_figure_1(states):
    tree = states["classic"]
    root = find(tree, parent=None)
    assert root["aggregate"].startswith("ab")
    assert root["aggregate"].endswith("u")
    assert len(below(tree, root)) == 3
    assert below(tree, root)[-1]["aggregate"] == "qstu"
    assert {len(node["times"]) for node in tree["nodes"]} <= {1, 2, 3}
    assert {len(below(tree, node)) for node in tree["nodes"] if node["level"]} <= {2, 3, 4}
    for node in tree["nodes"]:
        assert (node["kind"], node["aggregate"]) == ("up", up(tree, node))


def test_every_node_keeps_what_figure_2_defines(states):
    definitions = {"up": up, "inner": inner, "left": left, "right": right}
    kinds = set()
    for letter in "ABCDEFGHIJKLMN":
        state = states[letter]
        for node in state["nodes"]:
            assert node["kind"] == kind_by_position(state, node), (letter, node)
            assert node["aggregate"] == definitions[node["kind"]](state, node), (letter, node)
            kinds.add(node["kind"])
    assert kinds == set(definitions)


def test_query_is_left_finger_root_right_finger(states):
    for letter in "ABCDEFGHIJKLMN":
        state = states[letter]
        parts = [
            find(state, **which)["aggregate"] for which in ({"finger": "left"}, {"parent": None}, {"finger": "right"})
        ]
        entries = {time: value for node in state["nodes"] for time, value in zip(node["times"], node["values"])}
        assert "".join(parts) == state["answer"] == "".join(entries[time] for time in sorted(entries))
        assert all(value == chr(96 + time) for time, value in entries.items())
    assert {letter: states[letter]["answer"] for letter in LETTERS} == LETTERS


@pytest.mark.parametrize("letter", STEPS)
def test_steps_and_their_coins(states, letter):
    after, (entry, splits, merges, moves, spent, billed, refunded, growth) = states[letter], STEPS[letter]
    before = after["before"]
    come, gone = set(after["answer"]) - set(before["answer"]), set(before["answer"]) - set(after["answer"])
    assert "".join([*(f"+{v}" for v in come), *(f"-{v}" for v in gone)]) == entry
    step = after["step"]
    assert (step["splits"], step["merges"], step["moves"]) == (splits, merges, moves)
    assert (step["spent"], step["billed"], step["refunded"]) == (spent, billed, refunded)
    assert find(after, parent=None)["level"] - find(before, parent=None)["level"] == growth
    stored = [sum(node["coins"] for node in state["nodes"]) for state in (before, after)]
    assert stored[0] + billed == stored[1] + spent + refunded


def changed(state):
    return [node for node in state["nodes"] if node["id"] in state["step"]["changed"]]


def test_where_changes_reach(states):
    """What section 3.2 says of each step."""
    assert [node["finger"] for node in changed(states["B"])] == ["right"]
    assert [node["finger"] for node in changed(states["D"])] == ["left"]
    leaf = find(states["C"], times=[17, 18, 19])
    walk = [find(states["C"], id=leaf["parent"]), leaf, find(states["C"], finger="right")]
    assert changed(states["C"]) == walk
    for letter in "HL":  # both spines
        reached = changed(states[letter])
        assert {side for node in reached for side in node["finger"].split()} == {"left", "right"}
    moved = {node["kind"] for node in changed(states["J"])}
    assert moved == {"inner", "left", "up"}  # and not the right spine: the neighbour is the root's centre child
    substitute = [node["values"] for node in changed(states["N"])]
    assert substitute == [["g", "o"], ["j", "l"], ["k"]]


def test_no_other_rule_for_coins_fits_the_captions(states):
    """Coins by arity 2, 3, 4 of a node below the root and of the root: all rules from 0 to 3 against all captions."""
    changes = []
    for letter, (*_, spent, billed, refunded, _) in STEPS.items():
        counts = [0] * 6
        for state, sign in ((states[letter]["before"], -1), (states[letter], 1)):
            for node in state["nodes"]:
                counts[len(node["times"]) - 1 + 3 * (node["parent"] is None)] += sign
        changes.append((counts, billed - refunded - spent))
    rules = [
        rule
        for rule in itertools.product(range(4), repeat=6)
        if all(sum(map(int.__mul__, rule, counts)) == needed for counts, needed in changes)
    ]
    assert rules == [(1, 0, 2, 0, 0, 2), (1, 0, 2, 1, 1, 3)]  # they differ by one coin at the root for ever
    ours = [coins_at(arity, 2, is_root) for is_root in (False, True) for arity in (2, 3, 4)]
    assert tuple(ours) == rules[0]


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("insert"), st.integers(0, 60), st.just("x")),
        st.just(("evict",)),
        st.tuples(st.just("evict_at"), st.integers(0, 60)),
    ),
    max_size=150,
)


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(2, 5), st.integers(0, 60), OPERATIONS)
def test_never_billed_more_than_two(min_arity, filled, operations):
    w = window("fiba", operator="concat", capacity=64, min_arity=min_arity)
    for time in range(filled):
        assert apply(w, "insert", time, "x")["billed"] <= 2
    for operation in operations:
        if operation != ("evict",) or len(w):
            assert apply(w, *operation)["billed"] <= 2


def test_concatenation_is_associative_and_written_without_brackets():
    """Section 2: q, s, t and u combine to qstu however they are bracketed."""
    op = operators.make("concat")

    def bracketings(parts):
        if len(parts) == 1:
            yield parts[0]
        for k in range(1, len(parts)):
            for one, other in itertools.product(bracketings(parts[:k]), bracketings(parts[k:])):
                w = window("fiba", operator=op, capacity=2)
                w.insert(1, one)
                w.insert(2, other)
                yield w.query()

    assert list(bracketings(list("qstu"))) == ["qstu"] * 5


def test_a_range_of_state_a(states):
    w = window("fiba", operator="concat", capacity=32, min_arity=2)
    for letter in states["A"]["answer"]:
        w.insert(ord(letter) - 96, letter)
    assert w.range_query(17, 21) == "qstu"
    assert w.range_query(8, 14) == "hijklmn"
