"""One bucket, without Spark: results against brute force however rows are split, keys of every kind, nulls, states."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import types as t

from algorithms import operators
from streaming import bucket, packing, state
from streaming.request import checked_aggregation
from tests.examples import examples
from tests.streaming import made

pytestmark = [pytest.mark.smoke, pytest.mark.plain]

SIZE, SLIDE = 4 * made.SECOND, made.SECOND
SCHEMA = t.StructType(
    [
        t.StructField("user", t.StringType()),
        t.StructField("ts", t.TimestampType()),
        t.StructField("v", t.DoubleType()),
    ]
)


def aggregation_of(schema=SCHEMA, **changes):
    arguments = {"key": "user", "time": "ts", "value": "v", "size": "4 seconds", "slide": "1 second", "operator": "sum"}
    return checked_aggregation(
        schema, **{**arguments, "buckets": 1, "whole_times": True, "presorted": False, "partitions": 2, **changes}
    )


def packs(aggregation, records, pieces=1):
    columns = list(zip(*records, strict=True)) or [[], [], []]
    bounds = np.linspace(0, len(records), pieces + 1).astype(int)
    return [packed(aggregation, [column[i:j] for column in columns]) for i, j in zip(bounds[:-1], bounds[1:])]


def packed(aggregation, columns):
    """Rows, or the slices of them, as they arrive at their bucket."""
    schema = aggregation.of_rows.arriving
    arrays = [pa.array(column, kind, from_pandas=False) for column, kind in zip(columns, schema.types)]
    rows = pa.table(arrays, schema=schema)
    if aggregation.rows:
        rows, _ = packing.sliced(aggregation, rows, np.zeros(len(rows), int))
    [batch] = rows.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], aggregation.arriving)]
    return batch.serialize().to_pybytes()


def run(aggregation, batches, changes_to=None):
    """Take in (rows, watermark) batch by batch; all results as dicts, and the counts."""
    saved, results, counts = None, [], []
    for i, (records, watermark) in enumerate(batches):
        current = changes_to if changes_to and i >= len(batches) // 2 else aggregation
        taken = bucket.take(current, saved, packs(current, records, 1 + i % 3), watermark)
        saved = taken.state
        results += taken.results.cast(plain(taken.results.schema)).to_pylist()
        counts.append(taken.counts)
    return results, counts


def plain(schema):
    """The schema with times as numbers."""
    fields = [(field.name, pa.int64() if pa.types.is_timestamp(field.type) else field.type) for field in schema]
    return pa.schema(fields)


def by_window(results, result="sum"):
    return {(made.alike(row["user"]), row["window_end"]): row[result] for row in results}


def in_batches(records, cuts, behind):
    """Batches of the rows, the watermark always `behind` the newest of the batches before; at last everything."""
    batches, newest = [], None
    for i, j in zip([0, *cuts], [*cuts, len(records)]):
        batches.append((records[i:j], -(2**62) if newest is None else newest - behind))
        newest = max([newest or 0, *(time for _, time, _ in records[i:j])])
    return [*batches, ([], 2**62)]


@settings(max_examples=examples(25), deadline=None)
@given(
    st.integers(0, 2**32),
    st.lists(st.integers(0, 60), max_size=4).map(sorted),
    st.sampled_from([("fiba", None), ("two_stacks_lite", None), ("fiba", "two_stacks_lite"), ("recalc", "fiba")]),
    st.sampled_from(["rows", "slices"]),
)
def test_windows_are_those_of_brute_force_however_rows_are_split(seed, cuts, algorithms, kept):
    records = made.rows(60, ["a", "b", None], seed=seed)
    first, second = (name and aggregation_of(algorithm=name, kept=kept) for name in algorithms)
    results, counts = run(first, in_batches(records, cuts, 5 * made.SECOND), second)
    assert by_window(results) == made.per_slide(records, SIZE, SLIDE, sum)
    assert len(results) == len(by_window(results)) and sum(count["late"] for count in counts) == 0
    assert all(row["window_end"] - row["window_start"] == SIZE for row in results)


@pytest.mark.parametrize("algorithm", ["fiba", "two_stacks_lite"])
def test_rows_give_out_theirs_with_their_values(algorithm):
    records = made.rows(80, ["a", None], seed=3)
    results, _ = run(aggregation_of(slide="row", algorithm=algorithm), in_batches(records, [20, 50], 5 * made.SECOND))
    per_row = sorted((made.alike(r["user"]), r["ts"], made.alike(r["v"]), made.alike(r["sum"])) for r in results)
    assert per_row == made.per_row(records, SIZE, sum)


@pytest.mark.parametrize("kept", ["rows", "slices"])
def test_late_rows_are_those_whose_windows_the_watermark_of_the_batch_before_had_ended(kept):
    early, second = made.START, made.SECOND
    batches = [
        ([("a", early + 10 * second, 1.0)], -(2**62)),
        ([("a", early, 2.0)], early + 5 * second),  # its window ends before the new watermark, after the old one
        ([("a", early + 3 * second, 4.0), ("a", early, 4.0)], early + 5 * second),  # late: the window has been emitted
        ([("a", early + 5 * second, 8.0), ("a", early + 4 * second, 16.0)], early + 5 * second),  # in an open window
        ([], 2**62),
    ]
    results, counts = run(aggregation_of(slide="4 seconds", kept=kept), batches)
    assert [count["late"] for count in counts] == [0, 0, 2, 0, 0]
    assert sorted(row["sum"] for row in results) == [1.0, 2.0, 24.0]


def test_slices_are_kept_where_they_suffice_and_rows_elsewhere():
    records = [("a", made.START + i, 1.0) for i in range(1000)]
    sizes = {kept: run(aggregation_of(kept=kept), [(records, -(2**62))])[1][0] for kept in ("rows", "slices", None)}
    assert (sizes["rows"]["kept_rows"], sizes["slices"]["kept_rows"]) == (1000, 1)
    assert sizes[None] == sizes["slices"] and sizes["slices"]["state_bytes"] < sizes["rows"]["state_bytes"] / 5
    for changes, reason in (
        ({"slide": "row"}, "kept='slices': slices are for windows by time that end at multiples of a slide"),
        ({"operator": "last"}, "kept='slices': last depends on the order of rows"),
        ({"algorithm": "two_stacks_lite", "order": "refuse"}, "kept='slices': order='refuse' looks at the order"),
    ):
        with pytest.raises(ValueError, match=reason):
            aggregation_of(kept="slices", **changes)
        assert aggregation_of(**changes).rows is None
    with pytest.raises(ValueError, match="unknown kept 'slice'; did you mean slices"):
        aggregation_of(kept="slice")


def test_nulls_are_skipped_and_their_rows_still_count():
    at = [made.START + i * made.SECOND for i in range(4)]
    records = [("a", at[0], None), ("a", at[1], 2.0), ("a", at[2], None), ("b", at[0], None)]
    results, _ = run(aggregation_of(slide="row", size="2 seconds"), [(records, 2**62)])
    assert [(row["user"], row["v"], row["sum"]) for row in results] == [
        ("a", None, None),
        ("a", 2.0, 2.0),
        ("a", None, 2.0),
        ("b", None, None),
    ]


def test_a_null_hides_no_value_of_another_column():
    schema = t.StructType([*SCHEMA, t.StructField("n", t.LongType())])
    aggregation = aggregation_of(schema, operator={"total": "sum", "most": ("max", "n")}, key=None, algorithm="recalc")
    rows = packed(aggregation, [[made.START] * 3, [1.5, None, 2.0], [None, 7, 3]])
    taken = bucket.take(aggregation, None, [rows], 2**62)
    assert {(row["total"], row["most"]) for row in taken.results.to_pylist()} == {(3.5, 7)}


def test_nan_goes_through():
    records = [("a", made.START, math.nan), ("a", made.START + 1, 1.0), ("b", made.START, 2.0)]
    results, _ = run(aggregation_of(), [(records, 2**62)])
    assert {row["user"]: math.isnan(row["sum"]) for row in results} == {"a": True, "b": False}


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        (t.LongType(), [1, 2**62, None, -1]),
        (t.DoubleType(), [1.5, math.nan, None, math.inf, 0.0]),
        (t.BooleanType(), [True, False, None]),
        (t.BinaryType(), [b"", b"x", None]),
        (t.DateType(), [18_000, None, 0]),
        (t.TimestampType(), [made.START, None]),
        (t.DecimalType(10, 2), [None]),
        (t.StringType(), ["", "ü", None]),
    ],
)
def test_keys_of_every_kind_keep_apart_and_come_back(kind, keys):
    schema = t.StructType([t.StructField("user", kind), *SCHEMA[1:]])
    aggregation = aggregation_of(schema, algorithm="two_stacks_lite")
    records = [(key, made.START + i, 1.0) for i in range(3) for key in keys]
    results, counts = run(aggregation, [(records[:2], -(2**62)), (records[2:], -(2**62)), ([], 2**62)])
    assert [count["keys"] for count in counts][1:] == [len(keys), 0]
    assert {row["sum"] for row in results} == {3.0} and len(results) == 4 * len(keys)


def test_nans_of_any_bits_are_one_key():
    schema = t.StructType([t.StructField("user", t.DoubleType()), *SCHEMA[1:]])
    aggregation = aggregation_of(schema, slide="4 seconds")
    bits = np.array([0x7FF8 << 48, 0xFFF8 << 48, (0x7FF8 << 48) + 1], np.uint64)
    columns = [bits.view(float), [made.START] * 3, [1.0, 2.0, 4.0]]
    first = bucket.take(aggregation, None, [packed(aggregation, [column[:2] for column in columns])], 0)
    then = bucket.take(aggregation, first.state, [packed(aggregation, [column[2:] for column in columns])], 2**62)
    assert (first.counts["keys"], [row["sum"] for row in then.results.to_pylist()]) == (1, [7.0])


@pytest.mark.parametrize("kind", [t.ByteType(), t.ShortType(), t.IntegerType()])
def test_windows_of_whole_numbers_may_end_where_no_time_of_their_type_is(kind):
    schema = t.StructType([t.StructField("user", t.StringType()), t.StructField("ts", kind), SCHEMA["v"]])
    aggregation = aggregation_of(schema, size=2**33, slide=2**33)
    rows = packed(aggregation, [["a"], [100], [1.0]])
    [row] = bucket.take(aggregation, None, [rows], 2**62).results.to_pylist()
    assert (row["window_start"], row["window_end"]) == (0, 2**33)


def test_several_key_columns_make_one_key():
    schema = t.StructType([*SCHEMA, t.StructField("n", t.LongType())])
    aggregation = aggregation_of(schema, key=["user", "n"], size="1 second")
    pairs = [("a", 1), ("a", None), (None, 1), (None, None), ("b", 1)]
    columns = [[user for user, _ in pairs] * 2, [n for _, n in pairs] * 2, [made.START] * 10, [1.0] * 10]
    first = bucket.take(aggregation, None, [packed(aggregation, [column[:7] for column in columns])], -(2**62))
    then = bucket.take(aggregation, first.state, [packed(aggregation, [column[7:] for column in columns])], 2**62)
    assert [(row["user"], row["n"], row["sum"]) for row in then.results.to_pylist()] == [(*pair, 2.0) for pair in pairs]


def test_windows_by_count_are_the_last_rows():
    aggregation = aggregation_of(by="count", size=3, slide=2, algorithm="two_stacks_lite", key=None)
    rows = packed(aggregation, [[5, 3, 1, 2, 4], [16.0, 4.0, 1.0, 2.0, 8.0]])
    taken = bucket.take(aggregation, None, [rows], 2**62)
    assert [row["sum"] for row in taken.results.to_pylist()] == [3.0, 14.0]


def test_state_is_in_proportion_to_the_windows():
    records = made.rows(3000, ["a", "b"], spread=300, disorder=1, seed=5)
    results, counts = run(aggregation_of(), in_batches(records, list(range(100, 3000, 100)), 2 * made.SECOND))
    assert len(results) > 500
    assert max(count["kept_rows"] for count in counts) < 300 and max(count["state_bytes"] for count in counts) < 10_000
    assert (counts[-1]["keys"], counts[-1]["kept_rows"]) == (0, 0)


def test_rows_in_order_only_where_disorder_is_refused():
    aggregation = aggregation_of(algorithm="two_stacks_lite", order="refuse")
    saved = bucket.take(aggregation, None, packs(aggregation, [("a", made.START + 5, 1.0)]), -(2**62)).state
    with pytest.raises(ValueError, match="older than .* before it; order='buffer' sorts rows"):
        bucket.take(aggregation, saved, packs(aggregation, [("a", made.START + 4, 1.0)]), -(2**62))
    assert state.read(aggregation, saved)[1].positions.tolist() == [made.START + 5]


@pytest.mark.parametrize("algorithm", ["fiba", "two_stacks_lite"])
def test_parts_of_a_product_take_fractions_and_whole_numbers_side_by_side(algorithm):
    schema = t.StructType([*SCHEMA, t.StructField("n", t.LongType())])
    both = operators.product(m="max", s=operators.make("sum", "int64"))
    aggregation = aggregation_of(
        schema, value=["v", "n"], operator={"both": both}, key=None, algorithm=algorithm, size="1 second"
    )
    rows = packed(aggregation, [[made.START] * 3, [2.75, None, 0.5], [2**60, 7, 1]])
    [row] = bucket.take(aggregation, None, [rows], 2**62).results.to_pylist()
    assert row["both"] == {"m": 2.75, "s": 2**60 + 1}


def test_combines_are_counted_where_asked():
    records = made.rows(50, ["a"], seed=1)
    results = [
        run(aggregation_of(algorithm="recalc", counting=on, kept="rows"), [(records, 2**62)])[1][0]["combines"]
        for on in (False, True)
    ]
    assert results[0] is None and results[1] > 50
