"""Wrong input: one or two lines that say what would be right, exit code 2, no traceback, nothing written."""

import os
import re

import pytest

from experiments.harness.cli import arguments

pytestmark = pytest.mark.smoke

FIBA = "experiment=fiba_ooo"
ON_SPARK = ("-m", "hydra/launcher=spark", FIBA)

WRONG = [
    (["experiment=fiba_oo"], "unknown experiment 'fiba_oo'; did you mean fiba_ooo"),
    ([FIBA, "workload=flighs"], "unknown workload 'flighs'; did you mean flights?"),
    ([FIBA, "profile=smok"], "unknown profile 'smok'; did you mean smoke?"),
    ([FIBA, "executor=inlin"], "unknown executor 'inlin'; did you mean inline?"),
    ([FIBA, "operators=[summ]"], "unknown operator 'summ'; did you mean sum?"),
    ([FIBA, "algorithms=[fibba]"], "unknown algorithm 'fibba'; did you mean fiba or fiba_folds?"),
    ([FIBA, "algorithms=[{name: fiba, minarity: 3}]"], "unknown parameter of fiba 'minarity'; did you mean min_arity?"),
    ([FIBA, "algorithms=[{name: fiba, min_arity: 1}]"], "min_arity must be a whole number of at least 2, not 1"),
    ([FIBA, "algorithms=[{name: fiba, min_arity: x}]"], "min_arity must be a whole number of at least 2, not 'x'"),
    ([FIBA, "windw=3"], "unknown setting 'windw'; did you mean window?"),
    ([FIBA, "+windw=3"], "unknown setting 'windw'; did you mean window?"),
    (["experimnt=fiba_ooo"], "unknown setting 'experimnt'; did you mean experiment?"),
    ([FIBA, "workloads=flights"], "unknown setting 'workloads'; did you mean workload?"),
    ([FIBA, "profile.repetition=3"], "unknown setting 'profile.repetition'; did you mean profile.repetitions"),
    ([FIBA, "executor=inline", "executor.master=yarn"], "unknown setting 'executor.master'"),
    (
        [FIBA, "results.root=here"],
        "results has one value, and no settings of its own: give results=..., not results.root",
    ),
    ([FIBA, "window=abc"], "window is 'abc'; it must be a whole number of at least 1"),
    ([FIBA, "window=-5"], "window is -5; it must be a whole number of at least 1"),
    ([FIBA, "window=0"], "window is 0; it must be a whole number of at least 1"),
    ([FIBA, "window=1.5"], "window is 1.5; it must be a whole number of at least 1"),
    ([FIBA, "window=true"], "window is True; it must be a whole number of at least 1"),
    ([FIBA, f"window={10**30}"], "it must be at most 2^62"),
    ([FIBA, "distances=5.5"], "distances is 5.5; it must be a list of whole numbers"),
    ([FIBA, "distances=[]"], "distances is []; it must be a list of whole numbers"),
    ([FIBA, "distances=[-1]"], "distances[0] is -1; it must be a whole number of at least 0"),
    ([FIBA, "distances=[0,a]"], "distances[1] is 'a'; it must be a whole number of at least 0"),
    ([FIBA, "window=16", "distances=[17]"], "distances has 17; in a window of 16 items it is at most 16"),
    ([FIBA, "operators=summ"], "unknown operator 'summ'; did you mean sum"),
    ([FIBA, "operators=[]"], "operators is []; it must be a name or a list of names"),
    ([FIBA, "operators=[3]"], "operators has 3; an operator is given by its name"),
    ([FIBA, "algorithms=[]"], "algorithms is []; it must be a name or a list of names"),
    ([FIBA, "algorithms={name: fiba}"], "algorithms is {name: fiba}; it must be a list: algorithms=[{name: fiba}]"),
    ([FIBA, "profile=[smoke,laptop]"], "profile is [smoke,laptop]; it must be one name, such as profile=laptop"),
    ([FIBA, "executor={name: inline}"], "executor is {name: inline}; it must be one name, such as executor="),
    ([FIBA, "workload=3"], "workload is 3; it must be one name, such as workload="),
    (["experiment=[fiba_ooo]"], "experiment is [fiba_ooo]; it must be one name, such as experiment="),
    ([FIBA, "algorithms=[3]"], "algorithms has 3; an algorithm is a name or {name: fiba, min_arity: 4}"),
    ([FIBA, "profile.repetitions=0"], "profile.repetitions is 0; it must be a whole number of at least 1"),
    ([FIBA, "profile.minimum_ms=0"], "profile.minimum_ms is 0; it must be a number above 0"),
    ([FIBA, "profile.timeout=1.5"], "profile.timeout is 1.5; it must be a whole number of at least 1"),
    ([FIBA, "seed=x"], "seed is 'x'; it must be a whole number of at least 0"),
    ([FIBA, "force=3"], "force is 3; it must be true or false"),
    ([FIBA, "results=3"], "results is 3; it must be the path of a folder"),
    ([FIBA, "workload=file"], "workload=file needs workload.path and workload.time: give workload.path=... workload"),
    ([FIBA, "workload=file", "workload.path=no.csv", "workload.time=a"], "no.csv does not exist"),
    ([FIBA, "workload=flights", "workload.order=dep"], "unknown order 'dep'"),
    ([FIBA, "window=100000000000"], "GiB for 100,000,000,001 entries; this machine has"),
    ([FIBA, "executor.master=bogus"], "executor.master is 'bogus'; it must be such as local[1] or spark://host:7077"),
    ([FIBA, "executor.options=3"], "executor.options is 3; it must be a mapping"),
    (
        ["experiment=ra_cost", "profile=smoke", "sizes.smoke.windows=abc"],
        "sizes.windows is 'abc'; it must be a list of",
    ),
    (
        ["experiment=fiba_latency", "profile=smoke", "sizes.smoke.window=abc"],
        "sizes.window is 'abc'; it must be a whole",
    ),
    ([FIBA, "~profile"], "the setting profile is missing: it cannot be left out"),
    ([FIBA, "~algorithms"], "the setting algorithms is missing: it cannot be left out"),
    ([FIBA, "~profile.timeout"], "the setting of profile timeout is missing: it cannot be left out"),
    ([FIBA, "profile.timeout=1000000000"], "profile.timeout is 1000000000; it must be at most 100,000,000 seconds"),
    (["action=workload", "window=abc"], "window is 'abc'; it must be a whole number of at least 1"),
    (["action=workload", "workload=file"], "workload=file needs workload.path and workload.time: give workload.path="),
    (["experiment=debs12_calibration", "workload.records=abc"], "records is 'abc'"),
    ([FIBA, "action=reprt"], "unknown action 'reprt'; did you mean report?"),
    (["report"], "cannot read 'report'; settings are name=value: did you mean action=report?"),
    (["--experiment", "fiba_ooo"], "cannot read '--experiment'; settings are name=value: did you mean experiment=fiba"),
    (["--experiment=fiba_ooo"], "settings are name=value: did you mean experiment=fiba_ooo?"),
    (["--experiment=fiba_oo", "window=3"], "settings are name=value: did you mean experiment=fiba_ooo?"),
    (["--experment", "fiba_ooo"], "settings are name=value: did you mean experiment=fiba_ooo?"),
    (["--experiment"], "settings are name=value: did you mean experiment=...?"),
    (["-e", "fiba_ooo"], "cannot read '-e'; settings are name=value: did you mean experiment=fiba_ooo?"),
    (["-m", "-e=fiba_ooo"], "settings are name=value: did you mean experiment=fiba_ooo?"),
    ([FIBA, "--window", "3"], "cannot read '--window'; settings are name=value: did you mean window=3?"),
    ([FIBA, "--workload=fligths"], "settings are name=value: did you mean workload=flights?"),
    ([FIBA, "--workload.path=trips.csv"], "settings are name=value: did you mean workload.path=trips.csv?"),
    (["fiba_ooo"], "cannot read 'fiba_ooo'; settings are name=value: did you mean experiment=fiba_ooo?"),
    (["fiba_oo"], "cannot read 'fiba_oo'; settings are name=value: did you mean experiment=fiba_ooo?"),
    (["experiment", "fiba_ooo"], "cannot read 'experiment'; settings are name=value: did you mean experiment=fiba_ooo"),
    (["experiment", "=", "fiba_oo"], "settings are name=value: did you mean experiment=fiba_ooo?"),
    (["experiment=", "fiba_ooo"], "settings are name=value: did you mean experiment=fiba_ooo?"),
    ([FIBA, "flights"], "cannot read 'flights'; settings are name=value: did you mean workload=flights?"),
    (["-m", FIBA, "smoke"], "cannot read 'smoke'; settings are name=value: did you mean profile=smoke?"),
    ([FIBA, "+@sums=[{n: 3}]"], "cannot read '+@sums=[{n: 3}]'; settings are name=value, such as window=1024 or "),
    ([FIBA, "+=[fiba]"], "cannot read '+=[fiba]'; settings are name=value, such as window=1024 or distances=[0,16]"),
    (["qqq"], "cannot read 'qqq'; settings are name=value, such as window=1024 or distances=[0,16]"),
    ([FIBA, "executor.master=local[2]"], "text with brackets needs quotes of its own: \"executor.master='local[2]'\""),
    ([FIBA, "window=[1"], "cannot read 'window=[1'; settings are name=value"),
    (["-m", "experiment=fiba_ooo,nope"], "unknown experiment 'nope'; there are:"),
    (["-m", FIBA, "hydra/launcher=joblip"], "unknown hydra/launcher 'joblip'; there are: basic"),
    ([*ON_SPARK, "hydra.launcher.master=bogus"], "hydra.launcher.master is 'bogus'; it must be such as local[1] or"),
    ([*ON_SPARK, "hydra.launcher.options=3"], "hydra.launcher.options is 3; it must be a mapping"),
    (
        [*ON_SPARK, "hydra.launcher.archive=no.tar.gz"],
        "hydra.launcher.archive is 'no.tar.gz'; it must be the file of a",
    ),
    (
        [*ON_SPARK, "hydra.launcher.n_jobs=0"],
        "n_jobs is 0; it must be a whole number of at least 1, or -1 for one on each machine",
    ),
    ([*ON_SPARK, "hydra.launcher.timeout=0"], "hydra.launcher.timeout is 0.0; it must be a number above 0"),
    (
        [*ON_SPARK, "hydra.launcher.master=spark://127.0.0.1:1"],
        "nobody answers at hydra.launcher.master=spark://127.0.0.",
    ),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG, ids=[" ".join(arguments)[:60] for arguments, _ in WRONG])
