"""Where a number came from: the sources of the code hash, in an own copy of some of them."""

import shutil
import subprocess
import sys

from experiments.harness import provenance

FIBA = ("algorithms.windows.out_of_order.fiba", "experiments.harness.measuring.rounds")


def hash_in(folder, *modules, **changes):
    code = f"from experiments.harness import provenance; print(provenance.code_hash(*{modules!r}))"
    asked = [sys.executable, "-c", code]
    return subprocess.run(asked, cwd=folder, env=changes, capture_output=True, text=True, check=True).stdout


def test_the_sources_are_those_that_the_code_consists_of():
    files = {path.relative_to(provenance.ROOT).as_posix() for path in provenance.sources(FIBA)}
    assert {
        "algorithms/kernel.py",
        "algorithms/windows/contract.py",
        "experiments/harness/measuring/drivers.py",
        "experiments/harness/measuring/rounds.py",
    } <= files
    unused = {"algorithms/windows/in_order/recalc.py", "run.py", "experiments/harness/engine.py"}
    assert not unused & files


def test_an_edit_of_any_source_changes_the_hash_and_of_any_other_does_not(tmp_path):
    for package in ("algorithms", "experiments", "results", "workloads"):
        shutil.copytree(
            provenance.ROOT / package,
            tmp_path / package,
            ignore=shutil.ignore_patterns("__pycache__", "data", "published"),
        )
    modules = FIBA[:1]
    before = hash_in(tmp_path, *modules)
    assert hash_in(tmp_path, *modules) == before
    other = tmp_path / "algorithms" / "windows" / "in_order" / "recalc.py"
    other.write_text(other.read_text() + "\n")
    assert hash_in(tmp_path, *modules) == before
    used = tmp_path / "algorithms" / "kernel.py"
    used.write_text(used.read_text() + "\n")
    assert hash_in(tmp_path, *modules) != before


def test_plain_and_checked_kernels_are_other_code():
    hashes = {
        hash_in(provenance.ROOT, *FIBA),
        hash_in(provenance.ROOT, *FIBA, NUMBA_DISABLE_JIT="1"),
        hash_in(provenance.ROOT, *FIBA, SLOTS_CHECKED="1"),
    }
    assert len(hashes) == 3
