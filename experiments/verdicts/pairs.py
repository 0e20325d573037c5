"""Pairs of cells that are compared by the rule: the grid, and how many of the comparisons end how."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from experiments.harness.cell import Cell
from experiments.harness.grid import in_order_only, point, windows_of
from experiments.harness.judgement import FAILS, decided
from experiments.harness.measured import ALL, Measured, Table, lines_of, ratio
from experiments.harness.settings import Settings, flag, whole_number
from experiments.harness.statements import Relation
from results.verdicts import Decision

EQUAL = Relation("1", 1, 1)

LOOKS = (6, 12, 24)
"""After how many repetitions a comparison is looked at: the laptop profile's, which ends at the first that differs."""


def pairs_of(settings: Settings, slowdown: float) -> list[Cell]:
    """As many pairs as sizes.pairs: of every algorithm, operator and window in turn, the second one slowed down.

    With sizes.beside other processes compute meanwhile.
    """
    in_order_only(settings)
    kinds = [(a, o, n) for a in settings.algorithms for o in settings.operators for n in windows_of(settings)]
    beside = flag("sizes.beside", settings.sizes["beside"])
    count = whole_number("sizes.pairs", settings.sizes["pairs"], 1)
    return [
        point(
            settings,
            *kinds[pair % len(kinds)],
            0,
            measurement="twins.time",
            uses={"twin": twin},
            asked={"pair": pair, "slowdown": slowdown if twin == "other" else 0.0, "beside": beside},
        )
        for pair in range(count)
        for twin in ("one", "other")
    ]


def ratios(measured: Measured) -> Table:
    """The other twin's time over the one's, for each pair."""
    table = measured.each("time", "pair", "twin")
    return ratio(lines_of(table, twin="other"), lines_of(table, twin="one"))


def share_that(measured: Measured, ends: Callable[[Decision], bool]) -> Table:
    """The share of the pairs whose comparison ends so at one of the looks. The same number in every repetition."""
    table = ratios(measured)
    repetitions = table.columns.get_level_values("repetition")
    ended = {
        decision.configuration["pair"]
        for look in LOOKS
        for decision in decided(table.loc[:, repetitions < look], EQUAL, exact=False)
        if decision.state == FAILS and ends(decision)
    }
    known = table.notna().any(axis=0)
    return pd.DataFrame([np.where(known, len(ended) / len(table), np.nan)], ALL, table.columns)
