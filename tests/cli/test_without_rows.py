"""experiment=all action=draw takes what has rows of the profile."""

from experiments.harness import engine
from experiments.harness.cli.choosing import _without_rows
from tests.experiments import probing


def test_an_experiment_has_rows_of_the_profiles_that_were_measured(tmp_path):
    with probing.registered("probing.fine"):
        engine.run(probing.config(tmp_path))
    folder, names = tmp_path / "data", [probing.NAME, "other"]
    assert _without_rows(names, folder, "smoke") == {"other"}
    assert _without_rows(names, folder, "paper") == set(names)
