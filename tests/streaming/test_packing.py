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
            "key0": ["a"] * len(times),
            "time": pa.array(times, pa.timestamp("us", "UTC")),
            "value0": [1.0] * len(times),
        }
    )


@pytest.mark.parametrize(
    ("times", "everywhere", "told"),
    [
        ([None, None], False, [(0, 0, 2)]),
        ([None, None], True, [(0, 0, 2), (1, 0, 0), (2, 0, 0), (3, 0, 0)]),
        ([None, made.START], False, [(2, 1, 1)]),
        ([made.START, made.START], False, [(1, 1, 0), (2, 1, 0)]),
        ([], False, []),
    ],
)
def test_rows_without_a_time_are_told_once(times, everywhere, told):
    aggregation = aggregation_of(buckets=4)
    made_of = packing._packed(aggregation, rows([1, 2][: len(times)], times), 0, 0, everywhere).to_pylist()
    assert [(one["bucket"], one["rows"], one["null_times"]) for one in made_of] == told
    assert all((one["blob"] is not None) == (one["rows"] > 0) for one in made_of)


def test_rows_are_packed_together_up_to_a_number_of_rows_or_of_bytes(monkeypatch):
    batches = [pa.record_batch({"x": pa.array(range(n))}) for n in (4, 4, 4, 300, 2, 2)]
    assert [[one.num_rows for one in some] for some in packing.pieces(batches, 8)] == [[4, 4], [4, 300], [2, 2]]
    monkeypatch.setattr(packing, "MOST_BYTES", 64)
    assert [[one.num_rows for one in some] for some in packing.pieces(batches, 10**6)] == [[4, 4], [4], [300], [2, 2]]
