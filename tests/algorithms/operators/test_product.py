"""Products of operators do what their parts do: laws, partials and answers, part by part."""

import numba
import numpy as np
import pytest

from algorithms import operators, window
from algorithms.kernel import OPTIONS, view
from algorithms.operators.monoid import COMMUTATIVE, INVERTIBLE, SELECTIVE, combine
from algorithms.windows.contract import query
from tests.algorithms.operators.partial_machine import Machine, random_program

WHOLE = {"first": "first", "sum": "sum", "lis": "lis", "most": "max", "hash": "affine"}
VALUES = np.array([0, 1, -1, 2, 7, 7, -7, 2**40])


def parts():
    return {name: operators.make(kind, "int64") for name, kind in WHOLE.items()}


def after(op, values):
    """Partials and numbers after a random program, which writes over what it reads."""
    machine = Machine(op, 16, values)
    machine.steps(step for step in random_program(operators.make("first"), 16, 150, seed=3) if step[0] != 3)
    return machine


@pytest.mark.plain
@pytest.mark.parametrize("columns", [VALUES, tuple(VALUES + k for k in range(5))], ids=["one for all", "columns"])
def test_a_product_is_its_parts_side_by_side(columns):
    rows = 11  # random_program takes its values from a table of as many
    values = (
        tuple(np.resize(column, rows) for column in columns) if isinstance(columns, tuple) else np.resize(columns, rows)
    )
    op = operators.product(**parts())
    product, total = after(op, values), 0
    for n, (name, part) in enumerate(parts().items()):
        alone = after(part, values[n] if isinstance(values, tuple) else values)
        assert np.asarray(product.partials)[name].tolist() == np.asarray(alone.partials).tolist(), name
        total = total + np.asarray(alone.out)
    assert (np.asarray(product.out) == total).all(), "lower is the sum of the parts"


def test_a_repeated_operator_is_itself_side_by_side():
    columns = tuple(np.resize(VALUES * (k + 1), 11) for k in range(3))
    repeated = after(operators.repeated(operators.make("affine"), 3), columns)
    for k in range(3):
        alone = after(operators.make("affine"), columns[k])
        assert np.asarray(repeated.partials)["parts"][:, k].tolist() == np.asarray(alone.partials).tolist()


@pytest.mark.plain
def test_products_of_products():
    inner = operators.product(largest="max", deviation="population_stddev")
    op = operators.product(pair=inner, many=operators.repeated("sum", 2), count="count")
    w = window("amta", operator=op, capacity=10)
    w.insert_many([1, 2], [((1, 2.0), (3, 4), 0), ((5, 4.0), (30, 40), 0)])
    assert w.query() == ((5.0, 1.0), (33.0, 44.0), 2)
    assert w.query().pair.largest == 5.0
    w.evict()
    assert w.query() == ((5.0, 0.0), (30.0, 40.0), 1)
    w.check()


def test_the_laws_of_a_product_are_those_of_all_parts():
    assert set(operators.product(a="sum", b="count").laws) == {INVERTIBLE, COMMUTATIVE}
    assert operators.product(a="sum", b="max").laws == (COMMUTATIVE,)
    assert operators.product(a="max", b="min").laws == (COMMUTATIVE,), "each may select another operand"
    assert SELECTIVE in operators.product(a="max").laws
    assert operators.repeated("max", 2).laws == (COMMUTATIVE,)


@pytest.mark.plain
def test_an_inverse_works_part_by_part():
    op = operators.product(total=operators.make("sum", "int64"), both=operators.repeated("count", 2))
    w = window("soe", operator=op, capacity=10)
    w.insert_many([1, 2, 3], [5, 6, 7])
    w.evict()
    assert w.query() == (13, (2, 2))
    with pytest.raises(ValueError, match="invertible"):
        window("soe", operator=operators.product(a="max", b="sum"), capacity=10)


def test_fields_called_as_methods_of_numpy_are_read():
    op = operators.product(max="max", sum="sum")
    w = window("recalc", operator=op, capacity=4)
    w.insert(1, (2.0, 3.0))
    w.query()
    assert (view(w._w.agg, 0).max, view(w._w.agg, 0).sum) == (2.0, 3.0)


def test_fifty_dimensions_are_as_much_code_as_two():
    """A loop over an array, which compiles in the same time, and not fifty combines."""
    lines = []
    for k in (2, 50):
        op = operators.repeated("population_stddev", k)
        compiled = numba.njit(**OPTIONS)(lambda op, a: combine(op, a, 0, a, 0, a, 1))
        compiled(op, operators.partials(op, 2))
        lines.append(sum(text.count("\n") for text in compiled.inspect_llvm().values()))
    assert lines[1] < 1.2 * lines[0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: operators.product(), "product: give at least one operator by a name of its own"),
        (lambda: operators.product(a="maks"), "unknown operator 'maks'; did you mean max"),
        (lambda: operators.repeated("sum", 0), "repeated: k must be a whole number of at least 1, not 0"),
        (lambda: operators.encode(operators.product(a="sum", b="max"), (1, 2, 3)), r"one for all or 2, one for each"),
        (lambda: operators.encode(operators.product(a="sum"), "x"), "sum: a value must be a number, not 'x'"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"class": "sum"}, "the name of a part must be an identifier that is no keyword .* not 'class'"),
        ({"_x": "sum"}, "does not begin with an underscore, not '_x'"),
        ({"a": 3}, "product: part a must be the name of an operator, or one made by operators, not 3"),
    ],
)
def test_parts_that_cannot_be_are_refused_by_name(parts, message):
    with pytest.raises(ValueError, match=message):
        operators.product(**parts)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("dtypes", "taken"),
    [
        (("float64",), "float64"),
        (("float64", "float32"), "float32"),
        (("float64", "int64"), "int64"),
        (("int64", "int32"), "int32"),
        (("float32", "int32", "float64"), "int32"),
    ],
)
def test_one_value_for_all_parts_is_of_the_kind_that_all_of_them_take(dtypes, taken):
    parts = {f"part_{dtype}": operators.make("max", dtype) for dtype in dtypes}
    assert operators.product(**parts).takes == taken


@pytest.mark.plain
def test_the_answer_of_compiled_loops_is_the_sum_over_all_parts():
    w = window("recalc", operator=operators.repeated(operators.make("sum", "int64"), 3), capacity=4)
    w.insert(1, (1, 2, 4))
    assert (w.query(), query(w._w)) == ((1, 2, 4), 7)
