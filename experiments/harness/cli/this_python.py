"""Ends run.py, which imports it first, with what would be right where Python lacks the packages that it needs."""

import importlib.util
import sys

MISSING = [name for name in ("hydra", "numpy", "numba", "pandas", "pyarrow") if importlib.util.find_spec(name) is None]

if MISSING:
    print(
        f"error: {sys.executable} has no {', '.join(MISSING)}: take .venv/bin/python, which `make venv` makes",
        file=sys.stderr,
    )
    sys.exit(2)
