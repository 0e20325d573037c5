"""The worker of Spark on this machine, as this project's daemon runs it."""

import pytest

from experiments.harness.executors import daemon


def test_a_worker_whose_socket_spark_has_closed_ends_without_a_traceback(monkeypatch):
    def closed(*_):
        raise BrokenPipeError

    monkeypatch.setattr(daemon, "_task", closed)
    assert daemon.worker("socket", True) == 1


def test_other_errors_of_a_worker_are_not_hidden(monkeypatch):
    def wrong(*_):
        raise ConnectionResetError("by something else")

    monkeypatch.setattr(daemon, "_task", wrong)
    with pytest.raises(ConnectionResetError):
        daemon.worker("socket", True)
