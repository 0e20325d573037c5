"""Our windows beside the authors' C++: nanoseconds a round against numbers measured with their code, elsewhere.

Not a figure of a paper. The reference numbers were measured with the authors' public C++ at -O3 (its loop has a full
memory fence, about 3.7 ns) on the machine where our two_stacks_lite takes 1.8 ns a round in order at n = 1024. Machines
differ, so a statement compares with the reference scaled by what two_stacks_lite takes in the same run.
"""

import numpy as np

from experiments.harness.cell import Cell
from experiments.harness.measured import Measured, Table
from experiments.harness.measuring.bulk import BULK, LOOP
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError
from experiments.peers.measuring.reference import REFERENCES

HERE = "two_stacks_lite"
HERE_NS = 1.8
"""Nanoseconds a round of our two_stacks_lite, in order, n = 1024, sum, on the machine of the reference numbers."""


@experiment("peers_reference")
def peers_reference(settings: Settings) -> list[Cell]:
    """Rounds of evict, insert and query beside numbers of the authors' C++, for every window that they have."""
    if settings.window is not None or settings.distances is not None or settings.workload["name"] != "distance":
        raise SettingsError("peers_reference has fixed windows, distances and workload: those of the reference numbers")
    largest = settings.sizes["window"]
    return [
        Cell(
            paper=settings.paper,
            experiment=settings.name,
            algorithm=algorithm,
            parameters={"min_arity": arity} if arity else {},
            uses=reference.uses(),
            operator=reference.operator,
            workload="distance",
            stream={"window": reference.window, "distance": reference.distance},
            window=reference.window,
            distance=reference.distance,
            batch=reference.batch,
            measurement="reference.time",
        )
        for reference in REFERENCES
        if reference.window <= largest
        for algorithm, arity in reference.nanoseconds
    ]


def _over_reference(measured: Measured, *keys: str, **where: object) -> Table:
    """Times over the reference numbers, scaled by what `HERE` takes in the same repetition."""
    keys = ("algorithm", "min_arity", "operator", "window", "distance", *keys)
    ours = measured.each("time", *keys, **where)
    theirs = measured.fact("reference", *keys, metric="time", **where)
    return (ours / theirs).div(_scale(measured).iloc[0], axis=1)


def _scale(measured: Measured) -> Table:
    """How much slower this machine is than that of the reference numbers: `HERE` now, over what it took there."""
    return measured.each("time", algorithm=HERE, operator="sum", window=1 << 10, distance=0) / HERE_NS


@peers_reference.quantity
def round_over_reference(measured: Measured) -> Table:
    """Time of a round of one item over the authors', scaled; without the one that sets the scale."""
    table = _over_reference(measured, evict="")
    sets_scale = [key[0] == HERE and key[2:] == ("sum", 1 << 10, 0) for key in table.index]
    return table[~np.array(sets_scale)]


@peers_reference.quantity
def batch_over_reference(measured: Measured) -> Table:
    """Time of an item of a round that evicts and inserts a batch over the authors', scaled."""
    return _over_reference(measured, "batch", "evict", evict=[BULK, LOOP])


@peers_reference.reason(round_over_reference)
@peers_reference.reason(batch_over_reference)
def scale_of_this_machine(measured: Measured) -> str:
    """The scale, and what it comes from."""
    scale = float(_scale(measured).median(axis=1).iloc[0])
    return f"the reference is scaled by {scale:.2f}: {HERE} takes {HERE_NS * scale:.2f} ns here, {HERE_NS:g} ns there"
