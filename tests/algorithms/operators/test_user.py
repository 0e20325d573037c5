"""A user's own operator: compiled like any other, refused in few words, and never mixed up with another."""

from typing import NamedTuple

import numpy as np
import pytest

from algorithms import operators
from algorithms.kernel import PLAIN
from algorithms.operators.machine import COMBINE, FOLD, LIFT, LOWER, UNDO, UNIT
from algorithms.operators.monoid import COMMUTATIVE, INVERTIBLE, SELECTIVE, undo
from tests import scripts
from tests.algorithms.operators.partial_machine import Machine

compiled = pytest.mark.skipif(PLAIN, reason="is about compiled code")


class Range(NamedTuple):
    low: float
    high: float


class Mean(NamedTuple):
    n: int
    total: float


def mean(**changes):
    functions = {
        "lift": lambda v: Mean(1, v),
        "combine": lambda a, b: Mean(a.n + b.n, a.total + b.total),
        "lower": lambda a: a.total / a.n,
        "identity": Mean(0, 0.0),
    }
    return operators.from_functions(**functions | changes)


def folded(op, values):
    machine = Machine(op, len(values) + 2, np.array(values))
    machine.steps([(UNIT, 0, 0, 0)] + [(LIFT, k + 1, k, 0) for k in range(len(values))])
    machine.steps([(FOLD, len(values) + 1, 0, len(values) + 1), (LOWER, 0, len(values) + 1, 0)])
    seen = operators.present(op, machine.partials, len(values) + 1)
    assert seen == pytest.approx(machine.out[0].item(), nan_ok=True)
    return seen


def test_partial_of_several_numbers():
    spread = operators.from_functions(
        lambda v: Range(v, v),
        lambda a, b: Range(min(a.low, b.low), max(a.high, b.high)),
        lambda a: a.high - a.low,
        Range(np.inf, -np.inf),
        name="spread",
        commutative=True,
        check=[1.0, -2.0, 7.5],
    )
    assert folded(spread, [3.0, -1.0, 4.0]) == 5.0
    assert (spread.name, spread.laws, spread.exact) == ("spread", (COMMUTATIVE,), False)
    assert spread.dtype.names == ("low", "high")


def test_laws_and_undo():
    op = mean(undo=lambda a, b: Mean(a.n - b.n, a.total - b.total), commutative=True, check=[1.0, 2.0, 0.1])
    assert op.laws == (COMMUTATIVE, INVERTIBLE)
    machine = Machine(op, 4, np.array([1.0, 2.0]))
    machine.steps([(LIFT, 0, 0, 0), (LIFT, 1, 1, 0), (COMBINE, 2, 0, 1), (UNDO, 3, 2, 0)])
    assert machine.states()[3] == machine.states()[1]
    biggest = operators.from_functions(lambda v: v, max, lambda a: a, -(2**63), selective=True, check=[1, -5, 3])
    assert biggest.laws == (SELECTIVE,) and biggest.exact and type(biggest) not in undo.table
    assert folded(biggest, [-4, -2, -9]) == -2


def test_division_by_zero_is_nan_as_in_compiled_code():
    assert np.isnan(folded(mean(), np.zeros(0)))


def test_values_may_be_pairs():
    op = operators.from_functions(lambda v: v[0] * v[1], lambda a, b: a + b, lambda a: a, 0.0, name="weighted")
    machine = Machine(op, 3, (np.array([2.0, 3.0]), np.array([10.0, 100.0])))
    machine.steps([(LIFT, 0, 0, 0), (LIFT, 1, 1, 0), (COMBINE, 2, 0, 1), (LOWER, 0, 2, 0)])
    assert machine.out[0] == 320


