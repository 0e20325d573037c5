"""Why a cell is not measured at all: a law that the operator lacks, the order of times, or memory."""

import os
from typing import NamedTuple

from algorithms import operators
from algorithms.window import IN_ORDER, card
from experiments.cell import Cell
from experiments.traces import entries_of, is_out_of_order


class Estimate(NamedTuple):
    """Bytes that a cell's window may take and that the machine has; as text, a sentence about both."""

    label: str
    entries: int
    needed: int
    there: int

    @property
    def too_much(self) -> bool:
        return self.needed > self.there

    def __str__(self) -> str:
        return (
            f"{self.label} needs up to {self.needed / 2**30:,.1f} GiB for {self.entries:,} entries; "
            f"this machine has {self.there / 2**30:,.1f} GiB: take a smaller window or profile"
        )


def operator_of(cell: Cell):
    """The operator of a cell: whole numbers where it has that form, as the papers' generators produce them."""
    return operators.make(cell.operator, "int64")


def estimate(cell: Cell) -> Estimate:
    """What the cell's window takes at most, before anything is allocated."""
    entries = entries_of(cell)
    needed = card(cell.algorithm).bytes(operator_of(cell), entries, **cell.algorithm_parameters())
    return Estimate(cell.label, entries, needed, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))


def refusal(cell: Cell) -> str:
    """Why the cell is not measured; empty if it is. Raises what its workload raises."""
    window = card(cell.algorithm)
    if reason := window.refusal(operator_of(cell)):
        return reason
    if window.order == IN_ORDER and is_out_of_order(cell):
        return f"{cell.algorithm} takes times in order only, and this workload is out of order"
    memory = estimate(cell)
    return str(memory) if memory.too_much else ""
