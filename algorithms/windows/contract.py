"""What a window is: its operations and its card, and the catalogue of all of them.

A window is a NamedTuple of Slots with two fields every window has: `op`, its operator, and `agg`, slots of partial
aggregates of which agg[RESULT] belongs to `query`. Which operations a window implements is on its card; nothing probes.
"""

import functools
import importlib.util
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import generic, row, slots
from algorithms.memory import must_fit_memory
from algorithms.operators.monoid import INVERTIBLE, SELECTIVE, lower
from safeguards.wrong_input import unknown, whole

RESULT = 0
"""The slot of `agg` that queries write their partial aggregate to."""

IN_ORDER, ANY_ORDER = "in order", "any"


@generic
def insert(w, time, value):
    """Insert the value at the time; in a window of any order, combine it with an entry of equal time, on the right."""


@generic
def evict(w):
    """Evict the oldest entry of a window that is not empty."""


@generic
def evict_at(w, time):
    """Evict the entry at exactly this time, and return whether there was one."""


@generic
def bulk_evict(w, time):
    """Evict all entries up to and including `time`; one by one, unless the window has a faster way."""


@generic
def bulk_insert(w, times, values, first, last):
    """Insert entries first .. last - 1 of two sorted columns; one by one, unless the window has a faster way."""


@generic
def aggregate(w, dst, k):
    """dst[k] = the partial aggregate of the whole window, the identity if it is empty."""


@generic
def aggregate_between(w, first, last, dst, k):
    """dst[k] = the partial aggregate of the entries with first <= time <= last."""


@generic
def size(w):
    """Number of entries."""


@generic
def oldest(w):
    """Time of the oldest entry of a window that is not empty."""


@generic
def youngest(w):
    """Time of the youngest entry of a window that is not empty."""


@generic
def has_time(w, time):
    """Whether there is an entry at exactly this time. Windows of any order only."""


@generic
def query(w):
    """The aggregate of the whole window, lowered to a number."""


@generic
def range_query(w, first, last):
    """The aggregate of the entries with first <= time <= last, lowered to a number."""


@generic
def storage(w):
    """The Storage of a window that is kept in a key-value store (`algorithms.windows.stored`); in Python only."""


@bulk_evict.default
def _(w, time):
    while size(w) > 0 and oldest(w) <= time:
        evict(w)


@bulk_insert.default
def _(w, times, values, first, last):
    for i in range(first, last):
        insert(w, times[i], row(values, i))


@query.default
def _(w):
    aggregate(w, w.agg, RESULT)
    return lower(w.op, w.agg, RESULT)


@range_query.default
def _(w, first, last):
    aggregate_between(w, first, last, w.agg, RESULT)
    return lower(w.op, w.agg, RESULT)


# --------------------------------------------------------------------------------------------- cards and the catalogue

OPERATIONS = {
    "insert": "insert(time, value)",
    "evict": "evict() the oldest",
    "query": "query() the whole window",
    "evict_at": "evict_at(time)",
    "bulk_evict": "bulk_evict(time)",
    "bulk_insert": "bulk_insert(times, values)",
    "range_query": "range_query(first, last)",
}
"""Operations a card may list. Every window has the first three."""

SEMIGROUP, MONOID, GROUP = "semigroup", "monoid", "group"
SELECTIVE_OR_GROUP = "selective monoid, or group"

ONE_OF = {SEMIGROUP: (), MONOID: (), GROUP: (INVERTIBLE,), SELECTIVE_OR_GROUP: (SELECTIVE, INVERTIBLE)}
"""What an operator must declare for a window that needs the law: at least one of these, besides being a monoid."""


@dataclass(frozen=True)
class Parameter:
    """A whole-number parameter of a window."""

    default: int
    least: int
    meaning: str


class Kept(NamedTuple):
    """A partial aggregate that a window keeps, and which elements it is the aggregate of."""

    part: str
    """The part of the structure, as its paper calls it."""
    first: int
    end: int
    """Elements first .. end - 1 of those in the window; 0 is the oldest."""
    slot: int
    """Where it is in `agg`."""


