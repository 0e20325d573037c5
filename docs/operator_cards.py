"""The head of every page in docs/operators, made from the operator itself.

python -m docs.operator_cards            write the heads again
python -m docs.operator_cards --check    print the pages that are missing or whose head differs; exit code 1 if any
"""

import inspect
import sys
from pathlib import Path
from typing import Any

import numpy as np

from algorithms import catalogue, operators
from algorithms.operators.monoid import fields_of_partial, unit
from algorithms.operators.registry import classes, narrow_versions
from docs import heads

PAGES = Path(__file__).parent / "operators"
BEGIN, END = "<!-- from the operator: python -m docs.operator_cards -->", heads.END


def head(name: str) -> str:
    """What the operator declares, as Markdown, between the marks that separate it from the rest of the page."""
    op, cls = operators.make(name), classes()[name]
    facts = {
        "name": ", or ".join(f"`{each}`" for each in [name, *aliases(name)]),
        "code": heads.file_of(cls.__module__),
        "laws": ", ".join(("associative", *op.laws)),
        "types of values": ", ".join(operators.versions(name) + narrow_versions(name)),
        "a partial aggregate": partial_of(op),
        "of an empty window": f"`{of_nothing(op)!r}`",
        "error": operators.error_bound(op).replace("|", r"\|") or "none: exact",
        "refused by": ", ".join(f"[{window}](../algorithms/{window}.md)" for window in refusing(op)) or "no window",
        **{f"`{parameter}`": f"{default!r} unless given" for parameter, default in parameters(cls).items()},
    }
    text = " ".join(inspect.getdoc(cls).split("\n\n")[0].split())
    lines = [BEGIN, f"# {name}", "", text, "", "| | |", "| --- | --- |"]
    return "\n".join([*lines, *(f"| {fact} | {said} |" for fact, said in facts.items()), "", END])


def aliases(name: str) -> list[str]:
    return [alias for alias, own in operators.ALIASES.items() if own == name]


def parameters(cls: Any) -> dict[str, Any]:
    """What `operators.make` takes besides the dtype, with the defaults."""
    return {each.name: each.default for each in list(inspect.signature(cls.make).parameters.values())[1:]}


def partial_of(op: Any) -> str:
    """The bytes that a window keeps for each partial aggregate, and its fields."""
    fields = ", ".join(f"{name} {dtype}" for name, dtype in fields_of_partial(op).items())
    return f"{np.dtype(op.dtype).itemsize:,} bytes" + (f": {fields}" if fields else "")


def of_nothing(op: Any) -> Any:
    """What a query of an empty window gives."""
    empty = operators.partials(op, 1)
    unit(op, empty, 0)
    return operators.present(op, empty, 0)


def refusing(op: Any) -> list[str]:
    return [window for window, card in catalogue().items() if card.refusal(op)]


def all_heads() -> dict[str, str]:
    return {name: head(name) for name in operators.names()}


def with_head(page: str, name: str) -> str:
    """The page with a new head; an empty page gets one. Raises ValueError if the marks are not a pair."""
    return heads.with_head(page, name, head(name))


def stale(folder: Path = PAGES) -> list[str]:
    """Operators whose page is missing or has a head that differs from what the operator declares."""
    return heads.stale(folder, all_heads())


def write(folder: Path = PAGES) -> list[str]:
    """Rewrite the heads of stale pages, create missing pages, and return the names of both."""
    return heads.write(folder, all_heads())


if __name__ == "__main__":
    sys.exit(heads.main("operators", "the operator", stale, write))
