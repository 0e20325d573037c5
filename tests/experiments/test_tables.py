"""Tables of measured rows, and lines through their points, on numbers small enough to follow."""

import json

import numpy as np
import pandas as pd
import pytest

from experiments.harness import fitting, measured
from experiments.harness.measured import DRAWS, Measured, NotMeasuredError, PutBack
from tests.experiments.made_rows import frame, row

pytestmark = pytest.mark.smoke


def timed(**values):
    """A repetition each for lists of nanoseconds, by algorithm."""
    return [
        row(name, ns=ns, window=4, repetition=r, cell=name, facts=json.dumps({"seconds": r + 1, "lost": [r, 2]}))
        for name, each in values.items()
        for r, ns in enumerate(each)
    ]


def first(table):
    """The measured numbers, a list for each line."""
    return table.xs(0, axis=1, level="draw").to_numpy().tolist()


def test_a_number_is_of_one_operation_of_all_or_a_rate():
    rows = Measured(frame(timed(fiba=[2.0, 4.0])))
    assert first(rows.each("time", "algorithm")) == [[2, 4]]
    assert first(rows.total("time", "algorithm")) == [[2000, 4000]]
    assert first(rows.rate("algorithm")) == [[500, 250]]
    assert first(rows.rate(window=[4, 8])) == [[500, 250]]


def test_facts_are_numbers_of_a_row_and_what_lacks_says_why():
    rows = Measured(frame(timed(fiba=[2.0, 4.0])))
    assert first(rows.fact("seconds", "algorithm")) == [[1, 2]]
    assert first(rows.fact("seconds", metric="time")) == [[1, 2]]
    assert first(rows.computed(lambda facts: sum(facts["lost"]), "algorithm")) == [[2, 3]]
    with pytest.raises(NotMeasuredError, match="no row has minutes"):
        rows.fact("minutes")
    lacking = frame([row("fiba", ns=1.0, facts='{"lacking": {"minutes": "no clock"}}', repetition=0)])
    with pytest.raises(NotMeasuredError, match="^no clock$"):
        Measured(lacking).fact("minutes")
    some = frame(timed(fiba=[2.0]) + [row("daba", ns=1.0, facts="{}", repetition=0)])
    assert list(Measured(some).fact("seconds", "algorithm").index) == [("fiba",)]


def sampled(**samples):
    return [
        row(name, metric="latency", value=None, samples=np.array(each), repetition=r, cell=name)
        for name, runs in samples.items()
        for r, each in enumerate(runs)
    ]


def test_a_quantile_is_the_smallest_sample_that_enough_do_not_exceed():
    rows = Measured(frame(sampled(fiba=[[4.0, 1.0, 3.0, 2.0]])))
    for share, expected in ((0.0, 1), (0.25, 1), (0.26, 2), (0.5, 2), (0.75, 3), (1.0, 4)):
        assert first(rows.quantile(share)) == [[expected]]
    assert set(rows.quantile(0.5).to_numpy().ravel()) <= {1, 2, 3, 4} and rows.quantile(0.5).shape == (1, DRAWS)
    assert first(rows.least()) == [[1]]
    with pytest.raises(NotMeasuredError, match="no samples of time"):
        Measured(frame(timed(fiba=[1.0]) + sampled(daba=[[1.0]]))).quantile(0.5, metric="time")


def test_an_average_is_the_mean_and_is_resampled_by_its_standard_error():
    samples = np.random.default_rng(3).exponential(100, 400)
    rows = Measured(frame(sampled(daba=[samples])))
    average, *drawn = rows.average().to_numpy()[0]
    assert average == pytest.approx(samples.mean())
    resampled = np.random.default_rng(4).choice(samples, (2000, 400)).mean(axis=1)
    assert np.std(drawn) == pytest.approx(resampled.std(), rel=0.2)
    assert np.mean(drawn) == pytest.approx(resampled.mean(), rel=0.02)


def test_resampled_quantiles_are_those_of_draws_with_replacement():
    """The smaller of two draws from two samples is the smaller sample in three of four cases, the larger's in one."""
    rows = Measured(frame(sampled(fiba=[[10.0, 20.0]])))
    rows._draws = 4001
    for share, expected in ((0.5, 0.75), (1.0, 0.25)):
        drawn = rows.quantile(share).to_numpy()[0, 1:]
        assert set(drawn) == {10, 20} and abs((drawn == 10).mean() - expected) < 0.03


