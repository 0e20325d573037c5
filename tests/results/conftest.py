"""Rows made up for the tests of the store."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from results import empty_row

STARTED = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def make_row() -> Callable[..., dict[str, Any]]:
    """Return a function that makes a valid ok row; keywords replace columns, `minute` moves the start."""

    def make(minute: float = 0, **columns: Any) -> dict[str, Any]:
        row = empty_row() | {
            "paper": "fiba",
            "experiment": "fiba_ooo",
            "cell": "0123456789abcdef",
            "algorithm": "fiba",
            "parameters": '{"min_arity":4}',
            "operator": "sum",
            "window": 1024,
            "distance": 16,
            "metric": "time",
            "value": 2.5e6,
            "unit": "ns",
            "operations": 100_000,
            "status": "ok",
            "code_hash": "c0de",
            "trace_hash": "7race",
            "profile": "smoke",
            "machine": "m1",
            "started": STARTED + timedelta(minutes=minute),
        }
        if columns.get("status", "ok") != "ok":
            row |= {"value": None, "reason": "made up"}
        return row | columns

    return make
