"""Compressed windows, section 5, Figures 1 to 4: the aggregate A_C on Linear Road over D, at several injection rates.

At each rate the stream is fed for the same time. In laptop and smoke that time is compressed: a tuple arrives at its
place divided by the rate on a virtual clock, what A_C does is timed, and a tuple is done when it has arrived, the ones
before it are done and its own work is done. A rate that A_C sustains is thus a matter of milliseconds, and one that it
does not sustain falls behind as it would. In the paper profile tuples are waited for. Rows say which it was.

The quantities below are functions of an injection rate and of D; the paper's statements are in statements.yaml.
"""

import numpy as np
import pandas as pd

from experiments.compressed_windows.grid import ages_of, fed_cell, rates_of
from experiments.compressed_windows.judging import (
    AGE,
    METRIC,
    against,
    against_infinity,
    in_steps,
    over_d,
    throughput,
)
from experiments.compressed_windows.measuring.aggregates import aggregates
from experiments.harness.cell import Cell
from experiments.harness.fitting import identity, mean, reduced, rise, slope, straightness
from experiments.harness.measured import Measured, Table, lines_of, where
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings
from experiments.harness.statements import HALF_AN_ORDER

KEYS = ("rate", "D")

MINUTE, MINUTE_AGE = 60.0, "60 s"
"""The D that the paper gives numbers for, in seconds and as AGE."""


@experiment("compression", aggregates)
def compression(settings: Settings) -> list[Cell]:
    """A cell for each rate and D."""
    return [
        fed_cell(settings, algorithm, age, rate=rate)
        for algorithm in settings.algorithms
        for rate in rates_of(settings)
        for age in ages_of(settings)
    ]


def fact(measured: Measured, name: str) -> Table:
    """A number of the facts of each run."""
    return measured.fact(name, *KEYS, metric=METRIC)


def lost(one: pd.DataFrame, of: pd.DataFrame) -> pd.DataFrame:
    """The part that is lost."""
    return 1 - one / of


def added(one: pd.DataFrame, to: pd.DataFrame) -> pd.DataFrame:
    """What is added, in multiples of what it is added to."""
    return one / to - 1


@compression.quantity
def sustained(measured: Measured) -> Table:
    """Throughput with D = infinity, as a share of the rate."""
    table = lines_of(over_d(throughput(measured, *KEYS)), D=np.inf)
    return table.div(table.index.get_level_values("rate").to_numpy(float), axis=0)


@compression.quantity
def throughput_rise(measured: Measured) -> Table:
    """By how much the line of throughput rises from D = infinity to the smallest D, as a share of its mean."""
    return rise(in_steps(throughput(measured, *KEYS)), "step", identity)


@compression.quantity
def throughput_lost(measured: Measured) -> Table:
    """The part of the throughput of D = infinity that another D loses at the same rate."""
    return against_infinity(throughput(measured, *KEYS), lost)


@compression.reason(throughput_rise)
@compression.reason(throughput_lost)
def busiest(measured: Measured) -> str:
    """How busy A_C is at most: a rate that it sustains costs no throughput."""
    return f"A_C is busy {fact(measured, 'busy').median(axis=1).max():.0%} of the time at most"


@compression.quantity
def loss_by_rate(measured: Measured) -> Table:
    """By how much the part lost, a mean over all D's, grows with each doubling of the rate."""
    return slope(mean(throughput_lost(measured), AGE), "rate")


@compression.quantity
def latency_rise(measured: Measured) -> Table:
    """By how much the line of latency rises from D = infinity to the smallest D, as a share of its mean."""
    return rise(in_steps(fact(measured, "latency")), "step", identity)


@compression.quantity
def latency_added(measured: Measured) -> Table:
    """What another D adds to the latency of D = infinity at the same rate, in multiples of that."""
    return against_infinity(fact(measured, "latency"), added)


@compression.quantity
def latency_added_from_arrival(measured: Measured) -> Table:
    """The same of the latency from a tuple's arrival, so that waiting in the queue counts."""
    return against_infinity(fact(measured, "since_arrival"), added)


@compression.quantity
def added_over_rate(measured: Measured) -> Table:
    """How straight what other D's add to the latency of D = infinity, a mean in ns, is over log2 of the rate.

    R^2, negative where it falls.
    """
    return straightness(mean(against_infinity(fact(measured, "latency"), np.subtract), AGE), "rate")


@compression.quantity
def compressions_a_tuple(measured: Measured) -> Table:
    """Compressions for each tuple that is fed."""
    return against_infinity(fact(measured, "compressions") / fact(measured, "fed"), lambda one, _: one)


@compression.quantity
def compressions_over_a_minutes(measured: Measured) -> Table:
    """Compressions, in multiples of those with D = 60 s."""
    return against(over_d(fact(measured, "compressions")), MINUTE, np.divide)


@compression.quantity
def decompressions_over_a_minutes(measured: Measured) -> Table:
    """Decompressions, in multiples of those with D = 60 s."""
    return against(over_d(fact(measured, "decompressions")), MINUTE, np.divide)


@compression.quantity
def decompressions_over_those_of_0(measured: Measured) -> Table:
    """Decompressions, in multiples of those with D = 0, if there are any."""
    counts = over_d(fact(measured, "decompressions"))
    return against(counts.where(counts > 0), 0.0, np.divide)


@compression.quantity
def memory_saved(measured: Measured) -> Table:
    """The part of the memory of D = infinity that another D saves, by the paper's accounting."""
    return against_infinity(fact(measured, "memory"), lost)


@compression.quantity
def bytes_saved(measured: Measured) -> Table:
    """The part of the bytes of all buffers with D = infinity that another D saves."""
    return against_infinity(fact(measured, "bytes"), lost)


@compression.quantity
def windows_compressed(measured: Measured) -> Table:
    """The part of the windows that is compressed when the last tuple is done."""
    return against_infinity(fact(measured, "compressed"), lambda one, _: one)


@compression.reason(memory_saved)
def saved_and_compressed(measured: Measured) -> str:
    """Both numbers with D = 60 s, at each rate."""
    saved, compressed = (
        where(table, **{AGE: [MINUTE_AGE]}).median(axis=1)
        for table in (memory_saved(measured), windows_compressed(measured))
    )
    parts = [
        f"{saved[place]:.0%} saved with {compressed[place]:.0%} of the windows compressed at {place[0]:,} t/s"
        for place in saved.index.intersection(compressed.index)
    ]
    return "with D = 60 s " + ", ".join(parts)


@compression.quantity
def saved_by_several(measured: Measured) -> Table:
    """Memory that two or more D's save at two or more rates while performance stays within an order of magnitude.

    The second best D of the second best rate. A setting whose throughput or latency differs from that of D = infinity
    by more than half an order of magnitude saves nothing.
    """
    saved, slower = memory_saved(measured), 1 / (1 - throughput_lost(measured))
    later = 1 + latency_added(measured)
    same = saved.index.intersection(slower.index).intersection(later.index)
    within = (slower.loc[same] <= HALF_AN_ORDER) & (later.loc[same] <= HALF_AN_ORDER)
    known = slower.loc[same].notna() & later.loc[same].notna()
    return _second(_second(saved.loc[same].where(within, 0.0).where(known), AGE), "rate")


def _second(table: Table, over: str) -> Table:
    return reduced(table, over, lambda x, y: np.sort(y, axis=0)[-2], 2)
