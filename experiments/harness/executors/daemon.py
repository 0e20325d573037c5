"""The process from which a Spark on this machine forks its Python workers: PySpark's, and it spares the collector.

After each task, a worker of PySpark collects garbage through all that its imports have left, which is never garbage,
and the next task waits for it: with Numba and pandas that was half of what Spark cost between two short measurements.

Spark runs this module because of its setting spark.python.daemon.module (see `shared`), which exists for such changes.
"""

import gc
import sys

from pyspark import daemon

_tasks_of_pyspark = daemon.worker
_modules_spared = 0


def worker(*arguments: object) -> int:
    """PySpark's function of the same name: one task of a worker."""
    try:
        return _tasks_of_pyspark(*arguments)
    finally:
        _spare_the_collector()


def _spare_the_collector() -> None:
    """Keep what is there, when there are new modules, out of all later collections."""
    global _modules_spared
    if len(sys.modules) > _modules_spared:
        gc.collect()
        gc.freeze()
        _modules_spared = len(sys.modules)


if __name__ == "__main__":
    daemon.worker = worker
    daemon.manager()
