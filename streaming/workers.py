"""How work gets to the workers: where they find this project, and what it costs them to.

Spark pickles functions of a module by their name, and a worker that cannot import the module fails. PYTHONPATH would
have to be set before the JVM starts. So what is sent here is a small function pickled by value, which first makes the
project importable, from the folder where the driver has it, if the worker sees that folder; where it does not, the
project has to be installed there, or sent along with --py-files.
"""

import contextlib
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = str(Path(__file__).resolve().parent.parent)


def opener(content: Any) -> Callable[[], Any]:
    """A function, pickled by value, that gives the content on a worker. The content may hold functions of __main__."""
    from pyspark import cloudpickle

    root, pickled = ROOT, cloudpickle.dumps(content)

    def opened() -> Any:
        import os
        import pickle
        import sys

        if root not in sys.path and os.path.isdir(root):
            sys.path.insert(0, root)
        return pickle.loads(pickled)

    return opened


def mapped(df: Any, work: Callable[[Any, Iterator[Any]], Iterator[Any]], content: Any, schema: Any) -> Any:
    """The DataFrame of what work(content, batches) gives on the workers, with the columns of an Arrow schema."""
    from pyspark.sql.pandas.types import from_arrow_schema

    opened = opener((work, content))

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        work, content = opened()
        return work(content, batches)

    return df.mapInArrow(run, from_arrow_schema(schema))


def local_folder() -> str | None:
    """Where Spark wants a worker to keep what does not fit, and removes it; None: it does not say."""
    return os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or None


@contextlib.contextmanager
def without_pandas_warning() -> Iterator[None]:
    """PySpark warns at every use of pandas 3, which nobody can act on; what is used here works."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield
