"""One Spark session for all tests of streaming/, and rows to aggregate."""

import contextlib
import os
import sys

import pytest

from tests import one_spark

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.session.timeZone": "America/New_York",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


@contextlib.contextmanager
def session(master):
    from pyspark.sql import SparkSession

    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.update(PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable)
    builder = SparkSession.builder.master(master).appName("tests of streaming")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    yield spark
    spark.stop()


@pytest.fixture(scope="module")
def spark(request):
    """The session, with one partition of state, or as many as the module says in PARTITIONS.

    Every query starts a Python worker for each partition, which takes four seconds of processor time before its first
    row: most of what these tests take.
    """
    spark = one_spark.of("streaming", lambda: session("local[2]"))
    spark.conf.set("spark.sql.shuffle.partitions", str(getattr(request.module, "PARTITIONS", 1)))
    return spark
