"""Jobs that spark-submit sends to a cluster, with the project as docs/cluster.md says: as a zip, and installed."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pyspark
import pytest

from tests import HUNG
from tests.launcher.conftest import PLAIN, ROOT
from tests.test_wheel import pip

pytestmark = pytest.mark.slow

JOB = """
from pyspark.sql import SparkSession
from PACKAGE import sliding_aggregate

spark = SparkSession.builder.config("spark.sql.shuffle.partitions", 2).getOrCreate()
rows = spark.range(99).selectExpr("id % 3 AS user", "id AS t", "cast(id AS double) AS v").repartition(4)
sums = sliding_aggregate(rows, key="user", time="t", value="v", size=10, slide=5, operator="sum")
print("answer:", sums.agg({"sum": "sum"}).first()[0], sums.select("user").distinct().count())
"""


@pytest.fixture
def submitted(cluster, tmp_path):
    """A function that sends the job to the cluster from a folder without the project, and gives what it prints."""

    def submit(package: str, *options: str, **variables: str) -> str:
        (tmp_path / "job.py").write_text(JOB.replace("PACKAGE", package))
        program = Path(pyspark.__file__).parent / "bin" / "spark-submit"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK", "PYTHONPATH"))}
        here = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
        done = subprocess.run(
            [str(program), "--master", cluster.master, "--conf", "spark.ui.enabled=false", *options, "job.py"],
            cwd=tmp_path,
            env={**kept, **PLAIN, **here, **variables},
            capture_output=True,
            text=True,
            timeout=HUNG,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    return submit


def test_a_zip_of_the_sources_is_enough(submitted, tmp_path):
    with zipfile.ZipFile(tmp_path / "project.zip", "w") as made:
        for folder in ("algorithms", "safeguards", "streaming"):
            for path in (ROOT / folder).rglob("*"):
                if path.suffix in (".py", ".json", ".yaml"):
                    made.write(path, path.relative_to(ROOT))
    assert "answer: 9702.0 3" in submitted("streaming", "--py-files", "project.zip")


@pytest.mark.thorough  # tests/test_wheel.py installs it, too
def test_so_is_the_installed_package(submitted, tmp_path):
    where = str(tmp_path / "installed")
    pip("install", "--no-build-isolation", "--target", where, str(ROOT))
    options = ("--conf", f"spark.executorEnv.PYTHONPATH={where}")
    assert "answer: 9702.0 3" in submitted("sliding_windows.spark", *options, PYTHONPATH=where)
