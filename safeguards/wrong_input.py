"""What is said of names that do not exist and of numbers that are not whole. Each message says what would be right."""

import difflib
import numbers
from collections.abc import Iterable
from typing import Any

MOST_NAMES = 40
LONGEST_SHOWN = 60


def unknown(what: str, name: object, known: Iterable[object]) -> str:
    """The message for a name that does not exist, with the nearest that do."""
    return f"unknown {what} {name!r}; {offered(name, known)}"


def offered(name: object, known: Iterable[object]) -> str:
    """The names most like one that does not exist, else all, as the end of a message."""
    names = list(map(str, known))
    if close := nearest(name, names):
        return f"did you mean {' or '.join(map(shown, close))}?"
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"there are: {', '.join(map(shown, names[:MOST_NAMES]))}{more}"


def nearest(name: object, known: Iterable[str], alike: float = 0.5) -> list[str]:
    """The three names at most that are most like another, the best first; `alike`: how much, 1 of the same letters."""
    folded = {candidate.casefold().strip(): candidate for candidate in known}
    close = difflib.get_close_matches(str(name).casefold().strip(), folded, n=3, cutoff=alike)
    return [folded[match] for match in close]


def shown(text: str, longest: int = LONGEST_SHOWN) -> str:
    """Text of a file as an error may show it: shortened, and what would command a terminal escaped."""
    escaped = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text[: longest + 1])
    return escaped if len(escaped) <= longest else f"{escaped[:longest]}..."


def is_whole(value: object) -> bool:
    """Whether that is a whole number, of Python or NumPy. True and False are none."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def is_real(value: object) -> bool:
    """Whether that is a number with an order, of Python or NumPy; it may be NaN. True and False are none."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def whole(field: str, value: Any, least: int = 1, most: int | None = None, error: type[ValueError] = ValueError) -> int:
    """The value as an int. Raises the error, which names the field, unless it is a whole number in the range."""
    if is_whole(value) and least <= value and (most is None or value <= most):
        return int(value)
    wanted = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise error(f"{field} must be a whole number {wanted}, not {value!r}")
