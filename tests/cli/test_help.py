"""The page of --help: quick, since nothing heavy is imported, and with everything that there is."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.harness.cli import help_text

pytestmark = pytest.mark.smoke

ROOT = Path(__file__).parent.parent.parent


def test_help_imports_nothing_heavy():
    asked = [sys.executable, "-X", "importtime", str(ROOT / "run.py"), "--help"]
    done = subprocess.run(asked, capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout.startswith("Sliding-window aggregation")
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "hydra" in imported
    assert not imported & {"numba", "numpy", "pandas", "pyspark", "pyarrow", "matplotlib", "rich"}


def test_a_python_without_the_packages_says_which_one_has_them():
    asked = [sys.executable, "-S", str(ROOT / "run.py"), "experiment=fiba_ooo"]
    done = subprocess.run(asked, capture_output=True, text=True)
    assert done.returncode == 2 and not done.stdout
    assert re.fullmatch(r"error: .+ has no hydra, .*: take .venv/bin/python, which `make venv` makes\n", done.stderr)


def test_help_names_every_choice_and_every_setting(run_py):
    answer = run_py("--help")
    assert answer.code == 0
    for group in help_text.groups():
        for name in help_text.names(group):
            assert name in answer.out
    for name in help_text.measured():
        assert f"  {name:<19} {help_text.about('experiment', name)}" in answer.out
    for setting in ("window=null", "distances=null", "force=false", "results=results/data", "action=run"):
        assert setting in answer.out


@pytest.mark.parametrize("name", help_text.names("workload"))
def test_help_says_what_the_parameters_of_a_workload_mean(run_py, name):
    said = run_py("--help", f"workload={name}").out.partition(f"Settings of workload={name}")[2].partition("Other")[0]
    lines = said.splitlines()
    for parameter, default in help_text.parameters(name).defaults.items():
        shown = parameter + "=" + json.dumps(default).strip('"')
        [meaning] = [line.removeprefix(f"  {shown}") for line in lines if line.startswith(f"  {shown} ")]
        assert len(meaning.strip()) > 10, shown


def test_every_file_of_settings_begins_with_what_it_is():
    for group in help_text.groups():
        for name in help_text.names(group):
            assert len(help_text.about(group, name)) > 10, f"{group}/{name}"


def test_the_command_line_stays_small():
    assert len((ROOT / "run.py").read_text().splitlines()) < 70
