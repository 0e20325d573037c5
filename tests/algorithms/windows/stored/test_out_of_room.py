"""Stores that are full or slow: an error that says so, and the window goes on when there is room again."""

import re
import resource
import shutil
from contextlib import contextmanager

import pytest

from algorithms import StoreError
from algorithms.windows.stored.stores import in_redis
from tests.algorithms.windows.stored.crashing import begun, inserted_until_refused, value
from tests.algorithms.windows.stored.plain_window import PlainWindow
from tests.algorithms.windows.stored.test_stores import Real

pytestmark = pytest.mark.smoke

BEFORE = 100
"""Entries that are in the store before it refuses."""


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    monkeypatch.setattr("algorithms.windows.stored.stores.FIRST_WAIT", 0.001)


@pytest.fixture
def server(tmp_path):
    if not shutil.which("redis-server"):
        pytest.skip("redis-server is not installed")
    made = Real(tmp_path)
    yield made
    made.stop()


@contextmanager
def no_larger_files(path):
    """Files of this process may not grow beyond what the one at `path` has."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def configured(server, name, limit, usual):
    client = server.client()
    client.config_set(name, limit)
    try:
        yield
    finally:
        client.config_set(name, usual)
        client.close()


@contextmanager
def paused(server):
    """The server takes no writes, and answers nothing to who writes."""
    client = server.client()
    client.execute_command("CLIENT", "PAUSE", 600_000, "WRITE")
    try:
        yield
    finally:
        client.execute_command("CLIENT", "UNPAUSE")
        client.close()


def goes_on_after(name, url, refusing, said):
    """Insert until the store refuses; when it does no longer, the window has all that it took, and so has the store."""
    w = begun(name, url)
    w.insert_many(range(BEFORE), [value(i) for i in range(BEFORE)])
    w.storage.flush()
    with refusing:
        i, why = inserted_until_refused(w, BEFORE)
        assert re.search(said, why) and len(w) == i, why
        with pytest.raises(StoreError):
            w.storage.flush()
    expected = PlainWindow([(j, value(j)) for j in range(i)])
    assert w.query() == expected.query()
    w.insert(i, value(i))
    w.storage.flush()
    w.storage.close()
    again = begun(name, url)
    expected.insert(i, value(i))
    assert (len(again), again.query()) == (i + 1, expected.query())
    again.check()
    again.storage.close()


WINDOWS = pytest.mark.parametrize("name", ["kvs_amta", "kvs_log_mta"])


@WINDOWS
def test_a_server_that_is_out_of_memory(server, name):
    url = f"redis://127.0.0.1:{server.port}"
    full = configured(server, "maxmemory", "1", "0")
    goes_on_after(
        name, url, full, rf"Redis at {url} does not take what is written: .*(OOM|maxmemory).*\(asked 5 times\)"
    )


def test_a_server_that_does_not_answer_in_time(server, monkeypatch):
    monkeypatch.setattr(in_redis, "ANSWER_WITHIN", 0.2)
    url = f"redis://127.0.0.1:{server.port}"
    goes_on_after("kvs_amta", url, paused(server), r"Timeout reading from .*\(asked 5 times\)")


@WINDOWS
def test_a_disk_that_is_full_under_lmdb(tmp_path, name):
    full = no_larger_files(tmp_path / "data.mdb")
    goes_on_after(name, f"lmdb:{tmp_path}", full, rf"LMDB cannot write in {tmp_path}: .*\(asked 5 times\)")
