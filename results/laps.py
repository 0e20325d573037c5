"""A repetition that was timed in laps of equally many operations each, back to back; its samples are their times.

Its number is that of the median lap, not that of the sum. Another process on the same core or memory channel slows
some laps and not others: of one loop in laps of 2 ms the sum of ten scattered by 15 % between repetitions, the median
by 3 %.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd


def typical_values(rows: pd.DataFrame) -> pd.Series:
    """The value of each row, as if all its laps took the time of the median lap (the lower of two). O(laps)."""
    values = rows["value"].astype("float64")
    in_laps = rows["laps"] > 0
    medians = [median_lap(laps) * len(laps) for laps in rows.loc[in_laps, "samples"]]
    values.loc[in_laps] = np.array(medians, float)
    return values


def median_lap(laps: np.ndarray) -> float:
    """The median of the laps; the lower one of two."""
    ordered = np.sort(np.asarray(laps, float))
    return float(ordered[(len(ordered) - 1) // 2])


def of_the_same_operations(repetitions: Sequence[np.ndarray]) -> bool:
    """Whether samples at the same place are of the same operation.

    They are not where repetitions have other numbers of them, nor where each was put in ascending order by itself, as
    in rows that were published before revision 54f3521. O(samples).
    """
    sorted_each = all(len(one) > 1 and bool((np.diff(one) >= 0).all()) for one in repetitions)
    return len({len(one) for one in repetitions}) == 1 and not sorted_each
