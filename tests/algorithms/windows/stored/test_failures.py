"""What a window in a store does when something beside the store fails, or is not as it should be: it says so, keeps
what it took, and goes on."""

import json
import os
import re
import tempfile

import pytest

from algorithms import StoreError, operators, policies, window
from algorithms.errors import MemoryEstimateError
from algorithms.windows.stored.documents import header_key
from algorithms.windows.stored.stores.in_memory import InMemory
from tests.algorithms.windows.stored.crashing import begun, step, value
from tests.algorithms.windows.stored.plain_window import PlainWindow

pytestmark = pytest.mark.plain

WINDOWS = ("kvs_amta", "kvs_log_mta")


@pytest.fixture(autouse=True)
def hurried(monkeypatch):
    monkeypatch.setattr("algorithms.windows.stored.stores.FIRST_WAIT", 0.0)


class Refuses(InMemory):
    """A store that raises `error` while there is one, after `reads` more reads, or some documents of a commit."""

    def __init__(self):
        super().__init__()
        self.error, self.reads, self.written = None, 0, 0

    def read(self, keys):
        if self.error is not None and keys and not keys[0].endswith(b"header"):
            self.reads -= 1
            if self.reads < 0:
                raise self.error
        return super().read(keys)

    def commit(self, documents, dead):
        if self.error is not None:
            self.documents.update(documents[: self.written])
            raise self.error
        super().commit(documents, dead)


