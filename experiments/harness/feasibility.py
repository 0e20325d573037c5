"""Why a cell is not measured at all: a law that the operator lacks, the order of times, or memory."""

import functools
import os
from typing import NamedTuple

from algorithms import operators
from algorithms.windows.contract import IN_ORDER, Card, catalogue
from experiments.harness.cell import Cell, FrozenDict
from experiments.harness.traces import is_out_of_order

BYTES_OF_RECORD = 48
"""Of a stream in memory: its times, three measures and values, and a copy of the values."""


class Estimate(NamedTuple):
    """Bytes that a cell's window may take and that the machine has; as text, a sentence about both."""

    label: str
    entries: int
    needed: int
    available: int

    @property
    def too_much(self) -> bool:
        return self.needed > self.available

    def __str__(self) -> str:
        return (
            f"{self.label} needs up to {self.needed / 2**30:,.1f} GiB for {self.entries:,} entries; "
            f"this machine has {self.available / 2**30:,.1f} GiB: take a smaller window or profile"
        )


def window_of(cell: Cell) -> Card | None:
    """The card of the cell's window; None if it is about an operator alone, or something else that is compared."""
    return catalogue().get(cell.algorithm)


def operator_called(name: str, entries: int = 1):
    """An operator for a window of `entries`: "sum" of whole numbers, as the papers' generators produce them.

    "sum:float64" is the same for another kind of numbers. Raises ValueError for an unknown operator or kind.
    """
    plain, _, dtype = name.partition(":")
    return operators.make_for(plain, dtype or "int64", entries)


def module_of(name: str) -> str:
    """The module of the window or operator of that name; empty if there is none."""
    if name in catalogue():
        return catalogue()[name].window.__module__
    return type(operator_called(name)).__module__ if name.partition(":")[0] in operators.names() else ""


def operator_of(cell: Cell):
    """The operator of a cell, large enough for all entries of its window."""
    return operator_called(cell.operator, cell.entries)


def estimate(cell: Cell) -> Estimate:
    """The most memory of the cell's window, before anything is allocated; of its stream if it has no window."""
    available = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if not window_of(cell):
        records = cell.stream.get("records", 0)
        return Estimate(cell.label, records, records * BYTES_OF_RECORD, available)
    needed = _bytes(cell.algorithm, cell.operator, cell.entries, FrozenDict(cell.parameters))
    return Estimate(cell.label, cell.entries, needed, available)


@functools.cache
def _bytes(algorithm: str, operator: str, entries: int, parameters: FrozenDict) -> int:
    """The most memory of a window: of an experiment's cells many have the same one."""
    return catalogue()[algorithm].bytes(operator_called(operator, entries), entries, **parameters)


def refusal(cell: Cell) -> str:
    """Why the cell is not measured; empty if it is.

    Raises ValueError for a cell that cannot be measured on its stream, and what its workload raises.
    """
    window = window_of(cell)
    if window and (reason := window.refusal(operator_of(cell))):
        return reason
    if window and window.order == IN_ORDER and is_out_of_order(cell):
        return f"{cell.algorithm} takes times in order only, and this workload is out of order"
    if (memory := estimate(cell)).too_much:
        return str(memory)
    if cell.declared.refuses and (reason := cell.declared.refuses(cell)):
        return reason
    if cell.declared.check:
        cell.declared.check(cell)
    return ""
