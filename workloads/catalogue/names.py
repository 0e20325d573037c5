"""The error for a name that does not exist, offering the nearest ones that do."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

LONGEST_SHOWN = 60


class UnknownName(ValueError):
    """A workload, parameter, column or choice that does not exist; the message offers the nearest names."""

    def __init__(self, what: str, name: object, known: Sequence[str]):
        super().__init__(f"unknown {what} {name!r}; {nearest(str(name), known)}")


def nearest(name: str, known: Sequence[str], most: int = 20) -> str:
    """One clause that names the closest of `known` and lists (at most `most` of) them, for the end of an error."""
    folded = {candidate.casefold().strip(): candidate for candidate in known}
    close = [folded[match] for match in difflib.get_close_matches(name.casefold().strip(), folded, n=3, cutoff=0.5)]
    rest = f" and {len(known) - most} more" if len(known) > most else ""
    listing = "there are " + ", ".join(map(shown, known[:most])) + rest
    return f"nearest: {', '.join(map(shown, close))} ({listing})" if close else listing


def shown(text: str, longest: int = LONGEST_SHOWN) -> str:
    """Text of a file as an error may show it: shortened, and what would command a terminal escaped."""
    escaped = ""
    for character in text:
        escaped += character if character.isprintable() else repr(character)[1:-1]
        if len(escaped) > longest:
            return f"{escaped}..."
    return escaped
