"""Arrivals under slide policies: every algorithm gives what a list does, and the measuring functions agree."""

import ctypes
import gc
import json
import mmap
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms import policies
from algorithms.kernel import Slots, slots
from experiments.harness.cell import Cell
from experiments.harness.provenance import ROOT
from experiments.mta.measuring import analytics, bulk_arrivals, constant_size, limited, stores
from experiments.mta.measuring.arrivals import bulk_arrivals as bulk_loop
from experiments.mta.measuring.arrivals import dimensions, kept, run, timed_updates, updates
from workloads import workload

ALGORITHMS = ("recalc", "daba", "log_mta", "amta")


def cell_of(algorithm, metric, n=64, batch=None, operator="count", **parameters):
    stream = {"window": n, "distance": 0}
    return Cell("mta", "x", algorithm, {}, operator, "distance", stream, n, metric, 0, batch, asked=parameters)


def on_readings(algorithm, operator, n=300, records=2500, **more):
    given = {"records": records, "seed": 5, **more}
    return Cell("mta", "x", algorithm, {}, operator, "memory_usage", given, n, "analytics.time")


def task():
    return {"operations": None, "minimum_ns": 1e4, "trace_hash": ""}


def longest(values):
    best = (0, 0)
    length = 0
    for i, value in enumerate(values):
        length = length + 1 if i and value > values[i - 1] else 1
        if length > best[0]:
            best = (length, i - length + 1)
    return best


def by_list(operator, values, n):
    """The sum of count and aggregate after each arrival."""
    window, total = [], 0
    for value in values:
        window.append(int(value))
        whole = list(window)
        start = {"max": lambda w: w.index(max(w)), "lis": lambda w: longest(w)[1]}.get(operator, lambda w: 0)(whole)
        window = window[max(start, len(window) - n) :]
        answer = {"max": max, "lis": lambda w: longest(w)[0], "sum": sum}[operator](window)
        total += len(window) + answer
    return total


