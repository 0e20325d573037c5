"""Record sets made on Spark: the same bytes as inline, errors of workers in a line."""

import pytest

from experiments.harness.executors import ExecutorError
from experiments.harness.executors.inline import Inline
from workloads import record_set, record_sets
from workloads.debs12.generator import ROWS, Equipment

pytestmark = pytest.mark.slow

SETS = [
    {"name": "delay", "items": 2_100_000, "distribution": "mixture", "late": "pareto"},
    {"name": "distance", "window": 100_000, "distance": 1000, "items": 1_200_000},
    {"name": "memory_usage", "records": 1_000_000},
    {"name": "flights", "order": "arrival"},
]


def test_spark_and_threads_make_the_same_bytes(spark, tmp_path):
    made = Equipment(2 * ROWS + 100, 6)
    one = record_sets.make(made, tmp_path / "spark", spark.each)
    other = record_sets.make(made, tmp_path / "inline", Inline().each)
    assert [chunk.sha256 for chunk in one.chunks] == [chunk.sha256 for chunk in other.chunks]
    assert one.rows == 2 * ROWS + 100


@pytest.mark.parametrize("settings", SETS, ids=[one["name"] for one in SETS])
def test_the_bytes_are_the_same_whatever_the_partitioning(spark, tmp_path, settings):
    made, _ = record_set(settings)
    alone = record_sets.make(made, tmp_path / "alone")
    assert len(alone.chunks) >= 2
    for partitions in (1, 3, 7):

        def run(work, numbers, partitions=partitions):
            return spark._session.sparkContext.parallelize(numbers, partitions).map(work).collect()

        shared = record_sets.make(made, tmp_path / str(partitions), run)
        assert shared.chunks == alone.chunks and shared.facts == alone.facts


def test_results_come_for_each_number_also_over_several_jobs(spark):
    for executor in (spark, Inline()):
        assert sorted(executor.each(lambda number: number * number, range(20))) == [n * n for n in range(20)]
        assert list(executor.each(str, [])) == []


def test_what_goes_wrong_in_a_worker_is_said(spark):
    def fails(number):
        raise OSError(28, "No space left on device")

    with pytest.raises(ExecutorError, match="a Spark worker failed: OSError: .Errno 28. No space left on device$"):
        list(spark.each(fails, [1, 2]))
    with pytest.raises(OSError, match="No space left"):
        list(Inline().each(fails, [1, 2]))


def test_a_lost_worker_loses_what_it_was_making(spark, tmp_path):
    def dies(number):
        import os

        os._exit(1)

    with pytest.raises(ExecutorError, match="Spark lost a worker: "):
        list(spark.each(dies, [1]))
    assert list(spark.each(abs, [-1])) == [1]
