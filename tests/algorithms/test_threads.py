"""Threads in one object: one is in it and the others are told so; what was taken in was taken in whole."""

import threading

import numpy as np
import pytest

from algorithms import (
    CompressedAggregate,
    InUseError,
    SharedAggregate,
    SlidingAggregate,
    operators,
    policies,
    queries,
    window,
)

ROWS, BATCHES, THREADS = 20_000, 12, 3
ZEROS, ONES = np.zeros(ROWS, np.int64), np.ones(ROWS, np.int64)
ALL = ROWS * BATCHES * THREADS

COUNTED = operators.product(count="count", sum=operators.make("sum", "int64"))


def in_order(name, operator="sum", **settings):
    dtype = "int64" if isinstance(operator, str) else None
    return lambda: window(name, operator, capacity=ALL + 1, dtype=dtype, **settings)


SUBJECTS = {
    "fiba": (in_order("fiba"), lambda w, times: w.insert_many(times, ONES), len),
    "bulk": (in_order("fiba"), lambda w, times: w.bulk_insert(times, ONES), len),
    "two_stacks_lite": (in_order("two_stacks_lite"), lambda w, times: w.insert_many(ZEROS, ONES), len),
    "reactive": (in_order("reactive"), lambda w, times: w.insert_many(ZEROS, ONES), len),
    "policy": (
        in_order("two_stacks", COUNTED, policy=policies.count(ALL)),
        lambda w, times: w.insert_many(ZEROS, ONES),
        len,
    ),
    "sliding": (
        lambda: SlidingAggregate("two_stacks", size=ALL, slide=ROWS, by="count", operator="count"),
        lambda s, times: s.batch(None, ONES),
        lambda s: int(s.batch(None, ONES)["value"][-1]) - ROWS,
    ),
    "shared": (
        lambda: SharedAggregate([queries.tumbling(ALL)], "count"),
        lambda s, times: s.batch(None, ONES),
        lambda s: sum(end - begin for begin, end, _ in s.slices()),
    ),
    "compressed": (
        lambda: CompressedAggregate(WA=10, WS=10, f_K=()),
        lambda c, times: c.batch(ZEROS, ONES),
        lambda c: c.counts.records,
    ),
}


@pytest.mark.parametrize("name", SUBJECTS)
def test_what_threads_put_in_is_in_whole_or_not_at_all(name):
    make, put_in, entries = SUBJECTS[name]
    subject, taken, refused = make(), [], []

    def thread(number):
        for batch in range(BATCHES):
            times = np.arange(ROWS) * (BATCHES * THREADS) + batch * THREADS + number
            try:
                put_in(subject, times)
                taken.append(batch)
            except InUseError as error:
                refused.append(str(error))

    threads = [threading.Thread(target=thread, args=(number,)) for number in range(THREADS)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert taken and len(taken) + len(refused) == BATCHES * THREADS
    assert all("is in use by another call: one thread at a time" in reason for reason in refused)
    assert entries(subject) == ROWS * len(taken)


@pytest.mark.parametrize("name", SUBJECTS)
def test_every_call_while_another_is_under_way_is_refused(name):
    make, put_in, entries = SUBJECTS[name]
    subject = make()
    put_in(subject, np.arange(ROWS))
    calls = [lambda: put_in(subject, np.arange(ROWS) + ROWS), lambda: entries(subject), subject.__getstate__]
    calls += [getattr(subject, called) for called in ("query", "oldest", "check", "flush") if hasattr(subject, called)]
    with subject._in_use:  # as a call has it
        for call in calls:
            with pytest.raises(InUseError, match="give each its own"):
                call()
    assert entries(subject) == ROWS


def test_a_call_that_fails_leaves_the_object_free():
    w = window("fiba", "sum", capacity=2)
    for _ in range(3):
        with pytest.raises(ValueError, match="value must be a number"):
            w.insert_many([1], ["x"])
    w.insert(1, 2.0)
    assert w.query() == 2.0


def test_windows_of_their_own_run_side_by_side():
    windows = [window("fiba", "sum", capacity=ROWS, dtype="int64") for _ in range(THREADS)]
    threads = [threading.Thread(target=w.insert_many, args=(np.arange(ROWS), ONES)) for w in windows]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert {(len(w), w.query()) for w in windows} == {(ROWS, ROWS)}
