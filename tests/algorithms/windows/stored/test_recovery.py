"""What lasts: a window is opened again as it was at its last completed commit, whatever ended the process."""

import contextlib
import json
import random
import re
import subprocess
import sys
import time

import pytest

from algorithms import StoreError, operators, policies, window
from algorithms.windows.contract import insert
from algorithms.windows.stored.documents import header_key
from algorithms.windows.stored.stores import ATTEMPTS, open_store
from algorithms.windows.stored.stores.in_memory import InMemory
from tests.algorithms.windows.stored.crashing import begun, inserted_until_refused, kept, step, value
from tests.algorithms.windows.stored.plain_window import PlainWindow
from tests.scripts import PLAIN, environment

WINDOWS = ("kvs_amta", "kvs_log_mta")


def held_after(i: int) -> list[tuple[int, int]]:
    """The entries after step i: `kept` says how many at most, and nobody comes back."""
    entries: list[tuple[int, int]] = []
    for j in range(i + 1):
        entries = [*entries, (j, value(j))][-kept(j) :]
    return entries


def must_be_as_after(w, i: int) -> None:
    entries = held_after(i)
    assert (len(w), w.oldest(), w.youngest()) == (len(entries), entries[0][0], i)
    assert w.query() == PlainWindow(entries).query()
    w.check()


def as_left(store: InMemory) -> InMemory:
    """What is in a store when the process of a window has ended."""
    left = InMemory()
    left.documents = dict(store.documents)
    return left


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_killed_process_loses_nothing_that_flush_returned_for(name, seed, tmp_path):
    command = [sys.executable, "-m", "tests.algorithms.windows.stored.crashing", name, f"lmdb:{tmp_path}", str(seed)]
    with subprocess.Popen(command, env=environment(**PLAIN), stdout=subprocess.PIPE, text=True) as process:
        first = [process.stdout.readline() for _ in range(6)]
        time.sleep(random.Random(seed).uniform(0.2, 0.6))
        process.kill()
        acknowledged = [int(line) for line in [*first, *process.stdout]]
    assert len(acknowledged) > 5
    w = begun(name, f"lmdb:{tmp_path}")
    assert w.youngest() >= acknowledged[-1]
    last = w.youngest()
    must_be_as_after(w, last)
    for i in range(last + 1, last + 120):
        step(w, i)
    must_be_as_after(w, last + 119)
    w.storage.close()


class BreaksOff(InMemory):
    """A store without transactions: each commit writes some of its documents, or removes some, and fails."""

    def __init__(self):
        super().__init__()
        self.writes = sys.maxsize

    def commit(self, documents, dead):
        for key, document in documents:
            self._one()
            self.documents[key] = document
        for key in dead:
            self._one()
            self.documents.pop(key, None)

    def _one(self):
        if self.writes == 0:
            raise StoreError("the store has gone away")
        self.writes -= 1


@pytest.mark.parametrize("name", WINDOWS)
def test_a_commit_that_breaks_off_anywhere_leaves_the_window_before_it_or_after_it(name, monkeypatch):
    monkeypatch.setattr("algorithms.windows.stored.stores.FIRST_WAIT", 0.0)
    seen = set()
    for writes in (*range(12), 20, 40, 60):
        store = BreaksOff()
        w = begun(name, store)
        for i in range(99):
            step(w, i)
        w.storage.flush()
        for i in range(99, 101):  # all but one go, in many blocks
            step(w, i)
        store.writes = writes
        with contextlib.suppress(StoreError):
            w.storage.flush()
        store.writes = sys.maxsize
        again = begun(name, as_left(store))
        seen.add(again.youngest())
        must_be_as_after(again, again.youngest())
        again.storage.close()
        w.storage.flush()  # the one whose commit failed still has everything
        must_be_as_after(w, 100)
    assert seen == {98, 100}


@pytest.mark.parametrize("name", WINDOWS)
def test_closing_and_opening_again_with_another_capacity(name):
    store, last = InMemory(), -1
    for capacity in (300, 5000, 120, 300):
        w = window(name, "affine", capacity, store=store, stored_as="crashing", cache=4)
        assert len(w) == (len(held_after(last)) if last >= 0 else 0)
        assert w.storage.ends[0]["handed"] == w.storage.acknowledged == last + 1
        for i in range(last + 1, last + 90):
            step(w, i)
        last += 89
        must_be_as_after(w, last)
        w.storage.close()
        assert w.storage.acknowledged == last + 1


