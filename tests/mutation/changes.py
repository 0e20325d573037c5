"""The mistakes that mutation testing makes in a module: one place of its syntax tree each, and what is put there.

In functions: comparisons, arithmetic, `and` and `or`, numbers, conditions, least and largest, the two sides of a
combine; a statement that is left out. Beside them numbers that are constants of the module. Not in what only
annotates, describes or refuses: annotations, docstrings, texts, asserts, what is raised (a whole `raise` is left out),
decorators, defaults and fields of classes.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

MODULE = "(module)"
"""The function of a change that is in none."""


class Change(NamedTuple):
    """What stands at `parent.field`, or at its `index` in a list, is replaced by `new`."""

    function: str
    """Its qualified name, without the `<locals>`."""
    text: str
    """Such as "i < n -> i <= n"; the second of the same in a function ends in " (2)"."""
    first: int
    last: int
    """Lines of the outermost function, decorators included; of the constant's statement outside of functions."""
    line: int
    parent: ast.AST
    field: str
    index: int | None
    new: ast.AST

    def make(self) -> None:
        """Change the tree that it was found in."""
        if self.index is None:
            setattr(self.parent, self.field, self.new)
        else:
            getattr(self.parent, self.field)[self.index] = self.new


def changes(tree: ast.Module) -> list[Change]:
    """All changes of a module, from the top to the bottom; their names are unique."""
    found, seen = [], Counter[tuple[str, str]]()
    for change in sorted(_in_module(tree), key=lambda change: change.line):
        seen[change[:2]] += 1
        again = seen[change[:2]]
        found.append(change._replace(text=f"{change.text} ({again})") if again > 1 else change)
    return found


# ------------------------------------------------------------------------------------------------------------- where

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

PLAIN = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.Name, ast.operator, ast.unaryop, ast.expr_context)
"""What a module's constant may consist of to be computed anew."""


class _Where(NamedTuple):
    """The function that is walked through."""

    name: str
    first: int
    last: int


def _in_module(tree: ast.Module) -> Iterator[Change]:
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and all(isinstance(node, PLAIN) for node in ast.walk(statement.value)):
            where = _Where(MODULE, statement.lineno, statement.end_lineno or statement.lineno)
            yield from _at(statement, "value", None, statement.value, where)
        else:
            yield from _in_statement(statement, "")


def _in_statement(statement: ast.stmt, prefix: str) -> Iterator[Change]:
    """Functions and methods; what else stands outside of functions runs before a test does."""
    if isinstance(statement, FUNCTIONS):
        first = min([statement.lineno, *(each.lineno for each in statement.decorator_list)])
        where = _Where(prefix + statement.name, first, statement.end_lineno or first)
        for index, inner in enumerate(statement.body):
            yield from _at(statement, "body", index, inner, where)
    elif isinstance(statement, ast.ClassDef):
        for inner in statement.body:
            yield from _in_statement(inner, f"{prefix}{statement.name}.")


UNCHANGED = {"annotation", "returns", "args", "decorator_list", "type_params"}
"""Fields of syntax that are not walked into; `args` of functions and lambdas only."""


def _at(parent: ast.AST, field: str, index: int | None, node: ast.AST, where: _Where) -> Iterator[Change]:
    line = getattr(node, "lineno", where.first)
    instead = [*_instead(node)]
    if _may_be_left_out(parent, node):
        instead.append((node, _like(node, ast.Pass())))
    if field in ("test", "ifs") and not _changed_anyhow(node):
        instead.append((node, _like(node, ast.UnaryOp(ast.Not(), node))))
    for before, new in instead:
        text = f"{ast.unparse(before)} -> {ast.unparse(ast.fix_missing_locations(new))}"
        yield Change(where.name, " ".join(text.split()), where.first, where.last, line, parent, field, index, new)
    if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr | ast.ClassDef):
        return
    inside = where._replace(name=f"{where.name}.{node.name}") if isinstance(node, FUNCTIONS) else where
    for name, value in ast.iter_fields(node):
        if name in UNCHANGED and not isinstance(node, ast.Call):
            continue
        if isinstance(value, ast.AST):
            yield from _at(node, name, None, value, inside)
        elif isinstance(value, list):
            for place, inner in enumerate(value):
                if isinstance(inner, ast.AST):
                    yield from _at(node, name, place, inner, inside)


# -------------------------------------------------------------------------------------------------------------- what

COMPARED: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip

COMPUTED: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr,
}  # fmt: skip

NAMED = {"max": "min", "min": "max", "maximum": "minimum", "minimum": "maximum", "any": "all", "all": "any"}
NAMED |= {"ceil": "floor", "floor": "ceil", "nanmax": "nanmin", "nanmin": "nanmax", "argmax": "argmin"}


def _instead(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """What is shown of a node, and what may stand in its place."""
    match node:
        case ast.Compare(left, ops, comparators):
            for n, op in enumerate(ops):
                for other in COMPARED[type(op)]:
                    yield node, _like(node, ast.Compare(left, [*ops[:n], other(), *ops[n + 1 :]], comparators))
        case ast.BinOp(left, op, right) if type(op) in COMPUTED:
            yield node, _like(node, ast.BinOp(left, COMPUTED[type(op)](), right))
        case ast.BoolOp(op, values):
            yield node, _like(node, ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values))
        case ast.UnaryOp(ast.Not() | ast.USub() | ast.Invert(), operand):
            yield node, operand
        case ast.Constant(bool() as value):
            yield node, _like(node, ast.Constant(not value))
        case ast.Constant(int() | float() as value):
            yield node, _like(node, ast.Constant(value + 1))
        case ast.Call(ast.Name(name) as called, args, keywords) if name in NAMED:
            yield node, _like(node, ast.Call(_like(called, ast.Name(NAMED[name], ast.Load())), args, keywords))
        case ast.Call(ast.Attribute(value, name) as called, args, keywords) if name in NAMED:
            other_name = _like(called, ast.Attribute(value, NAMED[name], ast.Load()))
            yield node, _like(node, ast.Call(other_name, args, keywords))
        case ast.Call(ast.Name("combine") as called, [op, dst, k, a, i, b, j], keywords):
            yield node, _like(node, ast.Call(called, [op, dst, k, b, j, a, i], keywords))
        case ast.AugAssign(target, op, value) if type(op) in COMPUTED:
            yield node, _like(node, ast.AugAssign(target, COMPUTED[type(op)](), value))


def _may_be_left_out(parent: ast.AST, node: ast.AST) -> bool:
    """Not a name's assignment, without which nearly always nothing runs, nor the last thing that a function does."""
    match node:
        case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Raise() | ast.Break() | ast.Continue():
            return True
        case ast.Assign(targets):
            return all(isinstance(target, ast.Attribute | ast.Subscript) for target in targets)
        case ast.Return():
            return not isinstance(parent, FUNCTIONS)
    return False


def _changed_anyhow(test: ast.AST) -> bool:
    """Whether a condition is turned round, or nearly, by a change of its own."""
    return isinstance(test, ast.Compare | ast.BoolOp) or (
        isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    )


def _like(node: ast.AST, new: ast.AST) -> Any:
    return ast.fix_missing_locations(ast.copy_location(new, node))
