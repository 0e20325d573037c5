"""The key-value stores that windows are measured with, by name.

    lmdb            in this process, a folder of the system's temporary files
    redis           a server on this machine that is started for the window and ends with it, over the loopback
    redis+cluster   the same as a cluster of one server
    NAME+0.5ms      any of them, as far away as a round trip of so many milliseconds

The paper's store was a Couchbase cluster on other machines. A longer way is made by sleeping before each request: it is
the round trip alone that is longer, as in a network that is never busy.
"""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from algorithms.windows.stored.stores import Store, StoreError, open_store
from experiments.harness.measuring.rig import NotHereError

LMDB, REDIS, CLUSTER = KINDS = ("lmdb", "redis", "redis+cluster")
NAME = re.compile(rf"({'|'.join(map(re.escape, sorted(KINDS, key=len, reverse=True)))})(?:\+(\d+(?:\.\d+)?)ms)?")

WHILE_ALIVE = 'ulimit -S -d unlimited; redis-server "$@" >/dev/null 2>&1 & cat >/dev/null; kill $!; wait'
"""A shell that ends the server when this process is gone, however that ended: then its standard input ends.

A limit on this process's memory is not one on the server's.
"""

STARTS_WITHIN = 10.0
"""Seconds."""


class Distant:
    """A store whose every request takes a round trip longer."""

    def __init__(self, store: Store, round_trip: float):
        self.store, self.round_trip = store, round_trip

    def read(self, keys: list[bytes]) -> list[bytes | None]:
        time.sleep(self.round_trip)
        return self.store.read(keys)

    def commit(self, documents: list[tuple[bytes, bytes]], dead: Iterable[bytes]) -> None:
        time.sleep(self.round_trip)
        self.store.commit(documents, dead)

    def close(self) -> None:
        self.store.close()


def parsed(name: str) -> tuple[str, float]:
    """The kind of a store, and the seconds of the round trip that is added. Raises ValueError."""
    found = NAME.fullmatch(name)
    if not found:
        raise ValueError(f"store is {name!r}; it must be {', '.join(KINDS)}, or such as redis+0.5ms")
    return found[1], float(found[2] or 0) / 1000


def opened(name: str) -> Store:
    """A new, empty store, which is removed when nothing refers to it any more. Raises ValueError, StoreError."""
    kind, round_trip = parsed(name)
    folder = tempfile.mkdtemp(prefix="store-")
    store: Any
    if kind == LMDB:
        store = open_store(f"lmdb:{folder}")
        weakref.finalize(store, shutil.rmtree, folder, ignore_errors=True)
    else:
        store = _of_new_server(kind, folder)
    return Distant(store, round_trip) if round_trip else store


def _of_new_server(kind: str, folder: str) -> Store:
    """The store of a server that nothing else uses. Raises NotHereError where there is no redis-server."""
    if shutil.which("redis-server") is None:
        raise NotHereError(f"store={kind} needs redis-server on the PATH: install Redis, or take store=lmdb")
    with socket.socket() as free, socket.socket() as bus:
        free.bind(("127.0.0.1", 0))
        bus.bind(("127.0.0.1", 0))
        port, bus_port = free.getsockname()[1], bus.getsockname()[1]
    options = ["--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"]
    if kind == CLUSTER:
        options += ["--cluster-enabled", "yes", "--cluster-port", str(bus_port)]
    command = ["sh", "-c", WHILE_ALIVE, "sh", *options]
    shell = subprocess.Popen(command, stdin=subprocess.PIPE, cwd=folder, env={"PATH": os.environ["PATH"]})
    try:
        _wait_for(port, kind)
        store = open_store(f"{kind}://127.0.0.1:{port}")
    except BaseException:
        _end(shell, folder)
        raise
    weakref.finalize(store, _end, shell, folder)
    return store


def _wait_for(port: int, kind: str) -> None:
    """Until the server answers, and until the cluster has all slots. Raises StoreError, TimeoutError."""
    end = time.monotonic() + STARTS_WITHIN
    server: Any = None
    while server is None:
        try:
            server = open_store(f"redis://127.0.0.1:{port}")
        except StoreError:
            _again_before(end)
    if kind == CLUSTER:
        server.client.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        while b"cluster_state:ok" not in server.client.execute_command("CLUSTER", "INFO"):
            _again_before(end)
    server.close()


def _again_before(end: float) -> None:
    """Wait a little. Raises TimeoutError after the end."""
    if time.monotonic() > end:
        raise TimeoutError(f"redis-server does not answer within {STARTS_WITHIN:g} s")
    time.sleep(0.01)


def _end(shell: "subprocess.Popen[bytes]", folder: str) -> None:
    if shell.stdin is not None:
        shell.stdin.close()
    shell.wait()
    shutil.rmtree(Path(folder), ignore_errors=True)
