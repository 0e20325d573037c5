"""Entries let go one by one from any place, down to an empty window, with a query after each."""

import random

import pytest

from algorithms import catalogue, window

pytestmark = pytest.mark.plain

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP"
WINDOWS = [name for name, card in catalogue().items() if "evict_at" in card.operations]

ORDERS = {
    "ascending": lambda times: times,
    "descending": lambda times: times[::-1],
    "from the third on": lambda times: times[2:] + times[:2],
    "inside out": lambda times: sorted(times, key=lambda time: abs(time - len(times) // 2)),
    "every other first": lambda times: times[::2] + times[1::2],
    "shuffled": lambda times: random.Random(len(times)).sample(times, len(times)),
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", WINDOWS)
def test_every_answer_is_right_until_the_window_is_empty(name, order):
    for count in (3, 9, 17, 33):
        w = window(name, operator="concat", capacity=100)
        left = dict(enumerate(LETTERS[:count]))
        for time, letter in left.items():
            w.insert(time, letter)
        assert w.query() == "".join(left.values())
        for time in ORDERS[order](list(left)):
            del left[time]
            assert w.evict_at(time)
            assert w.query() == "".join(left.values())
            w.check()
        for time, letter in enumerate("again"):
            w.insert(100 + time, letter)
        assert w.query() == "again"


def test_there_are_windows_to_try():
    assert {"b_tree", "fiba", "reactive"} <= set(WINDOWS)
