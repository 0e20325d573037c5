"""Statistics of DEBS 2012 records beside what is documented of them."""

import functools
import json
from typing import Any

from experiments.harness.cell import Cell, canonical
from experiments.harness.measurement import measurement
from workloads import calibration as facts_of
from workloads.debs12.statistics import Fact


@measurement("debs12.calibration", counted=True)
def calibration(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """One statistic of the cell's records; the row's facts have the documented one, and both as text."""
    parameters = cell.parameters
    fact = _facts(canonical(cell.stream))[parameters["quantity"], parameters["statistic"]]
    facts = {"documented": fact.documented, "text": f"{fact.found:,.5g} ({fact.documented:,.5g})"}
    return {"value": fact.found, "operations": 1, "checksum": None, "facts": facts}


@functools.lru_cache(maxsize=1)
def _facts(parameters: str) -> dict[tuple[str, str], Fact]:
    facts = facts_of({"name": "debs12", **json.loads(parameters)})
    return {(fact.quantity, fact.statistic): fact for fact in facts}
