"""What a DataFrame's plan and session say and its API does not: a text that identifies it, the columns that have a
watermark, the partitions of a shuffle."""

import re
from typing import Any

WATERMARK_DELAY = "spark.watermarkDelayMs"
"""Metadata of a column that has the stream's watermark: its delay. Files that Spark writes keep it."""

_DIFFERS_BY_RUN = re.compile(
    r"#\d+L?"  # numbers of columns
    r"|@[0-9a-f]+|0x[0-9a-f]+"  # addresses of objects
    r"|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"  # of watermarks
    r"|, \d+$",  # of observed metrics
    re.MULTILINE,
)
"""What differs when the plan of the same DataFrame is made again."""


def plan_text(df: Any) -> str:
    """The plan of a DataFrame, the same in every process that makes the same one; without options of file sources."""
    return _DIFFERS_BY_RUN.sub("", _analyzed(df))


def watermarked_columns(df: Any) -> list[str]:
    """The columns that have a watermark. One from the schema of files, which is not in the plan, does not count."""
    marked = [column.name for column in df.schema if WATERMARK_DELAY in (column.metadata or {})]
    return marked if marked and "EventTimeWatermark " in _analyzed(df) else []


def shuffle_partitions(df: Any) -> int:
    """How many partitions a shuffle has in the session of a DataFrame."""
    return int(df.sparkSession.conf.get("spark.sql.shuffle.partitions"))


def by_connect(df: Any) -> bool:
    """Whether a DataFrame is of Spark Connect: its session is on a server, and no JVM is here."""
    return not hasattr(df, "_jdf")


def _analyzed(df: Any) -> str:
    if by_connect(df):
        return df._explain_string(mode="extended")
    return df._jdf.queryExecution().analyzed().treeString()
