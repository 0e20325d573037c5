"""Statements about errors of floats on made-up rows, as they should be and contradicted; and what is measured."""

import json
from fractions import Fraction

import numpy as np
import pytest

from experiments.harness.cell import Cell
from experiments.numerics.error_growth import error_growth
from experiments.numerics.measuring import growth
from experiments.numerics.measuring.exact import exp, log, root
from experiments.numerics.measuring.hostile import hostile
from results.verdicts import DOES_NOT_HOLD, HOLDS, IN_PART, NOT_MEASURED
from tests.experiments.made_rows import frame, row

UPDATES = (10_000, 1_000_000)
COMBINING, SUBTRACTING = ("two_stacks_lite", "fiba"), ("soe",)
WITHIN, STEADY, BEYOND = "never further from the exact answer", "do not grow", "beyond the bound"


def rows(share):
    """A row of each window, operator and number of updates; `share` of the window and the updates."""
    return frame(
        row(name, cell=f"{name} {operator} {count}", operator=operator, metric="share", value=share(name, count),
            workload_parameters=json.dumps({"updates": count}), counted=True)
        for name in (*COMBINING, *SUBTRACTING) for operator in ("sum", "sample_stddev") for count in UPDATES
    )  # fmt: skip


def words_of(share):
    verdicts = error_growth.verdicts(rows(share) if callable(share) else share)
    return [next(v.word for v in verdicts if words in v.claim) for words in (WITHIN, STEADY, BEYOND)]


def test_statements():
    assert words_of(lambda name, count: 1e3 * count if name == "soe" else 0.1) == [HOLDS, HOLDS, HOLDS]
    assert words_of(lambda name, count: 1e-7 * count) == [HOLDS, DOES_NOT_HOLD, DOES_NOT_HOLD]
    assert words_of(lambda name, count: 3.0 if name == "fiba" else 0.1) == [IN_PART, HOLDS, DOES_NOT_HOLD]
    assert words_of(rows(lambda name, count: 1.0)[:0]) == [NOT_MEASURED] * 3
    (alone,) = [
        v for v in error_growth.verdicts(rows(lambda *_: 0.1)[lambda r: r["algorithm"] != "soe"]) if BEYOND in v.claim
    ]
    assert alone.word == NOT_MEASURED


def cell(algorithm, operator, updates=10_000, window=16):
    return Cell("none", "error_growth", algorithm, {}, operator, "distance", {}, window, "growth.share",
                asked={"updates": updates})  # fmt: skip


@pytest.mark.plain
@pytest.mark.parametrize("operator", ["sum", "geometric_mean", "sample_stddev"])
def test_what_is_measured(operator):
    """In a window that combines a share of the bound; in one that subtracts many times the bound."""
    assert 0 < growth.share(cell("two_stacks_lite", operator), {})["value"] <= 1
    if operator == "sum":
        assert growth.share(cell("soe", operator), {})["value"] > 1e6


@pytest.mark.plain
def test_a_window_that_holds_other_values_is_found(monkeypatch):
    """The windows that are compared are those that were asked: one value later, and hardly anything is right."""
    monkeypatch.setattr(growth, "hostile", lambda rows, positive: np.roll(hostile(rows, positive), 1))
    right = growth.share(cell("recalc", "sum"), {})["value"]
    play = growth.Rounds.run
    monkeypatch.setattr(growth.Rounds, "run", lambda self, count: play(self, count + (count == 1)))
    assert growth.share(cell("recalc", "sum"), {})["value"] > 1e6 * right


def test_functions_of_fractions():
    for x in (Fraction(0.1), Fraction(1e300), Fraction(5e-324), Fraction(2)):
        assert float(root(x)) == pytest.approx(float(x) ** 0.5, rel=1e-15)
        assert float(log(x)) == pytest.approx(float(np.log(float(x))), rel=1e-15)
    assert float(exp(Fraction(-3, 2))) == pytest.approx(np.exp(-1.5), rel=1e-15)
    assert len(set(hostile(4093, False))) > 2500 and (hostile(4093, True) > 0).all()
