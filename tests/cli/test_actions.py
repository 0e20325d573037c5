"""run, report, catalogue, experiment=all: what they print and write."""

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from experiments.harness.cli import choosing, command_line, help_text

pytestmark = pytest.mark.smoke

SMALL = ["executor=inline", "profile=smoke", "operators=[sum]", "algorithms=[recalc,fiba]", "profile.repetitions=1"]
FIBA = "experiment=fiba_ooo"


def test_a_run_writes_rows_and_a_figure_and_says_so(run_py, tmp_path):
    answer = run_py(FIBA, *SMALL, "window=8")
    assert answer.code == 0, answer.err
    assert "8 measured now, 0 kept from earlier runs" in answer.out
    assert (tmp_path / "results/data/fiba_ooo/rows.parquet").is_file()
    name = "fiba_ooo-algorithms_recalc_fiba-operators_sum-profile.repetitions_1-profile_smoke-window_8"
    figures = sorted(path.name for path in (tmp_path / "results/figures").iterdir())
    assert figures == [f"{name}.json", f"{name}.md", f"{name}.png", f"{name}.svg"]
    assert all(f"wrote results/figures/{figure}" in answer.out for figure in figures)
    assert json.loads((tmp_path / f"results/figures/{name}.json").read_text())["config"]["window"] == 8
    again = run_py(FIBA, *SMALL, "window=8")
    assert "0 measured now, 8 kept from earlier runs" in again.out


def test_what_is_stored_is_drawn_and_judged_without_measuring(run_py, tmp_path):
    given = [FIBA, *SMALL, "window=8", "distances=[0]"]
    nothing = run_py(*given, "action=draw")
    assert nothing.code == 2
    assert "results/data has no rows of fiba_ooo with profile=smoke and these settings" in nothing.err
    assert run_py(*given).code == 0
    [page] = (tmp_path / "results/figures").glob("*.md")
    before = page.read_text()
    page.unlink()
    drawn = run_py(*given, "action=draw")
    assert drawn.code == 0 and "0 measured now, 2 kept from earlier runs" in drawn.out
    assert page.read_text() == before


def test_a_figure_that_cannot_be_drawn_is_said_and_the_claims_are_there(run_py, tmp_path, monkeypatch):
    def fails(spec, rows):
        raise ValueError("Axis limits cannot be NaN or Inf")

    monkeypatch.setattr("plots.families.lines.figure", fails)
    given = [FIBA, *SMALL, "window=8", "distances=[0]"]
    answer = run_py(*given)
    assert answer.code == 1
    reason = "ValueError: Axis limits cannot be NaN or Inf"
    assert reason in " ".join(answer.out.split()) and "Every tree is faster at d = n" in answer.out
    [page] = (tmp_path / "results/figures").iterdir()
    assert reason in page.read_text() and "Every tree is faster at d = n" in page.read_text()


def test_a_report_says_which_figure_cannot_be_drawn(run_py, tmp_path, monkeypatch):
    assert run_py(FIBA, *SMALL, "window=8", "distances=[0]").code == 0

    def fails(spec, rows):
        raise ValueError("Axis limits cannot be NaN or Inf")

    monkeypatch.setattr("plots.families.lines.figure", fails)
    answer = run_py("action=report")
    assert answer.code == 1 and (tmp_path / "results/figures/report.html").is_file()
    assert re.search("error: fiba_ooo.* is not drawn: ValueError: Axis limits cannot be NaN or Inf", answer.err)


def test_skipped_cells_are_said_with_the_reason(run_py):
    answer = run_py(FIBA, *SMALL, "window=8", "algorithms=[two_stacks_lite]")
    assert answer.code == 0
    said = " ".join(answer.out.split())
    assert "skipped (1): two_stacks_lite: two_stacks_lite takes times in order only" in said


def test_a_multirun_gives_a_figure_for_each_value(run_py, tmp_path):
    answer = run_py("-m", FIBA, *SMALL, "window=range(4,8,2)", "distances=[0]")
    assert answer.code == 0, answer.err
    names = [path.stem for path in (tmp_path / "results/figures").glob("*.json")]
    assert sorted(name[-8:] for name in names) == ["window_4", "window_6"]
    [joined] = (tmp_path / "results/figures/joined").glob("*.json")
    assert joined.stem.startswith("fiba_ooo-") and joined.stem.endswith("-over_window-distance_0")
    assert "window_4" not in joined.stem and str(joined)[:-4].removeprefix(f"{tmp_path}/") in answer.out
    assert json.loads(joined.read_text())["rows"]["count"] == 4
    assert {path.name for path in tmp_path.iterdir()} == {"results"}


def test_glob_finds_experiments(run_py, tmp_path):
    answer = run_py("-m", "experiment=glob(fiba_o*)", *SMALL, "window=4", "distances=[0]")
    assert answer.code == 0, answer.err
    assert (tmp_path / "results/data/fiba_ooo/rows.parquet").is_file()


