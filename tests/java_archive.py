"""An archive of Spark's Java classes, with which each of the many JVMs of the tests starts in half the time.

Measured with Java 17 on two cores: a session with a first query takes 4.8 s of wall time with it and 9.5 s without. The
archive is made once for an environment, beside the first tests, and kept with the compiled kernels. A JVM that cannot
use it, because it is another Java or the archive is not there yet, starts as ever.

Run as a program it makes the archive: a JVM that has run a streaming query writes it as it ends.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyspark

from safeguards.files import cache_folder

NEEDED_BY = {"spark", "streaming", "launcher"}
"""Folders of the tests that start Spark more than once."""

SMALL = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For JVMs that live for seconds: the quick compiler only, and one thread that collects garbage."""

TO_STDERR = "-Xlog:disable -Xlog:all=warning:stderr"
"""A JVM warns on its standard output, where a test looks for what its program printed."""


def path() -> Path:
    """The archive of this Spark, as it was installed in this environment, with the Java that is found first.

    A JVM refuses an archive of jars that are newer, so an environment that was made anew has another.
    """
    java = os.environ.get("JAVA_HOME") or os.path.realpath(shutil.which("java") or "")
    environment = hashlib.sha256(f"{java} {pyspark.__version__} {pyspark.__file__}".encode()).hexdigest()[:16]
    installed = (Path(pyspark.__file__).parent / "jars").stat().st_mtime_ns
    return cache_folder() / f"spark-classes-{environment}-{installed}.jsa"


def use(options: str) -> None:
    """Have the JVMs that this process and its children start run with these options, before those of a session."""
    options = f"{SMALL} {TO_STDERR} {options}"
    each = (f'--conf "spark.{part}.defaultJavaOptions={options}"' for part in ("driver", "executor"))
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"{' '.join(each)} pyspark-shell"


@contextlib.contextmanager
def used(folders: set[str]) -> Iterator[None]:
    """Use the archive; and make it beside the tests, if one of a test's folders needs it and there is none."""
    use(f"-XX:SharedArchiveFile={path()}")
    wanted = bool(folders & NEEDED_BY and shutil.which("java") and not path().exists())
    quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    maker = subprocess.Popen([sys.executable, "-m", "tests.java_archive"], **quiet) if wanted else None
    yield
    if maker:
        maker.terminate()
        maker.wait()


@contextlib.contextmanager
def alone() -> Iterator[bool]:
    """True for one process at a time; the others need not wait."""
    with open(path().with_suffix(".lock"), "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield not path().exists()


def make() -> None:
    from tests import one_spark
    from tests.streaming import conftest, made, streams

    with tempfile.TemporaryDirectory(dir=path().parent) as folder:
        work, archive = Path(folder), Path(folder) / "classes.jsa"
        use(f"-XX:ArchiveClassesAtExit={archive}")
        spark = one_spark.of("archive", lambda: conftest.session("local[1]"))
        made.write(work / "any_order", 0, made.rows(9, ["a"], spread=9, disorder=2, seed=1))
        streams.run(spark, work, ["query"])
        spark.read.parquet(str(work / "query" / "results")).groupBy("user").count().collect()
        one_spark.end()
        for older in path().parent.glob(f"{path().stem.rpartition('-')[0]}-*.jsa"):
            older.unlink()
        archive.replace(path())


if __name__ == "__main__":
    path().parent.mkdir(parents=True, exist_ok=True)
    with alone() as mine:
        if mine:
            make()
