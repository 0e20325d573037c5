"""Blobs of rows, without Spark: rows without a time are counted wherever they come, and blobs are not too large."""

import pyarrow as pa
import pytest

from streaming import packing
from tests.streaming import made
from tests.streaming.test_bucket import aggregation_of

pytestmark = pytest.mark.smoke


def rows(buckets, times):
    return pa.table(
        {
            "bucket": pa.array(buckets, pa.int32()),
            "key0": [f"key {bucket}" for bucket in buckets],
            "time": pa.array(times, pa.timestamp("us", "UTC")),
            "value0": [1.0] * len(times),
        }
    )


@pytest.mark.parametrize(
    ("times", "all_buckets", "expected"),
    [
        ([None, None], False, [(0, 0, 2)]),
        ([None, None], True, [(0, 0, 2), (1, 0, 0), (2, 0, 0), (3, 0, 0)]),
        ([None, made.START], False, [(2, 1, 1)]),
        ([made.START, made.START], False, [(1, 1, 0), (2, 1, 0)]),
        ([], False, []),
    ],
)
def test_rows_without_a_time_are_counted_once(times, all_buckets, expected):
    aggregation = aggregation_of(buckets=4)
    packed = packing._packed(aggregation, rows([1, 2][: len(times)], times), 0, 0, all_buckets).to_pylist()
    assert [(row["bucket"], row["rows"], row["null_times"]) for row in packed] == expected
    assert all((row["blob"] is not None) == (row["rows"] > 0) for row in packed)


def test_rows_are_packed_together_up_to_a_number_of_rows_or_of_bytes(monkeypatch):
    batches = [pa.record_batch({"x": pa.array(range(n))}) for n in (4, 4, 4, 300, 2, 2)]
    assert [[batch.num_rows for batch in piece] for piece in packing.pieces(batches, 8)] == [[4, 4], [4, 300], [2, 2]]
    monkeypatch.setattr(packing, "MOST_BYTES", 64)
    assert [[batch.num_rows for batch in piece] for piece in packing.pieces(batches, 10**6)] == [
        [4, 4],
        [4],
        [300],
        [2, 2],
    ]
