"""The pieces of an operator, read from its source: the partial aggregate, and lift, combine and lower."""

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from algorithms import operators
from algorithms.operators import monoid
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement

PIECES = ("partial", "lift", "combine", "lower")


def function_of(op: Any, role: str) -> Callable:
    """The plain function of an operator: a member of its class, or what it registers with the generic function."""
    return vars(type(op)).get(role) or getattr(monoid, role).table[type(op)]


def body_of(function: Callable) -> list[ast.stmt]:
    """The statements of a function, without its docstring."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    has_text = ast.get_docstring(definition, clean=False) is not None
    return definition.body[1:] if has_text else definition.body


def called(node: ast.AST | None, home: Any) -> Callable | None:
    """The function that an expression calls, if it calls a function of the module by name."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    function = vars(home).get(node.func.id)
    return function if inspect.isfunction(function) else None


def text_of(function: Callable) -> str:
    """The body of a function as text, statements parted by semicolons; of a single `return`, the expression alone.

    The text of a function that only passes its arguments on to one of its module is that one's.
    """
    body, home = body_of(function), inspect.getmodule(function)
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        return "; ".join(map(ast.unparse, body))
    helper = called(body[0].value, home)
    if helper and [ast.unparse(argument) for argument in body[0].value.args] == list(
        inspect.signature(helper).parameters
    ):
        return text_of(helper)
    return ast.unparse(body[0].value)


def helpers_of(function: Callable) -> dict[str, str]:
    """The functions of its module that a function calls, directly or not, as text by their names."""
    helpers: dict[str, str] = {}
    waiting, home = [function], inspect.getmodule(function)
    while waiting:
        for node in ast.walk(ast.Module(body_of(waiting.pop()), [])):
            helper = called(node, home)
            if helper and helper.__name__ not in helpers:
                helpers[helper.__name__] = text_of(helper)
                waiting.append(helper)
    return helpers


def _row(cell: Cell, role: str) -> dict[str, Any]:
    function = function_of(operators.make(cell.operator), role)
    text, helpers = text_of(function), helpers_of(function)
    pieces = [body_of(function), *(body_of(vars(inspect.getmodule(function))[name]) for name in helpers)]
    statements = sum(isinstance(node, ast.stmt) for body in pieces for node in ast.walk(ast.Module(body, [])))
    return {
        "value": float(statements),
        "operations": 1,
        "checksum": None,
        "facts": {"text": text, "helpers": helpers},
    }


@measurement("decomposition.partial", unit="bytes", counted=True)
def partial(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The partial aggregate: its size in bytes, and its fields in the facts."""
    op = operators.make(cell.operator)
    names = op.dtype.names or ()
    kinds = {"i": "int", "f": "float", "u": "int"}
    fields = [(name, op.dtype[name]) for name in names]
    text = ", ".join(f"{name}: {kinds[dtype.base.kind]}{'[…]' if dtype.shape else ''}" for name, dtype in fields)
    return {
        "value": float(op.dtype.itemsize),
        "operations": 1,
        "checksum": None,
        "facts": {"text": text or kinds[op.dtype.kind], "helpers": {}},
    }


@measurement("decomposition.lift", unit="statements", counted=True)
def lift(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """The statements of lift and of the functions of its module that it calls; the text is in the facts."""
    return _row(cell, "lift")


@measurement("decomposition.combine", unit="statements", counted=True)
def combine(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """As `lift`, of combine."""
    return _row(cell, "combine")


@measurement("decomposition.lower", unit="statements", counted=True)
def lower(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """As `lift`, of lower."""
    return _row(cell, "lower")
