"""What an operator says it is: two that give different results say so, and one says the same in every process."""

import inspect
import itertools
import math
import sys
import types
from typing import NamedTuple

import pytest

from algorithms import operators
from algorithms.operators.fingerprint import fingerprint
from algorithms.operators.monoid import combine
from algorithms.operators.registry import classes
from tests import scripts
from tests.algorithms.operators import describing
from tests.algorithms.operators.describing import OTHER, Doubled, Pair, every, mine, said, times

pytestmark = pytest.mark.smoke


@pytest.mark.parametrize("name", operators.names())
def test_every_parameter_of_an_operator_is_told(name):
    plain = operators.make(name)
    assert operators.described(plain) == operators.described(operators.make(name))
    assert operators.described(plain).startswith(f"{name}(")
    for parameter in tuple(inspect.signature(classes()[name].make).parameters)[1:]:
        other = operators.make(name, **{parameter: OTHER[parameter]})
        assert operators.described(plain) != operators.described(other), parameter


@pytest.mark.parametrize("name", [name for name in operators.names() if len(operators.versions(name)) == 2])
def test_what_values_an_operator_takes_is_told(name):
    one, other = (operators.make(name, dtype) for dtype in operators.versions(name))
    same = (one.takes, one.dtype) == (other.takes, other.dtype)
    assert (operators.described(one) == operators.described(other)) == same


def test_parts_are_told():
    small, large = operators.make("bloom"), operators.make("bloom", hashes=5)
    made = [
        operators.product(a="sum", b="max"),
        operators.product(a="max", b="sum"),
        operators.product(b="max", a="sum"),
        operators.product(a="sum"),
        operators.product(a=small),
        operators.product(a=large),
        operators.product(a=operators.product(a=large)),
        operators.repeated(small, 2),
        operators.repeated(large, 2),
        operators.repeated(large, 3),
        operators.repeated(operators.product(a=small), 2),
        operators.repeated(operators.product(a=large), 2),
        operators.repeated(operators.repeated(large, 2), 3),
    ]
    assert len({operators.described(op) for op in made}) == len(made)
    for op in made:
        assert operators.described(operators.counting(op)) == operators.described(op), "counting changes no result"


def test_no_two_kinds_say_the_same():
    told = {name: operators.described(op) for name, op in every().items() if name != "counting"}
    alike = [pair for pair in itertools.combinations(told, 2) if told[pair[0]] == told[pair[1]]]
    assert alike == [(f"{name} float64", f"{name} int64") for name in SAME_FOR_BOTH]
    assert {type(op) for op in every().values()} >= {*classes().values(), *PARTED}
    assert all(type(op) in combine.table for op in every().values())


SAME_FOR_BOTH = ["compensated_sum", "count", "ddsketch", "geometric_mean", "null_count", "population_stddev"]
SAME_FOR_BOTH += ["population_variance", "sample_stddev", "sample_variance"]
PARTED = [type(operators.product(a="sum")), type(operators.repeated("sum", 2)), type(operators.counting(Doubled(0.0)))]


class Renamed(NamedTuple):
    n: int
    sum: float


DIFFERENT = {
    "a constant": (lambda: mine(lambda v: v * 2.0), lambda: mine(lambda v: v * 3.0)),
    "the kind of a constant": (lambda: mine(lambda v: v * 2.0), lambda: mine(lambda v: v * 2)),
    "an order": (lambda: mine(lambda v: v, lower=lambda a: a - 1), lambda: mine(lambda v: v, lower=lambda a: 1 - a)),
    "what is in a closure": (lambda: mine(times(2.0)), lambda: mine(times(3.0))),
    "a function in a closure": (lambda: mine(times(2.0, times(2.0))), lambda: mine(times(2.0, times(3.0)))),
    "two functions the other way round": (
        lambda: mine(times(1.0, times(2.0)), lower=times(1.0, times(3.0))),
        lambda: mine(times(1.0, times(3.0)), lower=times(1.0, times(2.0))),
    ),
    "built in": (lambda: mine(lambda v: v, combine=max), lambda: mine(lambda v: v, combine=min)),
    "named attributes": (
        lambda: mine(lambda v: Pair(1, v), combine=lambda a, b: a, lower=lambda a: a.n, identity=Pair(0, 0.0)),
        lambda: mine(lambda v: Pair(1, v), combine=lambda a, b: a, lower=lambda a: a.total, identity=Pair(0, 0.0)),
    ),
    "the fields of a partial": (
        lambda: mine(lambda v: Pair(1, v), combine=lambda a, b: a, lower=lambda a: a.n, identity=Pair(0, 0.0)),
        lambda: mine(lambda v: Renamed(1, v), combine=lambda a, b: a, lower=lambda a: a.n, identity=Renamed(0, 0.0)),
    ),
    "the identity": (lambda: mine(lambda v: v), lambda: mine(lambda v: v, identity=-math.inf)),
    "its sign": (lambda: mine(lambda v: v, identity=0.0), lambda: mine(lambda v: v, identity=-0.0)),
    "a law": (lambda: mine(lambda v: v), lambda: mine(lambda v: v, commutative=True)),
    "undo": (lambda: mine(lambda v: v), lambda: mine(lambda v: v, undo=lambda a, b: a - b)),
    "a name": (lambda: mine(lambda v: v), lambda: mine(lambda v: v, name="yours")),
}


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_own_functions_that_differ_say_so(one, other):
    told = [operators.described(made()) for made in (one, one, other, other)]
    assert told[0] == told[1] != told[2] == told[3]


