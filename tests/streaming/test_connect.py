"""A session of Spark Connect takes what a classic session takes; what it cannot do is refused."""

import importlib.util
import subprocess
import sys

import pytest

from tests import HUNG
from tests.streaming import connected

pytestmark = pytest.mark.slow

MISSING = [name for name in ("grpc", "grpc_status", "zstandard") if importlib.util.find_spec(name) is None]


@pytest.mark.skipif(bool(MISSING), reason=f"without {', '.join(MISSING)} there is no Spark Connect: make connect")
def test_columns_fields_sql_and_streams_work_with_spark_connect(tmp_path):
    program = [sys.executable, connected.__file__, str(tmp_path)]
    done = subprocess.run(program, capture_output=True, text=True, cwd=tmp_path, timeout=HUNG)
    assert done.stdout.splitlines() == ["columns", "table function", "stream"], done.stderr[-5000:]
    assert done.returncode == 0
