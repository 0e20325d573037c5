"""The plans of the Reactive Aggregator's experiments: which cells, and which settings are refused."""

import pytest

from experiments.harness.settings import Profile, Settings, SettingsError
from experiments.reactive_aggregator.coarse import batch_of, ra_coarse
from experiments.reactive_aggregator.memory import PRINTED, ra_memory
from experiments.reactive_aggregator.resize import ra_resize
from experiments.reactive_aggregator.vs_bint import ra_vs_bint


def settings(**changes):
    given = {
        "name": "probe", "paper": "reactive_aggregator", "workload": {"name": "distance"}, "executor": {},
        "profile": Profile("smoke", 1, 1, 60), "operators": ("max",), "algorithms": ({"name": "reactive"},),
        "sizes": {"windows": [8, 64]},
    }  # fmt: skip
    return Settings(**(given | changes))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"window": 12}, "window is 12; a capacity swings between powers of two, from 8 on"),
        ({"window": 4}, "window is 4; a capacity swings"),
        ({"algorithms": ({"name": "daba"},)}, "algorithms has daba; only reactive resizes itself"),
        ({"workload": {"name": "flights"}}, "workload is 'flights'"),
        ({"distances": (3,)}, "in order: leave distances out"),
    ],
)
def test_what_cannot_swing_is_refused(changes, words):
    with pytest.raises(SettingsError, match=words):
        ra_resize.plan(settings(**changes))


def test_slides_are_items_or_parts_of_the_window():
    assert [batch_of(slide, 64) for slide in ("1", "64", "65", "n/16", "n/65", "n")] == [1, 64, 0, 4, 0, 64]


@pytest.mark.parametrize("slide", ["0", "-4", "n/0", "n/x", "m", "", "1.5", "2n"])
def test_other_slides_are_refused(slide):
    with pytest.raises(SettingsError, match="slides has .*; a slide is a number of items such as 64, or n, or n/16"):
        ra_coarse.plan(settings(sizes={"windows": [8], "slides": [slide]}))


def test_a_window_has_the_slides_that_fit():
    cells = ra_coarse.plan(settings(sizes={"windows": [8], "slides": [1, 64, "n/16", "n/4", "n"]}))
    found = {(cell.uses["slide"], cell.batch) for cell in cells}
    assert found == {("1", 1), ("n/4", 2), ("n", 8)}


def test_table_4_is_measured_at_its_own_windows_with_every_operator():
    sizes = {"windows": [16], "slides": [1], "table": [8]}
    cells = ra_vs_bint.plan(settings(sizes=sizes, operators=("max", "sum")))
    assert {(cell.operator, cell.window) for cell in cells if cell.batch is None} == {("max", 8), ("sum", 8)}
    assert {(cell.operator, cell.window) for cell in cells if cell.batch == 1} == {("max", 16)}


def test_recomputation_is_not_measured_in_windows_that_are_too_large_for_it():
    both = ({"name": "reactive"}, {"name": "recalc"})
    cells = ra_memory.plan(settings(sizes={"windows": [64, 65536], "recomputed": 4096}, algorithms=both))
    found = {(cell.algorithm, cell.window) for cell in cells if cell.metric == "resident"}
    assert found == {("reactive", 64), ("reactive", 65536), ("recalc", 64)}
    assert {cell.metric for cell in cells if cell.window == PRINTED} == {"bytes"}
    assert {cell.operator for cell in cells if cell.window == PRINTED} == {"max", "max:int32"}
