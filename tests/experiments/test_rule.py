"""The one rule: tables of measured rows, intervals, decisions, verdicts and the statements that they are about."""

import numpy as np
import pandas as pd
import pytest

from experiments.harness import fitting, judgement, measured, registry, statements
from experiments.harness.measured import Measured, NotMeasuredError
from experiments.harness.statements import Statement, StatementError, in_folder
from tests.experiments.made_rows import frame, row

pytestmark = pytest.mark.smoke

REPETITIONS = 8


def rows_of(ns, repetitions=REPETITIONS, noise=0.01, **columns):
    """`ns`: by (algorithm, window)."""
    random = np.random.default_rng(1)
    return frame(
        row(algorithm, window=window, repetition=r, cell=f"{algorithm} {window}", **columns)
        | {"value": 1000 * value * random.lognormal(0, noise), "metric": "time", "unit": "ns"}
        for (algorithm, window), value in ns.items()
        for r in range(repetitions)
    )


LINE = {("fiba", n): 10.0 * k for k, n in enumerate((2, 4, 8, 16), 1)}
STATEMENT = {"panel": "Figure 1", "claim": "so it is", "says": "so", "experiment": "x", "quantity": "q"}


def ruled(quantity, relation, rows, **fields):
    statement = Statement(**STATEMENT, relation=relation, tolerance="made up", **fields)
    return judgement.judged("x", statement, quantity, None, rows)


def test_a_table_has_a_line_for_each_configuration_and_a_column_for_each_repetition():
    table = Measured(rows_of(LINE, noise=0)).each("time", "algorithm", "window")
    assert table.shape == (4, REPETITIONS) and table.index.names == ["algorithm", "window"]
    assert table.loc[("fiba", 8)].tolist() == [30.0] * REPETITIONS
    assert measured.lines_of(table, algorithm="fiba").index.names == ["window"]


def test_rows_that_a_table_would_pool_are_refused():
    two = pd.concat([rows_of(LINE), rows_of(LINE).assign(operator="max")])
    with pytest.raises(measured.PooledError, match="another key must tell them apart"):
        Measured(two).each("time", "window")
    assert len(Measured(two).each("time", "window", "operator")) == 8


def test_a_key_is_a_column_or_a_parameter_and_what_is_missing_is_said():
    rows = frame([row("fiba", {"min_arity": 4}, ns=1.0, workload_parameters='{"queries": 3}', repetition=0)])
    table = Measured(rows).each("time", "min_arity", "queries", "store")
    assert list(table.index) == [(4, 3, "")]
    with pytest.raises(NotMeasuredError, match="no rows with metric combines min_arity=8"):
        Measured(rows).each("combines", min_arity=8)
    with pytest.raises(NotMeasuredError, match="no rows with metric time workload=nope; this run has workload=[a-z]+$"):
        Measured(rows.assign(workload="flights")).each("time", workload="nope")


def test_what_was_not_measured_in_a_repetition_stays_unknown_there():
    rows = rows_of(LINE)
    hole = rows[~((rows["window"] == 8) & (rows["repetition"] >= 5))]
    slopes = fitting.slope(Measured(hole).each("time", "window"), "window")
    assert slopes.notna().sum(axis=1).tolist() == [5]


def test_counts_are_exact_and_the_same_in_every_repetition():
    counts = rows_of(LINE, repetitions=1, noise=0).assign(metric="combines", counted=True)
    both = Measured(pd.concat([rows_of(LINE), counts]))
    assert both.each("combines", "window").notna().all().all() and both.exact
    both.each("time", "window")
    assert not both.exact
    verdict = ruled(lambda m: m.each("combines", "window"), {"at most": 30}, counts).verdict
    assert verdict.text == "holds for 3 of 4" and "(" not in verdict.measured


def test_quantiles_of_samples_are_resampled_within_a_repetition():
    samples = np.random.default_rng(0).exponential(100, 2001)
    rows = frame(row("fiba", metric="latency", samples=samples, value=None, repetition=r) for r in range(6))
    drawn = Measured(rows).quantile(0.5).to_numpy().reshape(6, -1)
    assert drawn.shape[1] == measured.DRAWS and (drawn[:, 0] == np.median(samples)).all()
    # The standard error of a median: 1 / (2 f(m) sqrt(N)), with density 1 / 200 at the median of this distribution.
    expected = 100 / np.sqrt(len(samples))
    assert 0.5 * expected < drawn[:, 1:].std() < 2 * expected
    assert (Measured(rows).least().to_numpy()[0, :: measured.DRAWS] == samples.min()).all()


