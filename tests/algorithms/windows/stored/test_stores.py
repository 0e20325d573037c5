"""Every kind of store does what the module says; those that go away say so, and come back."""

import random
import re
import shutil
import socket
import subprocess
import sys

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from algorithms import StoreError
from algorithms.windows.stored.stores import open_store
from algorithms.windows.stored.stores.in_lmdb import FIRST_MAP
from tests import HUNG, wait_for
from tests.algorithms.windows.stored.crashing import begun, inserted_until_refused, value
from tests.algorithms.windows.stored.plain_window import PlainWindow
from tests.algorithms.windows.stored.wire_server import WireServer
from tests.scripts import environment

pytestmark = pytest.mark.smoke


class Wire:
    """The server of this folder."""

    scheme = "redis"

    def __init__(self, folder):
        self.documents = {}
        self.server = WireServer(self.documents)
        self.port = self.server.port

    def stop(self):
        self.server.stop()

    def start(self):
        self.server = WireServer(self.documents, self.port)


class Real:
    """A redis-server that writes down every change before it answers."""

    scheme, options = "redis", ("--appendonly", "yes", "--appendfsync", "always")

    def __init__(self, folder):
        self.folder = folder
        self.port = next(port for port in random.sample(range(20_000, 50_000), 100) if is_free(port))
        self.start()

    def start(self):
        command = ["redis-server", "--port", str(self.port), "--dir", str(self.folder), "--save", "", *self.options]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        client = self.client()
        wait_for(lambda: self.answers(client))
        client.close()

    def client(self):
        return redis.Redis(port=self.port, socket_timeout=HUNG, retry=Retry(NoBackoff(), 0))

    def answers(self, client):
        try:
            return client.ping()
        except redis.ConnectionError:
            return False

    def stop(self):
        self.process.kill()
        self.process.wait()


class Cluster(Real):
    """A redis-server that is a cluster of one."""

    scheme, options = "redis+cluster", ("--cluster-enabled", "yes")

    def __init__(self, folder):
        super().__init__(folder)
        client = self.client()
        client.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        wait_for(lambda: b"cluster_state:ok" in client.execute_command("CLUSTER", "INFO"))
        client.close()


def is_free(port):
    """A cluster takes the port 10,000 above as well, so none of the system's choice."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) != 0


REAL = {"real": Real, "cluster": Cluster} if shutil.which("redis-server") else {}
"""conftest.py says when there are none."""
SERVERS = {"wire": Wire, **REAL}


@pytest.fixture(params=[name for name in SERVERS if name != "cluster"])
def server(request, tmp_path):
    made = SERVERS[request.param](tmp_path)
    yield made
    made.stop()


@pytest.fixture(params=["memory", "lmdb", "lmdb with sync", *SERVERS])
def store(request, tmp_path):
    if request.param in SERVERS:
        running = SERVERS[request.param](tmp_path)
        made = open_store(f"{running.scheme}://127.0.0.1:{running.port}")
        yield made
        made.close()
        running.stop()
    else:
        urls = {"memory": "memory:", "lmdb": f"lmdb:{tmp_path}", "lmdb with sync": f"lmdb:{tmp_path}?sync=1"}
        made = open_store(urls[request.param])
        yield made
        made.close()


def test_what_is_committed_is_read_and_what_is_dead_is_gone(store):
    store.commit([(b"{w}%d" % i, bytes([i]) * i) for i in range(100)], ())
    assert store.read([b"{w}3", b"{w}none", b"{w}0"]) == [b"\3\3\3", None, b""]
    store.commit([(b"{w}3", b"new")], (b"{w}%d" % i for i in (1, 2, 200)))
    assert store.read([b"{w}1", b"{w}2", b"{w}3", b"{w}4"]) == [None, None, b"new", b"\4\4\4\4"]
    store.commit([], (b"{w}%d" % i for i in range(5000)))
    assert store.read([b"{w}99"]) == [None]
    assert store.read([]) == []


def test_lmdb_grows_beyond_its_first_map(tmp_path):
    store = open_store(f"lmdb:{tmp_path}")
    document = bytes(FIRST_MAP // 3)
    for i in range(10):
        store.commit([(b"%d" % i, document)], ())
    assert store.read([b"%d" % i for i in range(10)]) == [document] * 10
    store.close()


def in_another_process(program, *arguments):
    subprocess.run([sys.executable, "-c", program, *map(str, arguments)], env=environment(), check=True)


GROWING = """
import sys
from algorithms.windows.stored.stores import open_store
store = open_store(f"lmdb:{sys.argv[1]}")
for i in range(4):
    store.commit([(b"%d" % i, bytes(int(sys.argv[2])))], ())
