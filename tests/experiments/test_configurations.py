"""Every configuration composes: its settings are good, its cells are unique, its figures can be drawn."""

import functools
import itertools

import pandas as pd
import pytest
from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from omegaconf import OmegaConf

from experiments.harness import remote_runs
from experiments.harness.cli import choosing, command_line, help_text
from experiments.harness.outcome import Outcome
from experiments.harness.plan import any_results, cells_of, runs_of
from experiments.harness.registry import experiments
from experiments.harness.settings import Settings, SettingsError, of_an_experiment
from plots import FigureError
from plots import figure as draw
from plots.description import NoRowsError
from plots.families import described

pytestmark = pytest.mark.smoke

OmegaConf.register_new_resolver("page", help_text.page, replace=True)
OmegaConf.register_new_resolver("scratch", command_line.scratch, replace=True)

NAMES = help_text.measured()
FILE = ["workload.path=trips.csv", "workload.time=time"]
PROFILES, EXECUTORS, WORKLOADS = (help_text.names(group) for group in ("profile", "executor", "workload"))


def grid():
    """Every experiment with each profile, with each executor and with each workload, and those with each other.

    Not all four at once: that would be nine times as many, at 0.06 s each, and no file has a say about three others.
    """
    for (e, name), (w, workload) in itertools.product(enumerate(NAMES), enumerate(WORKLOADS)):
        profile, executor = (w + e) % len(PROFILES), (w // len(PROFILES) + e // len(PROFILES)) % len(EXECUTORS)
        yield name, PROFILES[profile], EXECUTORS[executor], workload


@pytest.fixture(autouse=True, scope="module")
def _configurations():
    with initialize_config_dir(str(help_text.CONF), version_base="1.3"):
        yield


def composed(*overrides):
    """A configuration; of the modules that ask, only this one opens the folder once for all."""
    if not GlobalHydra.instance().is_initialized():
        with initialize_config_dir(str(help_text.CONF), version_base="1.3"):
            return composed(*overrides)
    config = OmegaConf.to_container(compose("config", list(overrides)), resolve=True)
    return of_an_experiment(config)


@functools.cache
def of_profile(name, profile):
    return composed(f"experiment={name}", f"profile={profile}")


def test_the_grid_has_every_pair():
    groups = (NAMES, PROFILES, EXECUTORS, WORKLOADS)
    for one, other in itertools.combinations(range(len(groups)), 2):
        assert {(point[one], point[other]) for point in grid()} == set(itertools.product(groups[one], groups[other]))


@pytest.mark.parametrize(("name", "profile", "executor", "workload"), list(grid()))
def test_every_combination_composes_to_good_settings(name, profile, executor, workload):
    given = [f"experiment={name}", f"profile={profile}", f"executor={executor}", f"workload={workload}"]
    settings = Settings.of(composed(*given, *(FILE if workload == "file" else [])))
    assert (settings.name, settings.profile.name) == (name, profile)
    assert settings.workload["name"] == workload
    assert settings.executor["name"] == ("inline" if executor == "inline" else "spark")


@pytest.mark.parametrize(("name", "profile"), list(itertools.product(NAMES, PROFILES)))
def test_every_plan_has_cells_and_no_two_have_one_id(name, profile):
    cells = cells_of(Settings.of(of_profile(name, profile)))
    assert cells
    assert len({cell.id for cell in cells}) == len(cells)
    assert {cell.experiment for cell in cells} == {name}


@pytest.mark.parametrize("name", NAMES)
def test_the_paper_that_is_read_as_text_is_that_of_the_configuration(name):
    assert help_text.paper(name) == of_profile(name, "laptop")["paper"]


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_is_described_well(name):
    config = of_profile(name, "laptop")
    assert config["figures"]
    for figure in (*config["figures"], *config.get("trace_figures", ())):
        spec = described({**config.get("every_figure", {}), **figure})
        assert spec.caption
        assert {"time", "latency"}.isdisjoint(spec.metric) or spec.clock, "what is timed is not said"


@pytest.mark.parametrize("name", NAMES)
def test_no_figure_puts_different_things_into_one_point(name):
    """Drawn of made-up rows of all cells. What a figure reads in the facts of rows, made-up ones do not have."""
    settings = Settings.of(of_profile(name, "smoke"))
    made = any_results(cells_of(settings))
    rows = made.assign(started=pd.Timestamp("2026-01-01", tz="UTC"), facts="{}")
    reasons = {}
    for figure in settings.figures:
        try:
            draw({**settings.every_figure, **figure}, rows)
        except (FigureError, NoRowsError) as error:
            reasons[figure["name"]] = "" if "facts." in str(figure) else str(error)
    assert not {name: reason for name, reason in reasons.items() if "would pool rows" in reason}


def test_every_experiment_has_a_configuration_and_the_other_way_round():
    assert sorted(experiments()) == sorted(NAMES)


def test_all_composes_to_what_stands_for_every_experiment():
    assert composed("experiment=all", "operators=[sum]", "profile=smoke")["name"] == choosing.ALL


def test_a_job_that_will_be_refused_here_has_nothing_to_be_measured_elsewhere(tmp_path):
    (tmp_path / "file").touch()
    config = composed("experiment=fiba_ooo", "profile=smoke") | {"action": "run", "figure_folder": str(tmp_path)}
    assert remote_runs.cells(config)
    assert not remote_runs.cells({**config, "window": "abc"})
    assert not remote_runs.cells({**config, "figure_folder": str(tmp_path / "file")})


def test_an_unknown_setting_is_refused_wherever_it_is():
    config = composed("experiment=fiba_ooo")
    with pytest.raises(SettingsError, match="unknown setting 'windw'; did you mean window"):
        Settings.of({**config, "windw": 3})
    with pytest.raises(SettingsError, match="unknown setting of profile 'timout'; did you mean timeout"):
        Settings.of({**config, "profile": {**config["profile"], "timout": 3}})
    with pytest.raises(SettingsError, match="unknown setting of executor spark 'mastr'; did you mean master"):
        Settings.of({**config, "executor": {**config["executor"], "mastr": 3}})


def test_a_profile_without_sizes_is_said():
    config = composed("experiment=fiba_ooo")
    with pytest.raises(SettingsError, match="experiment fiba_ooo has no sizes for profile huge"):
        Settings.of({**config, "profile": {**config["profile"], "name": "huge"}})


@pytest.mark.parametrize("master", ["local", "local[2]", "local[*]", "local[1,2]", "spark://a:7077", "yarn", "k8s://b"])
def test_masters_and_options_of_spark(master):
    options = "executor.options={spark.driver.memory: 2g}"
    executor = Settings.of(composed("experiment=fiba_ooo", f"executor.master='{master}'", options)).executor
    assert executor["master"] == master and executor["options"] == {"spark.driver.memory": "2g"}


def test_panels_are_those_of_the_operators_asked_for():
    settings = Settings.of(composed("experiment=fiba_ooo", "operators=[max,sum]"))
    assert [figure["panels"] for figure in Outcome(settings, {}, pd.DataFrame()).figures] == [["max", "sum"]]


def test_one_name_or_number_is_a_list_of_one():
    one = Settings.of(composed("experiment=fiba_ooo", "operators=sum", "algorithms=fiba", "distances=16", "also=daba"))
    lists = ("operators=[sum]", "algorithms=[fiba]", "distances=[16]", "also=[daba]")
    assert one == Settings.of(composed("experiment=fiba_ooo", *lists))


def test_figures_are_a_list_of_descriptions_with_names_of_their_own():
    config = composed("experiment=fiba_ooo")
    [figure] = config["figures"]
    for wrong, words in (
        ("results/mine", "figures is 'results/mine'; .* the folder is figure_folder=results/mine"),
        ({"name": "a"}, "figures is {'name': 'a'}; it must be a list of descriptions, each with a name"),
        ([{"family": "lines"}], "it must be a list of descriptions, each with a name"),
        ([figure, figure], "figures has fiba_ooo twice; each figure has a name of its own"),
    ):
        with pytest.raises(SettingsError, match=words):
            Settings.of({**config, "figures": wrong})


def test_a_trace_has_figures_of_its_own_if_the_experiment_says_so():
    rows = pd.DataFrame({"facts": ['{"time_unit":"minutes"}', "{}"]})
    on_trace = Outcome(Settings.of(composed("experiment=fiba_ooo", "workload=flights")), {}, rows, variant="-w")
    assert [(figure["name"], figure["x_label"]) for figure in on_trace.figures] == [
        ("fiba_ooo_trace-w", "time span of the window (minutes)")
    ]
    other = Outcome(Settings.of(composed("experiment=fiba_bulk", "workload=flights")), {}, rows)
    assert [figure["name"] for figure in other.figures] == ["fiba_bulk"]


def test_defaults_of_parameters_make_no_second_cell():
    same = "algorithms=[fiba, {name: fiba, min_arity: 2}]"
    once = cells_of(Settings.of(composed("experiment=fiba_ooo", "profile=smoke", "algorithms=[fiba]")))
    assert cells_of(Settings.of(composed("experiment=fiba_ooo", "profile=smoke", same))) == once


def test_what_does_not_fit_is_refused_with_the_estimate_and_what_fits_is_run():
    given = ["experiment=fiba_ooo", "window=1000000000", "distances=[0]", "operators=[sum]"]
    with pytest.raises(SettingsError, match=r"needs up to [\d,.]+ GiB for 1,000,000,001 entries; this machine has"):
        runs_of(Settings.of(composed(*given, "algorithms=[fiba]")))
    given = ["experiment=fiba_ooo", "window=50000000", "distances=[0]", "operators=[sum,bloom]"]
    mixed = runs_of(Settings.of(composed(*given)))
    refused = {run.cell.operator for run in mixed if run.refusal}
    assert refused == {"bloom"}
    assert all("GiB" in run.refusal for run in mixed if run.refusal)


def test_an_algorithm_joins_those_of_an_experiment_that_compares_windows():
    def names(*given):
        return {cell.algorithm for cell in cells_of(Settings.of(composed(*given, "profile=smoke", "also=[flatfit]")))}

    assert names("experiment=fiba_fifo") == {"flatfit", *_names("experiment=fiba_fifo")}
    assert names("experiment=fiba_ooo", "operators=[sum]") == {"b_tree", "fiba", "flatfit"}
    assert names("experiment=cutty_sessions") == _names("experiment=cutty_sessions")  # it compares techniques
    assert names("experiment=ra_operators") == {""}
    with pytest.raises(SettingsError, match="unknown algorithm 'flatfi'; did you mean flatfit"):
        cells_of(Settings.of(composed("experiment=fiba_ooo", "profile=smoke", "also=[flatfi]")))


def _names(*given):
    return {cell.algorithm for cell in cells_of(Settings.of(composed(*given, "profile=smoke")))}