def test_straightness_growth_rise_and_spread_of_lines():
    table = Measured(rows_of(LINE, noise=0)).each("time", "window")
    assert np.allclose(fitting.straightness(table, "window"), 1)
    assert np.allclose(fitting.straightness(-table, "window"), -1)
    assert (fitting.straightness(0 * table + 5, "window") == 0).all().all()
    assert np.allclose(fitting.slope(table, "window"), 10) and np.allclose(fitting.spread(table, "window"), 4)
    assert np.allclose(fitting.rise(table, "window"), 30 / 25) and np.allclose(fitting.growth(table, "window"), 4)
    pairs = fitting.neighbours(table, "window")
    assert list(pairs.index.get_level_values(0)) == ["2, 4", "4, 8", "8, 16"]
    assert np.allclose(pairs.iloc[:, 0], [1 / 2, 2 / 3, 3 / 4])


@pytest.mark.parametrize(
    ("relation", "word"),
    [
        ({"at least": 9}, "holds"), ({"at least": 10}, "undecided"), ({"at least": 11}, "does not hold"),
        ({"at most": 11}, "holds"), ({"at most": 10}, "undecided"), ({"at most": 9}, "does not hold"),
        ({"between": [9, 11]}, "holds"), ({"between": [10, 11]}, "undecided"), ({"between": [11, 12]}, "does not hold"),
        ({"orders": 0.9}, "holds"), ({"orders": 1.1}, "does not hold"), ({"same order": True}, "does not hold"),
    ],
)  # fmt: skip
def test_a_configuration_holds_fails_or_is_undecided_by_its_whole_interval(relation, word):
    verdict = ruled(lambda m: m.each("time"), relation, rows_of({("fiba", 2): 10.0})).verdict
    assert verdict.word == word, verdict


@pytest.mark.parametrize(
    ("relation", "word"),
    [
        ({"rising": {"over": "window"}}, "holds"), ({"falling": {"over": "window"}}, "does not hold"),
        ({"rising": {"over": "window", "by": 1.1}}, "holds"),
        ({"rising": {"over": "window", "by": 1.3}}, "does not hold"),
        ({"flat": {"over": "window", "within": 1.1}}, "does not hold"),
        ({"flat": {"over": "window", "within": 1.3}}, "holds"),
    ],
)  # fmt: skip
def test_lines_rise_fall_or_are_flat(relation, word):
    assert ruled(lambda m: m.each("time", "window"), relation, rows_of(LINE)).verdict.word == word


def test_too_few_repetitions_decide_nothing_and_say_so():
    verdict = ruled(lambda m: m.each("time"), {"at least": 1}, rows_of({("fiba", 2): 10.0}, repetitions=2)).verdict
    assert (verdict.word, verdict.reason) == ("undecided", "2 repetitions; an interval takes 6")


def test_an_undecided_verdict_says_how_many_repetitions_would_decide_and_which_cells():
    rows = rows_of({("fiba", 2): 10.0, ("fiba", 4): 20.0}, noise=0.2)
    found = ruled(lambda m: m.each("time", "window"), {"at least": 9}, rows)
    assert found.undecided_cells() == {"fiba 2"} and found.verdict.text == "holds for 1 of 2, 1 undecided"
    assert "more repetitions would decide" in found.verdict.reason
    states = {decision.configuration["window"]: decision.state for decision in found.verdict.decisions}
    assert states == {2: "undecided", 4: "holds"}


def test_the_cells_of_a_compared_pair_are_repeated():
    rows = rows_of({("fiba", 2): 10.0, ("fiba", 4): 10.0, ("fiba", 8): 40.0}, noise=0.2)
    found = ruled(lambda m: fitting.neighbours(m.each("time", "window"), "window"), {"at least": 0.9}, rows)
    assert {"fiba 2", "fiba 4"} <= found.undecided_cells()


def over_fiba(rows):
    table = rows.each("time", "algorithm", "window")
    fiba = measured.lines_of(table, algorithm="fiba")
    others = [name for name in measured.values_of(table, "algorithm") if name != "fiba"]
    ratios = [measured.ratio(measured.lines_of(table, algorithm=name), fiba) for name in others]
    return pd.concat([measured.keyed(ratio, "algorithm", name) for ratio, name in zip(ratios, others)])


