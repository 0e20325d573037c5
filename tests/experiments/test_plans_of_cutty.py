"""The cells of Cutty's experiments, and the settings that they refuse."""

import pytest

from experiments.cutty.measuring.cuts import slices
from experiments.cutty.periodic import cutty_periodic
from experiments.cutty.sessions import cutty_sessions
from experiments.harness.plan import cells_of
from experiments.harness.settings import Profile, Settings, SettingsError

SIX = ("naive", "ra", "pairs", "pairs_plus", "cutty", "cutty_lazy")


def settings_of(name, **given):
    usual = {"name": name, "paper": "cutty", "workload": {"name": "debs12", "records": 1000},
             "profile": Profile("smoke", 1, 1, 60), "executor": {}, "operators": ("sum",),
             "algorithms": ({"name": "cutty"},), "sizes": {"queries": [1, 3], "divide": 10}}  # fmt: skip
    return Settings(**(usual | given))


def test_the_periodic_plan_counts_all_and_times_those_of_the_figure():
    cells = cutty_periodic.plan(settings_of("cutty_periodic", algorithms=tuple({"name": name} for name in SIX)))
    assert {cell.algorithm for cell in cells if cell.metric == "time"} == {"cutty", "pairs_plus", "ra"}
    assert {cell.algorithm for cell in cells if cell.metric == "combines"} == set(SIX)
    drawn = [(cell.window, cell.asked["slide"]) for cell in cells if cell.metric == "slide"]
    assert len(drawn) == 3 and all(2000 <= r <= 8000 and 100 <= s <= 2000 for r, s in drawn)


def test_the_sessions_plan_times_the_whole_and_the_aggregator_alone():
    cells = cutty_sessions.plan(settings_of("cutty_sessions", algorithms=({"name": "cutty"}, {"name": "ra"})))
    for metric in ("time", "aggregator"):
        timed = {(cell.algorithm, cell.asked["queries"]) for cell in cells if cell.metric == metric}
        assert timed == {("cutty", 1), ("cutty", 3), ("ra", 1), ("ra", 3)}


@pytest.mark.parametrize("experiment", [cutty_periodic, cutty_sessions], ids=lambda one: one.name)
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"window": 5}, "window is 5"),
        ({"distances": (0,)}, "distances is"),
        ({"operators": ("sum", "max")}, "takes one operator"),
        ({"workload": {"name": "flights"}}, "workload is 'flights'"),
        ({"workload": {"name": "debs12", "value": "mean"}}, "take 'sum:float64', or workload.value=mf01"),
        ({"sizes": {"queries": [0], "divide": 1}}, r"queries\[0\] is 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(experiment, given, said):
    with pytest.raises(SettingsError, match=said):
        experiment.plan(settings_of(experiment.name, **given))


@pytest.mark.parametrize("name", ["pairs", "pairs_plus", "panes"])
def test_sessions_cannot_be_sliced_by_period(name):
    with pytest.raises(SettingsError, match=f"'{name}', which slices for periodic queries only"):
        cutty_sessions.plan(settings_of("cutty_sessions", algorithms=({"name": name},)))


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        (["10:3"], "grid has '10:3'; a point of it is range / slide"),
        (["10 / 0"], "slide is 0; it must be a whole number of at least 1"),
        (["10 / 10"], "range is 10; it must be a whole number of at least 11"),
    ],
)
def test_a_grid_that_has_no_formulas_is_refused(grid, said):
    with pytest.raises(SettingsError, match=said):
        cells_of(settings_of("cutty_complexity", sizes={"grid": grid}))
    with pytest.raises(SettingsError, match="which Table 1 has no formulas of"):
        cells_of(settings_of("cutty_complexity", sizes={"grid": ["10 / 3"]}, algorithms=({"name": "naive"},)))


EXAMPLE = {"operators": ("concat",), "algorithms": (), "workload": {"name": "distance"}}


def test_techniques_that_cut_one_stream_differently_agree_on_its_windows():
    cells = cells_of(settings_of("cutty_walkthrough", **EXAMPLE))
    made = {cell: slices(cell, {}) for cell in cells if "Figure 7" in cell.stream["figure"]}
    assert {cell.algorithm: answer["value"] for cell, answer in made.items()} == {"panes": 17, "pairs": 12, "cutty": 6}
    assert len({answer["checksum"] for answer in made.values()}) == 1
    assert [answer["operations"] for answer in made.values()] == [17, 17, 17]


@pytest.mark.parametrize(
    "given",
    [{"window": 3}, {"distances": (0,)}, {"operators": ("sum",)}, {"algorithms": ({"name": "cutty"},)},
     {"workload": {"name": "debs12"}}],
)  # fmt: skip
def test_a_fixed_example_takes_no_settings(given):
    with pytest.raises(SettingsError, match="cutty_walkthrough is a fixed example"):
        cells_of(settings_of("cutty_walkthrough", **(EXAMPLE | given)))
