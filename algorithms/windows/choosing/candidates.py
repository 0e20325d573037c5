"""What is chosen among: every window of the catalogue that is in memory, and suits the operator and the calls."""

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from algorithms.operators.monoid import INVERTIBLE
from algorithms.windows.contract import ANY_ORDER, GROUP, ONE_OF, OPERATIONS, Card, card, catalogue, storage
from safeguards.wrong_input import unknown

MIN_ARITIES = (2, 4, 8)
"""The least children of a node that trees are tried with. Other parameters of windows are left at their defaults."""


class Candidate(NamedTuple):
    """A window of the catalogue, and its parameters that are not the defaults."""

    algorithm: str
    parameters: tuple[tuple[str, int], ...] = ()

    @property
    def card(self) -> Card:
        return card(self.algorithm)

    def code(self, operator: str, capacity: int) -> str:
        """The line that makes the window; the operator as it is written there."""
        named = "".join(f", {name}={value}" for name, value in self.parameters)
        return f'window("{self.algorithm}", operator={operator}, capacity={capacity}{named})'

    def __str__(self) -> str:
        return " ".join([self.algorithm, *(f"{name}={value}" for name, value in self.parameters)])


def in_memory() -> Iterator[Candidate]:
    """Every window that is not kept in a key-value store."""
    for name, each in catalogue().items():
        if each.window in storage.table:
            continue
        if "min_arity" in each.parameters:
            yield from (Candidate(name, (("min_arity", arity),)) for arity in MIN_ARITIES)
        else:
            yield Candidate(name)


def legal(op: Any, any_order: bool, calls: Collection[str] = ()) -> list[Candidate]:
    """The candidates that suit the operator, the order of times, and the calls that will be made.

    One that subtracts is legal only where that is exact. Raises ValueError for a call that no window has.
    """
    for call in calls:
        if call not in OPERATIONS:
            raise ValueError(unknown("call", call, OPERATIONS))
    return [each for each in in_memory() if not why_not(each.card, op, any_order, calls)]


def why_not(a_card: Card, op: Any, any_order: bool, calls: Collection[str]) -> str:
    """Why a window is no candidate; empty if it is one."""
    if reason := a_card.refusal(op):
        return reason
    if any_order and a_card.order != ANY_ORDER:
        return f"{a_card.name} takes times in order only"
    if missing := [call for call in calls if call not in a_card.operations]:
        return f"{a_card.name} has no {missing[0]}"
    if a_card.rounding and not op.exact:
        return f"{a_card.name} subtracts, and {op.name} is rounded"
    return ""


def form_of(a_card: Card, op: Any) -> str:
    """Which of a window's forms works for the operator, where its law leaves a choice; empty if it has one form."""
    laws = ONE_OF[a_card.law]
    if len(laws) < 2:
        return ""
    return next(law for law in laws if law in op.laws)


def subtracts(a_card: Card, op: Any) -> bool:
    """Whether the window takes values off by the operator's inverse."""
    return a_card.law == GROUP or form_of(a_card, op) == INVERTIBLE
