"""What the state machine of the façade is tried with: operators with their values, and kinds of time."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from algorithms import operators
from algorithms.times import LEAST, MOST
from tests.algorithms.windows.oracle import affine


class Subject(NamedTuple):
    """An operator under test: how to make it, values for it, what is no value, and its fold written out again."""

    make: Callable[[], Any]
    values: st.SearchStrategy
    misfits: tuple[Any, ...]
    fold: Callable[[list], Any]
    read: Callable[[Any], Any] = lambda answer: answer


MEMBERS = frozenset(range(12))
"""Values of the Bloom filter: few enough that none of them is a false positive of all the others."""

LETTERS = st.text("abcdefghijÿ", min_size=1, max_size=2)


def first_letters(strings: list[str]) -> str:
    joined = "".join(strings)
    return joined if len(joined) <= 16 else joined[:16] + "…"


SUBJECTS = {
    "affine": Subject(
        lambda: operators.make("affine"),
        st.integers(-(2**63), 2**63 - 1),
        (0.5, 2**63, "x", None, float("nan")),
        affine,
    ),
    "concat": Subject(
        lambda: operators.make("concat", capacity=16), LETTERS, ("", "eight___", "€", 0, 256, 1.5, None), first_letters
    ),
    "max": Subject(
        lambda: operators.make("max"),
        st.floats(allow_nan=False) | st.integers(-9, 9),
        (float("nan"), np.float64("nan"), "x", None),
        lambda values: max(values, default=-np.inf),
    ),
    "sum": Subject(
        lambda: operators.make("sum", "int64"), st.integers(-(2**40), 2**40), (0.5, float("inf"), 2**63, "x", None), sum
    ),
    "bloom": Subject(
        lambda: operators.make("bloom", "int64", bits=512),
        st.sampled_from(sorted(MEMBERS)),
        (0.5, "x", None),
        frozenset,
        lambda answer: frozenset(value for value in MEMBERS if value in answer),
    ),
}

NOON = np.datetime64("2026-03-01T12:00", "us")
CLOCKS = {
    "int64": ("int64", lambda tick: tick),
    "the least int64": ("int64", lambda tick: LEAST + tick),
    "the largest int64": ("int64", lambda tick: MOST - 10_000 + tick),
    "float64": ("float64", lambda tick: -np.inf if tick == 0 else (tick - 20) / 4),
    "datetime64": ("datetime64", lambda tick: NOON + np.timedelta64(tick, "us")),
}
"""Kinds of time, and the time that stands for a tick, a small whole number."""

NO_TIMES = {
    "int64": (float("nan"), 2.5, 2**63, "noon", None, NOON),
    "float64": (float("nan"), "noon", None),
    "datetime64": (np.datetime64("NaT"), "noon", 3, None),
}

COMPILED = {
    "recalc": {"affine", "bloom"},
    "fiba": {"affine"},
    "two_stacks_lite": {"affine"},
    "daba_lite": {"concat"},
    "kvs_amta": {"affine"},
    "slick_deque": {"max", "sum"},
    "soe": {"sum"},
}
"""What windows are tried with compiled: the two orders, a tree, a store, wide partials, and windows that refuse affine
maps. All else runs in plain Python here; that compiled code gives the same is tried with each window's program
(test_scripts.py), and the façade compiled for each by the example on its page."""


def compiled_operators(name: str) -> set[str]:
    return COMPILED.get(name, set())