def test_wrong_input_is_answered_in_a_line(run_py, tmp_path, arguments, said):
    answer = run_py(*arguments)
    assert answer.code == 2
    assert said in answer.err
    assert answer.err.startswith("error: ") and len(answer.err.strip().splitlines()) <= 2
    assert answer.out == ""
    assert not list(tmp_path.iterdir())


def test_hydras_own_flags_take_their_values(run_py):
    assert "name: smoke" in run_py("--cfg", "job", "--package", "profile", FIBA, "profile=smoke").out
    answer = run_py("-c", "job", "-cn", "config", FIBA)
    assert answer.code == 0 and "name: fiba_ooo" in answer.out


def test_without_an_experiment_they_are_listed(run_py, tmp_path):
    answer = run_py()
    assert answer.code == 2
    assert "error: no experiment is given; there are:" in answer.err
    assert "fiba_ooo            FiBA, Figure 11: throughput over the out-of-order distance" in answer.err
    assert "python run.py experiment=fiba_ooo" in answer.err
    assert not list(tmp_path.iterdir())


def test_results_that_cannot_be_written_are_said(run_py):
    answer = run_py(FIBA, "executor=inline", "results=/proc/nowhere")
    assert answer.code == 2
    assert "the results folder /proc/nowhere cannot be written" in answer.err
    assert len(answer.err.splitlines()) == 1


