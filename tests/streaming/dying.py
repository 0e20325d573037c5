"""Processes of a stream that kill themselves with SIGKILL at a moment that a test chooses.

Nothing in streaming/ knows of this: what is patched is patched here, in the driver, and goes to the workers by value.
"""

import os
import signal
import threading
import time

from pyspark import cloudpickle

WORKER = 0
"""In place of the process group of a driver: only the worker that comes to the moment."""


def kill(group):
    """kill -9 of this worker, or of the driver with its JVM; nothing of this process goes on either."""
    if group != WORKER:
        os.killpg(group, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def once(marker):
    """True for the first process that asks."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def at_file(group, name, when, marker):
    """Kill where the sink, in a worker or the driver, writes a file whose path ends so: "before", "half" or "after"."""
    import streaming.sink

    before = getattr(streaming.files.write, "moments", ())
    moments = (*before, (group, name, when, marker))
    write_deadly(moments)

    def take_into_files(work, batches):
        from streaming import sink

        write_deadly(moments)
        yield from sink.take_into_files(work, batches)

    streaming.sink.take_into_files = take_into_files


def write_deadly(moments):
    """In this process files of the sink are written so that it comes to the moments."""
    from streaming import files

    write = getattr(files.write, "harmless", files.write)

    def deadly(folder, inner, content):
        for group, name, when, marker in moments:
            if f"{folder}/{inner}".endswith(name) and once(marker):
                if when == "half":
                    write(folder, f"{inner}.half.tmp", content[: len(content) // 2])
                elif when == "after":
                    write(folder, inner, content)
                kill(group)
        write(folder, inner, content)

    deadly.harmless, deadly.moments = write, moments
    files.write = deadly


def at_state(group, algorithm, batch, marker):
    """Kill where transformWithState has been given the new state of a bucket, and no results yet."""
    import streaming.processor

    real = streaming.processor.Bucket

    class Deadly(real):
        def take(self, bucket, packs, null_times, watermark):
            from pyspark import TaskContext

            number = TaskContext.get().getLocalProperty("streaming.sql.batchId")
            mine = self._aggregation.algorithm == algorithm and number == str(batch)
            for some in super().take(bucket, packs, null_times, watermark):
                if mine and once(marker):
                    kill(group)
                yield some

    streaming.processor.Bucket = Deadly


def at_path(group, path, marker):
    """Kill as soon as there is such a file."""

    def watch():
        while not os.path.exists(path):
            time.sleep(0.0005)
        once(marker)
        kill(group)

    threading.Thread(target=watch, daemon=True).start()


def by_value():
    """Have all of this sent to workers by value: they cannot import it."""
    from tests.streaming import dying

    cloudpickle.register_pickle_by_value(dying)
