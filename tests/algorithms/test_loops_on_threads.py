"""Parts of a long loop on threads: how many pay, and that all parts are done when the call returns."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from algorithms import threads

pytestmark = pytest.mark.plain


@pytest.fixture
def four_cores(monkeypatch):
    monkeypatch.setattr(threads, "PLAIN", False)
    monkeypatch.setattr(threads.os, "sched_getaffinity", lambda _: {0, 1, 2, 3})


@pytest.mark.usefixtures("four_cores")
def test_threads_are_as_many_as_rows_pay_for_and_cores_there_are():
    assert [threads.threads_for(rows) for rows in (0, 199_999, 200_000, 399_999, 10**9)] == [1, 1, 2, 3, 4]
    assert [threads.parts_for(rows) for rows in (0, 199_999, 200_000, 10**9)] == [1, 1, 8, 16]


@pytest.mark.usefixtures("four_cores")
def test_plain_python_has_one_thread(monkeypatch):
    monkeypatch.setattr(threads, "PLAIN", True)
    assert (threads.threads_for(10**9), threads.parts_for(10**9)) == (1, 1)


class Counted(ThreadPoolExecutor):
    submitted = 0

    def submit(self, *arguments):
        self.submitted += 1
        return super().submit(*arguments)


@pytest.fixture
def pool(monkeypatch):
    with Counted(3) as helpers:
        monkeypatch.setattr(threads, "pool", lambda _: helpers)
        yield helpers


@pytest.mark.parametrize("number", [1, 2, 3])
def test_every_part_is_done_once_by_one_thread_fewer_than_asked_for_and_the_caller(pool, number):
    done = []
    threads.shared([(i, -i) for i in range(50)], lambda *part: done.append(part), number)
    assert sorted(done) == [(i, -i) for i in range(50)]
    assert pool.submitted == number - 1


@pytest.mark.usefixtures("pool")
def test_what_has_begun_is_waited_for():
    """The caller does its part while the helper is in the other, and ends it before the helper does."""
    both, done = threading.Barrier(2), []

    def run(part):
        both.wait()
        if threading.current_thread() is not threading.main_thread():
            threading.Event().wait(0.05)
        done.append(part)

    threads.shared([(0,), (1,)], run, 2)
    assert sorted(done) == [0, 1]


@pytest.mark.usefixtures("pool")
def test_what_a_helper_raises_is_raised():
    both = threading.Barrier(2)

    def run(_):
        both.wait()
        if threading.current_thread() is not threading.main_thread():
            raise ValueError("of the helper")

    with pytest.raises(ValueError, match="of the helper"):
        threads.shared([(0,), (1,)], run, 2)
