"""Making small files and loading them as traces."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workloads import make


@pytest.fixture(scope="session")
def load():
    """load(path, time="t", value="v", **parameters): the trace of a file."""

    def loaded(path, time="t", value="v", **others):
        return make({"name": "file", "path": str(path), "time": time, "value": value, **others})

    return loaded


@pytest.fixture(scope="session")
def write():
    """write(folder, content, name="trips.csv"): the path of a new file with that text or those bytes."""

    def written(folder, content, name="trips.csv"):
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


@pytest.fixture(scope="session")
def table():
    """table(folder, **columns): the path of a new Parquet file with those columns."""

    def written(folder, **columns):
        path = folder / "trips.parquet"
        pq.write_table(pa.table(columns), path)
        return path

    return written
