"""Passwords do not come into what is shown or kept."""

import json
from pathlib import Path

import pytest

from experiments.harness import timing_lock
from experiments.harness.cli import command_line, messages
from experiments.harness.executors import ExecutorError
from experiments.harness.settings import SettingsError
from plots.sidecar import sidecar
from safeguards.secrets import with_secrets_hidden, without_secrets
from tests.experiments.made_rows import frame, row

pytestmark = pytest.mark.smoke

SHOWN = {
    "redis://me:hunter2@host:1/0": "redis://me:***@host:1/0",
    "redis://:hun/ter@2@host": "redis://:***@host",
    "redis://host/0?password=hunter2&username=me": "redis://host/0?password=***&username=me",
    "is 'sc://host:15002/;user_id=me;token=hunter2', not": "is 'sc://host:15002/;user_id=me;token=***', not",
    "spark://host:7077": "spark://host:7077",
    "no Redis answers at redis://host:1: see https://redis.io": "no Redis answers at redis://host:1: see https://redis.io",
}


@pytest.mark.parametrize("text", SHOWN)
def test_passwords_of_addresses_are_hidden_and_nothing_else(text):
    assert without_secrets(text) == SHOWN[text]


PUBLISHED = Path(__file__).parents[2] / "results" / "published"

EXECUTOR = {
    "name": "spark",
    "master": "sc://host:15002/;token=hunter2",
    "options": {"spark.hadoop.fs.s3a.secret.key": "hunter2", "spark.driver.memory": "4g"},
    "environment": {"AWS_SECRET_ACCESS_KEY": "hunter2", "DATABASE": "db://me:hunter2@host/x", "OMP_NUM_THREADS": 1},
}


def test_a_sidecar_keeps_settings_and_not_their_secrets():
    rows = frame([row("fiba", ns=1.0, machine_facts="{}", versions="{}")])
    rows["started"] = rows["started"].astype("datetime64[us, UTC]")
    kept = json.loads(sidecar({"name": "x"}, rows, {"executor": EXECUTOR, "sizes": [1, 2]}, {}))["config"]
    assert "hunter2" not in json.dumps(kept)
    assert kept["executor"]["options"]["spark.driver.memory"] == "4g" and kept["sizes"] == [1, 2]
    assert kept["executor"]["environment"]["OMP_NUM_THREADS"] == 1


def test_nothing_published_is_taken_for_a_secret():
    published = sorted(PUBLISHED.rglob("*.json"))
    assert published
    for path in published:
        content = json.loads(path.read_text(encoding="utf-8"))
        assert with_secrets_hidden(content) == content, path


def test_errors_and_the_slot_of_a_master_do_not_show_its_token(capsys):
    assert "hunter2" not in str(ExecutorError(f"nobody answers at {EXECUTOR['master']}"))
    assert "hunter2" not in timing_lock._file(timing_lock.place_of(EXECUTOR)).name
    assert messages.reported(SettingsError("store is 'redis://me:hunter2@host'")) == 2
    assert capsys.readouterr().err == "error: store is 'redis://me:***@host'\n"


def test_the_settings_in_a_figures_name_do_not_lead_out_of_its_folder():
    given = ["window=../../x", "workload.path=/etc/passwd", "+operators=[../sum]"]
    assert command_line.variant(given) == "-operators_.._sum-window_.._.._x-workload.path_etc_passwd"
