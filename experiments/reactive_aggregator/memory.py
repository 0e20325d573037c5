"""Reactive Aggregator, section 6.2, Figure 12: the resident set of a process, beside the bytes of the window."""

import numpy as np

from experiments.harness.cell import Cell
from experiments.harness.fitting import identity, slope
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.measured import Measured, NotMeasuredError, Table, lines_of, ratio, values_of, where
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, whole_number
from experiments.reactive_aggregator.measuring.contestants import BASELINE
from experiments.reactive_aggregator.measuring.resident import PARTS

INCREMENTAL = "reactive"
RESIDENT, BYTES = "resident.resident", "resident.bytes"

SMALL, LARGE = 4096, 262144
"""Up to SMALL the paper shows both; from LARGE on, the window has tens of megabytes of its own."""

PRINTED, MAX, NARROW = 8388608, "max", "max:int32"
"""Items of the window whose bytes section 6.2 prints, for Figure 7, and Max of the 32-bit integers of section 6.1."""


@experiment("ra_memory")
def ra_memory(settings: Settings) -> list[Cell]:
    """Resident set and bytes by the layout over n; recomputation only up to a window that it is not too slow for.

    The window whose bytes the paper prints is laid out besides, of the paper's integers as well; nothing is allocated
    for that.
    """
    in_order_only(settings)
    largest = whole_number("sizes.recomputed", settings.sizes["recomputed"], 1)
    windows = windows_of(settings)
    printed = [PRINTED] if settings.window is None else []
    laid_out = sorted({*windows, *printed})
    narrow = [NARROW] if MAX in settings.operators else []
    return [
        point(settings, algorithm, operator, n, 0, measurement=measurement)
        for measurement, operators, sizes in (
            (RESIDENT, settings.operators, windows),
            (BYTES, settings.operators, laid_out),
            (BYTES, narrow, printed),
        )
        for operator in operators
        for n in sizes
        for algorithm in settings.algorithms
        if algorithm["name"] != BASELINE or n <= largest
    ]


@ra_memory.quantity
def share_of_the_process(measured: Measured) -> Table:
    """What the window adds to the resident set of its process, as a share of it, in windows of at most SMALL items."""
    keys = ("algorithm", "operator", "window")
    own, before = (measured.fact(name, *keys, metric="resident") for name in ("own", "process"))
    return where(ratio(own, before), window=lambda n: n <= SMALL)


def own_bytes(measured: Measured) -> Table:
    """Resident bytes of RA's window, beyond those of the process before it was made."""
    return measured.fact("own", "operator", "window", metric="resident", algorithm=INCREMENTAL)


@ra_memory.quantity
def power_of_own_bytes(measured: Measured) -> Table:
    """The power of n that the resident bytes of RA's window grow with, beyond SMALL items."""
    return slope(np.log2(where(own_bytes(measured), window=lambda n: n > SMALL)), "window")


@ra_memory.quantity
def own_bytes_an_item(measured: Measured) -> Table:
    """The slope of the resident bytes of RA's window over n, in windows of LARGE items on."""
    own = own_bytes(measured)
    return slope(where(own, window=lambda n: n >= LARGE), "window", identity)


@ra_memory.reason(own_bytes_an_item)
def parts_of_an_item(measured: Measured) -> str:
    """The bytes of RA's window by its layout, for an item of the largest one; empty if they were not counted."""
    listed = []
    for part in PARTS:
        try:
            table = measured.fact(part, "operator", "window", metric="bytes", algorithm=INCREMENTAL)
        except NotMeasuredError:
            return ""
        n = values_of(table, "window")[-1]
        each = (lines_of(table, window=n).median(axis=1) / n).items()
        listed.append(f"{part.replace('_', ' ')} " + ", ".join(f"{value:.3g} with {name}" for (name,), value in each))
    return f"bytes an item by the layout at n = {n:,}: {'; '.join(listed)}"


@ra_memory.quantity
def megabytes_of_partial_aggregates(measured: Measured) -> Table:
    """MB (2^20 bytes) of RA's partial aggregates by the layout, by operator and window."""
    return measured.fact("partial_aggregates", "operator", "window", metric="bytes", algorithm=INCREMENTAL) / 2**20


ra_memory.reason(megabytes_of_partial_aggregates)(parts_of_an_item)


@ra_memory.quantity
def bytes_of_stddev_over_max(measured: Measured) -> Table:
    """Bytes of RA's partial aggregates with StdDev over those with Max of 32-bit integers, by window."""
    table = megabytes_of_partial_aggregates(measured)
    return ratio(lines_of(table, operator="population_stddev"), lines_of(table, operator=NARROW))
