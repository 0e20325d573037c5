"""Windows in a key-value store answer as a plain list does, in both lives, however little of them is here."""

import random

import pytest

from algorithms import operators, window
from algorithms.windows.contract import aggregate, bulk_evict, card, evict, insert, oldest, query, size, storage
from algorithms.windows.in_order import amta
from algorithms.windows.slider import slide
from algorithms.windows.stored.traffic import Traffic
from tests.algorithms.windows.stored.plain_window import PlainWindow
from tests.scripts import PLAIN, printed, script

WINDOWS = ("kvs_amta", "kvs_log_mta")
SEARCHES = {name: script("algorithms.windows.stored.histories", name, "3", **PLAIN) for name in WINDOWS}


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("cache", [2, 8])
def test_a_long_random_history_compiled(name, cache):
    chance, op = random.Random(cache), operators.make("affine")
    w, other = card(name).new(op, 400, cache=cache), card("two_stacks").new(op, 400)
    time = 0
    for step in range(3000):
        choice, n = chance.random(), size(other)
        if (choice < 0.6 or n == 0) and n < 400:
            time += chance.randrange(3)
            for one in (w, other):
                insert(one, time, 7 * time + step)
        elif choice < 0.99:
            evict(w)
            evict(other)
        else:
            until = chance.randrange(int(oldest(other)), time + 1)
            bulk_evict(w, until)
            bulk_evict(other, until)
        assert (size(w), query(w)) == (size(other), query(other)), f"after {step} steps"
    assert storage(w).traffic.ahead > 100
    assert 0 < storage(w).traffic.misses < 300
    card(name).check(w)


def test_bulk_inserts_hand_over_in_between():
    w, plain = window("kvs_log_mta", "affine", 400, cache=4), PlainWindow()
    for first in range(0, 300, 60):
        w.bulk_insert(range(first, first + 60), range(first, first + 60))
        plain.entries += [(i, i) for i in range(first, first + 60)]
        w.bulk_evict(first - 45)
        plain.bulk_evict(first - 45)
        assert (len(w), w.query()) == (len(plain.entries), plain.query())
    assert w.storage.traffic.commits > 30
    w.check()


def test_local_memory_grows_with_the_logarithm_of_the_capacity():
    known, op = card("kvs_amta"), operators.make("sum", "int64")
    small, large = known.bytes(op, 2**15), known.bytes(op, 2**25)
    level = 2 * 1024 * 16
    assert large - small == 10 * (level + 40)
    assert large < 1_000_000 < card("amta").bytes(op, 2**25) // 700


def test_rounds_at_constant_size_wait_for_the_store_next_to_never():
    """At 65 times what is here; `facade` calls are slow enough for the thread beside to keep up."""
    w = window("kvs_amta", "affine", 66_000, cache=64)
    w.insert_many(range(66_000), range(66_000))
    traffic = w.storage.traffic
    before = Traffic(**vars(traffic))
    for time in range(66_000, 68_000):
        w.evict()
        w.insert(time, time)
    assert w.query() == PlainWindow([(i, i) for i in range(2000, 68_000)]).query()
    assert traffic.commits - before.commits > 25
    assert traffic.misses - before.misses <= 20  # the first of every level


def test_the_algorithms_are_those_in_memory():
    """Algorithms 4 to 7 are the functions of `in_order.amta`, not a second copy of them."""
    for generic in (evict, aggregate, slide):
        assert generic.table[card("kvs_amta").window] is generic.table[amta.AMTA]


@pytest.mark.parametrize("name", [pytest.param(name, marks=search) for name, search in SEARCHES.items()])
def test_every_short_history_in_plain_python(name):
    found = printed(SEARCHES[name])
    assert found["histories"] == 375
    assert found["from the store"] > 1000
    assert found["misses of slides"] > 0
