"""Every law an operator declares holds, and every law it does not declare is broken by some values."""

import itertools
import json

import numba
import numpy as np
import pytest

from algorithms import operators
from algorithms.kernel import OPTIONS, PLAIN, as_slots, machine_code_calls
from algorithms.operators.machine import (
    COMBINE,
    FOLD,
    LIFT,
    STEP,
    UNDO,
    UNIT,
    alike,
    run,
    telling_values,
)
from algorithms.operators.monoid import COMMUTATIVE, INVERTIBLE, LAWS, SELECTIVE, undo
from tests import scripts
from tests.algorithms.operators.partial_machine import CASES, Machine, random_results

TABLE_2 = {
    "count": (INVERTIBLE, COMMUTATIVE),
    "sum": (INVERTIBLE, COMMUTATIVE),
    "max": (COMMUTATIVE,),
    "min": (COMMUTATIVE,),
    "arithmetic_mean": (INVERTIBLE, COMMUTATIVE),
    "geometric_mean": (INVERTIBLE, COMMUTATIVE),
    "max_count": (COMMUTATIVE,),
    "min_count": (COMMUTATIVE,),
    "sample_stddev": (INVERTIBLE, COMMUTATIVE),
    "population_stddev": (INVERTIBLE, COMMUTATIVE),
    "arg_max": (),
    "arg_min": (),
    "collect": (INVERTIBLE,),
}
"""Reactive Aggregator paper (PVLDB 8(7), 2015), Table 2."""

every_operator = pytest.mark.parametrize("op", CASES.values(), ids=CASES.keys())


def carrier(op, room=0):
    """A machine whose first slots are the identity, every lifted value and some sums; and how many these are."""
    values = telling_values(op)
    count = len(values[0]) if isinstance(values, tuple) else len(values)
    sums = list(itertools.product((1, 2, 5), (3, 4)))
    n = 1 + count + len(sums)
    machine = Machine(op, n + room)
    machine.steps([(UNIT, 0, 0, 0)] + [(LIFT, 1 + i, i, 0) for i in range(count)])
    machine.steps((COMBINE, 1 + count + s, i, j) for s, (i, j) in enumerate(sums))
    return machine, n


def pair_sums(op):
    """All a + b over the carrier: the machine, the size n of the carrier, and the slot of each sum."""
    _, n = carrier(op)
    machine, _ = carrier(op, n * n)
    machine.steps((COMBINE, n + i * n + j, i, j) for i in range(n) for j in range(n))
    return machine, n, lambda i, j: n + i * n + j


@every_operator
def test_associative(op):
    _, n = carrier(op)
    machine, _ = carrier(op, 1 + 2 * n**3)
    scratch, steps = n, []
    for place, (i, j, k) in enumerate(itertools.product(range(n), repeat=3)):
        left = n + 1 + 2 * place
        steps += [(COMBINE, scratch, i, j), (COMBINE, left, scratch, k)]
        steps += [(COMBINE, scratch, j, k), (COMBINE, left + 1, i, scratch)]
    machine.steps(steps)
    states = machine.states()
    for place, triple in enumerate(itertools.product(range(n), repeat=3)):
        left, right = states[n + 1 + 2 * place : n + 3 + 2 * place]
        assert alike(op, left, right), [states[i] for i in triple]


@every_operator
def test_identity_on_both_sides(op):
    machine, n, slot = pair_sums(op)
    states = machine.states()
    for i in range(n):
        assert states[slot(0, i)] == states[i], "identity + a"
        assert states[slot(i, 0)] == states[i], "a + identity"


@every_operator
def test_commutative_if_and_only_if_declared(op):
    machine, n, slot = pair_sums(op)
    states = machine.states()
    pairs = itertools.combinations(range(n), 2)
    holds = all(alike(op, states[slot(i, j)], states[slot(j, i)]) for i, j in pairs)
    assert holds == (COMMUTATIVE in op.laws)


@every_operator
def test_selective_if_and_only_if_declared(op):
    machine, n, slot = pair_sums(op)
    states = machine.states()
    pairs = itertools.product(range(n), repeat=2)
    holds = all(states[slot(i, j)] in (states[i], states[j]) for i, j in pairs)
    assert holds == (SELECTIVE in op.laws)


