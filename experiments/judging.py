"""What judges of claims give and need: verdicts, the reason why there is none, and what rows say of an algorithm."""

import json
from typing import NamedTuple

REPRODUCED, PARTLY, NOT_REPRODUCED = "reproduced", "partly", "not reproduced"
NOT_MEASURED = "not measured at this profile"


class Judgement(NamedTuple):
    """A verdict on a claim, what was measured in the terms of the claim, and the reason in one line."""

    verdict: str
    measured: str
    reason: str = ""


class NotMeasuredError(Exception):
    """Raised by a judge that lacks the rows it needs; the message says which."""


def arity_of(parameters: str) -> int:
    """The min_arity in the row column `parameters`; 0 of an algorithm that has none."""
    return int(json.loads(parameters).get("min_arity", 0))
