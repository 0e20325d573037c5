"""`rolling` by its definition: for each row the rows of its window are listed, and their values aggregated exactly."""

import math
import statistics
from fractions import Fraction

LEAST = {"sum": 0, "count": 0, "mean": 1, "max": 1, "min": 1, "std": 2, "var": 2, "population_stddev": 1}
"""How many values an operator needs."""


def rows_of_count(i, keys, window, closed):
    """Rows of the window of row i: so many of its key, the last one itself or the one before."""
    own = [j for j in range(i + 1) if keys[j] == keys[i]]
    if closed in ("left", "neither"):
        own = own[:-1]
    length = window + (closed == "both") - (closed == "neither")
    return own[-length:] if length else []


def rows_of_time(i, keys, times, window, closed):
    """Rows up to i of its key that lie in the window by time, the oldest first."""
    left, right = times[i] - window, times[i]
    inside = [
        j
        for j in range(i + 1)
        if keys[j] == keys[i]
        and (left < times[j] or (left == times[j] and closed in ("left", "both")))
        and (times[j] < right or (times[j] == right and closed in ("right", "both")))
    ]
    return sorted(inside, key=lambda j: times[j])


def is_missing(value):
    return value is None or value != value


def aggregate(operator, values):
    """The exact aggregate of at least one value, as a float; of whole numbers, a whole number that wraps around."""
    if operator == "count":
        return len(values)
    if operator in ("max", "min"):
        return max(values) if operator == "max" else min(values)
    if any(isinstance(v, float) and math.isinf(v) for v in values):
        total = sum(values)
        return total if operator in ("sum", "mean") else math.nan
    exact = [Fraction(v) for v in values]
    if operator == "sum":
        if all(isinstance(v, int) for v in values):
            return (sum(values) + 2**63) % 2**64 - 2**63
        return as_float(sum(exact, Fraction(0)))
    mean = sum(exact, Fraction(0)) / len(exact)
    if operator == "mean":
        return as_float(mean)
    squares = sum((v - mean) ** 2 for v in exact)
    variance = as_float(squares / (len(exact) - (operator != "population_stddev")))
    return variance if operator == "var" else math.sqrt(variance)


def order_statistic(operator, values, own):
    """Of values that are there; `own` is that of the row, whose rank is asked for."""
    if operator == "median":
        return float(statistics.median(values)) if values else None
    if operator == "distinct":
        return float(len(set(values)))
    if operator == "mode":
        return float(min(statistics.multimode(values))) if values else None
    if is_missing(own) or not values:
        return None
    return sum(v < own for v in values) + (sum(v == own for v in values) + 1) / 2


def as_float(number):
    try:
        return float(number)
    except OverflowError:
        return math.copysign(math.inf, number)


def expected(values, operator, windows, least):
    """For each row the aggregate of its window, or None for fewer than `least` values; of a count, rows."""
    results = []
    for rows in windows:
        known = [values[j] for j in rows if not is_missing(values[j])]
        counted = rows if operator == "count" else known
        enough = len(counted) >= max(least, LEAST[operator])
        results.append(aggregate(operator, known) if enough else None)
    return results


def count_windows(n, window, closed="right", keys=None):
    keys = [0] * n if keys is None else keys
    return [rows_of_count(i, keys, window, closed) for i in range(n)]


def time_windows(times, window, closed="right", keys=None):
    keys = [0] * len(times) if keys is None else keys
    return [rows_of_time(i, keys, times, window, closed) for i in range(len(times))]


def agrees(got, wanted, slack=1e-12):
    """Whether results are the expected ones, NaN or None for none; floats up to a relative `slack`."""
    return len(got) == len(wanted) and all(map(lambda a, b: same(a, b, slack), got, wanted))


def same(a, b, slack):
    if b is None or (isinstance(b, float) and math.isnan(b)):
        return a is None or a != a
    if a is None or a != a:
        return False
    return a == b or (not math.isinf(b) and abs(a - b) <= slack * max(1.0, abs(b)))
