"""Slide policies: every window keeps what the policy's definition says; the façade refuses and changes nothing."""

import itertools

import numpy as np
import pytest

from algorithms import CapacityError, OperationError, OrderError, catalogue, operators, policies, window
from algorithms.windows.contract import IN_ORDER
from algorithms.windows.slide_policies import PolicyError
from tests.scripts import PLAIN, printed, script

WINDOWS = ["recalc", *(name for name, card in catalogue().items() if card.order == IN_ORDER)]
LENGTHS = {"amta": "3", "log_mta": "3"}


SEARCHES = {name: script("algorithms.windows.slid", name, LENGTHS.get(name, "2"), **PLAIN) for name in WINDOWS}


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, marks=search) for name, search in SEARCHES.items()])
def test_every_short_stream_leaves_what_the_policy_keeps(name):
    assert printed(SEARCHES[name])["streams"] >= 24


def from_the_greatest_on(values, most):
    """What policies.maximum leaves of values that arrive one by one, and whether the count took the greatest."""
    kept, taken = [], False
    for value in values:
        kept = [*kept, value]
        greatest = kept.index(max(kept))
        taken = len(kept) - greatest > most
        kept = kept[greatest:][-most:]
    return kept, taken


COMPILED = ("amta", "recalc")
"""A window for each way to search for what goes: in the tree's own spans, and entry by entry."""


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILED)
def test_the_greatest_is_the_oldest_unless_the_count_took_it(name):
    """Every stream of up to 6 values out of 0 .. 3, in windows of at most 1 to 4: equal values, and all orders.

    Compiled; slid.py has this policy on every window, its case "maximum", in plain Python.
    """
    op = operators.product(count="count", max=operators.make("max", "int64"))
    taken_at_times = 0
    for most in (1, 2, 3, 4):
        w = window(name, operator=op, capacity=5, policy=policies.maximum(most))
        for values in itertools.chain.from_iterable(itertools.product(range(4), repeat=n) for n in range(1, 7)):
            w.insert_many(range(len(values)), values)
            kept, taken = from_the_greatest_on(values, most)
            assert (len(w), w.oldest()) == (len(kept), len(values) - len(kept)), (values, most)
            assert w.query() == (len(kept), max(values[-most:])), (values, most)
            assert taken or kept[0] == max(kept)
            taken_at_times += kept[0] != max(kept)
            for _ in kept:
                w.evict()
    assert taken_at_times > 0


@pytest.mark.plain
def test_equal_greatest_elements():
    """The first of them is the oldest that stays; where the count takes it, the rest stays up to the next arrival."""
    op = operators.product(count="count", max="max")
    w = window("amta", operator=op, capacity=4, policy=policies.maximum(3))
    shown = []
    for time, value in enumerate((7, 6, 4, 7, 1, 7)):
        w.insert(time, value)
        shown.append((w.oldest(), w.query()))
    assert shown == [(0, (1, 7)), (0, (2, 7)), (0, (3, 7)), (1, (3, 7)), (3, (2, 7)), (3, (3, 7))]


def counted(capacity, most, name="amta"):
    op = operators.product(count="count", largest="max")
    return window(name, operator=op, capacity=capacity, policy=policies.count(most))


@pytest.mark.plain
@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.parametrize("capacity", range(1, 10))
def test_a_full_window_takes_what_the_policy_makes_room_for(name, capacity):
    w = counted(capacity, capacity, name)
    w.insert_many(range(30), range(30, 0, -1))
    w.insert(30, 0)
    assert (len(w), w.oldest(), w.query()) == (capacity, 31 - capacity, (capacity, max(0, capacity - 1)))
    w.check()


@pytest.mark.plain
def test_a_full_window_refuses_what_the_policy_makes_no_room_for():
    w = counted(4, 5)
    with pytest.raises(CapacityError, match=r"lets none of them go for values\[4\]; those before it were inserted"):
        w.insert_many(range(10), range(10))
    with pytest.raises(CapacityError, match="made for 4 entries"):
        w.insert(11, 1.0)
    assert (len(w), w.youngest(), w.query()) == (4, 3, (4, 3.0))


