"""Windows that hold as many elements as they have slots: what is written beside the window would be in it."""

import math

import pytest

from algorithms import catalogue, operators
from algorithms.windows.contract import IN_ORDER, evict, insert, oldest, query, youngest
from tests.algorithms.windows.oracle import NaiveWindow, affine

pytestmark = [pytest.mark.plain, pytest.mark.smoke]

CARDS = catalogue()

FOLDS = {
    "affine": affine,
    "max": lambda values: max(values, default=-math.inf),
    "min": lambda values: min(values, default=math.inf),
    "arg_max": lambda values: max(values, key=lambda value: value[0])[1] if values else math.nan,
}

SELECTIVE = [("slick_deque", name) for name in FOLDS if name != "affine"]
"""The other variant of the window."""

VALUES = {
    "rising": lambda time: 7 * time + 3,  # one is the maximum for good, and each may be the minimum yet
    "mixed": lambda time: 5 * time * time % 7,  # with equal ones
}


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("capacity", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize(("name", "operator"), [*((name, "affine") for name in CARDS), *SELECTIVE])
def test_a_window_filled_to_its_last_slot_gives_what_it_holds(name, operator, capacity, values):
    card = CARDS[name]
    w = card.new(operators.make(operator), capacity)
    model = NaiveWindow(FOLDS[operator], unique=card.order != IN_ORDER)

    def must_agree(time):
        card.check(w)
        assert query(w) == pytest.approx(model.query(), rel=0, abs=0, nan_ok=True), time
        if times := model.times():
            assert (oldest(w), youngest(w)) == (times[0], times[-1])

    for time in range(5 * capacity):
        # Emptied by one, by half and to the last element in turn, and filled again.
        if len(model) == capacity:
            for _ in range((1, (capacity + 1) // 2, capacity)[time % 3]):
                evict(w)
                model.evict()
                must_agree(time)
        value = VALUES[values](time)
        value = (value, time) if operator == "arg_max" else value
        insert(w, time, value)
        model.insert(time, value)
        must_agree(time)


SLOTS = {
    "amta": (2, 67),
    "b_int": (2, 0),
    "daba": (2, 1),
    "daba_lite": (1, 3),
    "flat_fat": (2, 2),
    "flatfit": (1, 1),
    "log_mta": (3, 1),
    "slick_deque": (1, 3),
    "soe": (1, 2),
    "two_stacks": (2, 1),
    "two_stacks_lite": (1, 2),
}
"""Partial aggregates for each slot of a ring, and beside them: the space on the card, and the result and scratch."""


@pytest.mark.parametrize("capacity", [1, 2, 3, 4, 5, 8, 9, 1000, 1024, 1025])
@pytest.mark.parametrize("name", SLOTS)
def test_the_memory_is_what_the_card_says(name, capacity):
    slots = next(2**k for k in range(20) if 2**k >= capacity)
    for_each, beside = SLOTS[name]
    w = CARDS[name].new(operators.make("max" if name == "slick_deque" else "affine"), capacity)
    assert (len(w.ends), len(w.time), len(w.agg)) == (1, slots, for_each * slots + beside)
