"""Keyed windows against brute force: any split, order, watermarks, restarts, nulls, every window and kind of result."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import catalogue, operators
from algorithms.streams.keyed import KeyedAggregate
from algorithms.streams.sliding.units import FARTHEST
from algorithms.windows.contract import ANY_ORDER
from tests.algorithms.streams.keyed.brute import columns, copied, expected, lateness, results, there
from tests.algorithms.streams.sliding.brute import affine
from tests.examples import examples

pytestmark = [pytest.mark.plain, pytest.mark.slow]

ENDS = st.fixed_dictionaries(
    {
        "size": st.integers(1, 12),
        "slide": st.integers(1, 7),
        "closed": st.sampled_from(["left", "right", "both"]),
        "offset": st.integers(0, 9),
    }
)
ROWS = st.fixed_dictionaries(
    {
        "slide": st.just("row"),
        "size": st.integers(1, 12),
        "closed": st.sampled_from(["right", "both"]),
        "peers": st.booleans(),
    }
)
LAST = st.fixed_dictionaries({"by": st.just("count"), "size": st.integers(1, 6), "slide": st.integers(1, 4)})


def of_any_order(chosen: dict) -> list[tuple[str, str]]:
    some = [("two_stacks_lite", "buffer"), ("fiba", "buffer"), ("recalc", "buffer")]
    return some if chosen.get("by") == "count" else [*some, ("fiba", "any"), ("b_tree", "any")]


@st.composite
def streams(draw, in_order: bool = False) -> list[tuple]:
    """Batches of rows (key, time, value), each with the watermark after it."""
    batches, now, watermark = [], draw(st.integers(-30, 30)), -(2**62)
    for _ in range(draw(st.integers(0, 6))):
        rows = []
        for _ in range(draw(st.integers(0, 8))):
            now += draw(st.sampled_from([0, 0, 1, 2, 5, 30]))
            behind = 0 if in_order else draw(st.sampled_from([0, 0, 0, 1, 3, 15]))
            rows.append((draw(st.sampled_from([3, -1, 70_000])), now - behind, draw(st.integers(-3, 9))))
        if draw(st.booleans()):
            watermark = draw(st.sampled_from([watermark, now - 12, now - 3, now - 1]))
        batches.append((rows, watermark))
    return [*batches, ([], FARTHEST)]


def fed(batches: list[tuple], choices: list[tuple[str, str]], chosen: dict) -> list[tuple]:
    """Results of batches one after the other, each by the next of the (window, order), from the state as stored."""
    aggregates = [KeyedAggregate(w, order=order, operators="affine", **chosen) for w, order in choices]
    kept, got, late = aggregates[0].empty(), [], 0
    for n, (rows, watermark) in enumerate(batches):
        fired, kept, counts = aggregates[n % len(aggregates)].take(copied(kept), *columns(rows), watermark)
        late += counts.late
        assert counts.kept == len(kept.positions) == kept.offsets[-1]
        got += results(fired)
    assert late == lateness(batches, chosen)
    return sorted(got, key=lambda one: one[:2])


@settings(max_examples=examples(150), deadline=None)
@given(st.data(), st.one_of(ENDS, ROWS, LAST), streams())
def test_batches_and_restarts_with_other_windows(data, chosen, batches):
    choices = data.draw(st.lists(st.sampled_from(of_any_order(chosen)), min_size=1, max_size=3))
    assert fed(batches, choices, chosen) == expected(batches, chosen)


@settings(max_examples=examples(60), deadline=None)
@given(st.one_of(ENDS, ROWS, LAST), streams())
def test_each_batch_gives_what_its_watermark_has_passed(chosen, batches):
    window, order = of_any_order(chosen)[-1]
    k = KeyedAggregate(window, order=order, operators="affine", **chosen)
    kept, before = k.empty(), []
    for n, (rows, watermark) in enumerate(batches, 1):
        fired, kept, _ = k.take(kept, *columns(rows), watermark)
        so_far = expected(batches[:n], chosen)
        assert sorted(before + results(fired), key=lambda one: one[:2]) == so_far
        assert results(fired) == sorted(results(fired), key=lambda one: one[:2])
        before += results(fired)


@settings(max_examples=examples(100), deadline=None)
@given(st.data(), st.one_of(ENDS, ROWS, LAST), streams())
def test_pieces_of_a_sorted_table(data, chosen, batches):
    rows = sorted((row for some, _ in batches for row in some), key=lambda row: row[:2])
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=5)))
    k = KeyedAggregate("two_stacks_lite", order="buffer", operators="affine", **chosen)
    kept, got = k.empty(), []
    for n, (i, j) in enumerate(zip([0, *cuts], [*cuts, len(rows)], strict=True)):
        fired, kept, counts = k.take_sorted(copied(kept), *columns(rows[i:j]), last=n == len(cuts))
        got += results(fired)
        assert counts.keys <= 1
        if not k.at_ends and chosen.get("slide", 1) == 1 and not chosen.get("peers"):
            assert len(got) == j  # a row's result needs nothing later
    assert got == expected([(rows, FARTHEST)], chosen)
    assert len(kept.positions) == len(kept.codes) == 0


@settings(max_examples=examples(60), deadline=None)
@given(st.one_of(ENDS, ROWS, LAST), streams(in_order=True))
def test_rows_in_order_are_not_refused(chosen, batches):
    assert fed(batches, [("two_stacks_lite", "refuse")], chosen) == expected(batches, chosen)


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_every_window_gives_the_same(name):
    rng = np.random.default_rng(1)
    op = operators.make("affine")
    if catalogue()[name].refusal(op):
        op = operators.make("max", "int64")
    order = "any" if catalogue()[name].order == ANY_ORDER else "buffer"
    for chosen in ({"size": 20, "slide": 7}, {"size": 9, "slide": "row"}):
        given_by = (
            KeyedAggregate("recalc", operators=op, **chosen),
            KeyedAggregate(name, operators=op, order=order, **chosen),
        )
        states, count = [k.empty() for k in given_by], 0
        for n in range(4):
            t = 25 * n + rng.integers(0, 50, 60)
            batch = rng.integers(0, 3, 60), t, {"value": rng.integers(0, 99, 60)}, 25 * n + 5
            (wanted, states[0], _), (got, states[1], _) = (
                k.take(state, *batch) for k, state in zip(given_by, states, strict=True)
            )
            assert results(got) == results(wanted)
            count += len(wanted.codes)
        assert count > 30


@settings(max_examples=examples(80), deadline=None)
@given(st.data(), st.one_of(ENDS, ROWS, LAST), streams())
def test_nulls_are_skipped_and_their_rows_still_fire(data, chosen, batches):
    nulls = st.sampled_from([True, False, False])
    batches = [([(c, t, None if data.draw(nulls) else v) for c, t, v in rows], after) for rows, after in batches]
    window, order = data.draw(st.sampled_from(of_any_order(chosen)))
    two = {"value": "affine", "pair": ("arg_max", ("value", "value"))}
    k = KeyedAggregate(window, order=order, operators=two, nullable=("value",), **chosen)
    kept, got = k.empty(), []
    for rows, watermark in batches:
        fired, kept, _ = k.take(copied(kept), *columns(rows), watermark, valid=there(rows))
        assert (fired.filled["pair"] == fired.filled["value"]).all()
        got += results(fired)
    assert sorted(got, key=lambda one: one[:2]) == expected(batches, chosen)


def test_a_null_among_ends_and_codes_that_are_far_apart():
    codes, times = np.repeat([-(2**63), *range(7), 2**63 - 1], 2), np.tile([0, 2**61], 9)
    values, valid = {"value": np.arange(18)}, {"value": np.arange(18) != 11}
    k = KeyedAggregate(size=1, operators="affine", nullable=("value",))
    _, kept, _ = k.take(k.empty(), codes, times, values, -1, valid)
    fired, _, _ = k.take(kept, [], [], {"value": []}, FARTHEST, {"value": []})
    assert fired.codes.tolist() == codes.tolist()
    assert fired.times.tolist() == (times + 1).tolist()
    assert fired.filled["value"].tolist() == valid["value"].tolist()
    assert fired.results["value"][valid["value"]].tolist() == [affine([v]) for v in range(18) if v != 11]


@pytest.mark.parametrize(("window", "order"), [("fiba", "any"), ("two_stacks_lite", "buffer")])
def test_the_end_of_everything_is_past_the_last_window_of_the_last_time(window, order):
    """Windows may end beyond 2**62, where no time is."""
    k = KeyedAggregate(window, order=order, size=4, slide=1, dtypes={"value": "int64"})
    newest = FARTHEST - 1
    fired, kept, _ = k.take(k.empty(), [1], [newest], {"value": [3]}, FARTHEST)
    assert (fired.times - newest).tolist() == [1, 2, 3, 4] and len(kept.positions) == 0
    assert len(k.take(kept, [1], [newest], {"value": [3]}, FARTHEST)[0].codes) == 0
    if order == "buffer":
        fired, *_ = k.take_sorted(k.empty(), [1], [newest], {"value": [3]}, last=True)
        assert (fired.times - newest).tolist() == [1, 2, 3, 4]


def test_kinds_of_results():
    twice = operators.from_functions(lambda v: v, lambda a, b: a + b, lambda a: 2 * a, 0.0, name="twice")
    wanted = {
        "all": ("collect", "v"),
        "mean": ("arithmetic_mean", "v"),
        "who": ("arg_max", ("v", "u")),
        "mine": (twice, "v"),
        "text": ("concat", "letter"),
        "seen": ("bloom", "u"),
        "two": (operators.product(n="count", top="max"), ("u", "v")),
    }
    k = KeyedAggregate(size=10, operators=wanted, dtypes={"u": "int64"}, counting=True)
    assert k.columns == {"v": "float64", "u": "int64", "letter": "int64"}
    given = {"v": [2.0, np.nan, 4.0], "u": [7, 8, 9], "letter": [ord(c) for c in "abc"]}
    fired, _, counts = k.take(k.empty(), [1, 1, 2], [5, 3, 4], given, 10)
    kinds = [column.dtype.hasobject for column in fired.results.values()]
    assert kinds == [True, False, False, False, True, True, True]
    shown = {name: column.tolist() for name, column in fired.results.items()}
    assert shown["all"][1] == [4.0]
    assert np.isnan(shown["mean"][0]) and shown["mean"][1] == 4.0
    assert (shown["who"], shown["text"]) == ([7, 9], ["ba", "c"])
    assert np.isnan(shown["mine"][0]) and shown["mine"][1] == 8.0
    assert 8 in shown["seen"][0] and 8 not in shown["seen"][1]
    assert shown["two"] == [(2, 2.0), (1, 4.0)]
    assert counts.combines > 7
    k = KeyedAggregate(size=10)
    assert k.take(k.empty(), [1], [7], {"value": [1.0]}, 4)[2].combines == -1, "they are not counted unless asked for"


def test_parts_of_a_product_take_each_its_own_kind_of_numbers():
    """Whole numbers are exact beside fractions, whichever comes first and whoever names the dtypes."""
    mixed = {
        "two": (operators.product(m="max", s=operators.make("sum", "int64")), ("v", "u")),
        "swapped": (operators.product(s=operators.make("sum", "int64"), m="max"), ("u", "v")),
    }
    for window, order in (("fiba", "any"), ("two_stacks_lite", "buffer")):
        for dtypes in (None, {"u": "int64", "v": "float64"}):
            k = KeyedAggregate(window, order=order, size=10, operators=mixed, dtypes=dtypes, counting=True)
            assert k.columns == {"v": "float64", "u": "int64"}
            given = {"v": [2.75, 0.5], "u": [2**60, 1]}
            fired, *_ = k.take(k.empty(), [1, 1], [5, 3], given, 10)
            assert fired.results["two"].tolist() == [(2.75, 2**60 + 1)]
            assert fired.results["swapped"].tolist() == [(2**60 + 1, 2.75)]


def test_a_part_that_takes_whole_numbers_gets_no_others():
    mixed = operators.product(m="max", s=operators.make("sum", "int64"))
    with pytest.raises(ValueError, match=r"two \(product\(m, s\)\) takes whole numbers, and column 'v' is float64"):
        KeyedAggregate(size=10, operators={"two": (mixed, "v")}, dtypes={"v": "float64"})
    with pytest.raises(ValueError, match=r"two \(product\(m, s\)\) takes whole numbers, and column 'w' is float64"):
        KeyedAggregate(size=10, operators={"two": (mixed, ("v", "w"))}, dtypes={"v": "float64", "w": "float64"})
    assert KeyedAggregate(size=10, operators={"two": (mixed, "v")}).columns == {"v": "int64"}


def test_rows_that_fire_bring_their_values():
    k = KeyedAggregate(size=10, slide="row", operators={"total": ("sum", "v")}, nullable=("v",))
    fired, kept, _ = k.take(k.empty(), [1, 1], [9, 5], {"v": [1.0, 2.0]}, 7, valid={"v": [True, False]})
    assert (fired.times.tolist(), fired.values["v"].tolist(), fired.valid["v"].tolist()) == ([5], [2.0], [False])
    fired, _, _ = k.take(kept, *columns([])[:2], {"v": []}, 9, valid={"v": []})
    assert (fired.times.tolist(), fired.values["v"].tolist(), fired.results["total"].tolist()) == ([9], [1.0], [1.0])
