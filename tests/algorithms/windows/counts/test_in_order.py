"""Combines of the in-order windows over sizes that grow, stay and shrink, against one table of bounds.

Each step is held to the bound of its operation, each program to the amortised bound, and where a worst case is claimed
the steps must come to it: a bound that is never reached says too little.
"""

import random
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest

from algorithms import operators
from algorithms.windows.contract import card, size
from tests.algorithms.windows.program import EVICT, EVICT_AT, INSERT, QUERY, execute

SIZES = (1, 2, 3, 7, 64, 100, 1000)


class Cost(NamedTuple):
    """each * n + more combines, n the entries before the operation."""

    each: int
    more: int


class Bound(NamedTuple):
    """The worst of one insert, evict and query; and of a whole program, combines for each of its operations."""

    insert: Cost
    evict: Cost
    query: Cost
    for_each_insert: int
    for_each_evict: int
    for_each_query: int


def constant(n: int) -> Cost:
    return Cost(0, n)


NONE, ONE, ALL_BUT_ONE, ALL = constant(0), constant(1), Cost(1, -1), Cost(1, 0)

BOUNDS = {
    "daba": Bound(constant(4), constant(3), ONE, 4, 3, 1),
    "daba_lite": Bound(constant(3), constant(2), ONE, 3, 2, 1),
    "two_stacks": Bound(ONE, ALL_BUT_ONE, ONE, 2, 0, 1),
    "two_stacks_lite": Bound(ONE, ALL_BUT_ONE, ONE, 2, 0, 1),
    "soe": Bound(ONE, NONE, NONE, 1, 0, 0),
    "flatfit": Bound(NONE, NONE, ALL_BUT_ONE, 1, 0, 2),
    "slick_deque": Bound(ALL, NONE, NONE, 2, 0, 0),
}
"""slick_deque: its selective variant. The invertible one is soe under another name."""


def operator_for(name: str):
    """A counting operator with just the laws that the window needs; affine maps do not commute."""
    kind = {"slick_deque": "max", "soe": "sum"}.get(name, "affine")
    return operators.counting(operators.make(kind, "int64"))


def fifo(n: int) -> Iterator[int]:
    yield from [INSERT] * n
    for _ in range(4 * n):
        yield from (EVICT, INSERT, QUERY)


def sawtooth(n: int) -> Iterator[int]:
    """Grow to n and shrink to 0, a query after each step."""
    for _ in range(4):
        yield from [INSERT, QUERY] * n
        yield from [EVICT, QUERY] * n


def thirds(n: int) -> Iterator[int]:
    yield from [INSERT, QUERY] * n
    yield from [INSERT, QUERY, EVICT, QUERY] * n
    yield from [EVICT, QUERY] * n


def bursts(n: int) -> Iterator[int]:
    """Runs of inserts, evicts and queries of random lengths, up to n entries."""
    chance, size = random.Random(n), 0
    while chance.random() > 0.02:
        grow, shrink = chance.randint(0, n - size), chance.random()
        size += grow
        yield from [INSERT] * grow + [QUERY] * chance.randint(0, 2)
        for _ in range(int(size * shrink)):
            yield from [EVICT] + [QUERY] * chance.randint(0, 1)
            size -= 1


PATTERNS = (fifo, sawtooth, thirds, bursts)


class Run(NamedTuple):
    codes: np.ndarray
    sizes: np.ndarray
    """Entries before each step."""
    costs: np.ndarray
    op: object

    def at(self, code: int) -> tuple[np.ndarray, np.ndarray]:
        """Sizes and costs of the steps of one kind."""
        return self.sizes[self.codes == code], self.costs[self.codes == code]


