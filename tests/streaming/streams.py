"""Four streams, of either path and of rows in order and out of order, run here or in a process that is to be killed.

    python streams.py FOLDER '["sink", "query"]' '[["path", "sink/checkpoint/offsets", 1, "driver"]]'

Below FOLDER each stream reads in_order/ or any_order/, and has a folder of its own. The moments at which processes kill
themselves are arguments of `deadly`.
"""

import os
import sys
from pathlib import Path

COLUMNS = "user string, ts timestamp, v double"
ARGUMENTS = {"key": "user", "time": "ts", "value": "v", "size": "4 seconds", "watermark": "3 seconds", "buckets": 3}
ARGUMENTS |= {"operator": {"total": "sum"}}
IN_ORDER = {"algorithm": "two_stacks_lite", "order": "refuse"}
STREAMS = {
    "query_in_order": {**IN_ORDER, "slide": "row"},
    "query": {"algorithm": "fiba", "slide": "1 second"},
    "sink_in_order": {**IN_ORDER, "slide": "1 second"},
    "sink": {"algorithm": "fiba", "slide": "1 second"},
}


def started(spark, folder, name, files=1):
    """The query of a stream, started: it goes through the files that are there, so many to a batch. And its sink."""
    from streaming import SlidingAggregateSink, sliding_aggregate

    rows = folder / ("in_order" if name.endswith("in_order") else "any_order")
    df = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", files).parquet(str(rows))
    if name.startswith("sink"):
        sink = SlidingAggregateSink(df, str(folder / name), **ARGUMENTS, **STREAMS[name])
        writer = sink.writer()
    else:
        out, sink = sliding_aggregate(df, **ARGUMENTS, **STREAMS[name]), None
        writer = out.writeStream.format("parquet").option("checkpointLocation", str(folder / name / "checkpoint"))
        writer = writer.option("path", str(folder / name / "results"))
    return writer.trigger(availableNow=True).start(), sink


def run(spark, folder, names, files=1):
    """Run streams, side by side, to the end of their files, and give out what the sinks still hold."""
    for query, sink in [started(spark, folder, name, files) for name in names]:
        query.awaitTermination()
        if sink is not None:
            sink.flush()


def done(folder, name):
    """The number of the last batch that Spark has noted as done; -1 before the first."""
    commits = (folder / name / "checkpoint" / "commits").glob("[0-9]*")
    return max((int(path.name) for path in commits), default=-1)


def deadly(folder, kind, where, ahead, victim, when=None):
    """Arrange for a kill -9 of a "worker" or the "driver" in the batch `ahead` of the last that the stream has done.

    kind    where, which begins with the name of the stream
    path    STREAM/FOLDER      as soon as a file called as the batch is in the folder
    file    STREAM/FILE        "before", "half" way or "after" the sink writes the file, {} in its name being the batch
    state   STREAM             when a worker has handed Spark the new state of a bucket, and no results yet
    """
    from tests.streaming import dying

    name, _, rest = where.partition("/")
    batch = done(folder, name) + ahead
    group = os.getpgrp() if victim == "driver" else dying.WORKER
    marker = str(folder / f"{victim} killed at {kind} {where.replace('/', ' ')} of {batch}")
    if kind == "path":
        dying.at_path(group, folder / where / str(batch), marker)
    elif kind == "file":
        dying.at_file(group, f"/{name}/{rest.format(batch)}", when, marker)
    else:
        dying.at_state(group, STREAMS[name]["algorithm"], batch, marker)


if __name__ == "__main__":
    import json

    from tests.streaming import conftest, dying

    dying.by_value()
    folder = Path(sys.argv[1])
    for moment in json.loads(sys.argv[3]):
        deadly(folder, *moment)
    with conftest.session("local[2,4]") as spark:
        run(spark, folder, json.loads(sys.argv[2]))