@every_operator
def test_invertible_if_and_only_if_declared(op):
    machine, n, slot = pair_sums(op)
    assert (type(op) in undo.table) == (INVERTIBLE in op.laws)
    if INVERTIBLE in op.laws:
        machine.steps((UNDO, slot(i, j), slot(i, j), i) for i in range(n) for j in range(n))
        states = machine.states()
        for i, j in itertools.product(range(n), repeat=2):
            if op.name == "collect" and states[i][0] + states[j][0] > op.capacity:  # it is known that something is lost
                assert states[slot(i, j)][:2] == (states[j][0], 1)
            else:
                assert alike(op, states[slot(i, j)], states[j]), (states[i], states[j])
    else:  # then b + x = b + y for some x that is not y, so that no function can tell which was there
        states = machine.states()
        triples = itertools.product(range(n), repeat=3)
        assert any(states[x] != states[y] and states[slot(b, x)] == states[slot(b, y)] for b, x, y in triples)


@every_operator
def test_combine_may_write_over_what_it_reads(op):
    machine, n, slot = pair_sums(op)
    expected = machine.states()
    pairs = list(itertools.product(range(n), repeat=2))
    for kept in (0, 1):
        for pair in pairs:
            machine.partials[slot(*pair)] = machine.partials[pair[kept]]
        machine.steps(
            (COMBINE, slot(i, j), slot(i, j) if kept == 0 else i, slot(i, j) if kept == 1 else j) for i, j in pairs
        )
        assert machine.states() == expected
    for i in range(n):
        machine.partials[slot(i, i)] = machine.partials[i]
    machine.steps((COMBINE, slot(i, i), slot(i, i), slot(i, i)) for i in range(n))
    assert machine.states() == expected


@pytest.mark.plain  # an operator that counts is another one to compile; counts of windows are of compiled ones
@every_operator
def test_fold_is_repeated_combine_and_counting_counts_it(op):
    counted = operators.counting(op)
    _, n = carrier(op)
    plain, bare, folded = carrier(op, 2)[0], carrier(op, 2)[0], carrier(counted, 2)[0]
    assert (counted.name, counted.laws, counted.exact, counted.dtype) == (op.name, op.laws, op.exact, op.dtype)
    for first, last in itertools.combinations(range(n + 1), 2):
        plain.steps([(UNIT, n, 0, 0)] + [(COMBINE, n, n, i) for i in range(first, last)])
        counted.reset()
        folded.steps([(FOLD, n, first, last)])
        bare.steps([(FOLD, n, first, last)])
        assert counted.combines() == last - first - 1
        for each in (bare, folded):
            assert alike(op, each.states()[n], plain.states()[n])
    counted.reset()
    folded.steps([(COMBINE, n, 0, 1), (UNIT, n + 1, 0, 0), (COMBINE, n, n, n)])
    assert (counted.combines(), counted.undos()) == (2, 0)
    if INVERTIBLE in op.laws:
        folded.steps([(COMBINE, n, 1, 2), (UNDO, n, n, 1)])
        assert (counted.combines(), counted.undos()) == (3, 1)
        assert alike(op, folded.states()[n], folded.states()[2])
    counted.reset()
    assert (counted.combines(), counted.undos()) == (0, 0)


@pytest.mark.skipif(PLAIN, reason="is about compiled code")
@pytest.mark.parametrize("name", ["sum", "arg_max", "collect", "bloom"])
def test_no_reference_counting(name):
    machine = Machine(operators.make(name), 1)
    fresh = numba.njit(**OPTIONS)(run.py_func)  # of what comes from the cache on disk there is no LLVM to inspect
    fresh(machine.op, machine.partials, machine.out, as_slots(np.empty(0, STEP)), 0, 0, machine.values)
    assert machine_code_calls(fresh, "define") > 0
    assert machine_code_calls(fresh, "NRT_incref") == machine_code_calls(fresh, "NRT_decref") == 0


def test_laws_of_table_2():
    assert len(TABLE_2) == 13
    for name, laws in TABLE_2.items():
        declared = set(operators.make(name).laws)
        assert declared <= set(LAWS)
        assert declared - {SELECTIVE} == set(laws), name


def test_compiled_and_plain_python_agree_on_random_programs():
    life = {**scripts.PLAIN, "PYTHONWARNINGS": "error"}
    plain = scripts.run(["-m", "tests.algorithms.operators.partial_machine"], life)
    compiled = json.loads(json.dumps(random_results()))
    assert plain.keys() == compiled.keys() == CASES.keys()
    for case, op in CASES.items():
        for left, right in zip(plain[case], compiled[case], strict=True):
            assert len(left) == len(right)
            for x, y in zip(left, right, strict=True):
                x, y = (tuple(x), tuple(y)) if isinstance(x, list) else (x, y)
                assert alike(op, x, y), case
