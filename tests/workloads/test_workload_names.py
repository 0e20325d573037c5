"""Names, parameters and configuration files of workloads."""

import sys
from dataclasses import MISSING, fields
from pathlib import Path

import grimp
import pytest
import yaml
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

import workloads
from experiments.harness.cli import help_text
from workloads import UnknownName, make, names, record_set, workload
from workloads.flights.parameters import Flights

pytestmark = pytest.mark.smoke

CONF = Path(workloads.__file__).parent.parent / "conf" / "workload"
REQUIRED = {
    "distance": {"window": 8, "distance": 2},
    "debs12": {},
    "delay": {},
    "flights": {},
    "linear_road": {},
    "memory_usage": {},
    "file": {"path": "trips.csv", "time": "start"},
}


def test_every_folder_with_parameters_is_a_workload():
    assert names() == ("debs12", "delay", "distance", "file", "flights", "linear_road", "memory_usage")


def test_a_new_folder_is_a_new_workload(tmp_path, monkeypatch):
    source = (Path(workloads.__file__).parent / "distance" / "parameters.py").read_text()
    (tmp_path / "steps").mkdir()
    (tmp_path / "steps" / "parameters.py").write_text(
        source.replace('"distance",\n', '"steps",\n').replace("class Distance", "class Steps")
    )
    monkeypatch.setattr("workloads.catalogue.__file__", str(tmp_path / "catalogue.py"))
    monkeypatch.setattr(workloads, "__path__", [*workloads.__path__, str(tmp_path)])
    assert names() == ("steps",)
    for module in ("workloads.steps", "workloads.steps.parameters"):
        monkeypatch.setitem(sys.modules, module, None)  # so that the module is gone again after the test
        monkeypatch.delitem(sys.modules, module)
    assert len(make({"name": "steps", "window": 5, "distance": 1})) == 10


def test_no_workload_is_imported_by_another_or_by_what_they_share():
    graph = grimp.build_graph("workloads")
    for name in names():
        own = {f"workloads.{name}", *graph.find_descendants(f"workloads.{name}")}
        assert set().union(*map(graph.find_modules_that_directly_import, own)) <= own


@pytest.mark.parametrize("name", names())
def test_the_configuration_has_every_parameter_with_its_default(name):
    with initialize_config_dir(str(CONF.parent), version_base="1.3"):
        conf = OmegaConf.to_container(compose(f"workload/{name}").workload)
    assert conf.pop("name") == name
    kind = type(workload({"name": name, **REQUIRED[name]}))
    defaults = {field.name: "???" if field.default is MISSING else field.default for field in fields(kind)}
    if name == "distance":
        assert defaults.pop("window") == defaults.pop("distance") == "???"
    assert conf == defaults
    given = {parameter: value for parameter, value in conf.items() if value != "???"}
    workload({"name": name, **REQUIRED[name], **given})


@pytest.mark.parametrize("name", names())
def test_the_configuration_file_says_nothing_that_the_dataclass_says(name):
    conf = yaml.safe_load((CONF / f"{name}.yaml").read_text())
    assert conf.pop("name") == name
    assert conf.pop("defaults") == ["_self_", {"parameters@_here_": name}]
    kind = type(workload({"name": name, **REQUIRED[name]}))
    required = {field.name: "???" for field in fields(kind) if field.default is MISSING}
    assert conf == ({} if name == "distance" else required)  # which takes its window and distances from the experiment


def test_a_default_that_is_not_written_out_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(help_text, "ROOT", tmp_path)
    (tmp_path / "workloads" / "steps").mkdir(parents=True)
    path = tmp_path / "workloads" / "steps" / "parameters.py"
    path.write_text("class Steps:\n    width: int = 3\n    height: int = HIGH\n    def trace(self): ...\n")
    with pytest.raises(ValueError, match=f"^{path}: a default must be a number, a text, .* line 3"):
        help_text.parameters("steps")


def test_no_configuration_file_lacks_its_workload():
    assert sorted(file.stem for file in CONF.glob("*.yaml")) == list(names())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"name": "flihgts"}, "unknown workload 'flihgts'; did you mean flights"),
        ({"name": "zzz"}, "unknown workload 'zzz'; there are: debs12, delay, distance, file, flights"),
        ({"name": "delay", "seeed": 3}, "unknown parameter of workload delay 'seeed'; did you mean seed"),
        ({"name": "flights", "order": "arival"}, "unknown order 'arival'; did you mean arrival"),
    ],
)
def test_unknown_names_offer_the_nearest(settings, message):
    with pytest.raises(UnknownName) as error:
        make(settings)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "workload settings need a name, one of debs12, delay"),
        ({"name": "distance", "window": 4}, "workload distance needs distance"),
        ({"name": "delay", "items": 0}, "items is 0; it must be from 1"),
        ({"name": "delay", "items": "many"}, "items is 'many'; it must be a whole number"),
        ({"name": "delay", "items": 10**400}, "items is 1000*; it must be a whole number"),
        ({"name": "delay", "items": 1.5}, "items is 1.5; it must be a whole number"),
        ({"name": "delay", "items": True}, "items is True; it must be a whole number"),
        ({"name": "delay", "scale": float("nan")}, "scale is nan; it must be a finite number"),
        ({"name": "flights", "ties": None}, "ties is None; it must be a text"),
        ({"name": "file", "path": "a", "time": "t", "header": "yes"}, "header is 'yes'; it must be true or false"),
    ],
)
def test_wrong_parameters_are_named(settings, message):
    with pytest.raises(ValueError, match="^" + message.replace("(", r"\(")):
        workload(settings)


def test_whole_floats_are_whole_numbers_and_ints_are_floats():
    made = workload({"name": "delay", "items": 1e3, "scale": 5})
    assert (made.items, made.scale) == (1000, 5.0)
    assert (type(made.items), type(made.scale)) == (int, float)


def test_a_workload_without_record_set_says_which_have_one(monkeypatch):
    monkeypatch.delattr(Flights, "record_set")
    with pytest.raises(
        ValueError, match="workload flights has no record set to make: give workload=debs12 or workload"
    ):
        record_set({"name": "flights"})


def test_every_workload_has_a_record_set_and_says_where_it_is_kept():
    for name in names():
        assert workload({"name": name, **REQUIRED[name]}).folder == "results/records"
        if name != "file":
            assert record_set({"name": name, **REQUIRED[name], "folder": "other"})[1] == "other"
