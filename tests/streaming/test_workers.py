"""What workers keep out of the garbage collection that PySpark has after every task."""

import gc
import sys
import types

import pyarrow as pa
import pytest

from streaming import workers

COUNTED = pa.schema([("frozen", pa.int64())])


@pytest.fixture
def thawed(monkeypatch):
    """A process that has spared nothing yet; afterwards all of it is collected as before."""
    monkeypatch.setattr(workers, "_modules", 0)
    gc.unfreeze()
    yield
    gc.unfreeze()


def collected(thing):
    return any(one is thing for one in gc.get_objects())


def test_what_there_is_after_imports_is_spared_and_what_comes_later_is_not(thawed, monkeypatch):
    held = [[]]
    workers.spare_modules()
    assert not collected(held) and len(gc.get_objects()) < gc.get_freeze_count() / 10
    of_a_task = [[]]
    workers.spare_modules()
    assert collected(of_a_task)
    monkeypatch.setitem(sys.modules, "one_more", types.ModuleType("one_more"))
    workers.spare_modules()
    assert not collected(of_a_task)


def test_workers_spare_what_they_have_imported(spark):
    def frozen(_, batches):
        assert list(batches)
        yield pa.record_batch([[gc.get_freeze_count()]], schema=COUNTED)

    some = workers.mapped(spark.range(1, numPartitions=1), frozen, None, COUNTED)
    # Spark ends a worker that has left some of its rows, or whose own were not all wanted, as by first().
    assert max(some.collect()[0]["frozen"] for _ in range(4)) > 10_000
