"""Windows that hold as many elements as they have slots: what is written beside the window would be in it."""

import pytest

from algorithms import catalogue, operators
from algorithms.windows.contract import IN_ORDER, evict, insert, query
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
