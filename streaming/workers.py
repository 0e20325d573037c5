"""How work gets to the workers, and where they find this project.

Spark pickles functions of a module by name, and a worker that cannot import the module fails. PYTHONPATH would have to
be set before the JVM starts. So the worker gets a small function pickled by value, which first makes the project
importable from the driver's folder, if the worker can see that folder. If it cannot, the project must be installed
there, or sent along with --py-files.
"""

import contextlib
import gc
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = str(Path(__file__).resolve().parents[__name__.count(".")])
"""The folder from which the package that this module is in can be imported."""


def opener(content: Any) -> Callable[[], Any]:
    """A function, pickled by value, that returns the content on a worker. It may contain functions of __main__."""
    from pyspark import cloudpickle

    root, pickled = ROOT, cloudpickle.dumps(content)

    def opened() -> Any:
        import os
        import pickle
        import sys

        if root not in sys.path and os.path.isdir(root):
            sys.path.insert(0, root)
        return pickle.loads(pickled)  # noqa: S301 - what the driver sent through Spark

    return opened


def mapped(df: Any, work: Callable[[Any, Iterator[Any]], Iterator[Any]], content: Any, schema: Any) -> Any:
    """The DataFrame that work(content, batches) yields on the workers, with the columns of an Arrow schema."""
    from pyspark.sql.pandas.types import from_arrow_schema

    opened = opener((work, content))

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        work, content = opened()
        yield from work(content, batches)
        from streaming.workers import spare_modules

        spare_modules()

    return df.mapInArrow(run, from_arrow_schema(schema))


_modules = 0
"""How many modules there were when this process last spared them."""


def spare_modules() -> None:
    """Keep what modules hold out of garbage collections. To be called at the end of a task.

    PySpark's daemon has each worker collect all garbage after every task. With NumPy, pandas and Numba loaded that is
    some 80 ms of processor time, of tasks that need 5 to 30; so frozen, some 3 ms. What is frozen is freed with its
    last reference, but not collected: therefore only after a task that has imported more, and not after each.
    """
    global _modules
    if len(sys.modules) > _modules:
        gc.freeze()
        _modules = len(sys.modules)


def local_folder() -> str | None:
    """The folder for a worker's temporary files, which Spark removes; None if Spark does not name one."""
    return os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or None


@contextlib.contextmanager
def without_pandas_warning() -> Iterator[None]:
    """PySpark warns at every use of pandas 3. Nobody can act on that, and everything used here works."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield
