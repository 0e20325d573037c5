"""Table 1 of the Cutty paper, measured: partial aggregates stored, and combines of updates and merges."""

import itertools
import math

import numpy as np
import pytest

from algorithms import SharedAggregate, queries
from algorithms.streams.shared import slicers
from tests.algorithms.streams.shared.by_definition import COUNTED

PAIRS_OF_SIZES = [(r, s) for r, s in itertools.product(range(1, 17), range(1, 17)) if s <= r] + [(97, 10), (100, 7)]
LETTER = ord("a")


def slices_of_a_window(slicing: str, r: int, s: int) -> int:
    """How many partial aggregates make up a window, the open one of Cutty among them."""
    return {
        "cutty": math.ceil(r / s),
        "pairs": 2 * (r // s) + (r % s > 0),
        "panes": r // math.gcd(r, s),
        "ra": r,
        "naive": r,
    }[slicing]


def formula(slicing: str, r: int, s: int) -> int:
    """Space of a lazy store in Table 1."""
    panes = r // math.gcd(r, s)
    return {"cutty": math.ceil(r / s) + 1, "pairs": 2 * math.ceil(r / s), "panes": panes, "ra": r, "naive": r}[slicing]


def stream(r: int, s: int, slicing: str, store: str, windows: int = 6) -> SharedAggregate:
    made = SharedAggregate([queries.sliding(r, s)], COUNTED, slicing, store)
    made.batch(None, np.full(r + windows * s + 1, LETTER))
    return made


@pytest.mark.parametrize("slicing", ["cutty", "pairs", "panes", "ra", "naive"])
def test_space(slicing):
    for r, s in PAIRS_OF_SIZES:
        lazy, eager = stream(r, s, slicing, "lazy").partials, stream(r, s, slicing, "eager").partials
        whole = r % s == 0
        if slicing == "cutty":
            # Equal where slides divide the range; else the last slice of a window is the open one, and it is one less.
            assert lazy.most == formula(slicing, r, s) - (not whole)
            assert eager.most_stored == r // s
        elif slicing == "pairs":
            # A pair is one slice where the slide divides the range, and the open partial aggregate is counted.
            assert lazy.most == (r // s + 1 if whole else formula(slicing, r, s))
        else:
            assert lazy.most_stored == formula(slicing, r, s)
        assert lazy.most_stored <= formula(slicing, r, s)
        if slicing != "naive":
            assert eager.most - (slicing != "ra") == 2 * eager.most_stored == 2 * lazy.most_stored


@pytest.mark.parametrize("slicing", ["cutty", "pairs", "panes", "ra", "naive"])
def test_lazy_updates_cost_one_combine_a_record_and_merges_one_a_slice(slicing):
    for r, s in PAIRS_OF_SIZES:
        made = SharedAggregate([queries.sliding(r, s)], COUNTED, slicing, "lazy")
        ended = made.batch(None, np.full(r + 6 * s + 1, LETTER))
        slices = slices_of_a_window(slicing, r, s)
        if slicing == "pairs" and r % s == 0:
            slices = r // s
        by_record = slicing in ("ra", "naive")
        assert made.counts.records == (0 if by_record else r + 6 * s + 1)
        assert made.counts.update == 0
        assert made.counts.merge == len(ended) * (slices - 1)


@pytest.mark.parametrize("slicing", ["cutty", "pairs", "panes", "ra"])
@pytest.mark.parametrize(("r", "s"), [(97, 10), (100, 7), (60, 1), (12, 5)])
def test_eager_updates_take_the_height_of_the_tree_and_merges_at_most_twice_that(slicing, r, s):
    made = SharedAggregate([queries.sliding(r, s)], COUNTED, slicing, "eager")
    made.batch(None, np.full(3 * r, LETTER))  # the tree has its size by now
    before, stored = made.counts, made.partials
    ended = made.batch(None, np.full(20 * s, LETTER))
    height = int(math.log2((stored.most_slots + 1) // 2))
    appended = {"cutty": 20, "pairs": 20 * (1 + (r % s > 0)), "panes": 20 * s // math.gcd(r, s), "ra": 20 * s}[slicing]
    assert made.partials.most_slots == stored.most_slots
    assert made.counts.update - before.update == appended * height
    assert 0 < made.counts.merge - before.merge <= len(ended) * (2 * height + 1)
    assert height <= math.ceil(math.log2(max(stored.most_stored, 4)))


def burst(state, time, x):
    """A window begins with each of the first 24 records; they end one a record from record 24 on."""
    return state, int(time < 24), int(24 <= time < 48)


def test_the_tree_doubles_when_it_is_full_and_halves_when_a_third_is_used():
    made = SharedAggregate([queries.user_defined(burst, 0, compiled=False)], COUNTED)
    rings, stored = [], []
    for time in range(48):
        made.batch([time], "a")
        made.check()
        store = made._parts[0].a.store.ends[0]
        rings.append(int(store.mask) + 1)
        stored.append(made.partials.stored)
    assert stored == [*range(24), *range(22, -1, -1), 0]
    assert rings[:24] == [4] * 5 + [8] * 4 + [16] * 8 + [32] * 7, "doubled for the slice that has no place"
    falling = dict(zip(stored[24:47], rings[24:47]))
    assert [n for n in range(1, 23) if falling[n] != falling[n - 1]] == [3, 6, 11], "a third of 8, 16 and 32"
    assert made.counts.update == sum(UPDATES)


UPDATES = [4 * 2 + 4 * 3 + 8 * 4 + 7 * 5, 7 + 15 + 31, 15 + 7 + 3]
"""A path for every append to rings of 4, 8, 16 and 32; all nodes for each larger ring, and for each smaller one."""


def test_where_pairs_and_panes_cut():
    """Pairs: a slide in two, where windows end. Panes: the greatest common divisor, also of what is between origins."""
    wanted = [queries.sliding(7, 3, "time", 5), queries.sliding(6, 3, "time", 1)]
    assert slicers.cuts_of_pairs(wanted) == [slicers.Cut("time", 3, 6)]
    assert slicers.cuts_of_panes(wanted) == [slicers.Cut("time", 1, 1)]
    apart = [queries.sliding(12, 6, "time", origin) for origin in (1, 7)]
    (cut,) = slicers.cuts_of_panes(apart)
    assert (cut.slide, cut.origin % 6) == (6, 1)
