"""Spark: window functions of SQL, with the segment tree that its manual has for moving frames since 4.2.

The input is cached in the session. A run computes every answer and writes them nowhere (format "noop"); to be checked
they are computed again and fetched.
"""

from typing import Any

import numpy as np
import pyarrow as pa

from experiments.peers.measuring.columns import KEYED, LATE, MISSING, ROWS, TIME, Column
from experiments.peers.measuring.exact import SEVERAL
from experiments.peers.measuring.libraries import Call

PACKAGE = "pyspark"
THREADS = "one for each core where there are keys"
KINDS = (ROWS, TIME, LATE, KEYED, MISSING)
TASKS = ("sum", "mean", "std", "min", "max", "argmax", "distinct", "skew", "several")  # a median takes no frame
KINDS_OF = {"skew": (ROWS,)}

SEGMENT_TREE = "spark.sql.window.segmentTree.enabled"

OPTIONS = {
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.adaptive.enabled": "true",
    "spark.driver.memory": "2g",
    "spark.sql.shuffle.partitions": "2",
    SEGMENT_TREE: "true",
}
"""Spark's defaults, which short jobs of this project switch off; as many partitions as cores, and the segment tree."""

BUDGET, LIMIT, FIRST, LEAST, WARMS_UP = 0.5, 8.0, 50_000, 200_000, True
"""See measuring.rolling: a job takes a tenth of a second, however few its rows are, and the JVM compiles as it goes."""

_kept: list[Any] = []


def session() -> Any:
    """This process's session on two cores, started when it is first needed. Raises NotHereError without Java."""
    from experiments.harness.executors import ExecutorError
    from experiments.harness.executors import session as sessions
    from experiments.harness.measuring.rig import NotHereError

    if not _kept:
        logging = f"-Dlog4j2.configurationFile={sessions.LOGGING.as_uri()}"
        options = {**OPTIONS, "spark.driver.extraJavaOptions": logging}
        try:
            _kept.append(sessions.start({"master": "local[2]", "options": options})[0])
        except ExecutorError as error:
            raise NotHereError(str(error)) from None
    return _kept[0]


def prepare(task: str, column: Column, window: int) -> Call:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    spark = session()
    functions = {
        "sum": F.sum("v"), "mean": F.avg("v"), "std": F.stddev_samp("v"), "min": F.min("v"), "max": F.max("v"),
        "argmax": F.max_by("i", "v"), "skew": F.skewness("v"),
    }  # fmt: skip
    given = {"i": np.arange(len(column.values)), "v": column.values}
    given |= {name: part for name, part in (("t", column.times), ("k", column.keys)) if part is not None}
    frame = spark.createDataFrame(pa.table(given))
    if column.kind == MISSING:
        frame = frame.withColumn("v", F.nanvl("v", F.lit(None).cast("double")))
    frame = frame.cache()
    frame.count()
    order = Window.orderBy("i") if column.keys is None else Window.partitionBy("k").orderBy("i")
    last = order.rowsBetween(1 - window, 0) if column.times is None else Window.orderBy("t").rangeBetween(1 - window, 0)
    if task == "distinct":
        chosen = [F.size(F.collect_set("v").over(last)).alias(task)]
    else:
        chosen = [functions[name].over(last).alias(name) for name in (SEVERAL if task == "several" else (task,))]
    answers = frame.select("i", *chosen)

    def read(_: Any) -> dict[str, np.ndarray]:
        found = answers.toPandas().sort_values("i")
        columns = {name: found[name].to_numpy(float) for name in found.columns if name != "i"}
        frame.unpersist()
        if task == "skew":  # Spark's is that of a population
            columns[task] = columns[task] * np.sqrt(window * (window - 1.0)) / (window - 2.0)
        return columns

    return Call(lambda: answers.write.format("noop").mode("overwrite").save(), read)
