"""Order statistics by sorting, which is all that the tests trust."""

import bisect
import collections
import math
from fractions import Fraction

import numpy as np


class NaiveOrdered:
    """A list of (time, value) in order of time, equal times as they came."""

    def __init__(self):
        self.entries = []

    def insert(self, time, value):
        self.entries.insert(bisect.bisect_right([t for t, _ in self.entries], time), (time, value))

    def evict(self):
        del self.entries[0]

    def evict_at(self, time):
        return self._keep(lambda t: t != time)

    def bulk_evict(self, time):
        return self._keep(lambda t: t > time)

    def _keep(self, stays):
        before = len(self.entries)
        self.entries = [entry for entry in self.entries if stays(entry[0])]
        return before - len(self.entries)

    def values(self):
        return [value for _, value in self.entries]


def rank(values, value, method):
    smaller, equal = sum(v < value for v in values), sum(v == value for v in values)
    return {"min": smaller + 1, "max": smaller + equal, "average": smaller + (equal + 1) / 2}[method]


def mode(values):
    counts = collections.Counter(values)
    return min(counts, key=lambda value: (-counts[value], value))


def quantile(values, q, interpolation):
    """By its definition: the place (n - 1) q, rounded as a float64 as in NumPy, in the sorted values."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * q
    below, above = ordered[math.floor(place)], ordered[math.ceil(place)]
    if interpolation == "nearest":
        return ordered[round(place)]  # which rounds half to even
    if interpolation in ("lower", "higher") or below == above:
        return above if interpolation == "higher" else below
    part = 0.5 if interpolation == "midpoint" else place - math.floor(place)
    if math.isinf(below) or math.isinf(above):
        return below * (1 - part) + above * part
    return float(Fraction(below) + (Fraction(above) - Fraction(below)) * Fraction(part))


def largest(values):
    """The largest magnitude of finite values; 0 if there are none."""
    return max((abs(value) for value in values if math.isfinite(value)), default=0.0)


def close(found, expected, largest=0.0):
    """Equal up to the rounding of an interpolation between values of which none is larger."""
    return np.isclose(found, expected, rtol=1e-14, atol=5e-324 + 1e-15 * largest, equal_nan=True) or found == expected
