"""What is compiled for a user's operator is kept for that operator and no other; where nobody can tell, it is not."""

import enum
import functools
import itertools
import math
import os
from typing import NamedTuple

import numba
import numpy as np
import pytest

from algorithms import disk_cache, operators
from algorithms.kernel import PLAIN
from algorithms.operators.frozen import frozen
from tests import scripts

compiled = pytest.mark.skipif(PLAIN, reason="is about compiled code")


class Pair(NamedTuple):
    low: float
    high: float


def other_pair(**fields):
    return NamedTuple("Pair", fields.items())


Another = other_pair(high=float, low=float)


def pair_with_defaults():
    class Pair(NamedTuple):
        low: float
        high: float = 1.0

    return Pair


def reading(value, source="lambda v: v * K"):
    """A function of one argument that reads a global K."""
    return eval(source, {"K": value, "np": np, "math": math, "__name__": __name__})


def closing(value):
    return lambda v: v * value


def with_default(value):
    return lambda v, k=value: v * k


def keyword(value):
    return lambda v, *, k=value: v * k


def content(lift, combine=lambda a, b: a + b, *, name="mine", laws=(), identity=0.0):
    return frozen(name, {"lift": lift, "combine": combine}, laws, identity)[1]


APART = {
    "a number": lambda: content(reading(1)),
    "another": lambda: content(reading(2)),
    "a float": lambda: content(reading(1.0)),
    "a truth": lambda: content(reading(True)),
    "minus zero": lambda: content(reading(-0.0)),
    "zero": lambda: content(reading(0.0)),
    "a number of 32 bits": lambda: content(reading(np.float32(1))),
    "a number of NumPy's": lambda: content(reading(np.float64(1))),
    "a missing global": lambda: content(eval("lambda v: v * K", {"__name__": __name__})),
    "another name": lambda: content(eval("lambda v: v * L", {"L": 1, "__name__": __name__})),
    "a constant": lambda: content(lambda v: v * 1),
    "another constant": lambda: content(lambda v: v * 2),
    "another operation": lambda: content(lambda v: v + 2),
    "in a closure": lambda: content(closing(1)),
    "another in a closure": lambda: content(closing(2)),
    "a default": lambda: content(with_default(1)),
    "another default": lambda: content(with_default(2)),
    "a keyword": lambda: content(keyword(1)),
    "another keyword": lambda: content(keyword(2)),
    "an array": lambda: content(reading(np.array([1.0, 2.0]), "lambda v: v * K[0]")),
    "another array": lambda: content(reading(np.array([1.0, 3.0]), "lambda v: v * K[0]")),
    "an array of whole numbers": lambda: content(reading(np.array([1, 2]), "lambda v: v * K[0]")),
    "an array of two lines": lambda: content(reading(np.array([[1.0, 2.0]]), "lambda v: v * K[0]")),
    "a tuple": lambda: content(reading((1.0, 2.0), "lambda v: v * K[0]")),
    "a longer tuple": lambda: content(reading((1.0, 2.0, 3.0), "lambda v: v * K[0]")),
    "a function of math": lambda: content(lambda v: math.sqrt(v)),
    "another function of math": lambda: content(lambda v: math.cbrt(v)),
    "a function of NumPy": lambda: content(lambda v: np.sqrt(v)),
    "a function by its name": lambda: content(reading(math.sqrt, "lambda v: K(v)")),
    "another function by that name": lambda: content(reading(math.cbrt, "lambda v: K(v)")),
    "one of NumPy's by that name": lambda: content(reading(np.sqrt, "lambda v: K(v)")),
    "a type": lambda: content(reading(int, "lambda v: K(v)")),
    "another type": lambda: content(reading(float, "lambda v: K(v)")),
    "a named tuple": lambda: content(reading(Pair, "lambda v: K(v, v)")),
    "other fields": lambda: content(reading(Another, "lambda v: K(v, v)")),
    "defaults of fields": lambda: content(reading(pair_with_defaults(), "lambda v: K(v, v)")),
    "another role": lambda: frozen("mine", {"lift": lambda v: v * 1}, (), 0.0)[1],
    "the other way round": lambda: content(lambda a, b: a + b, lambda v: v * 1),
    "another name of the operator": lambda: content(lambda v: v * 1, name="yours"),
    "a law": lambda: content(lambda v: v * 1, laws=("commutative",)),
    "another identity": lambda: content(lambda v: v * 1, identity=1.0),
    "an identity of whole numbers": lambda: content(lambda v: v * 1, identity=0),
    "an identity of two": lambda: content(lambda v: v * 1, identity=Pair(0.0, 0.0)),
    "other fields of the identity": lambda: content(lambda v: v * 1, identity=Another(0.0, 0.0)),
}


def test_what_differs_has_another_content_and_what_is_the_same_has_the_same():
    found = {name: make() for name, make in APART.items()}
    assert all(found.values())
    same = [(a, b) for a, b in itertools.combinations(found, 2) if found[a] == found[b]]
    assert not same
    assert {name: make() for name, make in APART.items()} == found


def plain_helper(v):
    return v + 1


jitted_helper = numba.njit(plain_helper)


class Color(enum.Enum):
    RED = 1


class Thing:
    factor = 2.0

    def lift(self, v):
        return v


def empty_cell():
    def lift(v):
        return v * later

    if lift is None:
        later = 1.0
    return lift