def run(name: str, pattern, n: int) -> Run:
    """The pattern on a window of its own; values fall for n steps, then one is above all before it."""
    codes = np.array(list(pattern(n)))
    change = np.where(codes == INSERT, 1, np.where(codes == EVICT, -1, 0))
    op, serial = operator_for(name), np.arange(len(codes))
    values = np.where(serial % (2 * n + 1) == 2 * n, serial, -serial)
    _, costs = execute(card(name), card(name).new(op, n + 1), np.stack((codes, serial, values), axis=1))
    return Run(codes, np.cumsum(change) - change, costs, op)


@pytest.mark.parametrize("name", BOUNDS)
def test_each_operation_and_their_sum_keep_to_the_bounds(name):
    bound = BOUNDS[name]
    for pattern in PATTERNS:
        for n in SIZES:
            done, allowed = run(name, pattern, n), 0
            for code, worst, each in (
                (INSERT, bound.insert, bound.for_each_insert),
                (EVICT, bound.evict, bound.for_each_evict),
                (QUERY, bound.query, bound.for_each_query),
            ):
                sizes, costs = done.at(code)
                assert (costs <= np.maximum(worst.each * sizes + worst.more, 0)).all(), (pattern.__name__, n, code)
                allowed += each * len(costs)
            assert done.costs.sum() <= allowed, (pattern.__name__, n)


@pytest.mark.parametrize("name", BOUNDS)
def test_every_worst_case_happens(name):
    done = [run(name, pattern, 100) for pattern in PATTERNS]
    for code, worst in zip((INSERT, EVICT, QUERY), BOUNDS[name][:3]):
        spare = [worst.each * sizes + worst.more - costs for sizes, costs in (one.at(code) for one in done)]
        large = [left[one.at(code)[0] >= 50] for left, one in zip(spare, done)]
        assert min(np.concatenate(large)) == 0, code


@pytest.mark.parametrize("pattern", PATTERNS)
def test_subtract_on_evict_undoes_once_an_evict(pattern):
    done = run("soe", pattern, 100)
    assert done.op.undos() == (done.codes == EVICT).sum()
    assert done.op.combines() == (done.codes == INSERT).sum()


def test_slick_deque_takes_a_running_aggregate_where_it_can_subtract():
    known, op = card("slick_deque"), operators.counting(operators.make("sum", "int64"))
    codes = np.array(list(thirds(50)))
    _, costs = execute(known, known.new(op, 51), np.stack((codes, np.arange(len(codes)), codes), axis=1))
    assert (costs == (codes == INSERT)).all()
    assert op.undos() == (codes == EVICT).sum()


# ---------------------------------------------------------------------------------------- FlatFAT and the Reactive


def of_changes(changed: int, ring: int) -> int:
    """What the next query may cost at most: `changed` leaves of `ring`, and a suffix + a prefix if the ring wraps."""
    walks = int(changed * (1 + np.ceil(np.log2(ring / changed)))) if changed else 0
    return walks + max(2 * int(np.log2(ring)) - 1, 0)


