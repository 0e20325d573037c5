"""What a worker that starts others leaves behind, and what becomes of a Spark session that has died."""

import os
import signal
import time
from collections import defaultdict
from dataclasses import asdict
from types import SimpleNamespace

import pytest

from experiments.harness.cell import Cell
from experiments.harness.executors import inline
from experiments.spark.measuring import jobs, warming
from experiments.spark.measuring import session as spark_session
from tests import HUNG, SOON


def task(measurement):
    cell = Cell("none", "probe", "fiba", {}, "sum", "distance", {}, 8, measurement)
    return {
        "cell": asdict(cell),
        "module": "tests.experiments.probing",
        "label": measurement,
        "operations": None,
        "minimum_ns": 1,
        "timeout": HUNG,
    }


@pytest.mark.parametrize("patience", [0.3, 2.0 * SOON])
def test_what_a_worker_has_started_ends_with_it(monkeypatch, patience):
    monkeypatch.setattr(inline, "PATIENCE", patience)
    executor = inline.Inline()
    answer = executor.run(task("probing.starts_another"))
    child = int(answer["value"])
    if patience > 1:
        os.kill(child, signal.SIGTERM)  # it goes by itself, and is not waited for any longer
    began = time.monotonic()
    executor.close()
    while runs(child):
        assert time.monotonic() - began < SOON
        time.sleep(0.02)


def runs(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def asking(cores):
    return Cell("none", "probe", "cells", {"cores": cores}, "sum", "keyed", {}, 8, "spark_jobs.time")


class Dead:
    def range(self, rows):
        raise ConnectionRefusedError("the JVM is gone")


def test_a_worker_whose_spark_has_died_ends_and_another_takes_its_place(monkeypatch):
    monkeypatch.setattr(spark_session, "_kept", {"2": Dead()})
    with pytest.raises(SystemExit, match="Spark does not answer: the JVM is gone"):
        spark_session.session_for(asking("2"))


def test_other_cores_are_refused():
    with pytest.raises(ValueError, match=r"cores is '3'; it must be one of 1, 2, 1\+1"):
        spark_session.session_for(asking("3"))


def test_a_session_is_asked_for_the_cores_of_the_cell_and_replaces_the_one_before(monkeypatch):
    stopped = []

    class Session:
        def __init__(self, master):
            self.master = master

        def stop(self):
            stopped.append(self.master)

        def range(self, rows):
            return self

        def count(self):
            return 1

    monkeypatch.setattr(spark_session.sessions, "start", lambda given: (Session(given["master"]), True))
    try:
        one = spark_session.session_for(asking("1"))
        assert spark_session.session_for(asking("1")) is one
        assert spark_session.session_for(asking("2")).master == "local[2]"
        assert stopped == ["local[1]"]
    finally:
        spark_session.close()
    assert stopped == ["local[1]", "local[2]"]


def test_a_cell_that_is_measured_as_a_job_gives_its_answer():
    cell = Cell("none", "probe", "cells", {"cores": "1", "window": "fiba"}, "sum", "keyed", {}, 8, "spark_jobs.time")
    answers = {jobs.measure_job(jobs.task_of_job(cell, 100), number) for number in range(2)}
    assert len(answers) == 1 and answers.pop() > 0


def test_a_session_works_for_a_while_before_it_is_timed(monkeypatch):
    now, done = [0.0], []
    monkeypatch.setattr(warming.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(warming, "_worked", defaultdict(float))

    def work():
        done.append(now[0])
        now[0] += 5.0

    one, other = (SimpleNamespace(sparkContext=SimpleNamespace(applicationId=name)) for name in ("one", "other"))
    for session in (one, one, other):
        warming.warm(session, "streams", {"minimum_ns": 20_000_000}, work)
    assert len(done) == 6, "three times in each session, until 12 seconds have passed"
    warming.warm(one, "tables", {"minimum_ns": 2_000_000}, work)
    assert len(done) == 6, "a profile that decides nothing"
    warming.warm(one, "tables", {"minimum_ns": 20_000_000}, work)
    assert len(done) == 9, "tables by themselves"
