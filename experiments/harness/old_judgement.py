"""Return values and helpers of the judges of claims: verdicts, the reason for having none, and summaries of rows."""

import json
from typing import NamedTuple

import numpy as np
import pandas as pd

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
    """The min_arity in the row column `parameters`; 0 for an algorithm without one."""
    return int(json.loads(parameters).get("min_arity", 0))


def judged(verdict: str, measured: str, reason: str) -> Judgement:
    """The judgement with a supposed reason, unless the claim is reproduced."""
    return Judgement(verdict, measured, "" if verdict == REPRODUCED else f"perhaps {reason}")


def share(holds: pd.Series, measured: str, reason: str) -> Judgement:
    """Reproduced if a claim holds for every row of `holds`, partly if for at least half of them.

    Raises NotMeasuredError if there is none, which says nothing for or against the claim.
    """
    if holds.empty:
        raise NotMeasuredError("there is nothing here that the claim could be held against")
    fraction = float(holds.mean())
    verdict = REPRODUCED if fraction == 1 else PARTLY if fraction >= 0.5 else NOT_REPRODUCED
    text = f"{measured}; holds for {int(holds.sum())} of {len(holds)}"
    return judged(verdict, text, reason)


def explained(x: np.ndarray, y: np.ndarray) -> float:
    """R^2 of the straight line through the points: the share of the variance of y that x explains. Constant y: 0."""
    return float(np.corrcoef(x, y)[0, 1] ** 2) if np.ptp(y) > 0 else 0.0


def quietest(rows: pd.DataFrame) -> pd.Series:
    """Cycles of each round in its quietest repetition, an array by (operator, distance, algorithm, min_arity).

    The counter has steps; a round that it stood still in (0, or 1 where no reading is given twice) takes one step.
    Raises NotMeasuredError if no round was sampled.
    """
    sampled = rows[(rows["metric"] == "latency") & rows["samples"].notna()]
    if sampled.empty:
        raise NotMeasuredError("no round was timed by itself")
    keyed = sampled.assign(min_arity=sampled["parameters"].map(arity_of))
    grouped = keyed.groupby(["operator", "distance", "algorithm", "min_arity"])["samples"]
    least = grouped.agg(lambda samples: np.minimum.reduce([np.asarray(cycles, float) for cycles in samples]))
    advances = np.concatenate([cycles[cycles > 1] for cycles in map(np.asarray, sampled["samples"])])
    step = np.quantile(advances, 0.001) if len(advances) else 1.0  # the least it advances, apart from stray readings
    return least.map(lambda cycles: np.maximum(cycles, step))
