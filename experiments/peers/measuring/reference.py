"""Rounds as any other, with the number of the authors' C++ beside them."""

from typing import NamedTuple

from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring import bulk
from experiments.harness.measuring.bulk import BULK, LOOP
from experiments.harness.measuring.rounds import measure_rounds


class Reference(NamedTuple):
    """One group of reference numbers: nanoseconds a round by the algorithm, or by min_arity."""

    says: str
    operator: str
    window: int
    distance: int
    nanoseconds: dict[tuple[str, int], float]
    batch: int | None = None
    """Items that a round evicts and inserts; None: one of each, and the number is for the round."""
    evict: str = ""
    """How a round evicts its batch, bulk or loop; insertions are single ones."""

    def key(self) -> tuple[str, int, int, int, str]:
        return (self.operator, self.window, self.distance, self.batch or 0, self.evict)

    def uses(self) -> dict[str, str]:
        """How a batch is evicted and inserted."""
        return {"evict": self.evict, "insert": LOOP} if self.evict else {}


def _fiba(two: float, four: float, eight: float) -> dict[tuple[str, int], float]:
    return {("fiba", 2): two, ("fiba", 4): four, ("fiba", 8): eight}


def _batches(evict: str, *nanoseconds: float) -> tuple[Reference, ...]:
    """FiBA in order, n = 2^22: batches of 1, 2^10 and 2^16 evicted in bulk or by a loop, inserted one by one."""
    eviction = "bulk evict" if evict == BULK else "single evicts"
    return tuple(
        Reference(f"FiBA, sum, {eviction} of m = {m}, n = 2^22", "sum", 1 << 22, 0, {("fiba", 4): ns}, m, evict)
        for m, ns in zip((1, 1 << 10, 1 << 16), nanoseconds, strict=True)
    )


def _in_order(**nanoseconds: float) -> dict[tuple[str, int], float]:
    return {(name, 0): value for name, value in nanoseconds.items()}


REFERENCES = (
    Reference("FiBA, sum, in order, n = 2^10", "sum", 1 << 10, 0, _fiba(33, 30, 27)),
    Reference("FiBA, sum, in order, n = 2^20", "sum", 1 << 20, 0, _fiba(49, 47, 38)),
    Reference("FiBA, sum, distance 1, n = 2^22", "sum", 1 << 22, 1, _fiba(46, 40, 37)),
    Reference("FiBA, sum, distance 2^10, n = 2^22", "sum", 1 << 22, 1 << 10, _fiba(125, 87, 88)),
    Reference("FiBA, sum, distance 2^20, n = 2^22", "sum", 1 << 22, 1 << 20, _fiba(137, 142, 103)),
    Reference("classic B-tree, sum, distance 2^10, n = 2^22", "sum", 1 << 22, 1 << 10, {("b_tree", 4): 160}),
    Reference("FiBA, bloom, in order, n = 2^10", "bloom", 1 << 10, 0, _fiba(1211, 1530, 2319)),
    Reference(
        "in-order windows, sum, n = 2^10",
        "sum",
        1 << 10,
        0,
        _in_order(two_stacks=16, two_stacks_lite=8.2, daba=8.3, daba_lite=7.7, flatfit=10.2, reactive=143),
    ),
    Reference(
        "in-order windows, sum, n = 2^20",
        "sum",
        1 << 20,
        0,
        _in_order(two_stacks=18, two_stacks_lite=8.6, daba=8.2, daba_lite=7.6, flatfit=10.5, reactive=207),
    ),
    Reference(
        "in-order windows, bloom, n = 2^10",
        "bloom",
        1 << 10,
        0,
        _in_order(two_stacks=295, two_stacks_lite=234, daba=385, daba_lite=275, flatfit=328, reactive=830),
    ),
    *_batches(BULK, 39, 18, 15),
    *_batches(LOOP, 50, 47, 45),
)


@measurement("reference.time", unit="ns")
def time(cell: Cell, task: dict) -> dict:
    """Measure as any rounds; the row's facts have the reference number, for the figure."""
    arity, evict = cell.parameters.get("min_arity", 0), cell.uses.get("evict", "")
    for reference in REFERENCES:
        if reference.key() == (cell.operator, cell.window, cell.distance, cell.batch or 0, evict):
            nanoseconds = reference.nanoseconds.get((cell.algorithm, arity))
            if nanoseconds is not None:
                measure = bulk.time if reference.batch else measure_rounds
                return {**measure(cell, task), "facts": {"reference": nanoseconds}}
    raise ValueError(f"there is no reference number for {cell.label}")
