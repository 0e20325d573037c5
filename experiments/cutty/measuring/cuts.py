"""How a technique cuts a short stream into slices, record by record: what the Cutty paper's drawings show.

A script is {"figure", "title", "letters": a record each, "first": number of the first record, "columns": {name: whole
numbers}, "queries"}. A query has a title and either range, slide and, unless it counts records, "over" which column; or
the records at which windows of a user-defined function begin and end, one entry a window, numbered from `first`.
"""

import zlib
from typing import Any

import numpy as np

from algorithms import operators
from algorithms.streams.shared import ready_made as queries
from algorithms.streams.shared.aggregate import SharedAggregate
from algorithms.streams.shared.discretize import Query
from experiments.cutty.measuring.techniques import TECHNIQUES
from experiments.harness.cell import Cell, canonical
from experiments.harness.measurement import measurement


def query_of(described: dict[str, Any], first: int) -> Query:
    """The query that a script describes."""
    if "range" in described:
        return queries.sliding(described["range"], described["slide"], described.get("over", "count"))
    begins, ends = described["begins"], described["ends"]

    def function(number: int, time: int, x: float) -> tuple[int, int, int]:
        return number + 1, begins.count(number), ends.count(number)

    return queries.user_defined(function, first, compiled=False)


def play(technique: str, script: dict[str, Any], operator: str) -> dict[str, Any]:
    """The script with its slices and windows: lists [begin, end, aggregate] and [query, begin, end,
    aggregate], of records from `begin` up to but not including `end`, numbered as the script's are.

    Windows are listed when they have ended; the youngest slice is still open. `states` has both after each record.
    """
    first, (slicing, store) = script["first"], TECHNIQUES[technique]
    script_queries = [query_of(described, first) for described in script["queries"]]
    s = SharedAggregate(script_queries, operators.make(operator), slicing, store)
    columns = {name: np.array(values) for name, values in script["columns"].items()}
    slices: dict[int, tuple[int, str]] = {}
    windows: list[list[Any]] = []
    states = []
    for i, letter in enumerate(script["letters"]):
        record = {name: values[i : i + 1] for name, values in columns.items()}
        times = record.pop("time", np.array([i]))
        windows += [
            [query, begin + first, end + first, text] for query, begin, end, text in s.batch(times, letter, **record)
        ]
        slices |= {begin: (end, text) for begin, end, text in s.slices()}
        s.check()
        cut = [[begin + first, end + first, text] for begin, (end, text) in sorted(slices.items())]
        states.append({"slices": cut, "windows": list(windows)})
    return {**script, "technique": technique, **states[-1], "states": states}


@measurement("cuts.slices", counted=True)
def slices(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """How many slices the cell's script is cut into; the facts have them and the windows that ended.

    The checksum is one of these windows: techniques that cut the same script differently must agree on them.
    """
    played = play(cell.algorithm, cell.stream, cell.operator)
    return {
        "value": float(len(played["slices"])),
        "operations": len(played["letters"]),
        "checksum": float(zlib.crc32(canonical(played["windows"]).encode())),
        "facts": played,
    }