def pages_to_come(array):
    """How many pages of an array the system would provide only at the first access."""
    memory = np.asarray(array).view(np.uint8)
    begin = memory.ctypes.data // mmap.PAGESIZE * mmap.PAGESIZE
    length = memory.ctypes.data + memory.nbytes - begin
    there = np.zeros(-(-length // mmap.PAGESIZE), np.uint8)
    arguments = ctypes.c_void_p(begin), ctypes.c_size_t(length), there.ctypes.data_as(ctypes.c_void_p)
    assert ctypes.CDLL(None).mincore(*arguments) == 0
    return int(np.count_nonzero(there & 1 == 0))


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux which pages are in memory")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_no_page_is_left_to_be_provided_under_the_clock(algorithm):
    """Of rings of 64 MB. The allocator may have as much from tests before, so it gives all it can back first."""
    n = 1 << 21
    ctypes.CDLL(None).malloc_trim(0)
    assert pages_to_come(np.empty(n << 2)) > 1
    made = kept(cell_of(algorithm, "constant_size.time", n), dimensions(), policies.max_size(), n + 1)
    arrays = [field for part in (made.window, made.slider) for field in part if isinstance(field, Slots)]
    assert len(arrays) > 3 and max(pages_to_come(array) for array in arrays) == 0


@pytest.mark.plain
@pytest.mark.parametrize(
    ("algorithm", "operator"), [("recalc", "lis"), ("daba", "sum"), ("log_mta", "max"), ("amta", "lis")]
)
def test_updates_answer_as_a_list_would(algorithm, operator):
    cell = on_readings(algorithm, operator, equal=0.2, rising=0.7)
    values = workload(cell.workload_settings).trace().values
    op, policy = analytics.aggregation(operator, cell.window)
    made, column = kept(cell, op, policy, cell.window + 1), slots(len(values), np.int64, "values")
    column[:] = values
    loop = timed_updates if operator == "lis" else updates
    assert loop(*made, 0, len(values), 0, column) == by_list(operator, values, cell.window)


@pytest.mark.plain
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_one_arrival_lets_many_go(algorithm):
    n, m, count = 64, 40, 3
    made = kept(cell_of(algorithm, "constant_size.time"), dimensions(), policies.max_size(), n + 1)
    run(made, 0, n, n)
    samples = slots(count, np.int64, "samples")
    answers = bulk_loop(*made, n, n, m, count, samples)
    assert answers == count * 2 * (n + 1 - m)  # count and max_size
    assert (np.asarray(samples) > 0).all()
    assert run(made, n + count * m, 1, n) == 2 * n


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_times_are_of_whole_windows_and_answers_are_known(algorithm):
    found = constant_size.time(cell_of(algorithm, "constant_size.time"), task())
    assert found["checksum"] == 1000 * 2 * 64 and found["value"] > 0
    assert algorithm == "recalc" or found["operations"] % 64 == 0
    found = bulk_arrivals.time(cell_of(algorithm, "bulk_arrivals.time", batch=63), task())
    assert found["checksum"] == bulk_arrivals.CHECKED * 2 * 2
    assert len(found["samples"]) == found["operations"] and sum(found["samples"]) == pytest.approx(found["value"])
    assert found["page_faults"] <= 2  # of Python itself


@pytest.mark.plain
def test_k_dimensions_in_one_window_and_in_k():
    one = cell_of("amta", "limited.reached", dimensions=2)
    assert constant_size.time(one, task())["value"] > 0
    apart = Cell.of({**asdict(one), "uses": {"sharing": "separate"}})
    assert constant_size.time(apart, task())["value"] > 0


def test_naive_is_measured_on_few_updates_where_all_are_alike_and_on_all_otherwise():
    few, least = on_readings("recalc", "sum", n=1024, records=100_000), analytics.LEAST_NAIVE
    assert analytics.time(few, task())["operations"] == 100_000 - 1024 - analytics.BEYOND
    analytics_entries, analytics.NAIVE_ENTRIES = analytics.NAIVE_ENTRIES, 1024
    try:
        assert analytics.time(few, task())["operations"] == least
    finally:
        analytics.NAIVE_ENTRIES = analytics_entries
    found = [analytics.time(on_readings(name, "max"), task()) for name in ("recalc", "log_mta")]
    assert {(one["operations"], one["checksum"]) for one in found} == {(2500 - 300 - 256, found[0]["checksum"])}


@pytest.mark.plain
def test_a_stream_that_does_not_fill_the_window_is_refused():
    with pytest.raises(ValueError, match="records is 300; a window of 300 needs more than 556"):
        analytics.time(on_readings("amta", "sum", records=300), task())


def test_counts_are_those_of_the_documentation():
    n = 256
    combines, worst, local = (
        {name: function(cell_of(name, "bulk_arrivals.combines", n), {}) for name in ("daba", "amta")}
        for function in (bulk_arrivals.combines, bulk_arrivals.worst_bulk, bulk_arrivals.local_size)
    )
    assert combines["amta"]["value"] / n <= 2 + 1 + 1 + 3  # insert, evict, query; the policy's
    assert combines["amta"]["checksum"] == combines["daba"]["checksum"] == n * 2 * n
    assert worst["daba"]["value"] > n and worst["amta"]["value"] <= 8 * np.log2(n)
    assert local["daba"]["value"] > n and local["amta"]["value"] > 2 * n


def test_a_window_in_a_store_has_little_of_it_here():
    n = 4096
    cell = Cell.of({**asdict(cell_of("kvs_amta", "bulk_arrivals.size", n)), "parameters": {"cache": 8}})
    local, size = (function(cell, {}) for function in (bulk_arrivals.local_size, bulk_arrivals.size))
    assert local["value"] < 2 * 16 * 16 + 128 and 1.9 * n < size["value"] - local["value"] <= 2 * n
    assert local["checksum"] == size["checksum"] == n // 4 * 2 * n


@given(st.integers(5000, 10**11), st.integers(1, 10**11))
def test_the_least_memory_is_found_within_its_step_in_few_trials(least, first):
    tried = []
    found = limited.least_that_is(lambda limit: tried.append(limit) or limit >= least, first)
    assert least <= found <= least * (1 + limited.STEP) + 2
    assert len(tried) <= 10 + abs(np.log2(least / first))
    if first / (1 + limited.STEP) + 1 < least <= first:
        assert len(tried) == 2, "a good guess"


def test_the_least_memory_is_that_in_which_the_capacity_is_reached():
    cell = cell_of("amta", "limited.needed", 1 << 16)
    needed = limited.needed(cell, {})["value"]
    assert limited._process(cell, int(needed * limited.MEGABYTE))["elements"] == 1 << 16
    assert limited._process(cell, int(0.9 * needed * limited.MEGABYTE))["elements"] < 1 << 16


@pytest.mark.parametrize(
    "name", ["lmdb", "lmdb+1ms", *(["redis", "redis+cluster"] if shutil.which("redis-server") else [])]
)
def test_stores_by_name(name):
    store = stores.opened(name)
    store.commit([(b"{w}1", b"one")], ())
    begin = time.monotonic()
    assert store.read([b"{w}1", b"{w}2"]) == [b"one", None]
    assert time.monotonic() - begin >= stores.parsed(name)[1]


@pytest.mark.skipif(shutil.which("redis-server") is None, reason="no redis-server")
def test_a_server_ends_with_its_store():
    store = stores.opened("redis")
    port = store.client.connection_pool.connection_kwargs["port"]
    store.close()
    del store
    gc.collect()
    with socket.socket() as one:
        assert one.connect_ex(("127.0.0.1", port)) != 0


@pytest.mark.parametrize("name", ["couchbase", "lmdb+", "redis+5", "redis+-1ms"])
def test_a_store_that_there_is_not_is_refused(name):
    with pytest.raises(ValueError, match="it must be lmdb, redis, redis\\+cluster, or such as redis"):
        stores.parsed(name)


def test_a_process_fills_the_largest_window_that_it_may_have_memory_for():
    found = limited.reached(cell_of("amta", "limited.reached", 1 << 20, memory=16), {})
    elements, facts = int(found["value"]), found["facts"]
    made = kept(cell_of("amta", "limited.reached"), dimensions(), policies.max_size(), 2 * elements + 1)
    assert 0 < facts["bytes"] <= 16 << 20 < limited.bytes_of(made)
    assert facts["elements"] == elements and 0.5 < facts["resident"] / facts["bytes"] < 1.3


def test_a_process_that_fails_says_why(monkeypatch):
    monkeypatch.setattr(limited.json, "dumps", lambda value, **more: '{"no": "cell"}')
    with pytest.raises(RuntimeError, match="the process that keeps the window ended with code 1: KeyError"):
        limited.reached(cell_of("amta", "limited.reached", 64, memory=1), {})


@pytest.mark.plain
def test_a_process_that_waits_for_nothing_ends_and_the_next_tries_less(monkeypatch):
    waits = """
import threading
from experiments.mta.measuring import limited
threading.Thread(target=limited.watch, args=(2,), daemon=True).start()
threading.Event().wait()
"""
    assert subprocess.run([sys.executable, "-c", waits], cwd=ROOT).returncode == limited.STUCK

    def stuck_with_more_than_50(command, input, **more):
        first = json.loads(input)["first"]
        if first > 50:
            return subprocess.CompletedProcess(command, limited.STUCK, f"64\n{first}\n", "")
        return subprocess.CompletedProcess(command, 0, f"{first}\n" + json.dumps({"elements": first}), "")

    monkeypatch.setattr(limited.subprocess, "run", stuck_with_more_than_50)
    cell = cell_of("amta", "limited.reached", 64)
    assert limited._process(cell, 1)["elements"] == 49  # 64 * 7/8 = 56, 56 * 7/8 = 49
    assert limited._process(cell, 1, only_capacity=True)["elements"] == 0


def test_parameters_of_what_is_asked_do_not_reach_the_workload():
    cell = cell_of("amta", "limited.reached", dimensions=3, memory=5)
    assert cell.workload_settings == {"name": "distance", "window": 64, "distance": 0}
    assert cell.asked["memory"] == 5