def test_two_windows_in_one_store_do_not_meet(tmp_path):
    store = open_store(f"lmdb:{tmp_path}")
    pair = [window("kvs_amta", "affine", 300, store=store, stored_as=one, cache=2) for one in ("a", "b")]
    for i in range(100):
        for n, w in enumerate(pair):
            w.insert(i, i + n)
    for w in pair:
        w.storage.close()
    for n, one in enumerate("ab"):
        w = window("kvs_amta", "affine", 300, store=store, stored_as=one, cache=2)
        assert w.query() == PlainWindow([(i, i + n) for i in range(100)]).query()
    store.close()


def test_a_closed_window_refuses_changes():
    w = window("kvs_amta", "affine", 10, store="memory:")
    w.insert(1, 1)
    w.storage.close()
    with pytest.raises(StoreError, match="window 'window' is closed"):
        w.insert(2, 1)
    assert len(w) == 1
    for change in (w.evict, lambda: w.bulk_evict(1), lambda: w.insert_many([], []), lambda: w.bulk_insert([], [])):
        with pytest.raises(StoreError, match="window 'window' is closed"):
            change()
    assert len(w) == 1
    w.storage.close()  # once more does nothing


@pytest.mark.parametrize("name", ["kvs_amta", "kvs_log_mta"])
def test_loops_over_a_closed_window_are_refused_at_their_next_insert(name):
    """A compiled loop does not ask whether the window is open; its write buffer is said to be full."""
    w = window(name, "affine", 100, store="memory:", cache=16)
    w.insert(1, 1)
    w.storage.close()
    with pytest.raises(StoreError, match="closed"):
        insert(w._w, 2, 1)


DIFFERENCES = [
    ({"operator": "max"}, r"its operator is 'affine\(.*\)', and that of the window to open 'max\(identity=-inf\)'"),
    ({"name": "kvs_log_mta"}, "its window is 'KVSAMTA'"),
    ({"cache": 16}, "its cache is 4, and that of the window to open 16"),
    ({"capacity": 5}, "has 50 entries in the store: open it with at least that capacity"),
]


@pytest.mark.parametrize(("change", "message"), DIFFERENCES)
def test_a_window_of_another_kind_is_refused_and_left_as_it_is(change, message):
    store = InMemory()
    w = window("kvs_amta", "affine", 100, store=store, cache=4)
    w.insert_many(range(50), range(50))
    w.storage.close()
    before = dict(store.documents)
    with pytest.raises(ValueError, match=message):
        window(**{"name": "kvs_amta", "operator": "affine", "capacity": 100, "cache": 4, "store": store, **change})
    assert store.documents == before


def test_another_layout_is_refused():
    store = InMemory()
    window("kvs_amta", "affine", 100, store=store).storage.close()
    line, _, rest = store.documents[header_key("window")].partition(b"\n")
    store.documents[header_key("window")] = json.dumps({**json.loads(line), "layout": 99}).encode() + b"\n" + rest
    with pytest.raises(ValueError, match="its layout is 99"):
        window("kvs_amta", "affine", 100, store=store)


def test_a_block_that_is_missing_is_said():
    store = InMemory()
    w = window("kvs_amta", "affine", 100, store=store, cache=2)
    w.insert_many(range(50), range(50))
    w.storage.flush()
    for key in [key for key in store.documents if key != header_key("window")]:
        del store.documents[key]
    with pytest.raises(StoreError, match="of window 'window' is missing or cut off"):
        window("kvs_amta", "affine", 100, store=as_left(store), cache=2)
    with pytest.raises(StoreError, match="is not in the store"):
        w.bulk_evict(20)
    assert (len(w), w.youngest()) == (50, 49)


@pytest.mark.parametrize("kept", [0.0, 0.5, 0.99])
def test_a_block_that_is_cut_off_is_said_and_never_believed(kept):
    store, said = InMemory(), []
    w = begun("kvs_amta", store)
    w.insert_many(range(290), [value(i) for i in range(290)])
    w.storage.close()
    for key, document in store.documents.items():
        if key == header_key("crashing"):
            continue
        cut = as_left(store)
        cut.documents[key] = document[: int(kept * len(document))]
        try:
            w = begun("kvs_amta", cut)
            for time in range(289):
                w.evict()
                if time % 10 == 0:
                    assert w.query() == PlainWindow([(i, value(i)) for i in range(time + 1, 290)]).query()
        except StoreError as error:
            said.append(str(error))
    assert len(said) > 100
    for text in said:
        assert re.search(r"block \d+ of level \d of window 'crashing' is missing or cut off", text)