UNKNOWN = {
    "a function of one's own": lambda: reading(plain_helper, "lambda v: K(v)"),
    "one that is compiled": lambda: reading(jitted_helper, "lambda v: K(v)"),
    "one in a closure": lambda: closing(plain_helper),
    "one in a tuple": lambda: reading((plain_helper,), "lambda v: K[0](v)"),
    "one within": lambda: lambda v: (lambda w: w + 1)(v),
    "numbers as they come": lambda: lambda v: sum([v for _ in range(3)]) if v else sum(w for w in (v, v)),
    "an enumeration": lambda: reading(Color, "lambda v: v * K.RED.value"),
    "a class": lambda: reading(Thing, "lambda v: v * K.factor"),
    "an object": lambda: reading(Thing(), "lambda v: v * K.factor"),
    "a module of one's own": lambda: reading(operators, "lambda v: v * K.factor"),
    "objects in an array": lambda: reading(np.array([Thing()]), "lambda v: K[0].lift(v)"),
    "a method": lambda: Thing().lift,
    "a part of a function": lambda: functools.partial(plain_helper),
    "what is not there yet": empty_cell,
    "a named tuple with methods": lambda: reading(type("Sub", (Pair,), {}), "lambda v: K(v, v)"),
} | ({} if PLAIN else {"a compiled function as it is": lambda: jitted_helper})


@pytest.mark.parametrize("lift", UNKNOWN.values(), ids=UNKNOWN)
def test_what_cannot_be_told_is_not_kept_and_stays_as_it_is(lift):
    functions = {"lift": lift()}
    assert frozen("mine", functions, (), 0.0) == (functions, None)


def test_a_function_is_compiled_as_it_was_when_the_operator_was_made():
    scope = {"K": 2.0, "TABLE": np.array([10.0]), "__name__": __name__}
    inner = 100.0

    def changing(v):
        return v + inner

    copies, _ = frozen("mine", {"lift": eval("lambda v: v * K + TABLE[0]", scope), "lower": changing}, (), 0.0)
    scope["K"], scope["TABLE"][0], inner = 3.0, 20.0, 200.0
    assert (copies["lift"](1.0), copies["lower"](1.0)) == (12.0, 101.0)
    assert copies["lift"].__name__.startswith("mine_lift_") and copies["lift"].__module__ == __name__


def spread(pair):
    return operators.from_functions(
        lambda v: pair(v, v),
        lambda a, b: pair(min(a.low, b.low), max(a.high, b.high)),
        lambda a: a.high - a.low,
        pair(math.inf, -math.inf),
    )


@compiled
def test_equal_operators_are_one_class_and_a_named_tuple_that_is_defined_again_makes_another():
    again = other_pair(low=float, high=float)
    assert type(spread(Pair)) is type(spread(Pair))
    assert type(spread(Pair)) is not type(spread(again)) and type(spread(again)) is type(spread(again))


def files(folder):
    return {path: path.stat().st_size for path in folder.rglob("*.code")}


@compiled
@pytest.mark.slow
def test_a_later_process_finds_the_code_of_an_operator_and_of_no_other(tmp_path):
    """The values are 1 and 4. Every factor gives another answer, whatever is on disk and in whatever order."""

    def ran(*factors):
        return scripts.run(["-m", "tests.algorithms.operators.kept_code", *factors], {"NUMBA_CACHE_DIR": str(tmp_path)})

    assert ran("1") == [[5.0], 0]
    kept = files(tmp_path)
    assert len(kept) == 1
    assert ran("1") == [[5.0], 1] and files(tmp_path) == kept
    assert ran("2", "1", "3") == [[10.0, 5.0, 15.0], 1], "compiled beside one that is loaded"
    assert ran("3", "2", "1") == [[15.0, 10.0, 5.0], 3]
    assert ran("bare:7", "bare:8", "1") == [[35.0, 40.0, 5.0], 1]
    assert ran("bare:9", "bare:8", "bare:7") == [[45.0, 40.0, 35.0], 2]
    kept = files(tmp_path)
    assert len(kept) == 6
    assert ran("helped:2") == [[10.0], 0] and ran("helped:3") == [[15.0], 0] and files(tmp_path) == kept

    for path in kept:
        path.write_bytes(path.read_bytes()[:5000])
    assert ran("1", "2") == [[5.0, 10.0], 0], "cut short"
    assert ran("1", "2") == [[5.0, 10.0], 2]
    (folder,) = {path.parent for path in kept}
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    kept = files(tmp_path)
    assert ran("1", "11") == [[5.0, 55.0], 0] and files(tmp_path) == kept, "others may write there"


def test_a_named_tuple_is_told_by_its_fields_whatever_it_says_and_a_class_with_implementations_by_what_it_says():
    class Pair(NamedTuple):
        content: float
        high: float

    class Other(NamedTuple):
        high: float
        low: float
        content = "the same"

    Other.__name__, again = "Pair", other_pair(high=float, low=float)
    assert len({disk_cache.content_of(cls) for cls in (Pair, Other, again)}) == 2
    assert disk_cache.content_of(Other) == disk_cache.content_of(again) == "Pair('high', 'low')"
    assert disk_cache.content_of(type(operators.make("sum"))) is None
    made = spread(other_pair(low=float, high=float))
    assert PLAIN or disk_cache.content_of(type(made)) == type(made).content == type(made).__name__.partition("_")[2]


def test_what_was_not_used_for_longest_is_deleted(tmp_path, monkeypatch):
    monkeypatch.setattr(disk_cache, "MOST_FILES", 7)
    for n in range(7):
        (tmp_path / f"{n}.code").touch()
        os.utime(tmp_path / f"{n}.code", (n, n))
    disk_cache._forget_the_oldest(tmp_path)
    assert len(files(tmp_path)) == 7
    (tmp_path / "7.code").touch()
    os.utime(tmp_path / "0.code")
    disk_cache._forget_the_oldest(tmp_path)
    assert sorted(path.stem for path in files(tmp_path)) == ["0", "3", "4", "5", "6", "7"]
