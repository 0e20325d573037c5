"""Slide policies on every window, in plain Python, against a list that is cut as the policy's definition says.

    slid.py amta 5        all streams of up to 5 values out of 0 .. 3, and a few long ones

Run as a script with NUMBA_DISABLE_JIT=1. Prints as JSON how many streams the window slid over; raises AssertionError
with the stream that fails.
"""

import itertools
import json
import random
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from algorithms import catalogue, operators, policies
from algorithms.windows.contract import Card, insert, oldest, query, size
from algorithms.windows.slider import arrive, slider

CAPACITY = 150


class Case(NamedTuple):
    """An operator, a policy for it, and how many of the youngest values stay, said without either."""

    op: Any
    policy: Any
    kept: Callable[[Sequence[int]], int]


def whole(**parts: str) -> Any:
    """A product of operators on whole numbers."""
    return operators.product(
        **{name: operators.make(kind, "int64") if kind != "count" else kind for name, kind in parts.items()}
    )


def most(values: Sequence[int], stays: Callable[[Sequence[int]], bool]) -> int:
    """The most of the youngest values that may stay together."""
    return max(n for n in range(len(values) + 1) if n == 0 or stays(values[len(values) - n :]))


def before_longest_run(values: Sequence[int]) -> int:
    """How many values are before the first longest increasing run."""
    ends = [len(values), *(i for i in range(1, len(values)) if values[i - 1] >= values[i])]
    starts = [0, *sorted(ends)[:-1]]
    return max(zip(starts, sorted(ends), strict=True), key=lambda run: (run[1] - run[0], -run[0]))[0]


CASES = {
    "count": Case(whole(count="count"), policies.count(3), lambda v: min(len(v), 3)),
    "max_size": Case(whole(count="count", max_size="last"), policies.max_size(), lambda v: min(len(v), v[-1])),
    "sum_bound": Case(
        whole(sum="sum", last="last"), policies.sum_bound(4), lambda v: most(v, lambda part: sum(part) <= 4)
    ),
    "maximum": Case(whole(count="count", max="max"), policies.maximum(4), lambda v: min(4, len(v) - v.index(max(v)))),
    "longest_run": Case(
        whole(count="count", lis="lis"), policies.longest_run(5), lambda v: min(5, len(v) - before_longest_run(v))
    ),
    "range": Case(
        operators.make("max", "int64"),
        policies.from_function(lambda total, old: total - old >= 2),
        lambda v: len(v) - next(i for i, x in enumerate(itertools.accumulate(v, max)) if max(v) - x < 2),
    ),
    "everything": Case(operators.make("affine"), policies.from_function(lambda total, old: True), lambda v: 0),
}


def answer_of(op: Any, values: Sequence[int]) -> Any:
    w = catalogue()["recalc"].new(op, CAPACITY)
    for time, value in enumerate(values):
        insert(w, time, value)
    return query(w)


def slide_over(card: Card, case: Case, stream: Sequence[int]) -> None:
    """After each arrival the window must hold what stays, no less and no more."""
    w, s = card.new(case.op, CAPACITY), slider(card, case.op, CAPACITY, case.policy)
    kept: tuple[int, ...] = ()
    for time, value in enumerate(stream):
        arrive(w, s, time, value)
        kept = (*kept, value)
        kept = kept[len(kept) - case.kept(kept) :]
        where = f"{card.name}, {case.policy.name}, after {stream[: time + 1]}"
        assert size(w) == len(kept), f"{size(w)} entries, not {len(kept)}: {where}"
        assert not kept or oldest(w) == time + 1 - len(kept), f"the oldest is {oldest(w)}: {where}"
    card.check(w)
    assert query(w) == answer_of(case.op, kept), f"query: {where}"


def streams(length: int) -> list[tuple[int, ...]]:
    chance = random.Random(5)
    short = [stream for n in range(1, length + 1) for stream in itertools.product(range(4), repeat=n)]
    small = [tuple(min(3, chance.randrange(9)) for _ in range(70)) for _ in range(3)]
    large = [
        tuple(90 if chance.random() < 0.9 else chance.randrange(90) for _ in range(150)) for _ in range(2 * length - 3)
    ]
    return short + small + large  # large: max_size lets a window of 90 go on to any size at once


def search(card: Card, length: int) -> int:
    done = 0
    for case in CASES.values():
        for stream in streams(length) if not card.refusal(case.op) else ():
            slide_over(card, case, stream)
            done += 1
    return done


if __name__ == "__main__":
    print(json.dumps({"streams": search(catalogue()[sys.argv[1]], int(sys.argv[2]))}))
