"""The wheel, installed into an empty folder: one package, in which the README's examples and a Spark job run."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests import HUNG

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT))
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A folder with nothing but the wheel's content."""
    folder = tmp_path_factory.mktemp("installed")
    pip("install", "--target", str(folder), str(wheel))
    return folder


def pip(command, *arguments):
    quiet = ["--quiet", "--no-deps", "--disable-pip-version-check", "--no-index"]
    subprocess.run([sys.executable, "-m", "pip", command, *quiet, *arguments], check=True, timeout=HUNG)


def run(installed, folder, source):
    """What a program prints that finds the library in that folder, and the checkout nowhere."""
    program = folder / "program.py"
    program.write_text(source, encoding="utf-8")
    of_library = {"PYTHONPATH": str(installed), "NUMBA_CACHE_DIR": f"{installed}-kernels"}
    environment = {**os.environ, **of_library, "PYSPARK_PYTHON": sys.executable}
    command = [sys.executable, "-P", str(program)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=HUNG)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_has_one_package_and_everything_that_it_imports(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0].split("-")[0] for name in names} == {"sliding_windows"}
    assert {"sliding_windows/py.typed", "sliding_windows/algorithms/windows/choosing/costs.json"} <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    for name in names:
        if name.endswith(".py"):
            source = zipfile.ZipFile(wheel).read(name).decode()
            assert not re.search(r"^\s*(from|import) (algorithms|safeguards|streaming)\b", source, re.M), name


@pytest.mark.parametrize("page", ["README.md", pytest.param("docs/library.md", marks=pytest.mark.thorough)])
def test_examples_run_without_the_checkout(installed, tmp_path, page):
    text = (ROOT / page).read_text(encoding="utf-8")
    (tmp_path / "examples.md").write_text(text.replace("from algorithms import", "from sliding_windows import"))
    printed = run(
        installed,
        tmp_path,
        """
import doctest, importlib.util, sliding_windows
assert importlib.util.find_spec("algorithms") is None and sliding_windows.__version__
failed, tried = doctest.testfile("examples.md", module_relative=False)
print(failed, tried)
""",
    )
    failed, tried = map(int, printed.split())
    assert failed == 0 and tried >= 15


def test_compiled_kernels_are_found_by_the_next_process(installed, tmp_path):
    source = """
from sliding_windows import window
w = window("two_stacks_lite", operator="max", capacity=8)
w.insert(1, 2.5)
print(w.query())
"""
    folder = Path(f"{installed}-kernels")
    assert run(installed, tmp_path, source) == "2.5\n"
    kernels = {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")}
    assert kernels
    assert run(installed, tmp_path, source) == "2.5\n"
    assert kernels == {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")}


@pytest.mark.thorough
def test_a_spark_job_runs_without_the_checkout(installed, tmp_path):
    printed = run(
        installed,
        tmp_path,
        """
import datetime
from pyspark.sql import SparkSession
from sliding_windows.spark import register, sliding_aggregate

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", False).getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
start = datetime.datetime(2024, 5, 1)
rows = [("a", start + datetime.timedelta(minutes=i), float(v)) for i, v in enumerate([3, 8, 2, 5])]
df = spark.createDataFrame(rows, "user string, ts timestamp, len double")
got = sliding_aggregate(df, key="user", time="ts", value="len", size="2 minutes", slide="row", operator="max")
print(sorted(row["max"] for row in got.collect()))
register(spark)
df.createOrReplaceTempView("calls")
print(spark.sql("SELECT count(*) AS n FROM sliding_aggregate(TABLE(calls), key => 'user', time => 'ts', "
                "value => 'len', size => '2 minutes', slide => '1 minute', operator => 'max')").first().n)
""",
    )
    assert printed.splitlines() == ["[3.0, 5.0, 8.0, 8.0]", "5"]
