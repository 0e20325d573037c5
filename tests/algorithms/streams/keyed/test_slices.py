"""Slices instead of rows: the same results from both, however rows are split, late or without values; refusals."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from algorithms import operators
from algorithms.operators.merging import merging
from algorithms.streams.keyed import KeyedAggregate, Slicing
from algorithms.streams.sliding.units import FARTHEST
from algorithms.streams.window_spec import WindowSpec
from tests.algorithms.streams.keyed.brute import columns, copied, ends_of, there
from tests.algorithms.streams.keyed.test_by_brute_force import streams
from tests.examples import examples

pytestmark = [pytest.mark.plain, pytest.mark.smoke]

OPERATORS = {"total": "sum", "most": "max", "mean": "arithmetic_mean", "rows": "count"}

ENDS = st.fixed_dictionaries(
    {
        "size": st.integers(1, 12),
        "slide": st.integers(1, 7),
        "closed": st.sampled_from(["left", "right"]),
        "offset": st.integers(0, 9),
    }
)


def both(**spec):
    """A KeyedAggregate of rows, the slicing of rows, and a KeyedAggregate of slices."""
    given_to = {"dtypes": {"value": "int64"}, "nullable": ("value",)}
    by_row = KeyedAggregate("recalc", operators=OPERATORS, **given_to, **spec)
    slicing = Slicing(OPERATORS, WindowSpec(**spec), **given_to)
    of_slices = KeyedAggregate(
        "fiba", operators=slicing.operators, dtypes=slicing.columns, nullable=slicing.columns, **spec
    )
    return by_row, slicing, of_slices


def fired(answer):
    tables = (answer.results, answer.filled)
    return [answer.codes.tolist(), answer.times.tolist(), *({k: v.tolist() for k, v in t.items()} for t in tables)]


def without_meaning(answer):
    """Results of windows without a value are whatever the operator has for none."""
    codes, times, results, filled = fired(answer)
    return codes, times, {k: [x if yes else None for x, yes in zip(v, filled[k])] for k, v in results.items()}


@settings(max_examples=examples(150), deadline=None)
@given(ENDS, streams(), st.integers(0, 3))
@example(  # a row between two windows, at the watermark; the time of its slice is past it
    {"size": 1, "slide": 3, "closed": "right", "offset": 2}, [([], -2), ([(3, 8, 0), (3, -2, 0)], -2)], 0
)
def test_slices_give_what_rows_give(spec, batches, missing):
    by_row, slicing, of_slices = both(**spec)
    rows_kept, slices_kept, late = by_row.empty(), of_slices.empty(), 0
    for some, watermark in batches:
        some = [(c, t, None if missing and t % 4 < missing else v) for c, t, v in some]
        valid = there(some)
        wanted, rows_kept, counts = by_row.take(rows_kept, *columns(some), watermark, valid)
        pieces = np.array_split(np.arange(len(some)), 3)
        parts = [slicing.slices(*columns([some[i] for i in p]), there([some[i] for i in p])) for p in pieces]
        codes, times, rows = (np.concatenate([part[i] for part in parts]) for i in range(3))
        values, lifted = ({k: np.concatenate([p[i][k] for p in parts]) for k in slicing.columns} for i in (3, 4))
        late = int(rows[of_slices.are_late(times, slices_kept.watermark)].sum())
        got, slices_kept, _ = of_slices.take(copied(slices_kept), codes, times, values, watermark, lifted)
        assert without_meaning(got) == without_meaning(wanted)
        assert late == counts.late and rows.sum() == len(some)
        pairs = list(zip(np.repeat(slices_kept.codes, np.diff(slices_kept.offsets)), slices_kept.positions))
        assert len(set(pairs)) == len(pairs) <= len(rows_kept.positions)  # one a slice, and not more than rows


@settings(max_examples=examples(100), deadline=None)
@given(ENDS, st.lists(st.integers(-40, 40), max_size=20))
def test_a_slice_is_in_the_windows_that_its_rows_are_in(spec, times):
    slicing = Slicing("sum", WindowSpec(**spec), {"value": "int64"}, ())
    codes, values = np.zeros(len(times), np.int64), {"value": np.ones(len(times), np.int64)}
    made = slicing.slices(codes, np.array(times, np.int64), values, {})
    assert (
        len(set(made.times.tolist())) == len(made.times) and made.rows.tolist() == made.values["value.partial"].tolist()
    )

    def windows(t):
        return tuple(ends_of(t, **spec))

    wanted = {}
    for t in times:
        wanted[windows(t)] = wanted.get(windows(t), 0) + 1
    got = {}
    for t, n in zip(made.times.tolist(), made.rows.tolist()):
        got[windows(t)] = got.get(windows(t), 0) + n
    assert got == wanted


def test_farthest_times_stay_within_64_bits():
    for closed in ("left", "right"):
        by_row, slicing, of_slices = both(size=2**40, slide=2**39 - 1, closed=closed)
        some = [(0, 1 - FARTHEST, 3), (0, FARTHEST - 1, 4)]
        made = slicing.slices(*columns(some), there(some))
        got, *_ = of_slices.take(of_slices.empty(), *made[:2], made.values, FARTHEST, made.valid)
        wanted, *_ = by_row.take(by_row.empty(), *columns(some), FARTHEST, there(some))
        assert fired(got) == fired(wanted)


@pytest.mark.parametrize(
    ("operator", "spec", "reason"),
    [
        ("sum", {"size": 3, "slide": "row"}, "rows decide where windows end"),
        ("sum", {"size": 3, "slide": 1, "by": "count"}, "rows decide where windows end"),
        ("sum", {"size": 3, "slide": 1, "closed": "both"}, "closed='both' has rows in both"),
        ("last", {"size": 3, "slide": 1}, "last depends on the order of rows"),
        ("bloom", {"size": 3, "slide": 1}, "a partial aggregate of bloom does not consist of numbers"),
        (operators.make("sum", "int32"), {"size": 3, "slide": 1}, "does not consist of numbers of 64 bits"),
    ],
)
def test_what_cannot_be_sliced_is_refused_with_the_reason(operator, spec, reason):
    with pytest.raises(ValueError, match=reason):
        Slicing(operator, WindowSpec(**spec), None, ())


def test_an_operator_over_partials_is_described_and_checks_its_records():
    op = merging(operators.make("arithmetic_mean"))
    assert operators.described(op).startswith("merging(op=arithmetic_mean")
    with pytest.raises(ValueError, match="a partial aggregate has 2 fields, not 1"):
        KeyedAggregate("fiba", operators=op, size=3, slide=1)
