"""A copy of the project with an algorithm more: found by itself, caught when wrong, measured again when changed."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from experiments.harness.executors import shipping
from experiments.harness.provenance import ROOT
from tests.faults.commands import environment

pytestmark = pytest.mark.slow

GIVEN = ["experiment=fiba_ooo", "profile=smoke", "executor=inline", "window=16", "distances=[0]", "operators=[sum]",
         "profile.repetitions=2"]  # fmt: skip


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copy")
    for package in (*shipping.PACKAGES, "plots", "conf", "hydra_plugins"):
        ignored = shutil.ignore_patterns("__pycache__", "data", "figures")
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
    shutil.copy(ROOT / "run.py", folder)
    source = (folder / "algorithms/windows/in_order/two_stacks_lite.py").read_text()
    assert source.count('name="two_stacks_lite"') == 1
    mine = folder / "algorithms/windows/in_order/mine.py"
    mine.write_text(source.replace('name="two_stacks_lite"', 'name="mine"'))
    return folder


def run(folder, *more):
    asked = [sys.executable, "run.py", *GIVEN, *more]
    return subprocess.run(asked, cwd=folder, env=environment(PYTHONPATH=""), capture_output=True, text=True)


def counts(done):
    line = next(line for line in done.stdout.splitlines() if "measured now" in line)
    return [int(word) for word in line.replace(",", "").split() if word.isdigit()]


def test_an_added_algorithm_is_found_caught_when_wrong_and_measured_anew_when_mended(copy):
    mine = copy / "algorithms/windows/in_order/mine.py"
    good = mine.read_text()
    first = run(copy, "algorithms=[recalc,two_stacks_lite]")
    assert (first.returncode, counts(first)) == (0, [4, 0]), first.stderr

    mine.write_text(good + WRONG)
    wrong = run(copy, "algorithms=[recalc,two_stacks_lite,mine]")
    assert (wrong.returncode, counts(wrong)) == (1, [2, 4]), wrong.stderr
    said = " ".join(wrong.stdout.split())
    assert "disagrees (2): mine: the answers of mine sum n=16 d=0 sum to" in said

    mine.write_text(good)
    mended = run(copy, "algorithms=[recalc,two_stacks_lite,mine]")
    assert (mended.returncode, counts(mended)) == (0, [2, 4]), mended.stderr
    assert "disagrees" not in mended.stdout

    again = run(copy, "algorithms=[recalc,two_stacks_lite,mine]")
    assert (again.returncode, counts(again)) == (0, [0, 6])

    used = copy / "algorithms/windows/contract.py"
    used.write_text(used.read_text() + "\n")
    changed = run(copy, "algorithms=[recalc,two_stacks_lite,mine]")
    assert (changed.returncode, counts(changed)) == (0, [6, 0])


WRONG = """

from algorithms.windows.contract import query, size


@query.of(CARD.window)
def _(w):
    return size(w)
"""


@pytest.mark.thorough
def test_a_wrong_algorithm_measured_first_does_not_spoil_the_others_for_good(copy, tmp_path):
    where = [f"results={tmp_path}/data", f"figure_folder={tmp_path}/figures"]
    mine = copy / "algorithms/windows/in_order/mine.py"
    good = mine.read_text()
    mine.write_text(good + WRONG)
    alone = run(copy, "algorithms=[mine]", *where)
    assert alone.returncode == 0  # nobody to disagree with
    both = run(copy, "algorithms=[mine,recalc]", *where)
    assert both.returncode == 1 and "disagrees (2): recalc: the answers of recalc" in " ".join(both.stdout.split())
    mine.write_text(good)
    mended = run(copy, "algorithms=[mine,recalc]", *where)
    assert (mended.returncode, counts(mended)) == (0, [4, 0]), mended.stderr


def test_a_file_that_changes_is_another_trace(tmp_path):
    trips = tmp_path / "trips.csv"
    trips.write_text("time,fare\n" + "".join(f"{(i * 7) % 50 + i},{i}\n" for i in range(400)))
    given = ["experiment=fiba_ooo", "profile=smoke", "executor=inline", "operators=[max]", "algorithms=[fiba,recalc]",
             "workload=file", "workload.path=trips.csv", "workload.time=time", "workload.value=fare",
             "window=20", "profile.repetitions=2"]  # fmt: skip

    def measured():
        asked = [sys.executable, str(ROOT / "run.py"), *given]
        return subprocess.run(asked, cwd=tmp_path, env=environment(), capture_output=True, text=True)

    first = measured()
    assert (first.returncode, counts(first)) == (0, [4, 0]), first.stderr
    assert counts(measured()) == [0, 4]
    with open(trips, "a") as file:
        file.write("1000,5\n")
    assert counts(measured()) == [4, 0]
    sidecar = json.loads(next((tmp_path / "results/figures").glob("*.json")).read_text())
    assert len(sidecar["trace_hashes"]) == 1
    assert sorted(os.listdir(tmp_path)) == ["results", "trips.csv"]
