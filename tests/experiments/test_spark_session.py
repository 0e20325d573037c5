"""What a worker that starts others leaves behind, and what becomes of a Spark session that has died."""

import os
import signal
import time
from dataclasses import asdict

import pytest

from experiments.harness.cell import Cell
from experiments.harness.executors import inline
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
