"""The head of every page in docs/algorithms, made from the window's card.

python -m docs.cards            write the heads again
python -m docs.cards --check    print the pages that are missing or whose head differs from the card; exit code 1 if any
"""

import sys
from pathlib import Path

from algorithms.windows.contract import (
    GROUP,
    IN_ORDER,
    MONOID,
    OPERATIONS,
    SELECTIVE_OR_GROUP,
    SEMIGROUP,
    Card,
    catalogue,
)
from docs import heads

PAGES = Path(__file__).parent / "algorithms"
BEGIN, END = "<!-- from the card: python -m docs.cards -->", heads.END

ORDERS = {True: "times may not decrease", False: "values may come in any order of time"}
LAWS = {
    SEMIGROUP: "any operator; not even an identity is needed",
    MONOID: "any operator: associative, with an identity",
    GROUP: "an operator with an inverse, such as sum or mean; max is refused",
    SELECTIVE_OR_GROUP: "an operator that selects one of its two operands (max, min), or one with an inverse (sum)",
}


def head(card: Card) -> str:
    """The card as Markdown, between the marks that separate it from the rest of the page."""
    facts = {
        "name": f"`{card.name}`",
        "paper": card.paper,
        "code": heads.file_of(card.window.__module__),
        "order": f"{card.order}: {ORDERS[card.order == IN_ORDER]}",
        "operators": f"{card.law}: {LAWS[card.law]}",
        "partial aggregates kept": card.space,
        **({"rounding": card.rounding} if card.rounding else {}),
        **{
            f"`{name}`": f"{parameter.meaning}; {parameter.default} unless given, at least {parameter.least}"
            for name, parameter in card.parameters.items()
        },
    }
    lines = [BEGIN, f"# {card.title}", "", "| | |", "| --- | --- |"]
    lines += [f"| {name} | {fact} |" for name, fact in facts.items()]
    lines += ["", "| operation | combines, of n entries |", "| --- | --- |"]
    lines += [f"| `{OPERATIONS[operation].split(')')[0]})` | {card.time[operation]} |" for operation in card.operations]
    return "\n".join([*lines, "", END])


def all_heads() -> dict[str, str]:
    return {name: head(card) for name, card in catalogue().items()}


def with_head(page: str, card: Card) -> str:
    """The page with a new head; an empty page gets one. Raises ValueError if the marks are not a pair."""
    return heads.with_head(page, card.name, head(card))


def stale(folder: Path = PAGES) -> list[str]:
    """Windows whose page is missing or has a head that differs from the card."""
    return heads.stale(folder, all_heads())


def write(folder: Path = PAGES) -> list[str]:
    """Rewrite the heads of stale pages, create missing pages, and return the names of both."""
    return heads.write(folder, all_heads())


if __name__ == "__main__":
    sys.exit(heads.main("algorithms", "the card", stale, write))
