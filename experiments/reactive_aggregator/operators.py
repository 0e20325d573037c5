"""Reactive Aggregator, Tables 1 and 2: what the operators are made of, and which laws they obey, found by trying."""

import json

import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.old_judgement import NOT_REPRODUCED, PARTLY, REPRODUCED, Judgement, NotMeasuredError
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError
from experiments.reactive_aggregator.measuring.decomposition import PIECES
from experiments.reactive_aggregator.measuring.laws import LAWS

TABLE_2 = {
    # operator: invertible, commutative; all are associative
    "count": (True, True),
    "sum": (True, True),
    "max": (False, True),
    "min": (False, True),
    "arithmetic_mean": (True, True),
    "geometric_mean": (True, True),
    "max_count": (False, True),
    "min_count": (False, True),
    "sample_stddev": (True, True),
    "population_stddev": (True, True),
    "arg_max": (False, False),
    "arg_min": (False, False),
    "collect": (True, False),
}

ENDS = {"first", "last"}
"""What section 1 names besides, as not commutative and not invertible."""


@experiment("ra_operators")
def ra_operators(settings: Settings) -> list[Cell]:
    """A cell for each law and for each piece of each operator; no window takes part."""
    for name, setting in (("window", settings.window), ("distances", settings.distances)):
        if setting is not None:
            raise SettingsError(f"{name} is {setting}; {settings.name} is about operators alone and takes no {name}")
    if settings.algorithms or settings.workload["name"] != "distance":
        raise SettingsError(f"{settings.name} is about operators alone: leave algorithms and workload out")
    if kinds := [name for name in settings.operators if ":" in name]:
        raise SettingsError(f"operators has {kinds[0]!r}; {settings.name} tries all kinds of numbers: leave them out")
    trials = {"trials": settings.sizes["trials"], "seed": settings.seed}
    return [
        Cell(
            paper=settings.paper,
            experiment=settings.name,
            algorithm="",
            parameters={},
            operator=operator,
            workload=workload,
            stream=stream,
            window=0,
            measurement=f"{measures}.{metric}",
        )
        for operator in settings.operators
        for metrics, measures, workload, stream in (
            (LAWS, "laws", "partials", trials),
            (PIECES, "decomposition", "source", {}),
        )
        for metric in metrics
    ]


def held(rows: pd.DataFrame, law: str) -> pd.Series:
    """Whether the law held in all trials, by operator. Raises NotMeasuredError if it was tried on none."""
    tried = rows[rows["metric"] == law]
    if tried.empty:
        raise NotMeasuredError(f"no operator was tried for being {law}")
    return tried.groupby("operator")["value"].min() == 1


def counterexample(rows: pd.DataFrame, operator: str, law: str) -> str:
    """A counterexample to the law in the facts of the rows; empty if it held."""
    tried = rows[(rows["metric"] == law) & (rows["operator"] == operator)]
    texts = [json.loads(facts).get("counterexample", "") for facts in tried["facts"]]
    return next(filter(None, texts), "")


def compared(rows: pd.DataFrame, law: str, expected: dict[str, bool]) -> Judgement:
    """Reproduced if exactly those operators that the paper names obey the law; partly if some were not tried."""
    holds = held(rows, law)
    tried = [name for name in expected if name in holds.index]
    if not tried:
        raise NotMeasuredError(f"none of the paper's operators was tried for being {law}")
    wrong = [name for name in tried if bool(holds[name]) != expected[name]]
    measured = f"as in the paper for {len(tried) - len(wrong)} of {len(tried)}; {law}: " + (
        ", ".join(name for name in tried if holds[name]) or "none"
    )
    if wrong:
        reasons = (f"{name}: {counterexample(rows, name, law) or f'{law} in all trials'}" for name in wrong)
        return Judgement(NOT_REPRODUCED, measured, "; ".join(reasons))
    missing = [name for name in expected if name not in holds.index]
    return Judgement(PARTLY if missing else REPRODUCED, measured, f"not tried: {', '.join(missing)}" if missing else "")


@ra_operators.claim("Table 1", "Each operation is a lift, a combine and a lower", "13 operations")
def are_decomposed(rows: pd.DataFrame) -> Judgement:
    read = rows[rows["metric"].isin(PIECES) & rows["operator"].isin(TABLE_2)]
    if read.empty:
        raise NotMeasuredError("no pieces of operators were read")
    pieces = read.groupby("operator")["metric"].nunique()
    complete = pieces[pieces == len(PIECES)].index
    sizes = read[read["metric"] != "partial"].groupby("operator")["value"].sum()
    measured = f"{len(complete)} operations, of {sizes.min():.0f} to {sizes.max():.0f} statements"
    missing = [name for name in TABLE_2 if name not in complete]
    return Judgement(PARTLY if missing else REPRODUCED, measured, f"not read: {', '.join(missing)}" if missing else "")


@ra_operators.claim("Table 2", "All are associative", "13 of 13")
def all_are_associative(rows: pd.DataFrame) -> Judgement:
    return compared(rows, "associative", dict.fromkeys(TABLE_2, True))


@ra_operators.claim(
    "Table 2",
    "Invertible are Count, Sum, the means, the standard deviations and Collect; the other six are not",
    "7 of 13",
)
def seven_are_invertible(rows: pd.DataFrame) -> Judgement:
    return compared(rows, "invertible", {name: invertible for name, (invertible, _) in TABLE_2.items()})


@ra_operators.claim("Table 2", "All but ArgMax, ArgMin and Collect are commutative", "10 of 13")
def all_but_three_are_commutative(rows: pd.DataFrame) -> Judgement:
    return compared(rows, "commutative", {name: commutative for name, (_, commutative) in TABLE_2.items()})


@ra_operators.claim("Section 1", "First and Last are neither invertible nor commutative", "neither")
def the_ends_obey_neither(rows: pd.DataFrame) -> Judgement:
    invertible, commutative = (compared(rows, law, dict.fromkeys(sorted(ENDS), False)) for law in LAWS[2:])
    worse = commutative if invertible.verdict == REPRODUCED else invertible
    return worse._replace(measured=f"{invertible.measured}; {commutative.measured}")


@ra_operators.claim("Ours", "Each has an identity on both sides, exactly", "all")
def each_has_an_identity(rows: pd.DataFrame) -> Judgement:
    return compared(rows, "identity", dict.fromkeys([*TABLE_2, *sorted(ENDS)], True))