def test_results_in_the_place_of_a_file_are_said(run_py, tmp_path):
    (tmp_path / "taken").touch()
    answer = run_py(FIBA, "executor=inline", "results=taken")
    assert answer.code == 2
    assert "the results folder taken cannot be written" in answer.err


@pytest.mark.parametrize("action", [["executor=inline"], ["action=walk", "algorithm=fiba", "script=evict"]])
def test_a_figure_folder_that_is_no_use_is_said_before_anything_is_measured(run_py, tmp_path, monkeypatch, action):
    (tmp_path / "taken").touch()
    answer = run_py(FIBA, *action, "figure_folder=taken/figures")
    assert answer.code == 2
    assert answer.err == f"error: figure_folder is 'taken/figures', and {tmp_path}/taken is a file: give a folder\n"
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere
    answer = run_py(FIBA, *action, "figure_folder=new/figures")
    assert answer.code == 2
    assert f"and you may not write in {tmp_path}: give another folder" in answer.err
    assert [file.name for file in tmp_path.iterdir()] == ["taken"]


def test_an_error_of_the_system_names_the_file_first(run_py):
    answer = run_py("action=walk", "algorithm=fiba", "script=insert 1 a", "figure_folder=/proc/nowhere")
    assert answer.code == 2
    assert answer.err == "error: /proc/nowhere: No such file or directory\n"


