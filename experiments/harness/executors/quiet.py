"""The JVM of an embedded Spark, without what it and PySpark say on every start and nobody can act on.

Log levels do not reach these lines: they go to the JVM's standard error before logging is set up, or beside it.
"""

import os
import re
import sys
import threading
from collections.abc import Mapping

NOISE = re.compile(
    r"WARNING: Using incubator modules: jdk\.incubator\.vector$"
    r"|Setting default log level to "
    r"|To adjust logging level use "
    r"|(Starting )?Streaming TransformWithStateInPandas Python worker\b"
    r"|$"
)


WAIT = 5.0
"""Seconds for the last words of a JVM that does not start."""


def start_jvm(options: Mapping[str, str]) -> None:
    """Start the JVM that the next session of this process will use, unless there is one; the rest it says to stderr."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is None:
        conf = SparkConf(loadDefaults=False).setAll(list(options.items()))
        said, says = os.pipe()
        reader = threading.Thread(target=_pass_on, args=(said,), daemon=True)
        reader.start()  # before the JVM: why it does not start is said here, too
        try:
            gateway = launch_gateway(conf, {"stderr": says})
        except BaseException:
            os.close(says)
            reader.join(WAIT)
            raise
        os.close(says)
        SparkContext._ensure_initialized(gateway=gateway)


def _pass_on(said: int) -> None:
    """What is not noise, as it comes, to the end."""
    with open(said, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if not NOISE.match(line):
                print(line, end="", file=sys.stderr, flush=True)