def test_the_report_has_every_figure_with_its_verdicts(run_py, tmp_path):
    run_py("-m", FIBA, *SMALL, "window=4,8")
    answer = run_py("action=report")
    assert answer.code == 0, answer.err
    assert answer.out.strip() == "wrote results/figures/report.html: 2 figures, 20 claims"
    assert answer.err == "2 figures to draw\nmaking the page\n"
    page = (tmp_path / "results/figures/report.html").read_text()
    assert page.count("data:image/svg+xml") == 2
    assert "Every tree is faster at d = n" in page


def test_a_report_of_nothing_says_so(run_py, tmp_path):
    answer = run_py("action=report")
    assert answer.code == 2
    assert answer.err == "error: results/figures has no figures with stored rows; run an experiment first\n"
    assert not list(tmp_path.iterdir())


def test_the_catalogue_lists_windows_and_operators(run_py, tmp_path):
    from algorithms import catalogue, operators

    answer = run_py("action=catalogue")
    assert answer.code == 0
    for name, card in catalogue().items():
        assert name in answer.out and card.order in answer.out
    for name in operators.names():
        assert name in answer.out
    assert not list(tmp_path.iterdir())


def test_all_is_every_experiment_with_the_same_settings():
    asked = []

    def compose(name, others):
        asked.append((name, others))
        return {"name": name}

    given = ["experiment=all", "profile=smoke"]
    jobs = list(choosing.jobs({"name": "all", "action": "run"}, given, compose))
    every = help_text.measured()
    assert len(every) == len(help_text.names("experiment")) - 2
    assert asked == [(name, ["profile=smoke"]) for name in every]
    assert [(job["name"], texts) for job, texts in jobs] == [
        (name, ["profile=smoke", f"experiment={name}"]) for name in every
    ]
    asked.clear()
    chosen = {"only": ["fiba", "ra_cost"], "skip": ["fiba_bulk"]}
    all_of_them = {"name": "all", "action": "run", **chosen}
    jobs = choosing.jobs(all_of_them, [*given, "only=[fiba,ra_cost]", "skip=[fiba_bulk]"], compose)
    names = [job["name"] for job, _ in jobs]
    assert names == [name for name in every if name.startswith("fiba") and name != "fiba_bulk"] + ["ra_cost"]
    assert jobs[0][1] == ["profile=smoke", f"experiment={names[0]}"]
    assert [name for name, _ in asked] == names  # what is left out is not composed: each takes a quarter of a second


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (["experiment=all", "only=[fibs]"], "unknown experiment or paper in only 'fibs'; did you mean fiba"),
        (["experiment=all", "skip=fibs"], "unknown experiment or paper in skip 'fibs'; did you mean fiba"),
        (["experiment=all", "only=[fiba]", "skip=[fiba]"], "that leaves no experiment"),
        (["experiment=fiba_ooo", "only=[fiba]"], "it chooses among those of experiment=all: leave it out"),
        (["experiment=all", "action=report", "only=[fiba]"], "those of experiment=all with action=run or action=draw"),
        (["experiment=all", "action=draw", "results=nope"], "results is 'nope'; no experiment has rows of profile"),
    ],
)
def test_a_choice_of_experiments_that_cannot_be_is_refused(run_py, tmp_path, settings, said):
    answer = run_py(*settings)
    assert answer.code == 2 and re.fullmatch(f"(reading .*\n)?error: .*{said}.*\n", answer.err), answer.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("action=drow", "error: unknown action 'drow'; did you mean draw[?]\n"),
        ("profile.repetitions=0", "error: profile.repetitions is 0; it must be a whole number of at least 1\n"),
        ("figure_folder=a/file", "error: figure_folder is 'a/file', and [^ ]*/a/file is a file: give a folder\n"),
        ("algorithms=[nope]", r"(.*\n)*  fiba_ooo .*\n.*(.*\n)+error: none of these .*; the table says why\n"),
    ],
)
def test_what_every_experiment_refuses_is_said_once(run_py, tmp_path, monkeypatch, wrong, said):
    monkeypatch.setattr(help_text, "measured", lambda: ["fiba_ooo", "fiba_fifo"])
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").touch()
    answer = run_py("experiment=all", wrong)
    assert answer.code == 2 and re.fullmatch(f"(reading .*\n)?{said}", answer.err), answer.err
    assert [path.name for path in tmp_path.rglob("*")] == ["a", "file"]


