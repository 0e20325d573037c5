"""The file of costs, which `python -m experiments.choosing.learn` writes: data, not code.

learnt     when, on which machine, by which revision, and over which operators
operators  by name, type of values and width: nanoseconds of a combine, of a value in a fold, and of an undo
known      of these operators, those over which windows were measured, with their laws
windows    by window and parameters: lines of n, d, m and four numbers, and one for each of `known` (see `table`)
"""

import functools
import json
from pathlib import Path
from typing import Any

PATH = Path(__file__).with_name("costs.json")


@functools.cache
def learnt() -> dict[str, Any]:
    """What the file holds."""
    return dict(json.loads(PATH.read_text(encoding="utf-8")))