def test_of_two_runs_of_the_same_work_the_quieter_counts_round_by_round():
    rows = Measured(frame(sampled(fiba=[[1.0, 9.0, 2.0], [8.0, 3.0, 2.0], [5.0, 5.0, 5.0]])))
    found = first(rows.worst_of_quieter("algorithm"))
    assert found[0][0] == 3 and np.isnan(found[0][1:]).all(), "the third has no other to be held against"
    with pytest.raises(NotMeasuredError, match="needs two repetitions"):
        Measured(frame(sampled(fiba=[[1.0]]))).worst_of_quieter()
    mixed = Measured(frame(sampled(fiba=[[1.0], [4.0]]) + timed(daba=[3.0, 2.0])))
    assert first(mixed.worst_of_quieter())[0][0] == 1
    with pytest.raises(NotMeasuredError, match="in ascending order"):
        Measured(frame(sampled(fiba=[[1.0, 9.0, 70.0], [1.0, 8.0, 80.0]]))).worst_of_quieter()


def test_runs_are_told_apart_by_machine_and_repetition():
    rows = frame([row("fiba", ns=1.0 + m, machine=f"m{m}", repetition=0, cell="c") for m in range(2)])
    assert first(Measured(rows).each("time")) == [[1, 2]]


def test_a_table_that_is_counted_in_part_is_not_exact_and_fills_no_repetition():
    known = [row("daba", metric="time", value=5000.0, counted=True, repetition=0, cell="daba")]
    rows = Measured(frame(timed(fiba=[1.0, 2.0]) + known))
    (daba, fiba) = first(rows.each("time", "algorithm"))
    assert fiba == [1, 2] and daba[0] == 5 and np.isnan(daba[1]) and not rows.exact


def test_rows_are_selected_by_all_that_is_asked():
    rows = Measured(frame(timed(fiba=[2.0], daba=[1.0]) + [row("soe", ns=3.0, window=8, repetition=0)]))
    assert list(rows.each("time", "algorithm", algorithm="fiba").index) == [("fiba",)]
    assert list(rows.each("time", "algorithm", algorithm={"fiba", "soe"}, window=4).index) == [("fiba",)]
    assert list(rows.each("time", "algorithm", window=range(5, 9)).index) == [("soe",)]


def test_what_is_counted_once_stands_for_every_repetition():
    counts = [row("fiba", metric="combines", value=3.0, operations=1, counted=True, repetition=0, cell="f")]
    both = Measured(frame(timed(fiba=[1.0, 2.0]) + counts))
    assert first(both.total("combines")) == [[3, 3]] and both.exact
    both.each("time")
    assert not both.exact


def test_tables_are_held_against_each_other_line_by_line():
    table = Measured(frame(timed(fiba=[2.0, 4.0], daba=[1.0, 8.0]))).each("time", "algorithm", "window")
    fiba, daba = (measured.lines_of(table, algorithm=name) for name in ("fiba", "daba"))
    assert first(measured.ratio(fiba, daba)) == [[2, 0.5]]
    assert first(measured.over(table, daba)) == [[1, 1], [2, 0.5]]
    assert first(measured.over(table, measured.lines_of(fiba, window=4))) == [[0.5, 2], [1, 1]]
    of_fiba = measured.over(table, measured.where(table, algorithm=["fiba"]))
    assert list(of_fiba.index) == [("fiba", 4)], "what has no line to be held against is left out"
    elsewhere = measured.keyed(measured.without(daba, "window"), "window", 8)
    for compared in (measured.ratio, measured.over):
        with pytest.raises(NotMeasuredError, match="nothing was measured for both"):
            compared(fiba, elsewhere)
    with pytest.raises(NotMeasuredError, match="no rows of algorithm=soe"):
        measured.lines_of(table, algorithm="soe")
    with pytest.raises(ValueError, match="lines differ in algorithm only"):
        measured.without(table, "algorithm")


def test_lines_are_chosen_by_values_or_by_what_is_said_of_them():
    table = Measured(frame(timed(fiba=[2.0], daba=[1.0], soe=[3.0]))).each("time", "algorithm", "window")
    assert list(measured.where(table, algorithm=["fiba", "soe"], window=lambda n: n < 8).index) == [
        ("fiba", 4), ("soe", 4),
    ]  # fmt: skip
    with pytest.raises(NotMeasuredError, match="no rows with algorithm=fiba and window=8"):
        measured.where(table, algorithm=["fiba"], window=[8])
    with pytest.raises(NotMeasuredError, match="no rows with the window that is needed"):
        measured.where(table, window=lambda n: n > 8)


