"""experiment=all action=draw takes what has rows of the profile, and other JSON in a folder is no sidecar."""

import json

import pytest

from experiments.harness import engine
from experiments.harness.cli.choosing import _without_rows
from results.verdicts import published_in
from tests.experiments import probing


def test_an_experiment_has_rows_of_the_profiles_that_were_measured(tmp_path):
    with probing.registered("probing.fine"):
        engine.run(probing.config(tmp_path))
    folder, names = tmp_path / "data", [probing.NAME, "other"]
    assert _without_rows(names, folder, "smoke") == {"other"}
    assert _without_rows(names, folder, "paper") == set(names)


def test_json_of_the_users_own_is_left_out_and_damaged_sidecars_are_named(tmp_path):
    (tmp_path / "list.json").write_text("[1, 2]")
    assert published_in(tmp_path) == {}
    (tmp_path / "cut.json").write_text('{"verdicts": [')
    with pytest.raises(ValueError, match="cut.json: .*; draw that figure again, or delete the file"):
        published_in(tmp_path)
    (tmp_path / "cut.json").write_text(json.dumps({"verdicts": [{"experiment": "x", "colour": 1}], "drawn": "now"}))
    with pytest.raises(ValueError, match="cut.json"):
        published_in(tmp_path)
