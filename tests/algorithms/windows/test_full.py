"""Windows that hold as many elements as they have slots: what is written beside the window would be in it."""

import pytest

from algorithms import catalogue, operators
from algorithms.windows.contract import IN_ORDER, evict, insert, query
from algorithms.windows.in_order.ring import pointers, ring_layout
from tests.algorithms.windows.oracle import NaiveWindow, affine

pytestmark = [pytest.mark.plain, pytest.mark.smoke]

CARDS = catalogue()


@pytest.mark.parametrize("capacity", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize("name", CARDS)
def test_a_window_filled_to_its_last_slot_gives_what_it_holds(name, capacity):
    card = CARDS[name]
    w = card.new(operators.make("affine"), capacity)
    model = NaiveWindow(affine, unique=card.order != IN_ORDER)
    for time in range(5 * capacity):
        # Emptied by one, by half and to the last element in turn, and filled again.
        if len(model) == capacity:
            for _ in range((1, (capacity + 1) // 2, capacity)[time % 3]):
                evict(w)
                model.evict()
                card.check(w)
                assert query(w) == model.query(), time
        insert(w, time, 7 * time + 3)
        model.insert(time, 7 * time + 3)
        card.check(w)
        assert query(w) == model.query(), time


@pytest.mark.parametrize(
    ("capacity", "slots"), [(0, 1), (1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (8, 8), (9, 16), (1000, 1024)]
)
def test_a_ring_takes_no_more_memory_than_the_capacity_needs(capacity, slots):
    record, op = pointers("front", "end"), operators.make("affine")
    arrays = ring_layout(record, fixed=5, rings=2)(op, capacity)
    assert arrays == {"ends": (1, record), "time": (slots, "i8"), "agg": (5 + 2 * slots, op.dtype)}
