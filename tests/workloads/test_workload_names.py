"""Names, parameters and configuration files of workloads."""

import sys
from dataclasses import MISSING, fields
from pathlib import Path

import pytest
import yaml

import workloads
from workloads import UnknownName, make, names, record_set, workload
from workloads.flights import Flights

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


def test_every_module_of_the_folder_is_a_workload():
    assert names() == ("debs12", "delay", "distance", "file", "flights", "linear_road", "memory_usage")


def test_a_new_file_is_a_new_workload(tmp_path, monkeypatch):
    source = (Path(workloads.__file__).parent / "distance.py").read_text()
    (tmp_path / "catalogue").mkdir()
    (tmp_path / "steps.py").write_text(
        source.replace('"distance",\n', '"steps",\n').replace("class Distance", "class Steps")
    )
    monkeypatch.setattr("workloads.catalogue.__file__", str(tmp_path / "catalogue" / "__init__.py"))
    monkeypatch.setattr(workloads, "__path__", [*workloads.__path__, str(tmp_path)])
    assert names() == ("steps",)
    monkeypatch.setitem(sys.modules, "workloads.steps", None)  # so that the module is gone again after the test
    monkeypatch.delitem(sys.modules, "workloads.steps")
    assert len(make({"name": "steps", "window": 5, "distance": 1})) == 10


@pytest.mark.parametrize("name", names())
def test_the_configuration_file_names_every_parameter_with_its_default(name):
    conf = yaml.safe_load((CONF / f"{name}.yaml").read_text())
    assert conf.pop("name") == name
    kind = type(workload({"name": name, **REQUIRED[name]}))
    defaults = {field.name: "???" if field.default is MISSING else field.default for field in fields(kind)}
    if name == "distance":
        assert defaults.pop("window") == defaults.pop("distance") == "???"
    assert conf == defaults
    given = {parameter: value for parameter, value in conf.items() if value != "???"}
    workload({"name": name, **REQUIRED[name], **given})


def test_no_configuration_file_lacks_its_workload():
    assert sorted(file.stem for file in CONF.glob("*.yaml")) == list(names())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"name": "flihgts"}, "unknown workload 'flihgts'; nearest: flights"),
        ({"name": "zzz"}, "unknown workload 'zzz'; there are debs12, delay, distance, file, flights"),
        ({"name": "delay", "seeed": 3}, "unknown parameter of workload delay 'seeed'; nearest: seed"),
        ({"name": "flights", "order": "arival"}, "unknown order 'arival'; nearest: arrival"),
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
