"""The number of a repetition that was timed in laps."""

import numpy as np
import pytest

from experiments.harness.measured import DRAWS, Measured
from results.laps import median_lap, typical_values
from tests.experiments.made_rows import frame, row

LAPS = [5.0, 100.0, 4.0, 6.0]
"""One of them slow; the lower median is 5."""


def in_laps(name, laps, repetition=0):
    columns = {"value": sum(laps), "samples": np.array(laps), "laps": len(laps), "operations": 10 * len(laps)}
    return row(name, **columns, metric="time", unit="ns", cell=name, repetition=repetition)


def latencies(name):
    return row(name, value=None, samples=np.array([3.0, 1.0]), operations=2, metric="latency", unit="cycles", cell=name)


def test_one_slow_lap_changes_nothing():
    assert median_lap(LAPS) == median_lap(sorted(LAPS)[:3]) == 5
    values = typical_values(frame([in_laps("fiba", LAPS), row("daba", ns=7.0), latencies("daba")]))
    assert values.iloc[0] == 4 * 5.0 and values.iloc[1] == 7000 and np.isnan(values.iloc[2])


def test_statements_see_the_median_lap_and_what_other_laps_would_have_given():
    rows = [in_laps("fiba", LAPS, repetition) for repetition in range(2)] + [
        row("daba", ns=7.0, cell="d", metric="time")
    ]
    daba, fiba = Measured(frame(rows)).each("time", "algorithm").to_numpy()[:, :DRAWS]
    assert fiba[0] == 0.5 and set(fiba) <= {lap / 10 for lap in LAPS} and len(set(fiba)) > 1
    assert set(daba) == {7.0}, "rows without laps have no draws of their own"
    assert Measured(frame(rows)).total("time", "algorithm").to_numpy()[1, 0] == pytest.approx(20)