def test_a_job_of_a_multirun_that_is_wrong_does_not_stop_the_others(run_py, tmp_path):
    small = ["executor=inline", "profile=smoke", "operators=[sum]", "algorithms=[recalc]", "profile.repetitions=1"]
    answer = run_py("-m", FIBA, "window=abc,4", *small, "distances=[0]")
    assert answer.code == 2
    assert answer.err.splitlines()[0] == "error: window is 'abc'; it must be a whole number of at least 1"
    assert "1 measured now" in answer.out
    assert {path.name for path in tmp_path.iterdir()} == {"results"}


def test_a_configuration_that_is_no_yaml_is_said_with_its_line(run_py, tmp_path):
    (tmp_path / "conf" / "experiment").mkdir(parents=True)
    (tmp_path / "conf" / "experiment" / "mine.yaml").write_text("# @package _global_\nname: mine: yes\n")
    answer = run_py("--config-dir", str(tmp_path / "conf"), "experiment=mine")
    assert answer.code == 2 and len(answer.err.splitlines()) == 1
    assert re.search(r"error: mapping values are not allowed here in .*mine\.yaml\", line 2", answer.err)


def test_a_bug_is_not_passed_off_as_wrong_input(run_py, monkeypatch):
    def broken(config, variant, stored):
        raise KeyError("a bug")

    import run as entry

    monkeypatch.setattr(entry, "measure", broken)
    with pytest.raises(KeyError, match="a bug"):
        run_py(FIBA)


def test_traceback_is_there_for_who_asks(run_py, monkeypatch):
    monkeypatch.setitem(os.environ, "TRACEBACK", "1")
    with pytest.raises(ValueError, match="window is 'abc'"):
        run_py(FIBA, "window=abc")


def test_a_script_needs_no_quotes_of_its_own():
    assert arguments.quoted("script=insert 3 a; evict") == 'script="insert 3 a; evict"'
    assert arguments.quoted('script=insert 3 "') == 'script="insert 3 \\""'
    for plain in ("script=null", "script='evict'", "window=8", "script="):
        assert arguments.quoted(plain) == plain
