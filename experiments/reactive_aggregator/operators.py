"""Reactive Aggregator, Tables 1 and 2: what the operators are made of, and which laws they obey, found by trying."""

from experiments.harness.cell import Cell
from experiments.harness.judgement import Quantity
from experiments.harness.measured import Measured, Table
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError
from experiments.reactive_aggregator.measuring.decomposition import PIECES
from experiments.reactive_aggregator.measuring.laws import LAWS


@experiment("ra_operators")
def ra_operators(settings: Settings) -> list[Cell]:
    """A cell for each law and for each piece of each operator; no window takes part."""
    for name, setting in (("window", settings.window), ("distances", settings.distances)):
        if setting is not None:
            raise SettingsError(f"{name} is {setting}; {settings.name} is about operators alone and takes no {name}")
    if settings.algorithms or settings.workload["name"] != "distance":
        raise SettingsError(f"{settings.name} is about operators alone: leave algorithms and workload out")
    if kinds := [name for name in settings.operators if ":" in name]:
        raise SettingsError(f"operators has {kinds[0]!r}; {settings.name} tries all kinds of numbers: leave them out")
    trials = {"trials": settings.sizes["trials"], "seed": settings.seed}
    return [
        Cell(
            paper=settings.paper,
            experiment=settings.name,
            algorithm="",
            parameters={},
            operator=operator,
            workload=workload,
            stream=stream,
            window=0,
            measurement=f"{measures}.{metric}",
        )
        for operator in settings.operators
        for metrics, measures, workload, stream in (
            (LAWS, "laws", "partials", trials),
            (PIECES, "decomposition", "source", {}),
        )
        for metric in metrics
    ]


def _law(name: str) -> Quantity:
    """The quantity of a law: 1 for each operator that obeyed it in all trials, 0 for one with a counterexample."""

    def obeyed(measured: Measured) -> Table:
        return measured.total(name, "operator")

    obeyed.__name__ = name
    return ra_operators.quantity(obeyed)


for _name in LAWS:
    _law(_name)