"""


def test_a_folder_of_lmdb_that_another_process_has_grown_is_read_and_written(tmp_path):
    reading, writing = open_store(f"lmdb:{tmp_path / 'a'}"), open_store(f"lmdb:{tmp_path / 'b'}")
    for folder in "ab":
        in_another_process(GROWING, tmp_path / folder, FIRST_MAP // 3)
    assert reading.read([b"3"]) == [bytes(FIRST_MAP // 3)]
    writing.commit([(b"4", b"new")], ())
    assert writing.read([b"4", b"0"]) == [b"new", bytes(FIRST_MAP // 3)]
    reading.close()
    writing.close()


LIMITED = """
import resource, sys
from algorithms import StoreError
from algorithms.windows.stored.stores import open_store
store = open_store(f"lmdb:{sys.argv[1]}")
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + (40 << 20),) * 2)
try:
    for i in range(100):
        store.commit([(b"%d" % i, bytes(1_000_000))], ())
    raise AssertionError("it has no limit")
except StoreError as error:
    assert "needs more address space" in str(error), error
assert store.read([b"0"]) == [bytes(1_000_000)]
store.commit([(b"small", b"fits")], ())
assert store.read([b"small"]) == [b"fits"]
"""


def test_a_limit_of_address_space_is_said_and_what_is_there_stays_open(tmp_path):
    in_another_process(LIMITED, tmp_path)


WRONG = [
    ("x", ValueError, "a store must be lmdb:FOLDER, redis://HOST:PORT"),
    ("lmdb:", ValueError, "a store in LMDB must be lmdb:FOLDER or lmdb:FOLDER.sync=1, not 'lmdb:'"),
    ("lmdb:a?sync=2", ValueError, "a store in LMDB must be"),
    ("memory:3", ValueError, "a store in memory has no name"),
    ("lmdb:/proc/none", StoreError, "LMDB cannot open the folder '/proc/none'"),
    ("lmdb:a\0b", StoreError, "LMDB cannot open the folder 'a.x00b': embedded null byte"),
    ("redis://127.0.0.1:1", StoreError, r"no Redis answers at redis://127.0.0.1:1.*is it running\?"),
    ("redis://me:secret@127.0.0.1:1", StoreError, r"no Redis answers at redis://me:\*\*\*@127.0.0.1:1(?!.*secret)"),
    ("http://:sec@ret@127.0.0.1", ValueError, r"not 'http://:\*\*\*@127.0.0.1'(?!.*ret)"),
    ("redis://127.0.0.1:1?password=secret", StoreError, r"at redis://127.0.0.1:1\?password=\*\*\*: (?!.*secret)"),
    ("redis://me:secret/x@127.0.0.1:1", StoreError, r"redis://me:\*\*\*@127.0.0.1:1 is no address .*%2F(?!.*secret)"),
    ("redis+cluster://127.0.0.1:1", StoreError, r"no Redis answers at redis\+cluster://127.0.0.1:1"),
]


@pytest.mark.parametrize(("url", "error", "message"), WRONG)
def test_a_store_that_cannot_be_opened_is_said(url, error, message):
    with pytest.raises(error, match=message):
        open_store(url)


def test_a_window_in_redis_goes_on_when_the_server_is_back(server, monkeypatch):
    monkeypatch.setattr("algorithms.windows.stored.stores.FIRST_WAIT", 0.001)
    url, i = f"redis://127.0.0.1:{server.port}", 200
    w = begun("kvs_amta", url)
    w.insert_many(range(i), [value(j) for j in range(i)])
    w.storage.flush()
    server.stop()
    i, why = inserted_until_refused(w, i)
    assert re.fullmatch(r"Redis at redis://127.0.0.1.*\(asked 5 times\)", why)
    with pytest.raises(StoreError, match="asked 5 times"):
        w.bulk_evict(100)
    assert (len(w), w.youngest()) == (i, i - 1)
    server.start()
    w.insert(i, value(i))
    w.bulk_evict(100)
    w.storage.flush()
    entries = [(j, value(j)) for j in range(101, i + 1)]
    assert w.query() == PlainWindow(entries).query()
    w.storage.close()
    again = begun("kvs_amta", url)
    assert (len(again), again.query()) == (len(entries), w.query())
    again.check()
    again.storage.close()


def test_a_client_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, f"{open_store.__module__}.in_redis", raising=False)
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(StoreError, match="redis://localhost:1: Python's client .* pip install redis"):
        open_store("redis://localhost:1")
