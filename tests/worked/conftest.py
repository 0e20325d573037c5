"""The states of FiBA's worked example, and rows that hold them."""

import json

import pandas as pd
import pytest

from algorithms import window
from experiments.fiba import walkthrough as fiba_walkthrough
from experiments.fiba.measuring.snapshots import coins, play
from experiments.harness.settings import Profile, Settings
from results import empty_row

SETTINGS = Settings(
    name="fiba_walkthrough",
    paper="fiba",
    workload={"name": "distance"},
    profile=Profile("smoke", 1, 1.0, 60),
    executor={"name": "inline"},
    operators=("concat",),
    algorithms=({"name": "fiba", "min_arity": 2}, {"name": "fiba", "min_arity": 3}),
    sizes={"operations": 300},
)


@pytest.fixture(scope="session")
def settings():
    return SETTINGS


@pytest.fixture(scope="session")
def states():
    """Each state by its letter, with the state before it as `before`."""
    found = {}
    for name, script in fiba_walkthrough.SCRIPTS:
        before = None
        for facts in play(window(name, operator="concat", capacity=32, min_arity=2), script):
            found[facts["state"]] = {**facts, "before": before}
            before = facts
    return found


@pytest.fixture(scope="session")
def rows():
    """One row for each cell of the experiment."""
    made = []
    for cell in fiba_walkthrough.fiba_walkthrough.plan(SETTINGS):
        answer = coins(cell, {})
        known = {
            "status": "ok",
            "counted": cell.declared.counted,
            "started": pd.Timestamp("2026-01-01", tz="UTC"),
        }
        made.append({**empty_row(), **cell.columns, **known, **answer, "facts": json.dumps(answer["facts"])})
    return pd.DataFrame(made)