@dataclass(frozen=True)
class Card:
    """What a window is and can do, as read by the catalogue, the contract tests and every refusal; nothing probes."""

    name: str
    title: str
    paper: str
    order: str
    """IN_ORDER: times may not decrease. ANY_ORDER: insert anywhere."""
    operations: tuple[str, ...]
    time: Mapping[str, str]
    """Cost of each operation, in combines unless it names another unit."""
    space: str
    """Partial aggregates kept for n entries."""
    window: Callable[..., Any]
    """The NamedTuple class, or a function of the same arguments that picks one by the operator."""
    layout: Callable[..., dict[str, tuple[int, Any]]]
    """(operator, capacity, **parameters) -> for each Slots field: (number of slots, dtype)."""
    prepare: Callable[..., None]
    """(window, capacity, **parameters): write the empty state into zeroed slots."""
    check: Callable[[Any], None]
    """Raise AssertionError if an invariant of the structure does not hold. Plain Python, O(n)."""
    law: str = MONOID
    rounding: str = ""
    """What rounding errors it adds to those of the operator; empty if it only combines, so that there are none."""
    parameters: Mapping[str, Parameter] = field(default_factory=lambda: MappingProxyType({}))
    kept: Callable[[Any], Iterable[Kept]] | None = None
    """The partial aggregates that the window keeps after a query, part by part. Plain Python, O(their number).

    None where a structure is not made of stretches: the trees of any order, the levels of pairs, windows in stores.
    """

    def __reduce__(self):
        return card, (self.name,)

    def refusal(self, op: Any) -> str:
        """The reason why this window cannot work with the operator; empty if it can."""
        sufficient = ONE_OF[self.law]
        if not sufficient or set(sufficient) & set(op.laws):
            return ""
        return f"{self.name} needs an operator that is {' or '.join(sufficient)}, and {op.name} is not"

    def complete(self, parameters: Mapping[str, int]) -> dict[str, int]:
        """All parameters, with defaults filled in. Raises ValueError for an unknown name or a value out of range."""
        for name, value in parameters.items():
            if name not in self.parameters:
                raise ValueError(unknown(f"parameter of {self.name}", name, self.parameters))
            whole(f"{self.name}: {name}", value, self.parameters[name].least)
        return {name: int(parameters.get(name, known.default)) for name, known in self.parameters.items()}

    def bytes(self, op: Any, capacity: int, **parameters: int) -> int:
        """The most memory that `new` would take, without taking it. (Memory never written to is never taken.)"""
        layout = self.layout(op, capacity, **self.complete(parameters))
        return sum(count * np.dtype(dtype).itemsize for count, dtype in layout.values())

    def must_fit(self, op: Any, capacity: int, parameters: Mapping[str, int]) -> None:
        """Raise MemoryEstimateError if a window of that capacity would not fit into this machine's memory."""
        needed = self.bytes(op, capacity + 1, **parameters)
        must_fit_memory(needed, f"{self.name} of {op.name} with capacity {capacity:,}")

    def new(self, op: Any, capacity: int, **parameters: int) -> Any:
        """An empty window for at most `capacity` entries. Raises ValueError for a pair that `refusal` refuses."""
        if reason := self.refusal(op):
            raise ValueError(reason)
        parameters = self.complete(parameters)
        layout = self.layout(op, capacity, **parameters)
        w = self.window(op, *(slots(n, dtype, f"{self.name}.{name}") for name, (n, dtype) in layout.items()))
        self.prepare(w, capacity, **parameters)
        return w


PACKAGES = ("in_order", "out_of_order", "stored")


def catalogue() -> dict[str, Card]:
    """Every window of this package by name: the CARD of each module that has one.

    >>> from sliding_windows import catalogue
    >>> catalogue()["fiba"].title, catalogue()["fiba"].time["query"]
    ('FiBA, finger B-tree aggregator', 'at most 2')
    """
    return dict(_cards())


@functools.cache
def _cards() -> dict[str, Card]:
    """Looked up once: it takes some milliseconds, and every window that is made by its name needs it."""
    cards = {}
    for package in PACKAGES:
        spec = importlib.util.find_spec(f"{__package__}.{package}")
        for info in pkgutil.iter_modules(spec.submodule_search_locations if spec else []):
            module = importlib.import_module(f"{__package__}.{package}.{info.name}")
            card = vars(module).get("CARD")
            if card is not None:
                cards[card.name] = card
    return dict(sorted(cards.items()))


def card(name: str) -> Card:
    """The card of a window. Raises ValueError, suggesting the nearest names, if there is none."""
    cards = catalogue()
    if name not in cards:
        raise ValueError(unknown("algorithm", name, cards))
    return cards[name]
