"""The examples of the MTA paper (IEEE TPDS 2018): section 3.2, Figures 1, 2, 4 and 5."""

import pytest

from algorithms import operators, policies, window
from algorithms.windows.in_order import amta, log_mta
from algorithms.windows.in_order.amta import FOREST, R0, R1, STACK, compute_results
from algorithms.windows.in_order.mta import node
from algorithms.windows.in_order.ring import FIXED

pytestmark = pytest.mark.plain


def filled(name, values, operator="sum"):
    w = window(name, operator=operators.make(operator, "int64"), capacity=16)
    w.insert_many(range(len(values)), values)
    return w


def levels(w, first, counts):
    """Every level as a list of pairs, None where a node is gone or not there yet."""
    ends, found = w._w.ends[0], []
    for level, count in enumerate(counts):
        front = int(ends.front) >> level
        there = [int(w._w.agg[node(ends, first, level, j)]) if j >= front else None for j in range(front & ~1, count)]
        there += [None] * (len(there) % 2)
        found.append(list(zip(there[::2], there[1::2])))
    return found


def of_amta(w):
    ends = w._w.ends[0]
    return levels(w, FOREST, [amta.nodes(ends, level) for level in range(int(ends.top) + 1)])


def state(w):
    """R0, R1 and the stack, its top last."""
    agg, stacked = w._w.agg, int(w._w.ends[0].stacked)
    return int(agg[R0]), int(agg[R1]), [int(agg[STACK + i]) for i in range(stacked)]


def test_the_running_example_of_section_3_2():
    op = operators.product(max="max", sum="sum", last="last")
    w = window("amta", operator=op, capacity=16, policy=policies.sum_bound(10))
    w.insert_many([1, 2, 3, 4], [2, 2, 3, 3])
    assert (len(w), w.query().max, w.query().sum) == (4, 3, 10)
    w.insert(5, 4)
    assert (len(w), w.oldest(), w.query().max, w.query().sum) == (3, 3, 4, 10)


def test_figure_1_the_tree_as_a_list_of_queues():
    w = filled("log_mta", [1, 2, 1, 2, 1, 2])
    ends = w._w.ends[0]
    assert ends.top == 2
    assert levels(w, FIXED, [6, 3, 2]) == [[(1, 2), (1, 2), (1, 2)], [(3, 3), (3, None)], [(6, 3)]]
    assert w.query() == 9


def test_figure_2_asks_one_node_of_each_level():
    policy = policies.counting(policies.from_function(lambda total, old: total - old >= 4))
    w = window("log_mta", operator=operators.make("max", "int64"), capacity=16, policy=policy)
    for time in (1, 2, 3, 4):
        w.insert(time, time)
    assert len(w) == 4
    policy.calls[0] = 0
    w.insert(8, 8)
    assert (len(w), w.query()) == (1, 8)
    assert policy.calls[0] == 2, "1 to 4 as one node goes, the newest as the other does not"


def test_figure_4_forest_stack_and_result_pair():
    w = filled("amta", [1, 2, 1, 2, 1, 2, 1, 2])
    compute_results(w._w)
    assert of_amta(w) == [[(1, 2), (1, 2), (1, 2), (1, 2)], [(3, 3), (3, None)], [(6, None)]]
    assert state(w) == (6, 6, [3, 5])
    w.insert(8, 1)
    assert state(w) == (6, 7, [3, 5]), "an insert is added to R1"
    w.evict()
    assert state(w) == (5, 7, [3]), "an evict takes R0 from the stack"


def test_figure_5_evicting_one_by_one():
    w = filled("amta", [1, 3, 2, 1, 2, 1, 1, 0, 3, 1])
    compute_results(w._w)
    assert of_amta(w) == [[(1, 3), (2, 1), (2, 1), (1, 0), (3, 1)], [(4, 3), (3, 1)], [(7, None)]]
    assert (w.query(), state(w)) == (15, (7, 8, [3, 6]))
    w.evict()
    assert of_amta(w)[0][0] == (None, 3)
    assert (w.query(), state(w)) == (14, (6, 8, [3]))
    w.evict()
    assert of_amta(w)[0][0] == (2, 1), "the pair is removed"
    assert of_amta(w)[1][0] == (None, 3), "and so is its parent"
    assert (w.query(), state(w)) == (11, (3, 8, [1]))
    for rest in (9, 8):
        w.evict()
        assert w.query() == rest
    assert state(w) == (4, 4, [1, 2]), "the first tree is gone, the second takes its place"


def test_a_tree_that_doubles_the_leftmost_joins_it_at_the_next_eviction():
    """Section 4.2.2: part of the aggregate moves from R1 to R0."""
    w = filled("amta", [1, 3, 2, 1, 2, 1, 1, 0, 3, 1])
    compute_results(w._w)
    w.insert(10, 5)
    assert of_amta(w)[2] == [(7, 4)]
    assert state(w)[:2] == (7, 13), "R0 and R1 are right as they are"
    w.evict()
    assert state(w) == (10, 9, [4, 7])


def test_recomputation_is_put_off_until_it_is_needed():
    """Section 5.2: whatever asks for it, the result pair is made anew once, and not at all while the window grows."""
    op = operators.counting(operators.make("sum", "int64"))
    w = window("amta", operator=op, capacity=64)
    w.insert_many(range(63), range(63))
    assert op.combines() <= 2 * 63
    assert w._w.ends[0].due == 1
    w.evict()
    assert w._w.ends[0].due == 0


def test_levels_follow_the_numbers_of_the_elements():
    assert log_mta.CARD.layout(operators.make("sum"), 16)["agg"][0] == FIXED + 3 * 16
    assert amta.CARD.layout(operators.make("sum"), 16)["agg"][0] == FOREST + 2 * 16
