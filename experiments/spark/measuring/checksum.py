"""A checksum of rows in Spark, to compare the outputs of different ways to aggregate."""

from typing import Any

BITS = 20
"""Bits of a row's hash: few enough that the sum over a thousand million rows is exact as a float64."""


def checksum(rows: Any, *columns: Any) -> tuple[float, int]:
    """The sum of a hash of these columns of each row, the last as float64, and the number of rows.

    The same for the same rows in any order. One Spark job, O(rows).
    """
    from pyspark.sql import functions as F

    *keys, result = columns
    hashed = F.pmod(F.xxhash64(*keys, result.cast("double")), F.lit(1 << BITS))
    total, count = rows.agg(F.sum(hashed), F.count("*")).first()
    return float(total or 0), count
