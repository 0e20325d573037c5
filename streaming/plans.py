"""What Spark knows of a DataFrame and does not tell: its plan as text."""

import re
from typing import Any

MARK = "spark.watermarkDelayMs"
"""In the metadata of a column: it has the stream's watermark, of that delay. Files that Spark writes keep it."""

_OF_THIS_RUN = re.compile(
    r"#\d+L?"  # numbers of columns
    r"|@[0-9a-f]+|0x[0-9a-f]+"  # addresses of objects
    r"|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"  # of watermarks
    r"|, \d+$",  # of observed metrics
    re.MULTILINE,
)
"""What is another in the plan of the same DataFrame when it is made once more."""


def told(df: Any) -> str:
    """The plan of a DataFrame, the same in every process that makes the same; options of file sources are not in it."""
    return _OF_THIS_RUN.sub("", _plan(df))


def watermarked(df: Any) -> list[str]:
    """The columns that have a watermark. A mark that came with the schema of files, and from no plan, is none."""
    marked = [one.name for one in df.schema if MARK in (one.metadata or {})]
    return marked if marked and "EventTimeWatermark " in _plan(df) else []


def _plan(df: Any) -> str:
    if hasattr(df, "_jdf"):
        return df._jdf.queryExecution().analyzed().treeString()
    return df._explain_string(mode="extended")  # by Spark Connect
