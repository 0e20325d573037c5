"""The environment of processes that measure: the path to this project, and a filter for a warning of no use."""

import os
import warnings

from experiments.harness.provenance import ROOT

PANDAS_WARNING = "PySpark does not yet fully support pandas"
"""PySpark 4 warns so at every use of pandas 3; what is used here works."""


def for_workers() -> dict[str, str]:
    """Environment variables of a process that measures."""
    return {
        **os.environ,
        "PYTHONPATH": _joined(os.pathsep, str(ROOT), os.environ.get("PYTHONPATH", "")),
        "PYTHONWARNINGS": _joined(",", os.environ.get("PYTHONWARNINGS", ""), f"ignore:{PANDAS_WARNING}:FutureWarning"),
    }


def silence_here() -> None:
    """Filter that warning in this process."""
    warnings.filterwarnings("ignore", PANDAS_WARNING, FutureWarning)


def _joined(separator: str, *parts: str) -> str:
    return separator.join(dict.fromkeys(item for part in parts for item in part.split(separator) if item))