def filled(w, times) -> PlainWindow:
    entries = [(time, value(i)) for i, time in enumerate(times)]
    w.insert_many([time for time, _ in entries], [one for _, one in entries])
    return PlainWindow(entries)


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("first", [100, -100])
def test_the_times_of_a_window_opened_again_are_right_on_levels_that_come_later(name, first):
    for n in (1, 2, 3, 7, 8, 9, 16, 31, 32, 64, 100):
        store = InMemory()
        w = begun(name, store)
        plain = filled(w, range(first, first + n))
        w.storage.close()
        w = begun(name, store)
        w.insert(first + n, value(n))
        plain.insert(first + n, value(n))
        w.check()
        assert w.bulk_evict(first + n // 2) == n // 2 + 1
        plain.bulk_evict(first + n // 2)
        assert (len(w), w.query()) == (len(plain.entries), plain.query())


@pytest.mark.parametrize("capacity", [8, 100, 255])
@pytest.mark.parametrize("name", WINDOWS)
def test_a_small_window_outlives_a_commit_that_breaks_off_in_the_middle_of_a_block(name, capacity):
    store, plain = Refuses(), PlainWindow()
    w = window(name, "affine", capacity, store=store)
    for i in range(capacity + 30):
        if i == capacity + 10:
            w.storage.flush()
            at_flush = PlainWindow(plain.entries)
            store.error, store.written = StoreError("cut"), 1
        if len(w) == capacity:
            w.evict()
            plain.evict()
        w.insert(i, i)
        plain.insert(i, i)
    with pytest.raises(StoreError, match="cut"):
        w.storage.flush()
    left = InMemory()
    left.documents = dict(store.documents)
    again = window(name, "affine", capacity, store=left)
    while at_flush.entries:
        assert (again.oldest(), again.query()) == (at_flush.entries[0][0], at_flush.query())
        again.evict()
        at_flush.evict()


def test_a_temporary_folder_that_cannot_be_made_is_said_and_can_be_mended(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    w = window("kvs_amta", "affine", 100, cache=4)
    with pytest.raises(StoreError, match=r"no temporary folder for window 'window' .*; 4 of 50 were inserted"):
        filled(w, range(50))
    before = len(w), w.query()
    with pytest.raises(StoreError, match="no temporary folder"):
        w.insert(50, 1)
    assert (len(w), w.query()) == before
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    w.insert_many(range(50, 90), range(40))
    assert w.bulk_evict(80) == 4 + 31
    w.check()
    assert len(os.listdir(tmp_path)) == 1
    w.storage.close()
    assert not os.listdir(tmp_path)


def test_a_window_that_is_dropped_takes_its_folder_with_it(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    w = window("kvs_amta", "affine", 100, cache=4)
    filled(w, range(50))
    assert os.listdir(tmp_path)
    del w
    assert not os.listdir(tmp_path)


def test_whatever_a_store_raises_is_a_store_error_and_the_window_goes_on():
    store = Refuses()
    w = begun("kvs_amta", store)
    plain = filled(w, range(100))
    store.error = MemoryError("no more")
    with pytest.raises(StoreError, match=r"the store failed: MemoryError\('no more'\) \(asked 5 times\)"):
        w.storage.flush()
    store.error = None
    w.storage.flush()
    assert begun("kvs_amta", as_left(store)).query() == plain.query()


def as_left(store: InMemory) -> InMemory:
    left = InMemory()
    left.documents = dict(store.documents)
    return left


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("insertion", ["insert_many", "bulk_insert"])
def test_a_batch_that_the_store_breaks_off_says_how_many_are_in(name, insertion):
    store = Refuses()
    w = window(name, "affine", 300, store=store, cache=4)
    store.error = StoreError("gone")
    with pytest.raises(StoreError, match=r"gone \(asked 5 times\); 8 of 200 were inserted"):
        getattr(w, insertion)(range(200), range(200))
    assert (len(w), w.youngest()) == (8, 7)


def test_a_batch_with_a_policy_says_how_many_came():
    store, op = Refuses(), operators.product(count="count", max_size="last")
    w = window("kvs_amta", op, 300, policy=policies.max_size(), store=store, cache=4)
    store.error = StoreError("gone")
    with pytest.raises(StoreError, match="; 8 of 200 were inserted"):
        w.insert_many(range(200), [3] * 200)
    assert (len(w), w.youngest()) == (3, 7)


@pytest.mark.parametrize("cache", [2, 4, 8])
@pytest.mark.parametrize("name", WINDOWS)
def test_no_bulk_eviction_is_half_done(name, cache):
    refused = 0
    for going in range(2, 11):
        for reads in range(0, 12, 2):
            store = Refuses()
            w = window(name, "affine", 300, store=store, cache=cache)
            plain = filled(w, range(290))
            w.evict()
            w.storage.flush()
            store.error, store.reads = StoreError("gone"), reads
            try:
                assert w.bulk_evict(going) == going
                plain.bulk_evict(going)
            except StoreError:
                refused += 1
                plain.evict()
            store.error = None
            assert (len(w), w.query()) == (len(plain.entries), plain.query())
    assert refused


def test_two_windows_of_one_name_in_one_store_are_refused():
    store = InMemory()
    first = begun("kvs_amta", store)
    with pytest.raises(ValueError, match="window 'crashing' is open in this store: close it, or give another name"):
        begun("kvs_amta", store)
    first.insert(0, value(0))
    first.storage.close()
    second = begun("kvs_amta", store)
    assert len(second) == 1
    del second
    assert len(begun("kvs_amta", store)) == 1, "one that is no longer there is not open either"


def test_a_window_that_another_process_has_changed_is_not_overwritten(tmp_path):
    store = InMemory()
    mine = begun("kvs_amta", store)
    for i in range(20):
        step(mine, i)
    mine.storage.flush()
    theirs = InMemory()
    theirs.documents = store.documents  # as two processes have one folder
    other = begun("kvs_amta", theirs)
    step(other, 20)
    other.storage.close()
    step(mine, 20)
    with pytest.raises(StoreError, match="is not in the store as it was left there: another process has it open"):
        mine.storage.flush()
    assert len(begun("kvs_amta", as_left(store))) == 21


PAIR = {"x": "sum", "y": "max"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"time": "float64"}, "its time is 'int64', and that of the window to open 'float64'"),
        ({"operator": operators.product(x="max", y="sum")}, "its operator is"),
    ],
)
def test_what_times_and_parts_mean_is_part_of_what_is_stored(change, message):
    store, known = InMemory(), {"name": "kvs_amta", "operator": operators.product(**PAIR), "capacity": 100}
    window(**known, store=store).storage.close()
    with pytest.raises(ValueError, match=message):
        window(**{**known, **change}, store=store)
    window(**known, store=store).storage.close()


def scaled_sum(factor):
    return operators.from_functions(lambda v: v * factor, lambda a, b: a + b, lambda a: a, 0)


OPERATORS = {
    "bloom": lambda hashes: operators.make("bloom", bits=256, hashes=hashes),
    "affine": lambda n: operators.make("affine", modulus={1: 10_007, 2: 10_009}[n]),
    "lis": lambda n: operators.make("lis", strict=n == 1),
    "concat": lambda n: operators.make("concat", capacity=60 + n),
    "own functions": scaled_sum,
    "counting": lambda n: operators.counting(scaled_sum(n)),
    "in a product": lambda n: operators.product(a="sum", b=scaled_sum(n)),
    "repeated": lambda hashes: operators.repeated(operators.make("bloom", bits=256, hashes=hashes), 2),
}


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("of", OPERATORS.values(), ids=OPERATORS)
def test_a_window_opens_again_with_the_operator_that_it_was_made_with_and_no_other(name, of):
    store = InMemory()
    w = window(name, of(1), 100, store=store, cache=4)
    w.insert_many(range(20), [1] * 20)
    w.storage.close()
    left = dict(store.documents)
    with pytest.raises(ValueError, match="cannot be opened so: its operator is '.*', and that of the window to open '"):
        window(name, of(2), 100, store=store, cache=4)
    assert store.documents == left
    again = window(name, of(1), 100, store=store, cache=4)
    assert len(again) == 20


def test_a_window_of_an_older_version_is_refused_in_so_many_words():
    store = InMemory()
    window("kvs_amta", "affine", 100, store=store, stored_as="old").storage.close()
    line, _, rest = store.documents[header_key("old")].partition(b"\n")
    said = json.loads(line) | {"layout": 2, "operator": "affine"}
    store.documents[header_key("old")] = json.dumps(said).encode() + b"\n" + rest
    message = (
        "window 'old' is in the store, but cannot be opened so: its layout is 2, and this version of the package "
        "reads 3: open it with the version that wrote it, or give another name (stored_as=)"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        window("kvs_amta", "affine", 100, store=store, stored_as="old")


@pytest.mark.parametrize("header", [b"", b"[]\n", b"5\n", b"null\n", b"\xff\n", b"{}\n"])
def test_a_header_of_something_else_is_refused(header):
    store = InMemory()
    store.documents[header_key("window")] = header
    with pytest.raises(ValueError, match=r"cannot be opened so: its (header is not that of a window|layout is None)"):
        window("kvs_amta", store=store)


def test_a_header_that_is_cut_off_or_does_not_say_its_levels_is_refused():
    store = InMemory()
    window("kvs_amta", "affine", 100, store=store).storage.close()
    whole = store.documents[header_key("window")]
    for header, message in ((whole[:-8], "bytes after the first line"), (whole.replace(b'"levels"', b'"l"'), "levels")):
        store.documents[header_key("window")] = header
        with pytest.raises(ValueError, match=message):
            window("kvs_amta", "affine", 100, store=store)


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ({"store": "memory:", "stored_as": "\ud800"}, ValueError, "the name of a window must be text"),
        ({"store": "memory:", "stored_as": ""}, ValueError, "text of 1 to 200 bytes without braces, not ''"),
        ({"store": "memory:", "stored_as": "é" * 101}, ValueError, "the name of a window must be text of 1 to 200"),
        ({"store": "memory:", "stored_as": "{x}"}, ValueError, "without braces, not '{x}'"),
        ({"stored_as": "x"}, ValueError, "stored_as='x' names a window in a store: give store= as well"),
        ({"cache": 2**70}, MemoryEstimateError, "needs up to"),
    ],
)
def test_what_cannot_be_is_said(asked, error, message):
    with pytest.raises(error, match=message):
        window("kvs_amta", "affine", 100, **asked)


def test_a_name_may_have_two_hundred_bytes():
    """Every key made with it fits into LMDB's 511."""
    store = InMemory()
    window("kvs_amta", "affine", 100, store=store, stored_as="é" * 100).storage.close()
    assert max(map(len, store.documents)) <= 511
