"""Violins: panels, what is drawn of the samples, and what is said below."""

import numpy as np
import pandas as pd
import pytest

from plots import FigureError, figure
from results import SKIPPED, empty_row

DESCRIPTION = {
    "name": "latency",
    "family": "violins",
    "metric": "latency",
    "panel": "operator",
    "panels": ["sum", "bloom"],
    "panel_rows": "distance",
}


def rows(samples, algorithms=("daba", "two_stacks")):
    """Two repetitions for each algorithm, operator and distance; `samples(algorithm, repetition)`."""
    made = [
        empty_row()
        | {"algorithm": algorithm, "operator": operator, "distance": d, "metric": "latency", "unit": "cycles",
           "samples": np.asarray(samples(algorithm, repetition), float), "status": "ok", "repetition": repetition,
           "started": pd.Timestamp("2026-01-01", tz="UTC")}
        for algorithm in algorithms for operator in ("sum", "bloom") for d in (256, 0) for repetition in (0, 1)
    ]  # fmt: skip
    return pd.DataFrame(made)


def disturbed(algorithm, repetition):
    """A hundred rounds of 26 cycles: one long by itself, one disturbed, one below the step of the counter."""
    one = np.full(100, 26.0)
    one[50], one[repetition], one[9] = 2600 if algorithm == "two_stacks" else 52, 1e7, 1
    return one


def test_a_panel_for_each_distance_and_operator_smallest_distance_first():
    axes = figure(DESCRIPTION, rows(disturbed)).axes
    assert [panel.get_title() for panel in axes] == ["sum, d = 0", "bloom, d = 0", "sum, d = 256", "bloom, d = 256"]
    assert [tick.get_text() for tick in axes[0].get_xticklabels()] == ["two_stacks", "daba"]
    left, low = ([panel.get_position().p0[k] for panel in axes] for k in (0, 1))
    assert left[:2] == left[2:] and low[0] == low[1] > low[2] == low[3]


def test_the_circle_is_the_costliest_round_of_the_quietest_repetitions():
    circles = [float(line.get_ydata()[0]) for line in figure(DESCRIPTION, rows(disturbed)).axes[0].lines]
    assert circles == pytest.approx([np.log10(2600), np.log10(52)])


def test_samples_that_were_sorted_have_no_circle_as_it_is_not_known_which_round_is_which():
    drawn = figure(DESCRIPTION, rows(lambda name, repetition: np.sort(disturbed(name, repetition))))
    assert not drawn.axes[0].lines and not any("open circle" in text.get_text() for text in drawn.texts)


def test_repetitions_of_other_lengths_have_no_circle():
    assert not figure(DESCRIPTION, rows(lambda name, r: [26.0] * (10 + r))).axes[0].lines


def test_the_counters_step_bounds_the_axis_and_is_said():
    drawn = figure(DESCRIPTION, rows(disturbed))
    assert drawn.axes[0].get_ylim() == (1, 7)
    assert any("in steps of 26" in text.get_text() for text in drawn.texts)


def test_samples_of_a_counter_that_stood_still_can_be_drawn():
    assert figure(DESCRIPTION, rows(lambda *of: [0, 1, 0])).axes


def test_what_was_not_measured_is_said():
    with_skipped = rows(disturbed)
    with_skipped.loc[0, ["status", "reason", "samples"]] = (SKIPPED, "takes times in order only", None)
    said = " ".join(text.get_text() for text in figure(DESCRIPTION, with_skipped).texts)
    assert "Not measured (1): daba / sum, d = 256: skipped: takes times in order only" in said


def test_without_samples_there_is_no_figure():
    with pytest.raises(FigureError, match="no samples of metric 'latency'"):
        figure(DESCRIPTION, rows(disturbed).assign(samples=None))


def test_a_panel_has_only_the_series_that_have_samples_in_it():
    some = rows(disturbed)
    some = some[(some["operator"] == "bloom") | (some["algorithm"] == "daba")]
    first, second, *_ = figure(DESCRIPTION, some).axes
    assert [tick.get_text() for tick in first.get_xticklabels()] == ["daba"]
    assert [tick.get_text() for tick in second.get_xticklabels()] == ["two_stacks", "daba"]
    assert {tick.get_rotation() for tick in first.get_xticklabels()} == {25.0}


def test_panels_of_one_range_go_over_the_same_decades():
    def samples(algorithm, repetition):
        return [30.0] * 20 if algorithm == "daba" else [3e5] * 20

    some = rows(samples)
    some = some[(some["operator"] == "bloom") | (some["algorithm"] == "daba")]
    own = {panel.get_ylim() for panel in figure(DESCRIPTION, some).axes}
    assert own == {(1, 2), (1, 6)}
    drawn = figure({**DESCRIPTION, "same_y": True}, some)
    assert {panel.get_ylim() for panel in drawn.axes} == {(1, 6)}
