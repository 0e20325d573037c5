"""Everything that keeps a state can be pickled and copied: copy and original go on alike, and apart from each other."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from algorithms import (
    MARK,
    CompressedAggregate,
    SharedAggregate,
    SlidingAggregate,
    catalogue,
    operators,
    policies,
    queries,
    window,
)
from algorithms.windows.contract import card
from tests.algorithms import own_functions as own
from tests.scripts import PLAIN, environment

pytestmark = [pytest.mark.plain, pytest.mark.smoke]

STORED = ("kvs_amta", "kvs_log_mta")

SOME, MORE = np.arange(7), np.arange(7, 20)

COPIES = {
    "pickle": lambda made: pickle.loads(pickle.dumps(made)),
    "pickle 2": lambda made: pickle.loads(pickle.dumps(made, 2)),
    "deepcopy": copy.deepcopy,
}


def of_window(name, **settings):
    operator = settings.pop("operator", operators.make("affine") if name != "slick_deque" else "max")
    return lambda: window(name, operator, capacity=64, **settings)


def go_on_window(w, times):
    for time in times.tolist():
        w.insert(time, 3 * time % 11)
        if len(w) > 5:
            w.evict()
    w.check()
    return w.query(), len(w), w.oldest()


def columns(found):
    return {name: column.tolist() for name, column in found.items()}


def go_on_sliding(s, times):
    if isinstance(times, pd.DatetimeIndex):
        return columns(s.batch(times, times.microsecond % 5)), columns(s.flush())
    values = (times * 1.5, times) if "product" in repr(s) else times % 5
    return columns(s.batch(times, values, times % 3 if s._reader.key else None))


def go_on_shared(s, times):
    found = s.batch(times, times % 5)
    s.check()
    return [tuple(result) for result in found], s.counts


def go_on_compressed(c, times):
    found = columns(c.batch(times, times % 5 * 1.0, times % 3))
    c.check()
    return found, c.counts


MIXED = operators.product(m="max", s=operators.make("sum", "int64"))
PRODUCT = operators.product(count="count", sum=operators.make("sum", "int64"))

STATEFUL = {
    **{name: (of_window(name), go_on_window) for name in catalogue() if name not in STORED},
    "float64 times": (of_window("fiba", time="float64"), go_on_window),
    "counting": (lambda: window("fiba", operators.counting(operators.make("affine")), capacity=64), go_on_window),
    "product": (lambda: window("two_stacks", PRODUCT, capacity=64), go_on_window),
    "own operator": (lambda: window("daba", own.span(), capacity=64), go_on_window),
    "policy": (lambda: window("amta", PRODUCT, capacity=64, policy=policies.count(4)), go_on_window),
    "own policy": (lambda: window("fiba", PRODUCT, capacity=64, policy=own.keep_three()), go_on_window),
    "counted policy": (
        lambda: window("amta", PRODUCT, capacity=64, policy=policies.counting(policies.count(4))),
        go_on_window,
    ),
    "sliding": (lambda: SlidingAggregate("fiba", size=5, slide=2, operator="sum"), go_on_sliding),
    "sliding by count": (lambda: SlidingAggregate(size=5, slide=1, by="count", operator=MIXED), go_on_sliding),
    "sliding by key": (
        lambda: SlidingAggregate("fiba", size=5, slide=2, key=True, emit="changes", lateness=3, operator="last"),
        go_on_sliding,
    ),
    **{
        f"sliding by {name}": (
            lambda name=name: SlidingAggregate(name, size=5, slide=2, key=True, operator={"max": "max", "last": "max"}),
            go_on_sliding,
        )
        for name in catalogue()
        if name not in (*STORED, "soe")
    },
    **{
        f"sliding in a store, {name}": (  # with so small a cache that most of the window is in the store
            lambda name=name: SlidingAggregate(name, size=12, slide="row", operator="affine", cache=2),
            go_on_sliding,
        )
        for name in STORED
    },
    "sliding by soe": (lambda: SlidingAggregate("soe", size=5, slide="row", operator="std"), go_on_sliding),
    "sliding, late": (
        lambda: SlidingAggregate("daba", size=5, slide="row", key=True, lateness=3, operator="first"),
        go_on_sliding,
    ),
    "sliding, in a zone": (
        lambda: SlidingAggregate("fiba", size="5us", slide="2us", lateness="3us", skip_nan=True, operator="mean"),
        lambda s, times: go_on_sliding(s, pd.DatetimeIndex(times.astype("M8[us]"), tz="Europe/Berlin")),
    ),
    "sliding own": (lambda: SlidingAggregate("daba", size=5, slide=2, operator=own.span()), go_on_sliding),
    **{
        f"shared {slicing} {store}": (
            lambda slicing=slicing, store=store: SharedAggregate(
                [queries.sliding(4, 2), queries.tumbling(6)], operators.make("affine"), slicing, store
            ),
            go_on_shared,
        )
        for slicing in ("cutty", "pairs", "panes", "ra")
        for store in ("lazy", "eager")
    },
    "shared naive": (lambda: SharedAggregate([queries.sliding(4, 2)], "sum", "naive"), go_on_shared),
    "shared functions": (
        lambda: SharedAggregate(
            [
                queries.session(2),
                queries.snapshot(),
                queries.delta(2.0),
                queries.stock(2.0, (4, 2), (2, 1)),
                queries.landmark("value", 3),
                queries.punctuation("value"),
                own.fourths(),
                own.fourths(compiled=False),
            ],
            operators.make("sum", "int64"),
        ),
        go_on_shared,
    ),
    "shared last records": (lambda: SharedAggregate([queries.last_records(3, 2)], "sum"), go_on_shared),
    "compressed": (lambda: CompressedAggregate(WA=2, WS=5), go_on_compressed),
    "compressed at once": (lambda: CompressedAggregate(WA=2, WS=5, D=0, codec="zstd", level=3), go_on_compressed),
    "compressed sorted": (
        lambda: CompressedAggregate(WA=2, WS=5, D=1, order="sort", lateness=2, f_O=own.span()),
        go_on_compressed,
    ),
    "compressed own": (lambda: CompressedAggregate(WA=2, WS=5, D=2, f_A=own.add, f_O=own.greatest), go_on_compressed),
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("name", STATEFUL)
def test_a_copy_goes_on_as_the_original_and_apart_from_it(name, way):
    make, go_on = STATEFUL[name]
    original, other = make(), make()
    go_on(original, SOME)
    go_on(other, SOME)
    made = COPIES[way](original)
    after = go_on(made, MORE)
    assert go_on(original, MORE) == after, "the original is as it was"
    assert go_on(other, MORE) == after, "as if there had been no copy"


@pytest.mark.parametrize("name", ["fiba", "sliding", "shared cutty eager", "compressed"])
def test_a_shallow_copy_would_share_memory(name):
    with pytest.raises(TypeError, match=r"share its memory; take copy.deepcopy"):
        copy.copy(STATEFUL[name][0]())


def test_operators_that_count_go_on_counting():
    op = operators.counting(operators.make("sum"))
    w = window("recalc", op, capacity=8)
    w.insert_many(range(5), range(5))
    w.query()
    counted = op.combines()
    assert counted > 0
    made = pickle.loads(pickle.dumps(w))
    assert made.op.combines() == counted
    made.query()
    assert (op.combines(), made.op.combines()) == (counted, 2 * counted)
    for again in (pickle.loads(pickle.dumps(op)), copy.deepcopy(op)):
        assert again.combines() == counted


def test_another_process_goes_on():
    made = {name: STATEFUL[name] for name in ("fiba", "own operator", "sliding by key", "shared functions")}
    started = {}
    for name, (make, go_on) in made.items():
        started[name] = make()
        go_on(started[name], SOME)
    script = (
        "import pickle, sys; from tests.algorithms.test_copies import STATEFUL, MORE\n"
        "for name, one in pickle.load(sys.stdin.buffer).items(): print(name, STATEFUL[name][1](one, MORE))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=pickle.dumps(started),
        capture_output=True,
        env=environment(**PLAIN),
    )
    assert done.returncode == 0, done.stderr.decode()
    said = [f"{name} {go_on(started[name], MORE)}" for name, (_, go_on) in made.items()]
    assert done.stdout.decode().splitlines() == said


@pytest.mark.parametrize("name", STORED)
@pytest.mark.parametrize("way", COPIES)
def test_a_window_in_a_store_says_what_to_do_instead(name, way):
    w = window(name, "sum", capacity=64)
    w.insert(1, 2.0)
    with pytest.raises(TypeError, match="in a key-value store is not pickled or copied: open .* again by its store"):
        COPIES[way](w)
    assert w.query() == 2.0


def test_a_mark_stays_the_mark():
    assert pickle.loads(pickle.dumps(MARK)) is MARK and copy.deepcopy(MARK) is MARK


def test_a_card_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(card("fiba"))) is not None
    assert pickle.loads(pickle.dumps(card("fiba"))).name == "fiba"


@pytest.mark.parametrize("how", COPIES)
def test_a_fresh_aggregate_can_be_copied(how):
    for made in (SlidingAggregate(size=10), SharedAggregate([queries.tumbling(5)]), CompressedAggregate(60, 120)):
        copied = COPIES[how](made)
        assert repr(copied) == repr(made)
