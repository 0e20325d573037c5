"""The figures of a run: drawn with one command, told apart by their variant, and drawn again from what is stored."""

import json
import shutil

import pytest

from experiments.harness import engine
from experiments.harness.outcome import named, outcomes_in, run_in
from experiments.harness.settings import SettingsError
from plots import publish
from results.verdicts import as_data
from tests.experiments import probing
from tests.plots.test_claims import verdict

LINE = {"family": "lines", "metric": "fine", "x": "distance", "y": "value"}
FIGURES = [{**LINE, "name": "probe"}, {**LINE, "name": "probe_log", "y_scale": "log10"}]


@pytest.fixture
def folder(tmp_path):
    """A folder with the two figures of each of two runs, of windows 8 and 9."""
    with probing.registered("probing.fine"):
        for window in (8, 9):
            outcome = engine.run(probing.config(tmp_path, figures=FIGURES, window=window))
            outcome.variant = f"-window_{window}"
            publish(outcome, tmp_path / "figures")
    return tmp_path / "figures"


def test_each_run_is_found_once_with_all_its_figures(folder):
    with probing.registered("probing.fine"):
        first, second = outcomes_in(str(folder))
        images = (folder / "probe-window_8.png").read_bytes()
        publish(first, folder)
    assert (first.name, second.name) == ("probe-window_8", "probe-window_9")
    assert [figure["name"] for figure in first.figures] == ["probe-window_8", "probe_log-window_8"]
    assert set(first.rows["window"]) == {8} and set(second.rows["window"]) == {9}
    assert (folder / "probe-window_8.png").read_bytes() == images


def test_a_run_is_found_again_when_other_cells_are_planned(folder):
    with probing.registered("probing.noisy"):
        first, second = outcomes_in(str(folder))
    assert set(first.rows["window"]) == {8} and set(second.rows["metric"]) == {"fine"}


def test_json_that_is_no_sidecar_is_left_alone(folder):
    for name, content in (("mine", '{"figure": {}}'), ("other", "[1]")):
        (folder / f"{name}.json").write_text(content)
    with probing.registered("probing.noisy"):
        assert len(outcomes_in(str(folder))) == 2


def test_a_copy_of_figures_and_rows_is_a_run_of_its_own(folder, tmp_path):
    """So that what is published can be compared with what was published before."""
    copy, data = tmp_path / "copy", tmp_path / "data"
    shutil.copytree(folder, copy)
    shutil.copytree(data, copy, dirs_exist_ok=True)
    shutil.rmtree(data)
    with probing.registered("probing.fine"):
        first, second = outcomes_in(str(copy))
        assert {str(first.settings.results), str(second.settings.results)} == {str(copy)}
        shutil.rmtree(copy / "probe")
        with pytest.raises(SettingsError, match="no figures with stored rows"):
            outcomes_in(str(copy))


def test_a_run_to_compare_has_the_verdicts_of_its_sidecars(folder):
    path = folder / "probe-window_9.json"
    said = verdict(experiment="probe-window_9")
    path.write_text(json.dumps({**json.loads(path.read_text()), "verdicts": [as_data(said)]}))
    with probing.registered("probing.fine"):
        assert run_in(str(folder)).verdicts == [said]


def test_a_run_to_compare_leaves_out_the_profile_that_all_of_it_has(folder):
    for window in (8, 9):
        path, name = folder / f"probe-window_{window}.json", f"probe-profile_smoke-window_{window}"
        sidecar = json.loads(path.read_text())
        sidecar["figure"]["name"] = name
        path.write_text(json.dumps({**sidecar, "verdicts": [as_data(verdict(experiment=name))]}))
        path.with_name(f"probe_log-window_{window}.json").unlink()
    with probing.registered("probing.fine"):
        assert {said.experiment for said in run_in(str(folder)).verdicts} == {"probe-window_8", "probe-window_9"}


def test_a_run_does_not_take_the_name_of_another_of_the_same_profile(folder):
    with probing.registered("probing.fine"):
        first, second = outcomes_in(str(folder))
        profile = first.settings.profile.name
        first.variant, second.variant = "", f"-profile_{profile}"
        assert list(named([first, second])) == ["probe", f"probe-profile_{profile}"]
        assert list(named([second])) == ["probe"]


def test_a_sidecar_with_settings_of_another_time_is_named(folder):
    path = folder / "probe_log-window_9.json"
    sidecar = json.loads(path.read_text())
    path.write_text(json.dumps({**sidecar, "config": {**sidecar["config"], "figure": {}}}))
    with pytest.raises(
        SettingsError, match="probe_log-window_9.json: unknown setting 'figure'.* draw that figure again"
    ):
        outcomes_in(str(folder))