# ------------------------------------------------------------------------------------------- a store that goes away


class GoesAway(InMemory):
    """A store that answers only while `there`."""

    def __init__(self):
        super().__init__()
        self.there, self.asked = True, 0

    def read(self, keys):
        self._must_be_there()
        return super().read(keys)

    def commit(self, documents, dead):
        self._must_be_there()
        super().commit(documents, dead)

    def _must_be_there(self):
        self.asked += 1
        if not self.there:
            raise StoreError("the store has gone away")


def state_of(w) -> tuple:
    return len(w), w.youngest(), w.query()


@pytest.mark.parametrize("name", WINDOWS)
def test_the_window_goes_on_when_the_store_is_back(name, monkeypatch):
    monkeypatch.setattr("algorithms.windows.stored.stores.FIRST_WAIT", 0.001)
    store = GoesAway()
    w = begun(name, store)
    for i in range(290):
        w.insert(i, value(i))
    w.storage.flush()
    store.there = False
    i, why = inserted_until_refused(w, 290)
    assert why == f"the store has gone away (asked {ATTEMPTS} times)"
    assert 290 < i < 300, "it goes on as long as it has room, and then says so"
    for _ in range(3):
        before = state_of(w)
        with pytest.raises(StoreError):
            w.insert(i, value(i))
        with pytest.raises(StoreError):
            w.bulk_evict(i // 2)
        assert state_of(w) == before == (i, i - 1, PlainWindow([(j, value(j)) for j in range(i)]).query())
    store.there = True
    w.insert(i, value(i))
    w.bulk_evict(i // 2)
    assert w.query() == PlainWindow([(j, value(j)) for j in range(i // 2 + 1, i + 1)]).query()
    w.check()
    w.storage.close()
    assert begun(name, store).query() == w.query()


@pytest.mark.parametrize("name", WINDOWS)
def test_an_eviction_that_the_store_lets_down_has_changed_nothing(name, monkeypatch):
    monkeypatch.setattr("algorithms.windows.stored.stores.FIRST_WAIT", 0.0)
    store, plain, refused = GoesAway(), PlainWindow([(i, value(i)) for i in range(290)]), 0
    w = begun(name, store)
    w.insert_many(range(290), [value(i) for i in range(290)])
    w.storage.flush()
    while plain.entries:
        store.there = False
        before, first = state_of(w), plain.entries[0][0]
        until = first + 20 if first % 30 == 0 else first + 2 if first % 7 == 0 else first
        try:
            w.bulk_evict(until) if until > first else w.evict()
        except StoreError:
            assert state_of(w) == before, f"after the eviction up to {until} was refused"
            refused += 1
            store.there = True
            w.bulk_evict(until) if until > first else w.evict()
        plain.bulk_evict(until)
        assert (len(w), w.query()) == (len(plain.entries), plain.query())
    assert refused > 20
    w.check()
    store.there = True
    w.storage.close()


def test_attempts_are_bounded_and_spread(monkeypatch):
    waits = []
    monkeypatch.setattr("algorithms.windows.stored.stores.sleep", waits.append)
    store = GoesAway()
    w = window("kvs_amta", "affine", 100, store=store, cache=2)
    w.insert(1, 1)
    store.there, store.asked = False, 0
    with pytest.raises(StoreError):
        w.storage.flush()
    assert store.asked == 2 * ATTEMPTS  # beside, and once more here
    assert waits == [0.05, 0.1, 0.2, 0.4] * 2


def test_a_policy_window_says_that_the_value_is_in(monkeypatch):
    monkeypatch.setattr("algorithms.windows.stored.stores.FIRST_WAIT", 0.0)
    store, op = GoesAway(), operators.product(count="count", max_size="last")
    w = window("kvs_amta", op, 400, policy=policies.max_size(), store=store, cache=4)
    w.insert_many(range(300), [400] * 300)
    w.storage.flush()
    store.there = False
    with pytest.raises(StoreError, match="the value is in the window, and the next insert will slide"):
        w.insert(300, 150)
    assert (len(w), w.youngest()) == (301, 300)
    store.there = True
    w.insert(301, 150)
    assert (len(w), w.oldest()) == (150, 152)
    w.check()
    w.storage.close()
