"""Keyed windows, compiled: many keys and one large one, against NumPy; operators of a user's own; no references."""

import numba
import numpy as np
import pytest

from algorithms import operators
from algorithms.kernel import OPTIONS, PLAIN, as_slots, machine_code_calls
from algorithms.streams.keyed import KeyedAggregate
from algorithms.streams.keyed.scratch import Numbers, slide_over
from algorithms.streams.sliding.units import FARTHEST
from algorithms.windows.contract import card
from tests.algorithms.streams.keyed.brute import columns, copied, expected, results


def stream(seed: int, n: int, keys: int, behind: int) -> list[tuple]:
    """Rows (key, time, value) that come up to `behind` late, with ties."""
    rng = np.random.default_rng(seed)
    t = np.cumsum(rng.choice([0, 0, 1, 2], n)) - rng.integers(0, behind + 1, n)
    return list(zip(*(one.tolist() for one in (rng.integers(0, keys, n), t, rng.integers(0, 99, n))), strict=True))


@pytest.mark.parametrize(
    ("window", "order", "chosen"),
    [
        ("fiba", "any", {"size": 20, "slide": 6}),
        ("two_stacks_lite", "buffer", {"size": 20, "slide": 6}),
        ("two_stacks_lite", "buffer", {"size": 9, "slide": "row"}),
        ("two_stacks_lite", "buffer", {"size": 9, "slide": "row", "peers": False}),
        ("two_stacks_lite", "buffer", {"size": 5, "slide": 2, "by": "count"}),
    ],
)
def test_batches_of_any_split(window, order, chosen):
    rows = stream(1, 600, 3, 12)
    k = KeyedAggregate(window, order=order, operators="affine", **chosen)
    for cuts in ([600], [100, 150, 151, 400, 600]):
        kept, batches, begin = k.empty(), [], 0
        got = []
        for end in cuts:
            batches.append((rows[begin:end], FARTHEST if end == 600 else rows[end][1] - 12))
            fired, kept, _ = k.take(copied(kept), *columns(batches[-1][0]), batches[-1][1])
            got += results(fired)
            begin = end
        assert sorted(got, key=lambda one: one[:2]) == expected(batches, chosen)
        assert len(got) > 90


def test_ten_thousand_keys():
    n, keys = 200_000, 10_000
    rng = np.random.default_rng(2)
    codes, t, v = rng.integers(0, keys, n), np.arange(n) - rng.integers(0, 1000, n), rng.integers(0, 9, n)
    whole = {"value": "int64"}
    k = KeyedAggregate("two_stacks_lite", size=40_000, slide=20_000, operators="sum", order="buffer", dtypes=whole)
    kept, got = k.empty(), []
    for i in range(0, n, 50_000):
        watermark = i + 50_000 - 1000 - 1
        some = slice(i, i + 50_000)
        fired, kept, counts = k.take(kept, codes[some], t[some], {"value": v[some]}, watermark)
        got += results(fired)
        assert counts.late == 0 and counts.kept < 120_000
    for end in range(20_000, 200_000, 20_000):
        inside = (t >= end - 40_000) & (t < end)
        sums, there = (np.bincount(codes[inside], weights, keys) for weights in (v[inside], None))
        at_end = {code: value for code, time, value in got if time == end}
        assert at_end == {code: sums[code] for code in np.flatnonzero(there)} != {}


def test_a_key_with_a_million_rows():
    n, size = 1_000_000, 300_000
    v = np.random.default_rng(3).integers(0, 99, n)
    t = np.arange(n)
    total = np.concatenate([[0], np.cumsum(v)])
    k = KeyedAggregate(
        "two_stacks_lite", size=size, slide="row", operators="sum", order="refuse", dtypes={"value": "int64"}
    )
    kept, sums = k.empty(), []
    for i in range(0, n, 250_000):
        fired, kept, counts = k.take(
            kept, np.full(250_000, 7), t[i : i + 250_000], {"value": v[i : i + 250_000]}, i + 249_000
        )
        sums.append(fired.results["value"])
        assert counts.kept <= size + 1000
    answered = 999_001
    assert (
        np.concatenate(sums) == total[1 : answered + 1] - total[np.maximum(0, np.arange(answered) + 1 - size)]
    ).all()
    fired, kept, _ = k.take_sorted(k.empty(), np.full(n, 7), t, {"value": v}, last=True)
    assert (fired.results["value"][:answered] == np.concatenate(sums)).all() and len(fired.codes) == n


def test_an_operator_of_ones_own_over_two_columns():
    weighed = operators.from_functions(
        lift=lambda v: v[0] * v[1], combine=lambda a, b: a + b, lower=lambda a: a / 2, identity=0.0, name="weighed"
    )
    names = {"mine": (weighed, ("v", "weight")), "top": ("max", "v"), "list": ("collect", "v")}
    k = KeyedAggregate("two_stacks_lite", by="count", size=2, slide="row", order="buffer", operators=names)
    fired, _, _ = k.take(k.empty(), [4, 4, 4], [1, 3, 2], {"v": [1.0, 2.0, 3.0], "weight": [2.0, 4.0, 6.0]}, 3)
    assert fired.results["mine"].tolist() == [1.0, 10.0, 13.0]
    assert fired.results["top"].tolist() == [1.0, 3.0, 3.0]
    assert fired.results["list"].tolist() == [[1.0], [1.0, 3.0], [3.0, 2.0]]


@pytest.mark.skipif(PLAIN, reason="is about compiled code")
def test_the_loop_counts_no_references():
    fresh = numba.njit(**OPTIONS)(
        slide_over.py_func
    )  # of what comes from the cache on disk there is no LLVM to inspect
    w, bounds = card("recalc").new(operators.make("sum"), 8), as_slots(np.zeros(1, np.int64))
    fresh(w, Numbers(as_slots(np.zeros(1))), as_slots(np.zeros(1)), bounds, bounds, 0)
    assert machine_code_calls(fresh, "define") > 0
    assert machine_code_calls(fresh, "NRT_incref") == machine_code_calls(fresh, "NRT_decref") == 0
