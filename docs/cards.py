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
from safeguards.files import write_atomically

PAGES = Path(__file__).parent / "algorithms"
BEGIN, END = "<!-- from the card: python -m docs.cards -->", "<!-- end of the card -->"

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


def with_head(page: str, card: Card) -> str:
    """The page with a new head; an empty page gets one. Raises ValueError if the marks are not a pair."""
    if not page:
        return head(card) + "\n"
    if page.count(BEGIN) != 1 or page.count(END) != 1 or not page.startswith(BEGIN):
        raise ValueError(f"{card.name}.md must begin with {BEGIN!r} and have {END!r} once, before the text")
    return head(card) + page.split(END)[1]


def stale(folder: Path = PAGES) -> list[str]:
    """Windows whose page is missing or has a head that differs from the card."""
    names = []
    for name, card in catalogue().items():
        page = folder / f"{name}.md"
        if not page.exists() or with_head(page.read_text(encoding="utf-8"), card) != page.read_text(encoding="utf-8"):
            names.append(name)
    return names


def write(folder: Path = PAGES) -> list[str]:
    """Rewrite the heads of stale pages, create missing pages, and return the names of both."""
    names = stale(folder)
    for name in names:
        page = folder / f"{name}.md"
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        write_atomically(page, with_head(text, catalogue()[name]).encode())
    return names


if __name__ == "__main__":
    checking = sys.argv[1:] == ["--check"]
    changed = stale() if checking else write()
    for name in changed:
        print(f"docs/algorithms/{name}.md", "is missing or not what the card says" if checking else "written")
    sys.exit(1 if checking and changed else 0)
