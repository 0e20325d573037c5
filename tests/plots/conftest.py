"""Rows made up for the tests of the figures: plausible curves, some noise, and whatever failures a test asks for."""

import hashlib
import json
import math
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pandas as pd
import pytest

from results import empty_row, validate
from results.store import to_frame

STARTED = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
DISTANCES = (0, *(2**k for k in range(0, 17, 2)))
OPERATORS = {"sum": 1.0, "geomean": 1.6, "bloom": 30.0}
SERIES = tuple((name, {"min_arity": arity}) for name in ("b_tree", "fiba") for arity in (2, 4, 8))


def nanoseconds(algorithm: str, arity: int, operator: str, distance: int) -> float:
    """A made-up time per round with the shape that the theory predicts."""
    depth = 16 if algorithm == "b_tree" else 2 + math.log2(1 + distance)
    return 12 * OPERATORS.get(operator, 1.0) * (2 + depth * (1 + abs(arity - 4) / 20))


@pytest.fixture(scope="session")
def make_rows() -> Callable[..., pd.DataFrame]:
    """Return a function that makes the rows of a whole experiment as a DataFrame.

    `failures` maps (algorithm, min_arity, operator, x) to (status, reason); x None means every x. `repetition_failures`
    does the same for the last repetition only. Keywords replace columns of every row.
    """

    def make(
        operators: Iterable[str] = tuple(OPERATORS),
        xs: Iterable[int] = DISTANCES,
        x: str = "distance",
        series: Iterable[tuple[str, dict[str, Any]]] = SERIES,
        repetitions: int = 3,
        failures: dict[tuple, tuple[str, str]] | None = None,
        repetition_failures: dict[tuple, tuple[str, str]] | None = None,
        **columns: Any,
    ) -> pd.DataFrame:
        rows = []
        for operator in operators:
            for algorithm, parameters in series:
                for value in xs:
                    arity = parameters.get("min_arity", 4)
                    point = (algorithm, arity, operator, value)
                    failed = (failures or {}).get(point) or (failures or {}).get((*point[:3], None))
                    for repetition in range(1 if failed else repetitions):
                        last = repetition == repetitions - 1
                        outcome = failed or (last and (repetition_failures or {}).get(point)) or ("ok", "")
                        digest = hashlib.sha256(repr((point, repetition)).encode()).hexdigest()
                        noise = 1 + int(digest[:4], 16) / 65536 / 8
                        distance = value if x == "distance" else 40
                        elapsed = noise * nanoseconds(algorithm, arity, operator, distance) * 1e5
                        row = empty_row() | {
                            "paper": "fiba",
                            "experiment": "fiba_ooo",
                            "cell": hashlib.sha256(repr(point).encode()).hexdigest()[:16],
                            "algorithm": algorithm,
                            "parameters": json.dumps(parameters),
                            "operator": operator,
                            "workload": "distance",
                            "window": 2**16,
                            "profile": "laptop",
                            "repetition": repetition,
                            "metric": "time",
                            "value": elapsed if outcome[0] == "ok" else None,
                            "unit": "ns",
                            "operations": 100_000,
                            "status": outcome[0],
                            "reason": outcome[1],
                            "code_hash": f"code-{algorithm}",
                            "trace_hash": f"trace-{value}",
                            "git_revision": "0123456789abcdef0123",
                            "machine": "7f3a2c",
                            "machine_facts": '{"processor":"Made-up 9000","cores":2}',
                            "versions": '{"numba":"0.68.0","python":"3.11.9"}',
                            "started": STARTED + timedelta(seconds=len(rows)),
                            x: value,
                        }
                        rows.append(row | columns)
        return to_frame(validate(rows))

    return make


@pytest.fixture(scope="session")
def description() -> dict[str, Any]:
    """The description of a three-panel figure over the out-of-order distance."""
    return {
        "name": "fiba_ooo",
        "family": "lines",
        "x": "distance",
        "y": "throughput",
        "panel": "operator",
        "panels": ["sum", "geomean", "bloom"],
        "panel_titles": {"geomean": "geometric mean", "bloom": "Bloom filter"},
        "x_scale": "log2",
        "title": "Throughput against out-of-order distance",
        "paper": "FiBA, Figure 11",
        "caption": "Finger trees fall with the distance; classic trees do not depend on it.",
    }
