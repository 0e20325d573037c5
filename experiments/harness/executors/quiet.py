"""The JVM of an embedded Spark, without the lines that it and PySpark print at every start and that help nobody.

Log levels do not silence them: they go to the JVM's standard error before logging is set up, or past it.
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
"""Seconds for the last lines of a JVM that does not start."""


def start_jvm(options: Mapping[str, str]) -> None:
    """Start the JVM for the next session of this process, unless there is one; its other lines go to stderr."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is None:
        conf = SparkConf(loadDefaults=False).setAll(list(options.items()))
        read_end, write_end = os.pipe()
        reader = threading.Thread(target=_pass_on, args=(read_end,), daemon=True)
        reader.start()  # before the JVM, whose reason not to start comes this way, too
        try:
            gateway = launch_gateway(conf, {"stderr": write_end})
        except BaseException:
            os.close(write_end)
            reader.join(WAIT)
            raise
        os.close(write_end)
        SparkContext._ensure_initialized(gateway=gateway)


def _pass_on(read_end: int) -> None:
    """Print the lines that are not noise as they come, to the end."""
    with open(read_end, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if not NOISE.match(line):
                print(line, end="", file=sys.stderr, flush=True)
