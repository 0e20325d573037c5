"""What comes of the buckets of a batch, as rows of one DataFrame: their results, and counts for the query's metrics.

Results are columns as they leave the worker, and counts are rows among them, so that no further worker has to take
them apart. A row with a `metric` is a count: its number in METRICS or NEWEST, and the `amount`; other columns are null.
"""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from streaming.aggregation import Aggregation
from streaming.bucket import COUNTS

METRICS = ("null_times", *COUNTS)

NEWEST = "newest"
"""The newest time, which only the sink counts so."""

METRIC, AMOUNT = "metric", "amount"

MOST_RESULTS = 2**19
"""How many results a batch of rows has at most."""


def columns(aggregation: Aggregation) -> pa.Schema:
    """The columns of the rows. Results are numbered: their names may be any, also those of counts."""
    results = [field.with_name(f"result{i}") for i, field in enumerate(aggregation.results)]
    return pa.schema([*results, (METRIC, pa.int32()), (AMOUNT, pa.int64())])


def rows(aggregation: Aggregation, results: pa.RecordBatch, counts: Mapping[str, int | None]) -> list[pa.RecordBatch]:
    """The rows of a bucket, in at least one batch, with the columns `columns`. The counts come first."""
    names = (*METRICS, NEWEST)
    metrics = pa.array([names.index(name) for name in counts], pa.int32())
    amounts = pa.array([*counts.values()], pa.int64())
    none = [pa.nulls(len(counts), field.type) for field in results.schema]
    batches = [_batch(aggregation, none, metrics, amounts)] if counts else []
    for first in range(0, results.num_rows, MOST_RESULTS):
        some = results.slice(first, MOST_RESULTS)
        no = (pa.nulls(some.num_rows, kind) for kind in (metrics.type, amounts.type))
        batches.append(_batch(aggregation, some.columns, *no))
    return batches


def totals(newest: bool = False) -> list[Any]:
    """A Column for each metric: of all buckets together; if asked for, also the newest time."""
    from pyspark.sql import functions as F

    def amounts(number: int) -> Any:
        return F.when(F.col(METRIC) == number, F.col(AMOUNT))

    sums = [F.sum(amounts(number)).alias(name) for number, name in enumerate(METRICS)]
    return [*sums, F.max(amounts(len(METRICS))).alias(NEWEST)] if newest else sums


def results(df: Any, aggregation: Aggregation) -> Any:
    """The results among the rows of a DataFrame, under their own names."""
    from pyspark.sql import functions as F

    named = [F.col(f"result{i}").alias(name) for i, name in enumerate(aggregation.results.names)]
    return df.where(F.col(METRIC).isNull()).select(*named)


def _batch(aggregation: Aggregation, *arrays: Any) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([*arrays[0], *arrays[1:]], schema=columns(aggregation))
