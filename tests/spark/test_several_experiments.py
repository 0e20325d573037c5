"""experiment=all on Spark: one session for all that follow each other on it."""

import subprocess
import sys

import pytest

from tests import HUNG
from tests.faults.commands import ROOT, environment

pytestmark = pytest.mark.slow

CHOSEN = ("fiba_walkthrough", "in_order_walkthrough", "mta_walkthrough")


def test_spark_starts_once(tmp_path):
    given = ["experiment=all", f"only=[{','.join(CHOSEN)}]", "executor=spark", "profile=smoke"]
    answer = subprocess.run(
        [sys.executable, str(ROOT / "run.py"), *given, "results=data", "figure_folder=figures"],
        capture_output=True, text=True, env=environment(), cwd=tmp_path, timeout=HUNG,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    for name in CHOSEN:
        assert (tmp_path / "data" / name / "rows.parquet").is_file()
    assert answer.stderr.count("starting Spark\n") == 1, answer.stderr
