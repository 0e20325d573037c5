"""The labels of buckets: Spark's hash of each is the bucket's number, so that partitions have equally many."""

import numpy as np
import pytest

from streaming.hashing import label
from streaming.request import MOST_BUCKETS

pytestmark = pytest.mark.slow


def test_spark_hashes_a_label_to_the_number_of_its_bucket(spark):
    from pyspark.sql import functions as F

    buckets = [*range(300), *range(MOST_BUCKETS - 50, MOST_BUCKETS)]
    rows = spark.createDataFrame([(bucket, label(bucket)) for bucket in buckets], "bucket int, label int")
    assert all(row.bucket == row.hashed for row in rows.select("bucket", F.hash("label").alias("hashed")).collect())
    labels = [label(bucket) for bucket in range(MOST_BUCKETS)]
    assert len(set(labels)) == MOST_BUCKETS and np.array_equal(np.array(labels, np.int32), labels)


@pytest.mark.parametrize(("partitions", "buckets"), [(2, 2), (3, 6), (5, 7)])
def test_every_partition_of_a_group_by_has_as_many_buckets(spark, partitions, buckets):
    from pyspark.sql import functions as F

    rows = spark.createDataFrame([(label(bucket),) for bucket in range(buckets)], "label int")
    shuffled = rows.repartition(partitions, "label").select(F.spark_partition_id().alias("partition"))
    counts = [row["count"] for row in shuffled.groupBy("partition").count().collect()]
    assert len(counts) == partitions and max(counts) - min(counts) <= 1