def test_a_key_that_was_put_back_is_known_as_one():
    table = Measured(frame(timed(fiba=[2.0]))).each("time", "algorithm")
    names = measured.keyed(table, "window", 4).index.names
    assert names == ["algorithm", "window"] and [type(name) for name in names] == [str, PutBack]
    assert measured.keyed(Measured(frame(timed(fiba=[2.0]))).each("time"), "window", 4).index.names == ["window"]


# -------------------------------------------------------------------------------------------------------------- lines


def points(*values, windows=(2, 4, 8)):
    """A table with a line for each window, a repetition each for the numbers of a line."""
    names = pd.MultiIndex.from_product([range(len(values[0])), [0]], names=["repetition", "draw"])
    index = pd.MultiIndex.from_product([["fiba"], windows[: len(values)]], names=["algorithm", "window"])
    return pd.DataFrame(np.array(values, float), index, names)


def test_numbers_over_a_key_are_reduced_within_each_repetition():
    table = points([1, 6], [4, 3], [16, 12])
    reduced = {
        fitting.largest: [16, 12], fitting.smallest: [1, 3], fitting.mean: [7, 7], fitting.geometric_mean: [4, 6],
        fitting.spread: [16, 4], fitting.growth: [16, 2], fitting.least_step: [0.75, -0.5],
    }  # fmt: skip
    for of, expected in reduced.items():
        assert first(of(table, "window")) == [pytest.approx(expected)], of
        assert list(of(table, "window").index) == [("fiba",)], of
    assert first(fitting.share_of(1.0 * (table > 3), "window")) == [pytest.approx([2 / 3, 2 / 3])]
    assert first(fitting.growth(table.iloc[::-1], "window")) == [[16, 2]], "in order of the key, not of the lines"
    assert first(fitting.least_step(table.iloc[::-1], "window")) == [pytest.approx([0.75, -0.5])]


def test_a_step_is_a_share_of_the_larger_of_its_two_ends():
    assert first(fitting.least_step(points([1, 8], [8, 2], [4, 1]), "window")) == [[-0.5, -0.75]]


def test_lines_take_three_points_and_pairs_two():
    for of in (fitting.slope, fitting.rise, fitting.straightness):
        with pytest.raises(NotMeasuredError, match="needs 3 values of window"):
            of(points([1], [2]), "window")
    for of in (fitting.spread, fitting.growth, fitting.least_step, fitting.neighbours):
        with pytest.raises(NotMeasuredError, match="(needs 2|two) values of window"):
            of(points([1]), "window")
    assert first(fitting.spread(points([1], [3]), "window")) == [[3]]


def test_a_line_is_over_the_logarithm_or_over_the_key_itself():
    assert first(fitting.slope(points([1], [2], [3]), "window")) == [pytest.approx([1])]
    linear = points([2], [4], [8])
    assert first(fitting.slope(linear, "window", fitting.identity)) == [pytest.approx([1])]
    assert first(fitting.rise(linear, "window", fitting.identity)) == [pytest.approx([6 / (14 / 3)])]
    assert first(fitting.straightness(linear, "window", fitting.identity)) == [pytest.approx([1])]
    assert first(fitting.straightness(points([1, 3], [3, 1], [2, 2]), "window")) == [pytest.approx([0.25, -0.25])]
    assert first(fitting.straightness(points([0], [0], [0]), "window")) == [[0]]
    assert first(fitting.straightness(points([0.1], [0.1 + 1e-17], [0.1]), "window")) == [[0]]


def test_a_repetition_that_lacks_a_point_has_no_number():
    assert np.isnan(first(fitting.mean(points([1, np.nan], [2, 2], [3, 3]), "window"))[0]).tolist() == [False, True]
    assert np.isnan(first(fitting.mean(points([np.nan], [2]), "window"))[0][0])


def test_neighbours_are_compared_in_order_of_the_key():
    steps = fitting.neighbours(points([1, 2], [4, 4], [16, 2]), "window")
    assert list(steps.index) == [("fiba", "2, 4"), ("fiba", "4, 8")]
    assert first(steps) == [[0.25, 0.5], [0.25, 2]]
    assert first(fitting.neighbours(points([1], [4]), "window", lambda one, other: other - one)) == [[3]]
