"""experiment=make_workload killed by kill -9: what was made is kept, and what is made in the end is the same."""

import re
import subprocess
import sys

import pytest

from experiments.harness.executors.inline import Inline
from tests import HUNG, SOON, wait_for
from tests.faults.commands import ROOT, alive, children, environment, kill
from workloads import record_set, record_sets

pytestmark = pytest.mark.slow

SETTINGS = {"name": "debs12", "records": 8_000_000, "seed": 2}
CHUNKS = 31


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The record set that nobody stopped."""
    made, _ = record_set(SETTINGS)
    return record_sets.make(made, tmp_path_factory.mktemp("whole"), Inline().each)


def command(*more):
    given = [f"workload.{key}={value}" for key, value in SETTINGS.items() if key != "name"]
    return [sys.executable, str(ROOT / "run.py"), "experiment=make_workload", "workload=debs12", *given, *more]


@pytest.mark.parametrize("executor", ["inline", "all_cores"])
def test_a_maker_that_is_killed_goes_on_where_it_was(tmp_path, whole, executor):
    process = subprocess.Popen(
        command(f"executor={executor}"), cwd=tmp_path, env=environment(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    folder = tmp_path / "results" / "records" / whole.folder.name
    wait_for(lambda: len(list(folder.glob("*.parquet"))) >= 2)
    below = children(process.pid)
    kill(process)
    wait_for(lambda: not alive(below), SOON)
    there = {path.name for path in folder.glob("*.parquet")}
    assert not (folder / "manifest.json").exists()
    assert there <= {chunk.file for chunk in whole.chunks} and len(there) < CHUNKS
    again = subprocess.run(
        command("executor=inline"), cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=HUNG
    )
    assert again.returncode == 0, again.stderr
    assert re.search(rf"chunks: {CHUNKS - len(there)} made now, {len(there)} kept from earlier runs", again.stdout)
    assert record_sets.find(record_set(SETTINGS)[0], folder.parent).chunks == whole.chunks
    assert {path.name for path in folder.iterdir()} == {path.name for path in whole.folder.iterdir()}