def test_the_cells_of_the_series_that_another_is_compared_with_are_repeated():
    """Without them the ratio is not known in the repetitions that are added, and never decided."""
    times = {("fiba", 2): 10.0, ("fiba", 4): 10.0, ("daba", 2): 10.0, ("daba", 4): 90.0, ("soe", 2): 90.0}
    found = ruled(over_fiba, {"at least": 1.01}, rows_of(times, noise=0.2))
    assert found.verdict.text == "holds for 2 of 3, 1 undecided"
    assert found.undecided_cells() == {"daba 2", "fiba 2"}


def test_the_cells_with_another_value_of_a_key_that_was_put_back_are_repeated():
    def over_smallest(rows):
        table = rows.each("time", "window")
        one = measured.lines_of(table, window=1)
        return measured.keyed(measured.ratio(measured.lines_of(table, window=2), one), "window", 2)

    rows = rows_of({("fiba", 1): 10.0, ("fiba", 2): 10.0}, noise=0.2)
    assert ruled(over_smallest, {"at least": 1.01}, rows).undecided_cells() == {"fiba 1", "fiba 2"}


def test_where_the_cells_at_a_configurations_points_are_not_enough_all_of_its_series_are_repeated():
    def over_the_smallest(rows):
        table = rows.each("time", "window", algorithm="fiba")
        return measured.where(table, window=[2]) / table.iloc[0].to_numpy()

    rows = rows_of({("fiba", 1): 10.0, ("fiba", 2): 10.0, ("soe", 1): 3.0}, noise=0.2)
    assert ruled(over_the_smallest, {"at least": 1.01}, rows).undecided_cells() == {"fiba 1", "fiba 2"}


def test_a_quantity_that_fails_for_lack_of_rows_has_no_numbers():
    def fails(rows):
        raise KeyError("fiba")

    statement = Statement(**STATEMENT, relation={"at least": 1}, tolerance="made up")
    assert judgement._numbers(statement, fails, Measured(rows_of(LINE))) == {}


def test_words_follow_the_counts():
    from results.verdicts import word_of

    counted = {(2, 0, 0): "holds", (1, 1, 0): "holds in part", (0, 2, 0): "does not hold", (1, 0, 1): "undecided"}
    counted |= {(0, 1, 1): "undecided", (1, 1, 1): "holds in part", (0, 0, 0): "not measured"}
    assert {counts: word_of(*counts) for counts in counted} == counted


def test_equal_windows_are_rarely_said_to_differ_and_a_tenth_is_found():
    """The rule at the looks of the laptop profile, on made-up noise: 3 % for 200 pairs is 6, and 18 is never."""
    random = np.random.default_rng(3)
    one = judgement.Relation("1", 1, 1)

    def noise():
        spikes = random.exponential(0.05, (28, 1)) * (random.random((28, 1)) < 0.2)
        return np.exp(random.normal(0, 0.03, (28, 1)) + spikes)

    def differs(slower):
        ratios = slower * noise() / noise()
        return any(judgement._decision({}, ratios[:look], one, False).state == "fails" for look in (7, 14, 28))

    assert sum(differs(1.0) for _ in range(200)) <= 18
    assert sum(differs(1.1) for _ in range(100)) >= 90


def test_series_that_the_paper_does_not_have_never_reach_a_quantity():
    rows = pd.concat([rows_of(LINE), rows_of({("mine", n): 1.0 for n in (2, 4)})])
    assert set(judgement.of_the_paper(rows, ["fiba"])["algorithm"]) == {"fiba"}
    arity = frame(row("fiba", {"min_arity": mu}, ns=1.0) for mu in (2, 4, 16))
    kept = judgement.of_the_paper(arity, [{"name": "fiba", "min_arity": [2, 4]}])
    assert kept["parameters"].tolist() == ['{"min_arity": 2}', '{"min_arity": 4}']


