"""One executor for several experiments: when it is started, kept and closed. The executor here only takes notes."""

import pytest

from experiments.harness import executors
from experiments.harness.executors import ExecutorError, shared

pytestmark = pytest.mark.smoke

SPARK = {"name": "spark", "master": "local[1]"}


class Notes:
    """An executor that writes down what becomes of it."""

    def __init__(self, log, number):
        self.log, self.number, self.lost = log, number, None
        log.append(f"started {number}")

    def run(self, task):
        self.log.append(f"{task} on {self.number}")

    def each(self, work, numbers):
        if self.lost:
            raise self.lost
        return map(work, numbers)

    def close(self):
        self.log.append(f"closed {self.number}")


@pytest.fixture
def log(monkeypatch):
    notes = []

    def start(settings):
        return Notes(notes, sum(note.startswith("started") for note in notes) + 1)

    monkeypatch.setattr(executors, "start", start)
    return notes


def measure(name, settings=SPARK):
    with shared.executor_of(settings) as executor:
        executor.start().run(name)
        return executor.start()


def test_alone_each_experiment_has_its_own(log):
    measure("a")
    measure("b")
    assert log == ["started 1", "a on 1", "closed 1", "started 2", "b on 2", "closed 2"]


def test_experiments_of_one_run_share_it(log):
    with shared.by_all():
        measure("a")
        measure("b", dict(SPARK))
        assert log == ["started 1", "a on 1", "b on 1"]
    assert log[3:] == ["closed 1"]
    measure("c")
    assert log[4:] == ["started 2", "c on 2", "closed 2"]


@pytest.mark.parametrize("other", [{"name": "inline"}, {**SPARK, "master": "local[2]"}])
def test_it_is_closed_before_another_one_measures(log, other):
    with shared.by_all():
        measure("a")
        measure("b", other)
        measure("c")
    assert log.index("closed 1") < log.index("b on 2") < log.index("closed 2") < log.index("c on 3")
    assert log[-1] == "closed 3"


def test_nothing_starts_where_nothing_is_measured(log):
    with shared.by_all():
        for _ in range(2):
            with shared.executor_of(SPARK):
                pass
    assert log == []


@pytest.mark.parametrize("lost", [ExecutorError("Spark lost a worker"), ConnectionRefusedError(111, "of its JVM")])
def test_one_that_is_lost_is_started_anew(log, lost):
    with shared.by_all():
        measure("a").lost = lost
        measure("b")
    assert log == ["started 1", "a on 1", "closed 1", "started 2", "b on 2", "closed 2"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_it_is_not_kept_after_an_error(log, error):
    def fails():
        with shared.executor_of(SPARK) as executor:
            executor.start()
            raise error

    with shared.by_all():
        with pytest.raises(error):
            fails()
        assert log == ["started 1", "closed 1"]
        measure("b")
    assert log[2:] == ["started 2", "b on 2", "closed 2"]
