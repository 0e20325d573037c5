"""The environment of processes that measure: where they find this project, and which warning nobody can act on."""

import os
import warnings

from experiments.harness.provenance import ROOT

PANDAS_WARNING = "PySpark does not yet fully support pandas"
"""PySpark 4 says it at every use of pandas 3; what is used here works."""


def for_workers() -> dict[str, str]:
    """Environment variables of a process that measures."""
    return {
        **os.environ,
        "PYTHONPATH": _joined(os.pathsep, str(ROOT), os.environ.get("PYTHONPATH", "")),
        "PYTHONWARNINGS": _joined(",", os.environ.get("PYTHONWARNINGS", ""), f"ignore:{PANDAS_WARNING}:FutureWarning"),
    }


def silence_here() -> None:
    """The same for warnings in this process."""
    warnings.filterwarnings("ignore", PANDAS_WARNING, FutureWarning)


def _joined(separator: str, *parts: str) -> str:
    return separator.join(dict.fromkeys(one for part in parts for one in part.split(separator) if one))
