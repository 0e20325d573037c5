"""Every judge of cutty_complexity on made-up rows and of cutty_walkthrough on played scripts: holds, does not hold."""

import copy
import functools
import json

import pytest

from experiments.cutty.complexity import cutty_complexity
from experiments.cutty.measuring.cuts import play, slices
from experiments.cutty.measuring.table_1 import METRICS, formulas
from experiments.cutty.measuring.techniques import TECHNIQUES
from experiments.cutty.walkthrough import OPERATOR, SCRIPTS, cutty_walkthrough
from experiments.harness import judgement
from experiments.harness.plan import cells_of
from experiments.harness.settings import Profile, Settings, SettingsError
from tests.experiments.made_rows import frame, row, verdict

GRID = ((1200, 300), (80_000, 1000))
TABLE_1 = [name for name in TECHNIQUES if name != "naive"]


def counted(name, metric, r, s):
    """As the formulas say; those of Panes and Pairs leave the open slice out, which is counted."""
    found = getattr(formulas(name, r, s), metric)
    return found + (metric == "partials" and TECHNIQUES[name].slicing in ("panes", "pairs"))


def table_rows(spoilt="", column="", change=float):
    """Rows such that every claim holds, but for what the change makes of one technique in one column."""
    return frame(
        row(name, metric=metric, operations=100, workload_parameters=json.dumps({"range": r, "slide": s}),
            value=100.0 * (change if (name, metric) == (spoilt, column) else float)(counted(name, metric, r, s)),
            facts=json.dumps({"formula": getattr(formulas(name, r, s), metric)}))
        for name in TABLE_1 for r, s in GRID for metric in METRICS
    )  # fmt: skip


TABLE_CLAIMS = {
    # words of the claim: technique and metric, and what makes a value contradict it
    "more partial aggregates than": ("panes", "partials", lambda value: value + 2),
    "twice as many": ("cutty_lazy", "partials", lambda value: value / 2),
    "Cutty keeps the fewest": ("panes", "partials", lambda value: 1),
    "at most one combine": ("pairs", "update", lambda value: 1.5),
    "the logarithm of their number": ("ra", "store", lambda value: 2 * value),
    "the amortised formulas": ("cutty", "update", lambda value: 2 * value),
    "no more combines than the formula": ("pairs_plus", "merge", lambda value: 2 * value),
}


def test_every_claim_on_the_table_is_tried():
    assert len(cutty_complexity.claims) == len(TABLE_CLAIMS)


@pytest.mark.parametrize("words", TABLE_CLAIMS)
def test_a_table_as_printed_reproduces_the_claim(words):
    assert verdict(cutty_complexity, words, table_rows())["verdict"] == judgement.REPRODUCED


@pytest.mark.parametrize("words", TABLE_CLAIMS)
def test_an_entry_that_contradicts_the_claim_is_named(words):
    name, column, change = TABLE_CLAIMS[words]
    found = verdict(cutty_complexity, words, table_rows(name, column, change))
    assert found["verdict"] == judgement.NOT_REPRODUCED
    assert " at 1,200 / 300: " in found["reason"] and ", not " in found["reason"]


@pytest.mark.parametrize("words", TABLE_CLAIMS)
def test_without_rows_no_claim_on_the_table_is_judged(words):
    for none in (table_rows()[:0], table_rows().assign(status="failed")):
        assert verdict(cutty_complexity, words, none)["verdict"] == judgement.NOT_MEASURED


def test_claims_on_one_store_need_its_techniques():
    rows = table_rows()
    lazy = rows[rows["algorithm"].isin(["pairs", "ra_lazy"])]
    for words in ("twice as many", "the logarithm of their number", "the amortised formulas", "Cutty keeps the fewest"):
        assert verdict(cutty_complexity, words, lazy)["verdict"] == judgement.NOT_MEASURED
    eager = rows[rows["algorithm"] == "ra"]
    assert verdict(cutty_complexity, "at most one combine", eager)["verdict"] == judgement.NOT_MEASURED


def settings_of(name, **given):
    usual = {"name": name, "paper": "cutty", "workload": {"name": "debs12"}, "profile": Profile("smoke", 1, 1, 60),
             "executor": {}, "operators": ("sum",), "algorithms": ({"name": "cutty"},), "sizes": {}}  # fmt: skip
    return Settings(**(usual | given))


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


@functools.cache
def facts_of_scripts():
    return [play(name, script, OPERATOR) for name, script in SCRIPTS]


def walkthrough_rows(facts):
    return frame(row(one["technique"], metric="slices", value=1.0, facts=json.dumps(one)) for one in facts)


def other_slices(facts):
    facts["slices"] = [[begin, end + 1, text] for begin, end, text in facts["slices"]]


def another_cut(facts):
    facts["slices"].append([7, 9, "zz"])


def other_windows(facts):
    facts["windows"][0][2] += 1


def another_aggregate(facts):
    facts["windows"][0][3] = "zz"


WALKTHROUGH_CLAIMS = {
    "cut into four slices": ("Figure 4", other_slices),
    "end upon the record after": ("Figure 4", other_windows),
    "where a window of either query does": ("Figure 5", another_cut),
    "window 1 ends with record 3": ("Figure 5", other_windows),
    "over time and over distance": ("Figure 6", another_cut),
    "Panes cuts into": ("Figure 7", other_slices),
    "its records in order": ("Figure 7", another_aggregate),
}


def test_every_claim_on_the_examples_is_tried():
    assert len(cutty_walkthrough.claims) == len(WALKTHROUGH_CLAIMS)


@pytest.mark.parametrize("words", WALKTHROUGH_CLAIMS)
def test_the_examples_are_as_printed_and_spoilt_ones_are_not(words):
    assert verdict(cutty_walkthrough, words, walkthrough_rows(facts_of_scripts()))["verdict"] == judgement.REPRODUCED
    figure, spoil = WALKTHROUGH_CLAIMS[words]
    facts = copy.deepcopy(facts_of_scripts())
    for one in facts:
        if one["figure"] == figure and one["technique"] in ("cutty", "pairs"):
            spoil(one)
    found = verdict(cutty_walkthrough, words, walkthrough_rows(facts))
    assert found["verdict"] == judgement.NOT_REPRODUCED and found["reason"]
    assert verdict(cutty_walkthrough, words, walkthrough_rows([]))["verdict"] == judgement.NOT_MEASURED


def test_techniques_that_cut_one_stream_differently_agree_on_its_windows():
    cells = cells_of(
        settings_of("cutty_walkthrough", operators=("concat",), algorithms=(), workload={"name": "distance"})
    )
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
    usual = {"operators": ("concat",), "algorithms": (), "workload": {"name": "distance"}}
    with pytest.raises(SettingsError, match="cutty_walkthrough is a fixed example"):
        cells_of(settings_of("cutty_walkthrough", **(usual | given)))