@pytest.mark.parametrize("name", ["flat_fat", "reactive"])
@pytest.mark.parametrize("n", [8, 13, 16, 100, 128])
def test_a_bulk_change_of_m_leaves(name, n):
    """m newcomers, m evictions, or both, and one query; from a front anywhere in the ring, for every m."""
    known, op, time = card(name), operator_for(name), n
    w = known.new(op, n)
    execute(known, w, [(INSERT, i, i) for i in range(n)] + [(QUERY, 0, 0)])
    resizes = w.state[0].resizes if name == "reactive" else 0
    for m in range(1, n + 1 if name == "flat_fat" else 3 * n // 4):
        ring, out, into = w.ends[0].mask + 1, [(EVICT, 0, 0)] * m, [(INSERT, time + i, i) for i in range(m)]
        time += m
        for steps in (out, into) if m % 2 else ([*out, *into],):
            front, end = int(w.ends[0].front), int(w.ends[0].end)
            _, costs = execute(known, w, [*steps, (QUERY, 0, 0)])
            if name == "reactive" and w.state[0].resizes != resizes:  # the tree was built anew
                resizes, ring = w.state[0].resizes, w.ends[0].mask + 1
                continue
            gone, came = range(front, int(w.ends[0].front)), range(end, int(w.ends[0].end))
            changed = len({i % ring for i in (*gone, *came)})
            assert costs[-1] <= of_changes(changed, ring), (m, changed, ring)
            assert not costs[:-1].any()
            start, last = int(w.ends[0].front) % ring, (int(w.ends[0].end) - 1) % ring
            if start <= last:  # not inverted: the root has the answer
                assert costs[-1] <= of_changes(changed, ring) - of_changes(0, ring), (m, changed, ring)


def sway(n: int, rounds: int) -> Iterator[int]:
    """Between n and 2 n entries, a query after each step."""
    yield from [INSERT, QUERY] * n
    for _ in range(rounds):
        yield from [INSERT, QUERY] * n
        yield from [EVICT, QUERY] * n


FOR_EACH_CHANGE = 8
"""Combines of resizing for each insert or evict: a ring laid out at 3/4 is full a quarter later, and doubled."""


@pytest.mark.parametrize(
    "pattern", [*PATTERNS, lambda n: sway(n, 20)], ids=["fifo", "sawtooth", "thirds", "bursts", "sway"]
)
@pytest.mark.parametrize("n", [3, 24, 32, 33, 100, 1000])
def test_resizing_is_paid_for_by_the_changes_before_it(pattern, n):
    known, op, codes = card("reactive"), operator_for("reactive"), np.array(list(pattern(n)))
    w = known.new(op, 2 * n)
    _, costs = execute(known, w, np.stack((codes, np.arange(len(codes)), codes), axis=1))
    changes, queries = codes != QUERY, codes == QUERY
    assert costs[changes].sum() <= FOR_EACH_CHANGE * changes.sum()
    if pattern not in (fifo, bursts):  # they change more than one leaf before a query
        assert costs[queries].max(initial=0) <= of_changes(1, len(w.hole))
    if n == 1000 and pattern not in PATTERNS:
        assert w.state[0].resizes < 15, "a window that sways within a factor of 2 is hardly ever laid out anew"


@pytest.mark.parametrize("m", [1, 2, 5, 64, 190])
def test_holes_anywhere_wait_for_the_query_and_share_their_paths(m):
    known, op, ring = card("reactive"), operator_for("reactive"), 256
    w = known.new(op, ring)
    execute(known, w, [(INSERT, i, i) for i in range(ring)] + [(QUERY, 0, 0)])
    inner = random.Random(m).sample(range(1, ring - 1), m)  # the ring is not shrunk yet
    _, costs = execute(known, w, [(EVICT_AT, time, 0) for time in inner] + [(QUERY, 0, 0)])
    assert not costs[:-1].any()
    nodes = {(ring + time) >> level for time in inner for level in range(1, 9)}
    assert costs[-1] == len(nodes), "each ancestor of a hole once"
    assert costs[-1] <= m * (1 + np.ceil(np.log2(ring / m)))
    assert m > 1 or costs[-1] == np.log2(ring)
    known.check(w)


@pytest.mark.parametrize("m", [1, 8, 33])
def test_holes_and_the_ends_of_the_window_share_their_paths(m):
    """m go from the old end, m from the middle, m come, again and again: one change of 3 m leaves for each query."""
    known, op, ring, chance = card("reactive"), operator_for("reactive"), 256, random.Random(m)
    w, live, time = known.new(op, ring), list(range(192)), 192
    execute(known, w, [(INSERT, i, i) for i in live] + [(QUERY, 0, 0)])
    for _ in range(40):
        before = w.state[0].resizes
        del live[:m]
        inner = chance.sample(live[1:-1], m)
        live = [one for one in live if one not in inner] + list(range(time, time + 2 * m))
        steps = [(EVICT, 0, 0)] * m + [(EVICT_AT, one, 0) for one in inner]
        steps += [(INSERT, one, one) for one in range(time, time + 2 * m)]
        time += 2 * m
        answers, costs = execute(known, w, [*steps, (QUERY, 0, 0)])
        if w.state[0].resizes == before:
            assert costs[-1] <= of_changes(4 * m, ring)
        known.check(w)
    fresh = card("recalc").new(operator_for("recalc"), ring)
    expected, _ = execute(card("recalc"), fresh, [(INSERT, one, one) for one in live] + [(QUERY, 0, 0)])
    assert answers[-1] == expected[-1]


@pytest.mark.parametrize("leave", ["oldest", "youngest", "middle", "any"])
def test_a_ring_laid_out_anew_costs_a_combine_less_than_it_has_entries(leave):
    """Growing, compaction and shrinking, on the way up to 500 entries and down to none, with holes on the way."""
    known, op, chance = card("reactive"), operator_for("reactive"), random.Random(5)
    w, live, seen = known.new(op, 500), [], set()
    for time in range(1700):
        growing = time < 1200 and len(live) < 500 and (time % 3 or not live)
        if not growing and not live:
            break
        place = {"oldest": 0, "youngest": len(live) - 1, "middle": len(live) // 2}.get(leave)
        place = chance.randrange(max(len(live), 1)) if place is None else place
        step = (INSERT, time, time) if growing else (EVICT_AT, live.pop(place), 0)
        live += [time] if growing else []
        ring, resizes = w.ends[0].mask + 1, w.state[0].resizes
        _, costs = execute(known, w, [step])
        now = w.ends[0].mask + 1
        laid_out = len(live) - bool(growing)  # an insert makes room before it has its place
        assert costs[0] == (max(laid_out - 1, 0) if w.state[0].resizes > resizes else 0)
        if w.state[0].resizes > resizes:
            seen.add("grow" if now > ring else "shrink" if now < ring else "compact")
            assert (now > ring) == (growing and 4 * (len(live) - 1) > 3 * ring)
            assert now >= ring or 4 * len(live) < ring
    assert {"grow", "shrink"} <= seen
    assert ("compact" in seen) == (leave in ("middle", "any"))


def around_the_bounds(n: int, rounds: int) -> Iterator[int]:
    """For a ring of n leaves, a power of two: one entry too many for it, then one too few for its double, in turn."""
    yield from [INSERT] * (n + 1)
    for _ in range(rounds):
        yield from [EVICT] * (n + 2 - n // 2)
        yield from [INSERT] * (n + 2 - n // 2)


@pytest.mark.parametrize("n", [16, 256])
def test_swaying_as_badly_as_can_be_is_paid_for_as_well(n):
    known, op, codes = card("reactive"), operator_for("reactive"), np.array(list(around_the_bounds(n, 30)))
    w = known.new(op, 2 * n)
    _, costs = execute(known, w, np.stack((codes, np.arange(len(codes)), codes), axis=1))
    assert w.state[0].resizes >= 60, "both bounds are crossed in every round"
    assert costs.sum() <= FOR_EACH_CHANGE * len(codes)


@pytest.mark.parametrize("n", [64, 96, 256])
def test_punching_holes_again_and_again_is_paid_for_by_the_holes(n):
    """A full ring loses a quarter from the middle and is filled up: compacted each time, from a place of its own."""
    known, op, chance = card("reactive"), operator_for("reactive"), random.Random(n)
    w, live, time = known.new(op, n), list(range(n)), n
    execute(known, w, [(INSERT, one, one) for one in live])
    op.reset()
    before, changes = int(w.state[0].resizes), 0
    for _ in range(30):
        gone = chance.sample(live[1:-1], n // 4 + 1)
        came = list(range(time, time + len(gone)))
        live, time = [one for one in live if one not in gone] + came, time + len(gone)
        execute(known, w, [(EVICT_AT, one, 0) for one in gone] + [(INSERT, one, one) for one in came])
        changes += 2 * len(gone)
        known.check(w)
    assert w.state[0].resizes - before >= (29 if n & (n - 1) == 0 else 10)
    assert op.combines() <= FOR_EACH_CHANGE * changes


@pytest.mark.parametrize("n", [8, 12, 13, 96, 97, 128, 1000])
def test_holes_are_paid_for_by_the_evictions_that_made_them(n):
    """The oldest stays, the one after it is evicted, and another comes: the ring fills up with holes."""
    known, op, rounds = card("reactive"), operator_for("reactive"), 4 * n
    w = known.new(op, n)
    execute(known, w, [(INSERT, i, i) for i in range(n)])
    op.reset()
    _, costs = execute(known, w, [step for i in range(rounds) for step in ((EVICT_AT, 1 + i, 0), (INSERT, n + i, i))])
    assert costs.sum() <= FOR_EACH_CHANGE * 2 * rounds
    assert size(w) == n
    known.check(w)


def of_update(ring: int, before: range, after: range) -> int:
    """Combines of section 5.2's update: one for each node over a changed leaf that has both children in use."""
    used, changed = set(), {i % ring for i in {*before} ^ {*after}}
    for i in after:
        used |= {(ring + i % ring) >> level for level in range(ring.bit_length())}
    over = {(ring + place) >> level for place in changed for level in range(1, ring.bit_length())}
    return sum(2 * node in used and 2 * node + 1 in used for node in over)


@pytest.mark.parametrize("n", [1, 2, 5, 8, 11, 16, 21, 32, 37])
@pytest.mark.parametrize("m", [1, 2, 3, 8])
def test_an_update_that_knows_front_and_back_combines_what_is_in_use(n, m):
    """Slides by up to m, as in any order they come; sums are read at the root, so that a query is the update alone."""
    known, op, chance = card("reactive"), operators.counting(operators.make("sum", "int64")), random.Random(n * m)
    w, before, resizes = known.new(op, n + m, root=1), range(0), 0
    for _ in range(40):
        out, into = chance.randint(0, min(m, len(before))), chance.randint(0, min(m, n + m - len(before)))
        front, end = int(w.ends[0].front), int(w.ends[0].end)
        steps = [(EVICT, 0, 0)] * out + [(INSERT, 0, 1)] * into
        answers, costs = execute(known, w, [*steps, (QUERY, 0, 0)])
        after, ring = range(int(w.ends[0].front), int(w.ends[0].end)), int(w.ends[0].mask) + 1
        if w.state[0].resizes == resizes:
            assert costs[-1] == of_update(ring, range(front, end), after) <= of_changes(out + into, ring)
        assert answers[-1] == len(after) == size(w)
        before, resizes = after, w.state[0].resizes


@pytest.mark.parametrize("n", [5, 8, 13, 64, 100])
def test_the_ablations_give_the_same_answers_for_more_combines_and_for_fewer(n):
    """Without section 5.2 every node over a change is combined; a sum at the root needs no suffix + prefix."""
    costs, answers = {}, {}
    for variant in ({}, {"fifo": 0}, {"root": 1}):
        op = operators.counting(operators.make("sum", "int64"))
        codes = np.array([INSERT] * n + [EVICT, INSERT, QUERY] * 4 * n)
        steps = np.stack((codes, np.arange(len(codes)), np.arange(len(codes))), axis=1)
        answers[str(variant)], taken = execute(card("reactive"), card("reactive").new(op, n, **variant), steps)
        costs[str(variant)] = taken.sum()
    assert len({tuple(found) for found in answers.values()}) == 1
    assert costs["{'root': 1}"] < costs["{}"] <= costs["{'fifo': 0}"]
    assert costs["{}"] < costs["{'fifo': 0}"] or n & (n - 1) == 0, "a full ring has no slot to skip"
