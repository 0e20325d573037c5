"""The fastest legal window: `choice(op, entries=9, distance=0)`.

The table of costs tells it; for one's own operators, and where a window is not in the table, a trial.
"""

import math
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from algorithms.errors import MemoryEstimateError
from algorithms.kernel import PLAIN
from algorithms.windows.choosing.candidates import Candidate, legal
from algorithms.windows.choosing.operator_cost import OperatorCost, cost_of, name_of
from algorithms.windows.choosing.table import shipped
from algorithms.windows.choosing.trial import timed
from safeguards.wrong_input import unknown, whole

AUTO = "auto"
"""The name that stands for the window that is chosen."""

HINTS = ("distance", "batch", "calls", "trial")
"""What may be said to `window("auto", ...)` beside the operator and the capacity."""

TRIED = 5
"""Windows that are timed for an operator of one's own. On 110 points the choice was within 1.2 times of the best in
80 % by the table alone, and in 86, 89, 93 and 95 % with a trial of two, three, four and five."""


BESIDE_NEW = 2
"""Windows of the table that are timed beside those that are not in it."""


class Choice(NamedTuple):
    """The window that was chosen, and what a round was expected to take in each that was considered."""

    candidate: Candidate
    asked: str
    expected: tuple[tuple[Candidate, float], ...]
    """Nanoseconds a round, the quickest first."""
    timed: tuple[tuple[Candidate, float], ...] = ()
    """Of those that were tried, nanoseconds of a round by the clock, the quickest first."""
    new: tuple[Candidate, ...] = ()
    """Those that the table does not have."""

    def __str__(self) -> str:
        by_table, by_clock = dict(self.expected), dict(self.timed)
        widest = max(len(str(each)) for each in (*by_table, *self.new))
        lines = []
        for each in (*by_table, *self.new):
            ns = f"{by_table[each]:8.1f} ns a round" if each in by_table else "not in the table"
            lines.append(f"{each!s:<{widest}}  {ns}" + (f", timed {by_clock[each]:.1f}" if each in by_clock else ""))
        return "\n".join([f"{self.candidate} for {self.asked}", *lines])


def choice(
    operator: Any,
    entries: int,
    distance: int | None = None,
    batch: int = 1,
    calls: Collection[str] = (),
    trial: int | None = None,
) -> Choice:
    """The window of the catalogue, in memory, whose round is expected to be the quickest.

    operator  an operator, or several that will have a window each
    entries   in the window
    distance  how many younger entries are there where a value enters: 0 if times never decrease; None if that is not
              known, and then any order is taken, at the root of `entries`, the middle of what is possible
    batch     values that enter and leave between two queries
    calls     operations of the card that will be called, besides insert, evict and query
    trial     how many of the windows that are expected to be the quickest are timed, once in a process for each point:
              by default 1, which is none, and TRIED where an operator is one's own. Windows that are not in the table,
              such as a new one, are timed as well, beside two of the table at least, unless it is 1 by your own word

    O(windows) evaluations of the table, some tenths of a millisecond; the first combines of an operator that the table
    does not know are timed (`operator_cost`), and a trial compiles each window, in one or two seconds, a tree in up to
    ten, unless it is kept from an earlier process. Raises ValueError for a wrong argument, or if no window is legal.
    """
    entries, batch = whole("entries", entries), whole("batch", batch)
    ops: Sequence[Any] = operator if type(operator) in (list, tuple) else [operator]
    any_order = distance != 0
    d = math.isqrt(entries) if distance is None else whole("distance", distance, 0)
    considered = [each for each in legal(ops[0], any_order, calls) if all(_suits(each, op, entries) for op in ops)]
    costs = [(op, cost_of(op)) for op in ops]
    expected = [
        (each, _expected(each, costs, entries, min(d, entries - 1), min(batch, entries))) for each in considered
    ]
    ranked = sorted(((each, ns) for each, ns in expected if ns is not None), key=lambda pair: pair[1])
    new = [each for each in considered if not all(shipped().has(each, op) for op in ops)]
    names = ", ".join(op.name for op in ops)
    if not ranked and not new:
        wanted = " ".join(["any order" if any_order else "times in order", *(f"and {call}" for call in calls)])
        raise ValueError(f"no window has {wanted} for {names} and {entries:,} entries in this machine's memory")
    order = "distance unknown" if distance is None else f"distance {distance:,}"
    asked = f"{names}: {entries:,} entries, {order}, {batch:,} a query"
    if trial is None:
        trial = 1 if PLAIN or all(map(name_of, ops)) else TRIED
        tried = [each for each, _ in ranked[: max(trial, BESIDE_NEW if new else 1)]] + ([] if PLAIN else new)
    else:
        tried = [each for each, _ in ranked[: whole("trial", trial)]] + (new if trial > 1 else [])
    by_clock = timed(tried, ops, entries, min(d, entries - 1), min(batch, entries)) if len(tried) > 1 else []
    chosen = (by_clock or ranked)[0][0] if by_clock or ranked else new[0]
    return Choice(chosen, asked, tuple(ranked), tuple(by_clock), tuple(new))


def _suits(candidate: Candidate, op: Any, entries: int) -> bool:
    """Whether the window suits an operator of several, and fits into memory."""
    try:
        candidate.card.must_fit(op, entries, dict(candidate.parameters))
    except MemoryEstimateError:
        return False
    return not candidate.card.refusal(op) and (op.exact or not candidate.card.rounding)


def _expected(
    candidate: Candidate, costs: Sequence[tuple[Any, OperatorCost]], n: int, d: int, batch: int
) -> float | None:
    """Nanoseconds of a round with all operators; None if the table cannot tell."""
    each = [shipped().round_of(candidate, op, cost, n, d, batch) for op, cost in costs]
    return None if None in each else sum(ns for ns in each if ns is not None)


def hints_of(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments as `choice` takes them. Raises ValueError for one that it does not have."""
    for name in arguments:
        if name not in HINTS:
            raise ValueError(unknown(f"argument of window({AUTO!r}, ...)", name, HINTS))
    return arguments
