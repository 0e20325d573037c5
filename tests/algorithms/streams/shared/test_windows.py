"""Every window against its definition, for every slicer and store, with an operator that shows every mistake."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.algorithms.streams.shared.by_definition import COUNTED, SLICERS, STORES, Records, answers, run, shared
from tests.examples import examples

pytestmark = pytest.mark.smoke

EVERY = list(itertools.product(SLICERS, STORES))
PLAIN_STREAM = Records(list(range(40)), [0] * 40)


@pytest.mark.parametrize(("slicing", "store"), EVERY)
def test_every_range_and_slide_up_to_12(slicing, store):
    for r, s in itertools.product(range(1, 13), range(1, 13)):
        query = [("sliding", r, s, "count")]
        made = shared(query, slicing, store)
        assert run(made, PLAIN_STREAM) == answers(query, PLAIN_STREAM), (r, s)
        made.check()


@pytest.mark.parametrize(("slicing", "store"), EVERY)
def test_batches_of_any_size_give_the_same(slicing, store):
    query = [("sliding", 10, 3, "count"), ("sliding", 4, 7, "count"), ("sliding", 5, 5, "count")]
    for size in (1, 2, 3, 7, 39):
        found = run(shared(query, slicing, store), PLAIN_STREAM, list(range(size, 40, size)))
        assert found == answers(query, PLAIN_STREAM), size


streams = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2)), max_size=45).map(
    lambda rows: Records(list(itertools.accumulate(step for step, _ in rows)), [max(m - 1, 0) for _, m in rows])
)
edges = st.integers(1, 15)
periodic = st.one_of(
    st.tuples(st.just("sliding"), edges, edges, st.just("count"), st.integers(0, 3)),
    st.tuples(st.just("sliding"), edges, edges, st.just("time"), st.integers(-4, 20)),
    st.tuples(st.just("tumbling"), edges),
)
deterministic = st.one_of(
    periodic,
    st.tuples(st.just("session"), st.integers(0, 12)),
    st.just(("snapshot",)),
    st.just(("punctuation", "mark")),
    st.tuples(st.just("landmark"), st.just("mark"), edges),
    st.tuples(st.just("delta"), st.sampled_from([0.5, 1.0]), st.just("mark")),
)
anything = st.one_of(deterministic, st.tuples(st.just("last_records"), edges, edges))
cuts = st.lists(st.integers(0, 45), max_size=4).map(sorted)


def agree(wanted, slicing, store, records, parts):
    s, before = shared(wanted, slicing, store), COUNTED.combines()
    found = run(s, records, [part for part in parts if part <= len(records.time)])
    assert found == answers(wanted, records)
    counts, combined = s.counts, COUNTED.combines() - before
    s.check()
    assert sum(counts) == combined, "every combine is counted as one of a record, an update or a merge"


@settings(max_examples=examples(150), deadline=None, derandomize=True)
@given(
    st.lists(deterministic, min_size=1, max_size=3),
    st.sampled_from(["cutty", "ra", "naive"]),
    st.sampled_from(STORES),
    streams,
    cuts,
)
def test_mixes_of_three_queries(wanted, slicing, store, records, parts):
    agree(wanted, slicing, store, records, parts)


@settings(max_examples=examples(100), deadline=None, derandomize=True)
@given(st.lists(periodic, min_size=1, max_size=3), st.sampled_from(STORES), streams, cuts)
def test_pairs_of_several_periodic_queries(wanted, store, records, parts):
    agree(wanted, "pairs", store, records, parts)


@settings(max_examples=examples(100), deadline=None, derandomize=True)
@given(
    st.lists(anything, min_size=1, max_size=3),
    st.sampled_from(["cutty", "ra", "naive"]),
    st.sampled_from(STORES),
    streams,
    cuts,
)
def test_non_deterministic_windows_among_others(wanted, slicing, store, records, parts):
    agree(wanted, slicing, store, records, parts)


@settings(max_examples=examples(60), deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.just("sliding"), edges, edges, st.just("time"), st.integers(-4, 20)), min_size=1, max_size=3),
    st.sampled_from(STORES),
    streams,
    cuts,
)
def test_panes_of_several_queries_over_one_measure(wanted, store, records, parts):
    agree(wanted, "panes", store, records, parts)
