"""Values that are missing: refused by default, skipped with skip_nan=True, in every window and for every operator."""

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from algorithms import SlidingAggregate, ValueKindError, catalogue, operators
from algorithms.operators.monoid import COMMUTATIVE
from tests.algorithms.streams.sliding.streams import times

pytestmark = [pytest.mark.plain, pytest.mark.smoke]

NAN = float("nan")
VALUES = [3.0, NAN, 1.0, NAN, NAN, NAN, 7.0, 2.0, NAN, 5.0]

OPERATORS = {
    "sum": lambda held: math.fsum(held),
    "max": lambda held: max(held, default=-math.inf),
    "count": len,
    "mean": lambda held: math.fsum(held) / len(held) if held else NAN,
    "std": lambda held: float(np.std(held, ddof=1)) if len(held) > 1 else NAN,
    "first": lambda held: held[0] if held else NAN,
    "last": lambda held: held[-1] if held else NAN,
    "collect": list,
}

COLUMNS = {
    "list": [None if v != v else v for v in VALUES],
    "floats": VALUES,
    "array": np.array(VALUES),
    "objects": np.array([None if v != v else v for v in VALUES], object),
    "series": pd.Series(VALUES),
    "nullable": pd.Series([None if v != v else v for v in VALUES], dtype="Float64"),
    "nullable whole": pd.Series([None if v != v else int(v) for v in VALUES], dtype="Int64"),
    "arrow": pa.array([None if v != v else v for v in VALUES]),
    "arrow whole": pa.array([None if v != v else int(v) for v in VALUES]),
}


@pytest.mark.parametrize("column", COLUMNS)
def test_missing_values_are_refused_or_skipped(column):
    with pytest.raises(ValueKindError, match=r"values.1.(: .*a value must be a number, not (None|<NA>)| is NaN)"):
        SlidingAggregate(size=3, by="count", slide="row").batch(None, COLUMNS[column])
    wanted = {"x": "sum", "there": "count", "missing": "null_count"}
    s = SlidingAggregate(size=3, by="count", slide="row", operator=wanted, skip_nan=True)
    got = {name: found.tolist() for name, found in s.batch(None, COLUMNS[column]).items()}
    windows = [VALUES[max(0, i - 2) : i + 1] for i in range(len(VALUES))]
    assert got["x"] == [sum(v for v in held if v == v) for held in windows]
    assert got["there"] == [sum(v == v for v in held) for held in windows]
    assert got["missing"] == [sum(v != v for v in held) for held in windows]


@pytest.mark.parametrize("name", [name for name, card in catalogue().items() if not name.startswith("kvs")])
def test_every_window_skips_for_every_operator_that_it_takes(name):
    t = times(5, 40)
    v = np.random.default_rng(5).choice([NAN, 1.0, 2.0, 3.0], 40)
    for operator, of in OPERATORS.items():
        if catalogue()[name].refusal(operators.make(operator)):
            continue
        s = SlidingAggregate(name, size=6, slide="row", operator=operator, skip_nan=True)
        got = s.batch(t, v)["value"].tolist()
        held = [[x for at, x in zip(t[: i + 1], v, strict=False) if t[i] - at < 6 and x == x] for i in range(40)]
        assert got == pytest.approx(list(map(of, held)), nan_ok=True) if operator != "collect" else list(map(of, held))


def test_a_record_with_any_nan_is_skipped():
    s = SlidingAggregate(size=2, by="count", slide="row", operator="arg_max", skip_nan=True)
    got = s.batch(None, ([5.0, NAN, 3.0, 4.0], [1.0, 2.0, NAN, 9.0]))["value"].tolist()
    assert got == pytest.approx([1.0, 1.0, NAN, 9.0], nan_ok=True)


def test_laws_and_names_are_those_of_the_operator():
    op = operators.skipping(operators.make("max"))
    assert (op.name, op.takes, op.dtype, op.exact) == (
        "max",
        "float64",
        np.dtype("f8"),
        True,
    ) and COMMUTATIVE in op.laws
    assert operators.described(op) == "skipping(op=max(identity=-inf))"
    assert operators.skipping(op) is op


def test_whole_numbers_have_no_nan():
    s = SlidingAggregate(size=2, by="count", dtype="int64", skip_nan=True)
    with pytest.raises(ValueKindError, match="sum: a value must be a whole number of at most 64 bits, not nan"):
        s.batch(None, [1, None])
    with pytest.raises(ValueError, match="skip_nan must be True or False, not 'yes'"):
        SlidingAggregate(size=2, skip_nan="yes")
