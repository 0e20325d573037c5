"""The Spark session of a measuring process: with the cores that a cell asks for, and options as users have them.

Cells that measure Spark run in the worker process of the executor `inline`, which has no session of its own. The first
of them starts one, which is kept for the next; a cell that asks for other cores replaces it. There is one at a time:
two would compete for the cores that are measured.
"""

import contextlib
import os
from pathlib import Path
from typing import Any

from experiments.harness.cell import Cell
from experiments.harness.executors import session as sessions
from experiments.spark.measuring import standalone
from experiments.spark.measuring.ways import PARTITIONS

EMBEDDED = {"1": "local[1]", "2": "local[2]"}
"""Masters by the cores that they have."""

CLUSTER = "1+1"
"""The cores of a standalone cluster of two workers on loopback."""

CORES = (*EMBEDDED, CLUSTER)

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
"""The option that names the store in which queries keep their state."""

OPTIONS = {
    # Spark's defaults: jobs of one row gain nothing from the first two, and switch them off, but whole queries gain.
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.adaptive.enabled": "true",
    "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={sessions.LOGGING.as_uri()}",
    "spark.driver.memory": "2g",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": str(PARTITIONS),
    # With a limit, Spark checks the size of a batch for Python after every row: half of its time (docs/streaming.md).
    "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
    PROVIDER: "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
}
"""On top of those of executors.session. Shuffles have at most as many partitions as there are cores: Spark's default of
200 would cost every query, with our operator or with Spark's own, a second a trigger."""

_kept: dict[str, Any] = {}
_open = contextlib.ExitStack()


def cores_of(cell: Cell) -> str:
    """The cores that the cell's parameters ask for; empty if they leave it open."""
    return str(cell.parameters.get("cores", ""))


def window_of(cell: Cell) -> tuple[str, ...]:
    """The window of the catalogue that aggregates in Spark, if one does."""
    return (cell.parameters["window"],) if "window" in cell.parameters else ()


def session_for(cell: Cell) -> Any:
    """The session with the cores that the cell's parameters ask for: "1", "2" (unless they say) or "1+1".

    Raises ValueError for others, and ExecutorError if Spark cannot start. Ends the process if Spark has died: a process
    has only one JVM, and the executor starts another process for the next cell.
    """
    cores = cell.parameters.get("cores", "2")
    if cores not in CORES:
        raise ValueError(f"cores is {cores!r}; it must be one of {', '.join(CORES)}")
    if cores not in _kept:
        close()
        master = EMBEDDED.get(cores) or _open.enter_context(standalone.address())
        session, _ = sessions.start({"master": master, "options": OPTIONS})
        _open.callback(session.stop)
        _kept[cores] = session
    try:
        _kept[cores].range(1).count()
    except Exception as error:  # whatever Py4J raises for a JVM that is gone, or Spark for a context that has stopped
        raise SystemExit(f"Spark does not answer: {sessions.first_line(error)}") from error
    return _kept[cores]


def processor_times() -> dict[str, int]:
    """Ticks of processor time of this process and of all that it has started: the JVM and Spark's Python workers.

    They are the processes of its session, since the executor gives each worker one of its own. One that has ended
    counts with the process that has waited for it. Empty where the system does not tell.
    """
    ticks, session = {}, os.getsid(0)
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                ticks[path.parent.name] = sum(map(int, fields[11:15]))
    return ticks


def processor_seconds_since(before: dict[str, int]) -> float:
    """Seconds of processor time since then, of the processes that are still there."""
    return processor_seconds_between(before, processor_times())


def processor_seconds_between(before: dict[str, int], after: dict[str, int]) -> float:
    """Seconds of processor time between two moments, of the processes that were there at the second."""
    grown = (max(0, ticks - before.get(number, 0)) for number, ticks in after.items())
    return sum(grown) / os.sysconf("SC_CLK_TCK")


def shuffled_bytes(session: Any) -> dict[int, int]:
    """Bytes that each stage of the session has written for shuffles, by Spark's own count; it knows the last 1,000."""
    gateway, store = session.sparkContext._gateway, session.sparkContext._jsc.sc().statusStore()
    nothing, no_quantiles = gateway.jvm.java.util.ArrayList(), gateway.new_array(gateway.jvm.double, 0)
    stages = store.stageList(nothing, False, False, no_quantiles, nothing)
    each = map(stages.apply, range(stages.size()))
    return {stage.stageId(): stage.shuffleWriteBytes() for stage in each}


def shuffled_since(session: Any, before: dict[int, int]) -> int:
    """Bytes written for shuffles by the stages that there were not before."""
    return sum(number for stage, number in shuffled_bytes(session).items() if stage not in before)


def close() -> None:
    """Stop the session that is kept, if there is one, and the cluster that it is on."""
    _kept.clear()
    _open.close()
