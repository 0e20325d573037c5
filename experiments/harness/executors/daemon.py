"""The process from which a Spark on this machine forks its Python workers: PySpark's own, but with fewer collections.

After each task, a worker of PySpark collects garbage through all that its imports have left, which is never garbage,
and the next task waits for it: half of what Spark cost between two short measurements.

Spark runs this module because of its setting spark.python.daemon.module (see `shared`), which exists for such changes.
"""

from pyspark import daemon

_task = daemon.worker


def worker(*arguments: object) -> int:
    """PySpark's function of the same name, which does a task of a worker. Returns its exit code.

    Where Spark has what it wants it may close the socket before the worker's last flush. The worker ends then, as in
    PySpark, but without a traceback in the midst of the progress that a user reads.
    """
    try:
        return _task(*arguments)
    except BrokenPipeError:
        return 1
    finally:
        from streaming.workers import spare_modules  # in the worker: PyArrow, before the fork, would start threads

        spare_modules()


if __name__ == "__main__":
    daemon.worker = worker
    daemon.manager()