def test_all_runs_experiments_one_after_the_other(run_py, tmp_path, monkeypatch):
    monkeypatch.setattr(help_text, "measured", lambda: ["fiba_ooo", "fiba_walkthrough"])
    answer = run_py("experiment=all", *SMALL, "window=4", "distances=[0]")
    assert answer.code == 2, answer.err  # walkthroughs take no distances
    assert "2 measured now" in answer.out
    assert "1 of 2: fiba_ooo" in answer.err and "2 of 2: fiba_walkthrough" in answer.err
    last = answer.out.strip().splitlines()[-3:]
    assert re.match(r"fiba_ooo +\d+\.\d min: 2 measured, 0 kept; \d+ statements", last[0]), last
    assert last[1].startswith("fiba_walkthrough") and last[1].endswith("exit code 2, its error is above")
    assert last[2].startswith("all: 0.0 hours; repetitions: none failed; ")


def test_names_of_figures_leave_out_what_does_not_change_them():
    given = ["experiment=fiba_ooo", "window=16", "executor=inline", "executor.master=local[2]", "force=true"]
    assert (
        command_line.variant([*given, "results=/a/b", "figure_folder=c", "profile=smoke"]) == "-profile_smoke-window_16"
    )
    assert command_line.variant(given) == command_line.variant(reversed(given)) == "-window_16"
    assert command_line.variant(["+window=16", "~distances"]) == "-distances-window_16"
    assert command_line.variant([]) == ""


def test_long_settings_give_short_names_that_differ():
    names = {command_line.variant([f"workload.path=/{'long/' * 100}{end}"]) for end in "ab"}
    assert len(names) == 2 and all(len(name) < 140 for name in names)


def test_the_distance_distribution_of_a_workload_is_printed(run_py, tmp_path):
    answer = run_py("action=workload", "window=100", "distances=[3]")
    assert answer.code == 0, answer.err
    assert re.search(r"max +3\n", answer.out) and "100" in answer.out
    assert not list(tmp_path.iterdir())
    assert run_py("action=workload", "workload=file").code == 2


def test_runs_are_compared_verdict_by_verdict(run_py, tmp_path):
    for name in ("one", "two"):
        walk = ["experiment=fiba_walkthrough", "executor=inline", "profile=smoke"]
        assert run_py(*walk, f"results={name}", f"figure_folder={name}").code == 0
    answer = run_py("action=compare", "runs=[one,two]")
    assert answer.code == 0, answer.err
    assert "The runs agree on 4 of 4 statements that at least two of them decided (100.0%)" in answer.out
    page = (tmp_path / "results/figures/agreement.md").read_text()
    assert "| experiment | figure | claim | one | two | agree |" in page
    assert re.search(r"^- one: .+ cores \(\w+\); profile smoke; revision \w+; \d{4}-\d\d-\d\d$", page, re.MULTILINE)
    assert re.search(r"billed more than 2 coins \| ✓ holds \| ✓ holds \| yes \|", page)

    answer = run_py("action=report", "results=one", "figure_folder=one", "runs=[two]")
    assert answer.code == 0, answer.err
    page = (tmp_path / "one/report.html").read_text()
    assert page.count('<td data-label="two"><span class="pill v0">✓ holds') == 4
    assert "The runs agree on 4 of 4 statements" in page


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ("null", "runs is None; it must be a list of at least two different folders"),
        ("[one]", r"runs is ['one']; it must be a list of at least two different folders"),
        ("[one,one]", "runs is ['one', 'one']; it must be a list of at least two different folders"),
        ("[one,nowhere]", "runs: 'one' is no folder"),
    ],
)
def test_runs_to_compare_must_be_folders(run_py, runs, message):
    answer = run_py("action=compare", f"runs={runs}")
    assert answer.code == 2 and message in answer.err


@pytest.mark.parametrize("runs", ["[]", "[one,one]"])
def test_runs_beside_a_report_must_be_different_folders(run_py, runs):
    answer = run_py("action=report", f"runs={runs}")
    assert answer.code == 2 and "it must be a list of different folders" in answer.err


def test_all_leaves_out_what_it_runs_only_if_it_is_named():
    config = {"name": "all", "action": "run", "unless_named": ["auto_grid"]}

    def compose(name, others):
        return {"name": name}

    every = help_text.measured()
    names = [job["name"] for job, _ in choosing.jobs(config, [], compose)]
    assert names == [name for name in every if name != "auto_grid"]
    chosen = choosing.jobs({**config, "only": ["auto_grid", "ra_cost"]}, [], compose)
    assert [job["name"] for job, _ in chosen] == ["auto_grid", "ra_cost"]


def test_all_that_is_stored_is_drawn_whatever_it_took_to_measure(tmp_path):
    config = {"name": "all", "unless_named": ["auto_grid"], "action": "draw", "results": str(tmp_path),
              "profile": {"name": "smoke"}}  # fmt: skip
    for name, profile in (("ra_cost", "smoke"), ("auto_grid", "smoke"), ("peers", "laptop")):
        (tmp_path / name).mkdir()
        pq.write_table(pa.table({"profile": [profile]}), tmp_path / name / "rows.parquet")
    drawn = choosing.jobs(config, [], lambda name, others: {"name": name})
    assert [job["name"] for job, _ in drawn] == ["auto_grid", "ra_cost"]