GOOD = """
series: {x: [fiba]}
statements:
  - {panel: Figure 1, claim: c, says: s, experiment: x, quantity: q, relation: {at most: 2}, tolerance: printed}
  - {panel: Figure 2, claim: d, says: s, not judged: its numbers are lost}
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("says: s, exp", "say: s, exp", "statements.yaml, 1: unknown field 'say'; did you mean says"),
        (", tolerance: printed", "", "statements.yaml, 1: tolerance missing"),
        ("at most: 2", "at most: two", "relation at most is 'two'; it must be a number"),
        ("at most: 2", "at mots: 2", "unknown relation 'at mots'; did you mean at most"),
        ("at most: 2", "flat: {over: window}", "relation flat is"),
        ("at most: 2", "between: [3, 2]", "it must be two numbers"),
        ("at most: 2", "between: [1, 2, 3]", "it must be two numbers"),
        ("at most: 2", "between: [1, x]", "it must be two numbers"),
        ("at most: 2", "between: 1", "it must be two numbers"),
        ("at most: 2", "same order: false", "relation same order is False; it must be true"),
        ("at most: 2", "rising: {by: 1}", "it must be a mapping such as"),
        ("at most: 2", "rising: {over: window, within: 1, at: 2}", "it must be a mapping such as"),
        ("at most: 2", "rising: window", "it must be a mapping such as"),
        ("at most: 2", "at most: 2, at least: 1", "relation is .* it must be one of at least"),
        ("{at most: 2}", "[at most]", "relation is .* it must be one of at least"),
        ("says: s, exp", "says: [s, exp", r"statements.yaml: while parsing"),
        ("says: s, exp", "says: s, says: t, exp", "statements.yaml: says is given twice"),
        ("{x: [fiba]}", "{y: [fiba]}", "series has no x"),
        ("series:", "serie:", "unknown key 'serie'; did you mean series"),
    ],
)
def test_a_wrong_statement_is_refused_by_its_place(tmp_path, old, new, words):
    (tmp_path / "statements.yaml").write_text(GOOD)
    assert [s.not_judged for s in in_folder(tmp_path).statements] == ["", "its numbers are lost"]
    in_folder.cache_clear()
    (tmp_path / "statements.yaml").write_text(GOOD.replace(old, new))
    with pytest.raises(StatementError, match=words.replace("[", r"\[")):
        in_folder(tmp_path)
    in_folder.cache_clear()


def test_what_a_statement_says_is_text_and_a_pair_may_be_one_number(tmp_path):
    text = GOOD.replace("panel: Figure 1, claim: c", "panel: 7, claim: 1.5, section: 5.1")
    (tmp_path / "statements.yaml").write_text(text.replace("at most: 2", "between: [2, 2]"))
    statement = in_folder(tmp_path).statements[0]
    assert (statement.place, statement.claim, statement.bound.low) == ("7, section 5.1", "1.5", 2)


@pytest.mark.parametrize(
    "relation",
    ["rising: {over: window}", "falling: {over: window, by: 0.1}", "flat: {over: window, within: 0.1}",
     "rising: {over: window, by: 0.1, within: 0.2}", "same order: true", "same order as: 3", "exactly: 0"],
)  # fmt: skip
def test_a_relation_is_read_as_the_page_writes_it(tmp_path, relation):
    (tmp_path / "statements.yaml").write_text(GOOD.replace("at most: 2", relation))
    assert dict(in_folder(tmp_path).statements[0].relation).keys() == {relation.partition(":")[0]}


def test_a_folder_without_statements_has_none(tmp_path):
    assert in_folder(tmp_path / "none") == statements.Paper()
    (tmp_path / "statements.yaml").write_text("")
    assert in_folder(tmp_path) == statements.Paper()


def test_every_quantity_is_used_and_every_statement_has_one():
    for experiment in registry.experiments().values():
        judged = [s for s in experiment.paper.of(experiment.name) if not s.not_judged]
        assert {s.quantity for s in judged} == set(experiment.quantities), experiment.name
        assert set(experiment.reasons) <= set(experiment.quantities)
    names = set(registry.experiments())
    for paper in (experiment.paper for experiment in registry.experiments().values()):
        assert {s.experiment for s in paper.statements} - {""} <= names and set(paper.series) <= names


def test_without_rows_nothing_is_decided():
    for experiment in registry.experiments().values():
        assert {verdict.word for verdict in experiment.verdicts(frame([]))} <= {"not measured", "not judged"}


def test_relations_and_their_bounds_are_what_the_page_says():
    names = "at least, at most, exactly, between, same order, same order as, orders, rising, falling, flat"
    assert sorted(statements.RELATIONS) == sorted(names.split(", "))