@pytest.mark.plain
def test_an_equal_time_combines_in_a_full_window_of_any_order():
    def made():
        return window("fiba", operator=operators.product(count="count"), capacity=3, policy=policies.count(10))

    single, many = made(), made()
    for at in (1, 2, 3, 3):
        single.insert(at, 1.0)
    many.insert_many([1, 2, 3, 3], np.ones(4))
    assert len(single) == len(many) == 3
    assert single.query() == many.query() == (4,)
    for refused in (lambda: single.insert(4, 1.0), lambda: many.insert_many([4], [1.0])):
        with pytest.raises(CapacityError):
            refused()


@pytest.mark.plain
def test_a_batch_slides_once_and_evictions_are_the_users_own():
    w = counted(20, 3)
    w.bulk_insert([3, 1, 2, 5, 4], [1, 2, 9, 4, 5])
    assert (len(w), w.oldest(), w.query().largest) == (3, 3, 5.0)
    w.evict()
    assert w.bulk_evict(4) == 1
    assert (len(w), w.query()) == (1, (1, 4.0))
    w.check()


@pytest.mark.plain
def test_times_may_not_decrease():
    w = counted(9, 3)
    w.insert(5, 1.0)
    for refused in (lambda: w.insert(4, 1.0), lambda: w.insert_many([6, 5], [1, 1]), lambda: w.insert_many([4], [1])):
        with pytest.raises(OrderError, match="order"):
            refused()
    assert (len(w), w.youngest()) == (1, 5)


@pytest.mark.plain
def test_entries_are_not_taken_from_the_middle_of_a_window_that_slides():
    w = window("recalc", operator=operators.product(count="count"), capacity=9, policy=policies.count(3))
    for operation in (lambda: w.evict_at(1), lambda: w.bulk_insert([1], [1])):
        with pytest.raises(OperationError, match="recalc has no .* with a policy"):
            operation()


@pytest.mark.plain
@pytest.mark.parametrize(
    ("policy", "operator", "message"),
    [
        (lambda: policies.count(3), "sum", "policy count reads count, which sum does not aggregate: take a product"),
        (lambda: policies.count(0), "sum", "count: most must be a whole number of at least 1, in 64 bits, not 0"),
        (lambda: policies.count(2**63), "sum", "count: most must be .* in 64 bits, not 9223372036854775808"),
        (lambda: policies.count(10**400), "sum", "count: most must be .* in 64 bits, not 1000"),
        (lambda: policies.sum_bound(10**400), "sum", "sum_bound: bound must be a finite number, not 1000"),
        (lambda: policies.time_range(float("inf")), "sum", "time_range: span must be a finite number, not inf"),
        (lambda: policies.from_function(3), "sum", "mine: a slide policy must be a function of total and old, not 3"),
        (lambda: policies.from_function(lambda total, old: total.n > 3), "sum", "sum, which is a number: .* 'n'"),
        (lambda: policies.from_function(lambda total, old: total), "sum", "it gives 0.0 where it must give True or"),
        (lambda: "count", "sum", "a slide policy must be made by a function of policies, such as .* not 'count'"),
    ],
)
def test_a_policy_that_does_not_suit_is_refused_with_the_reason(policy, operator, message):
    with pytest.raises(PolicyError, match=message):
        window("amta", operator=operator, capacity=5, policy=policy())


@pytest.mark.plain
@pytest.mark.parametrize("name", ["fiba", "recalc"])
def test_entries_with_equal_times_go_as_one(name):
    """Their values are combined; the oldest goes as long as the rest adds up to 20. 200 values at 80 times."""
    enough = policies.from_function(lambda total, old: total.sum - old.sum >= 20)
    op = operators.product(sum=operators.make("sum", "int64"))
    w, kept, random = window(name, operator=op, capacity=64, policy=enough), {}, np.random.default_rng(3)
    for time, value in zip(np.sort(random.integers(0, 80, 200)).tolist(), random.integers(0, 9, 200).tolist()):
        w.insert(time, value)
        kept[time] = kept.get(time, 0) + value
        while sum(kept.values()) - kept[min(kept)] >= 20:
            del kept[min(kept)]
        assert (len(w), w.oldest(), w.query().sum) == (len(kept), min(kept), sum(kept.values())), (time, value)
