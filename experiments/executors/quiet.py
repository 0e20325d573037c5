"""The JVM of an embedded Spark, without what it and PySpark say on every start and nobody can act on.

Log levels do not reach these lines: they go to the JVM's standard error before logging is set up, or beside it.
"""

import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import IO

NOISE = re.compile(
    r"WARNING: Using incubator modules: jdk\.incubator\.vector$"
    r"|Setting default log level to "
    r"|To adjust logging level use "
    r"|(Starting )?Streaming TransformWithStateInPandas Python worker\b"
    r"|$"
)


def start_jvm(options: Mapping[str, str]) -> None:
    """Start the JVM that the next session of this process will use, unless there is one; the rest it says to stderr."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is None:
        conf = SparkConf(loadDefaults=False).setAll(list(options.items()))
        gateway = launch_gateway(conf, {"stderr": subprocess.PIPE, "encoding": "utf-8", "errors": "replace"})
        threading.Thread(target=_pass_on, args=(gateway.proc.stderr,), daemon=True).start()
        SparkContext._ensure_initialized(gateway=gateway)


def _pass_on(lines: IO[str]) -> None:
    """What is not noise, as it comes, to the end."""
    for line in lines:
        if not NOISE.match(line):
            print(line, end="", file=sys.stderr, flush=True)