def test_two_operators_never_share_an_implementation():
    def scaled(factor):
        return operators.from_functions(lambda v: v * factor, lambda a, b: a + b, lambda a: a, 0, name="same")

    one, two = scaled(1), scaled(10)
    assert one.name == two.name == "same" and type(one) is not type(two)
    assert [folded(op, [1, 2]) for op in (one, two, operators.counting(two), one)] == [3, 30, 30, 3]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"check": [1, 2, 3], "combine": lambda a, b: Mean(a.n + b.n, (a.total + b.total) / 2)},
            "identity + a = a does",
        ),
        (
            {"check": [1.0, 2.0], "combine": lambda a, b: Mean(a.n + b.n, a.total + b.total + a.n * b.n * a.total)},
            "(a + b) + c = a + (b + c) (associative) does not hold for a = lift(1.0), b = lift(1.0), c = lift(1.0): "
            "Mean(3, 10.0) is not Mean(3, 6.0)",
        ),
        (
            {"check": [1, 2], "combine": lambda a, b: b if a.n == 0 else a if b.n == 0 else a, "commutative": True},
            "a + b = b + a (commutative) does not hold for a = lift(1), b = lift(2)",
        ),
        ({"check": [1, 2], "undo": lambda a, b: a}, "undo(a + b, a) = b does not hold for a = lift(1), b = lift(1)"),
        ({"check": [1], "combine": lambda a, b: b}, "a + identity = a does not hold for a = lift(1)"),
        ({"check": [1, 2], "selective": True}, "a + b is a or b (selective) does not hold"),
        (
            {"identity": "nothing"},
            "identity must be an int of 64 bits, a float, or a NamedTuple of them, not 'nothing'",
        ),
        ({"identity": (0, 0.0)}, "identity must be an int of 64 bits, a float, or a NamedTuple of them, not (0, 0.0)"),
        ({"identity": 2**63}, "identity must be an int of 64 bits"),
        ({"lower": 3}, "lower must be a function, not 3"),
    ],
)
def test_refused(changes, message):
    with pytest.raises(ValueError) as refusal:
        mean(**changes)
    assert str(refusal.value).startswith(f"mine: {message}")


def test_name_must_be_an_identifier():
    with pytest.raises(ValueError, match="name of an operator must be an identifier, not 'my op'"):
        mean(name="my op")


@compiled
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"lift": lambda v: Mean(1, v.amount)}, "lift does not compile: Unknown attribute 'amount' of type float64"),
        ({"combine": lambda a, b: nowhere(a, b)}, "combine does not compile: "),  # noqa: F821
        ({"lower": lambda a: [str(x) for x in a]}, "lower does not compile: "),
        ({"undo": lambda a, b: a.minus(b)}, "undo does not compile: Unknown attribute 'minus' of type "),
        (
            {"combine": lambda a, b: (a.n + b.n, 0.0)},
            "combine gives a plain tuple where the identity is Mean(n: int64, ",
        ),
        ({"combine": lambda a, b: Mean(a.n, a.n)}, "combine gives Mean(n: int64, total: int64) where the identity is "),
        ({"lift": lambda v: v}, "lift gives float64 from float64 where the identity is Mean(n: int64, total: float64)"),
        ({"lower": lambda a: a}, "lower gives Mean(n: int64, total: float64) where it must give a number"),
    ],
)
def test_functions_that_do_not_compile(changes, message):
    with pytest.raises(operators.OperatorError) as refusal:
        mean(**changes)
    assert str(refusal.value).startswith(f"mine: {message}")
    assert "\n" not in str(refusal.value) and len(str(refusal.value)) < 300


@compiled
def test_whole_partials_take_whole_values():
    op = operators.from_functions(lambda v: v, lambda a, b: a + b, lambda a: a, 0)
    assert op.takes == "int64"
    with pytest.raises(ValueError, match=r"mine: a value must be a whole number of at most 64 bits, not 2\.5"):
        operators.encode(op, 2.5)
    above = operators.from_functions(lambda v: 1 if v > 0.5 else 0, lambda a, b: a + b, lambda a: a, 0)
    assert operators.encode(above, 2.5) == 2.5 and folded(above, [2.5, 0.1, 0.7]) == 2


SCRIPT = """
import threading
from tests.algorithms.operators.partial_machine import Machine
from algorithms import operators
from algorithms.operators.machine import FOLD, LIFT, LOWER, run
lock = threading.Lock()
def lift(v):
    return v * 2
lift.lock = lock
def total(op):
    machine = Machine(op, 3)
    machine.steps([(LIFT, 0, 1, 0), (LIFT, 1, 4, 0), (FOLD, 2, 0, 2), (LOWER, 0, 2, 0)])
    return int(machine.out[0])
plain = operators.make("sum", "int64")
mine = operators.from_functions(lift, lambda a, b: a + b, lambda a: a, 0)
print([total(plain), total(mine), total(operators.counting(mine)), sum(run.stats.cache_hits.values())])
"""


@compiled
def test_nothing_of_a_users_operator_goes_to_the_index_of_the_cache_on_disk(tmp_path):
    """Code for the operator is in files of its own: tests/algorithms/operators/test_kept_code.py."""

    def once():
        done = scripts.run(["-c", SCRIPT], {"NUMBA_CACHE_DIR": str(tmp_path / "cache")})
        kept = {path.name: path.stat().st_size for path in (tmp_path / "cache").rglob("*.nb*")}
        return done, kept

    first, kept = once()
    again, kept_later = once()
    assert first == [8, 16, 16, 0] and again == [8, 16, 16, 3]
    assert kept == kept_later and len(kept) == 2, "an index, and the code for sum"
