"""Which window for a stream: every window of the catalogue replays it, and the verdict names the fastest and its code.

The same question from Python, for columns that are there: `algorithms.advise`.
"""

from algorithms.windows.choosing.candidates import Candidate
from experiments.harness.cell import REPLAY, Cell
from experiments.harness.feasibility import operator_called
from experiments.harness.grid import spans_of, unnamed
from experiments.harness.measured import Measured, Table
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings

NEAR = 1.2
"""Runners-up take at most so many times as long as the fastest."""

KEYS = ("operator", "window", "algorithm", "min_arity")


@experiment("advise")
def advise(settings: Settings) -> list[Cell]:
    """A cell for each operator, window and length: as asked for by window=..., or shares of the time of the stream."""
    name, stream = settings.workload["name"], unnamed(settings.workload)
    return [
        Cell(
            paper=settings.paper,
            experiment=settings.name,
            algorithm=algorithm["name"],
            parameters=unnamed(algorithm),
            operator=operator,
            workload=name,
            stream=stream,
            window=span,
            measurement=REPLAY,
        )
        for operator in settings.operators
        for span in spans_of(settings)
        for algorithm in settings.algorithms
    ]


@advise.quantity
def over_the_fastest(measured: Measured) -> Table:
    """Time of an item over that in the window that is the fastest, by the median of the repetitions."""
    times = measured.each("time", *KEYS)
    return times.groupby(["operator", "window"]).transform(lambda column: column / column.min())


@advise.reason(over_the_fastest)
def recommended(measured: Measured) -> str:
    """The fastest window for each operator and length, what an item takes, its memory, and the line that makes it."""
    times = measured.each("time", *KEYS).median(axis=1)
    entries = measured.fact("entries", *KEYS, metric="time").median(axis=1)
    lines = []
    for (operator, span), of_stream in times.groupby(["operator", "window"]):
        _, _, algorithm, arity = best = of_stream.idxmin()
        fastest = Candidate(algorithm, () if arity == "" else (("min_arity", int(arity)),))
        capacity = int(entries[best])
        memory = fastest.card.bytes(operator_called(operator), capacity, **dict(fastest.parameters))
        code = fastest.code(f'"{operator}"', capacity)
        lines.append(f"{operator}, {span:,} long: {of_stream[best]:.3g} ns an item and {memory:,} bytes with {code}")
    return "; ".join(lines)
