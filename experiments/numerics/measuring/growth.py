"""The largest error of a window's answers among many updates, as a share of what its operator's card allows."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from algorithms import operators
from algorithms.kernel import as_slots
from algorithms.windows.choosing.candidates import Candidate
from algorithms.windows.choosing.trial import VALUES, Rounds
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring.rig import compiled
from experiments.numerics.measuring.exact import BOUNDS
from experiments.numerics.measuring.hostile import hostile

PROBES = 200
"""Answers that are compared, evenly spaced over the last time that all values come by: the same windows each time."""


@measurement("growth.share", counted=True)
def share(cell: Cell, task: Mapping[str, Any]) -> dict[str, Any]:
    """|answer - exact| over the bound, the largest of `PROBES` windows; 1 is what the card allows.

    An update: the oldest value leaves, the next one of a recurring hostile stream enters, and the window is asked.
    There are as many as `updates`, rounded down to whole streams.
    """
    op, n, updates = operators.make(cell.operator), cell.window, cell.asked["updates"]
    values = hostile(VALUES, positive=cell.operator == "geometric_mean")
    exact = list(map(Fraction, values.tolist()))
    rounds = Rounds(Candidate(cell.algorithm, tuple(cell.parameters.items())), op, n, 0, 1, as_slots(values))
    seconds = compiled(rounds.compile)
    rounds.fill()
    worst, at, last = 0.0, 0, (updates // VALUES - 1) * VALUES
    for end in (last + VALUES * k // PROBES for k in range(1, PROBES + 1)):
        rounds.run(end - rounds.done - 1)
        answer, inside = rounds.run(1), [exact[(end + i) % VALUES] for i in range(n)]
        right, bound = BOUNDS[cell.operator](inside)
        taken = float(abs(Fraction(answer) - right) / bound) if np.isfinite(answer) else np.inf
        if taken > worst:
            worst, at = taken, end
    return {
        "value": worst,
        "operations": 1,
        "checksum": None,
        "compile_seconds": seconds,
        "facts": {"worst_at": at},
    }
