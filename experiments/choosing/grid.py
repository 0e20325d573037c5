"""Points (n, d, m) of a grid: sizes of windows, distances at which values enter, and values between two queries."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from experiments.choosing.measuring.own import operator_named
from experiments.harness.cell import Cell
from experiments.harness.grid import synthetic_only, windows_of
from experiments.harness.settings import Settings, SettingsError, whole_numbers

MOST_BYTES = 4 << 20
"""Of the partials of n entries: wider ones are measured in smaller windows, since some twenty are there at once."""


def cells_over(settings: Settings, operators: Iterable[str], algorithm: str, **asked: Any) -> list[Cell]:
    """A cell for each of the first sizes.operators and point: in order for all batches, and for sizes.batched."""
    synthetic_only(settings)
    operators = list(operators)[: settings.sizes.get("operators")]
    if settings.algorithms:
        raise SettingsError(f"{settings.name} takes every window of the catalogue: leave algorithms out")
    return [
        Cell(
            paper=settings.paper,
            experiment=settings.name,
            algorithm=algorithm,
            parameters={},
            operator=operator,
            workload="distance",
            stream={"window": n, "distance": d},
            window=n,
            distance=d,
            batch=m,
            measurement="choosing.time",
            asked={**asked, "only": list(settings.sizes.get("only", ()))},
        )
        for operator in operators
        for n in windows_of(settings)
        if n * np.dtype(operator_named(operator).dtype).itemsize <= MOST_BYTES
        for d, m in _points(settings, n)
    ]


def _points(settings: Settings, n: int) -> Iterator[tuple[int, int]]:
    """Distances and batches in a window of n entries."""
    sizes: Mapping[str, Any] = settings.sizes
    distances = settings.distances or whole_numbers("sizes.distances", sizes["distances"], 0)
    batches = whole_numbers("sizes.batches", sizes["batches"], 1)
    batched = whole_numbers("sizes.batched", sizes["batched"], 0)
    for d in sorted({0, *distances, n // 2}):
        for m in batches:
            if d < n and 2 * m <= max(n, 2) and (m == 1 or d in batched):
                yield d, m