CHANGES = {
    "a helper": ("FACTOR", 4),
    "a compiled helper": ("FACTOR", 4),
    "by somebody": ("FACTOR", 4),
    "a table": ("TABLE", describing.TABLE * 2),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_function_reads_outside_of_it_is_told(name, monkeypatch):
    before = operators.described(every()[name])
    monkeypatch.setattr(describing, *CHANGES[name])
    assert operators.described(every()[name]) != before


def read(source):
    """The fingerprint of f, which a text defines; it may read module `helpers` of somebody's own."""
    helpers = types.ModuleType("helpers")
    exec("def g(v): return v\ndef h(v): return -v", vars(helpers))
    scope = {"__name__": "somewhere", "helpers": helpers}
    exec(source, scope)
    return fingerprint(scope["f"])


REACHED = {
    "a function that calls": ("def f(v): return g(v)", "def g(v): return v", "def g(v): return -v"),
    "two that call each other": ("def f(v): return g(v)", "def g(v): return f(v) + 1", "def g(v): return f(v) + 2"),
    "a function of a module": (
        "",
        "def f(v): return helpers.g(v)",
        "helpers.g = helpers.h\ndef f(v): return helpers.g(v)",
    ),
    "an exception": ("", "def f(v):\n try: return 1 / v\n except ValueError: pass", "def f(v):\n return 1 / v"),
    "deep in a default": ("", "f = lambda v, w=[1, {2: 3}]: v", "f = lambda v, w=[1, {2: 4}]: v"),
    "what it takes": ("", "def f(v, *w): return v", "def f(v, **w): return v"),
    "order of names": ("def f(v): return g(a=v)", "def g(a=1, b=2): return a", "def g(b=1, a=2): return b"),
    "a partial": ("import functools", "f = functools.partial(pow, 2)", "f = functools.partial(pow, 3)"),
    "whose method": ("", "f = (2.0).__add__", "f = (3.0).__add__"),
    "a method": ("class A: ...", "A.g = lambda self, v: v; f = A().g", "A.g = lambda self, v: -v; f = A().g"),
    "an object": ("class A: ...", "a = A(); a.b = 1\nf = lambda v: a.b", "a = A(); a.b = 2\nf = lambda v: a.b"),
    "a named tuple": (
        "from collections import namedtuple as n\ndef f(v): return T(1, v)",
        "T = n('T', 'a b')",
        "T = n('T', 'b a')",
    ),
}


@pytest.mark.parametrize(("same", "before", "after"), REACHED.values(), ids=REACHED)
def test_a_change_anywhere_that_a_function_reaches_changes_its_fingerprint(same, before, after):
    prints = [read(f"{same}\n{change}") for change in (before, before, after, after)]
    assert prints[0] == prints[1] != prints[2] == prints[3]


NO_CHANGE = {
    "comments and lines": ("def f(v): return v + 1", "# why\n\ndef f(v):\n\n return (v\n + 1)"),
    "a docstring": ("def f(v):\n 'One.'\n return v", "def f(v):\n 'Another.'\n return v"),
    "names of variables": ("def f(v):\n a = v + 1\n return a * a", "def f(v):\n b = v + 1\n return b * b"),
    "a global that it does not read": ("def f(v): return v\nx = 1", "def f(v): return v\nx = 2"),
    "one of an attribute's name": ("x = 1\ndef f(v): return v.x", "x = 2\ndef f(v): return v.x"),
    "the name of the function": ("def f(v): return v", "def other(v): return v\nf = other"),
}


@pytest.mark.parametrize(("before", "after"), NO_CHANGE.values(), ids=NO_CHANGE)
def test_what_changes_no_result_changes_no_fingerprint(before, after):
    assert read(before) == read(after)


class Odd:
    """What can be in a function's reach and says nothing that lasts."""

    def __repr__(self):
        raise RuntimeError("no")


def test_whatever_a_function_reads_it_has_a_fingerprint():
    itself: list = []
    itself.append(itself)
    bare = type("Bare", (), {"__slots__": ()})()
    for value in (itself, Odd(), object(), Odd, sys, print, iter(()), bare, lambda: not_there):  # noqa: F821
        assert len(fingerprint(lambda v, value=value: value)) == 16
        assert fingerprint(value) == fingerprint(value)
    assert fingerprint(object()) == fingerprint(object()), "an address is nothing that lasts"


@pytest.mark.parametrize("plain", ["0", "1"])
def test_an_operator_says_the_same_in_another_process(plain):
    life = {"PYTHONHASHSEED": "5", "NUMBA_DISABLE_JIT": plain}
    assert scripts.run(["-m", "tests.algorithms.operators.describing"], life) == said()


def test_an_operator_that_travelled_says_the_same():
    cloudpickle = pytest.importorskip("pyspark.cloudpickle")
    for op in every().values():
        assert operators.described(cloudpickle.loads(cloudpickle.dumps(op))) == operators.described(op)
