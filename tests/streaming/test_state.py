"""The saved state: its format as documented, older and unknown versions, and states of other aggregations."""

import json

import pyarrow as pa
import pytest
from pyspark.sql import types as t

from algorithms import operators
from streaming import bucket, state
from tests.streaming import made
from tests.streaming.test_bucket import SCHEMA, aggregation_of, packs

pytestmark = pytest.mark.plain


@pytest.fixture(scope="module")
def saved():
    records = [("a", made.START + 1, 1.0), (None, made.START + 2, None), ("a", made.START, 3.0)]
    aggregation = aggregation_of(algorithm="two_stacks_lite", kept="rows")
    return bucket.take(aggregation, None, packs(aggregation, records), made.START - 1).state


def test_any_reader_of_arrow_can_read_it(saved):
    batch = pa.ipc.open_stream(saved).read_next_batch()
    assert {name: str(kind) for name, kind in zip(batch.schema.names, batch.schema.types, strict=True)} == {
        "key": "struct<user: string>",
        "count": "int64",
        "done": "int64",
        "positions": "large_list<item: int64>",
        "values": "struct<v: large_list<item: double>>",
        "valid": "struct<v: large_list<item: bool>>",
    }
    assert [row["key"]["user"] for row in batch.to_pylist()] == ["a", None]
    assert sorted(batch["positions"][0].as_py()) == [made.START, made.START + 1]
    assert batch.schema.metadata[b"sliding_aggregate.format"] == b"1"
    assert int(batch.schema.metadata[b"sliding_aggregate.watermark"]) == made.START - 1
    assert json.loads(batch.schema.metadata[b"sliding_aggregate"])["size"] == 4_000_000


def test_what_is_read_is_what_was_written(saved):
    aggregation = aggregation_of(algorithm="recalc", kept="rows")
    keys, kept = state.read(aggregation, saved)
    assert state.written(aggregation, keys, kept) == saved


def test_slices_are_in_the_state_as_partial_aggregates(saved):
    aggregation = aggregation_of(operator={"mean": "arithmetic_mean"})
    records = [("a", made.START + 1, 1.0), (None, made.START + 2, None), ("a", made.START, 3.0)]
    after = bucket.take(aggregation, None, packs(aggregation, records), made.START - 1).state
    batch = pa.ipc.open_stream(after).read_next_batch()
    assert batch["values"].to_pylist() == [{"mean.n": [2], "mean.total": [4.0]}, {"mean.n": [0], "mean.total": [0.0]}]
    assert [one["mean.n"] for one in batch["valid"].to_pylist()] == [[True], [False]]
    with pytest.raises(state.StateError, match="kept was 'slices' and is 'rows'"):
        state.read(aggregation_of(operator={"mean": "arithmetic_mean"}, kept="rows"), after)


def test_slices_go_on_from_rows():
    """So a query goes on after an upgrade, and when it need not refuse disorder any more."""
    first, then = made.rows(120, ["a", "b", None], seed=4), made.rows(120, ["a", "b", None], first=11, seed=5)
    until = max(time for _, time, _ in first) - 3 * made.SECOND
    of_rows, of_slices = (aggregation_of(kept=kept, operator="arithmetic_mean") for kept in ("rows", "slices"))
    saved = bucket.take(of_rows, None, packs(of_rows, first), until).state
    wanted, got = (bucket.take(a, saved, packs(a, then), 2**62).results.to_pylist() for a in (of_rows, of_slices))
    assert got == wanted and len(got) > 30
    assert state.holds_rows(saved) and not state.holds_rows(bucket.take(of_slices, saved, [], until).state)


def own(least):
    return operators.from_functions(
        lift=lambda v: max(v, least), combine=lambda a, b: a + b, lower=lambda a: a, identity=0.0
    )


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (operators.make("collect", capacity=8), operators.make("collect", capacity=9)),
        (operators.product(a="sum", b="max"), operators.product(a="sum", b="min")),
        (own(1.0), own(2.0)),
    ],
    ids=["collect", "product", "own functions"],
)
def test_a_state_of_an_operator_that_differs_in_more_than_its_name_is_refused(was, now):
    before = aggregation_of(operator={"x": was}, algorithm="two_stacks_lite")
    kept = bucket.take(before, None, packs(before, [("a", made.START + 1, 1.0)]), made.START - 1).state
    assert state.read(aggregation_of(operator={"x": was}, algorithm="recalc"), kept)
    with pytest.raises(state.StateError, match="operators and their parameters was .* and is "):
        state.read(aggregation_of(operator={"x": now}, algorithm="two_stacks_lite"), kept)


def test_a_state_of_before_parameters_were_told_goes_on(saved):
    batch = pa.ipc.open_stream(saved).read_next_batch()
    description = json.loads(batch.schema.metadata[b"sliding_aggregate"])
    del description["operators and their parameters"]
    older = batch.replace_schema_metadata({**batch.schema.metadata, b"sliding_aggregate": json.dumps(description)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, older.schema) as writer:
        writer.write_batch(older)
    aggregation = aggregation_of(algorithm="two_stacks_lite")
    (_, kept), (_, expected) = state.read(aggregation, sink.getvalue().to_pybytes()), state.read(aggregation, saved)
    assert [str(each) for each in kept] == [str(each) for each in expected]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"size": "5 seconds"}, "size was 4000000 and is 5000000"),
        ({"slide": "2 seconds"}, "slide was 1000000 and is 2000000"),
        ({"slide": "row"}, "slide was 1000000 and is 'row'; closed was 'left' and is 'right'"),
        ({"operator": "max"}, r"operator was \{'sum': 'sum of v'\} and is \{'max': 'max of v'\}"),
        ({"key": None}, r"key was \[\['user', 'string'\]\] and is \[\]"),
        ({"buckets": 2}, "buckets was 1 and is 2"),
        ({"offset": "1 second"}, "offset was 0 and is 1000000"),
    ],
)
def test_a_state_of_another_aggregation_is_refused(saved, changes, error):
    of_before = packs(aggregation_of(), [("a", made.START, 1.0)])  # as they are in a store; they are not looked at
    with pytest.raises(state.StateError, match=error) as caught:
        bucket.take(aggregation_of(**changes, algorithm="two_stacks_lite"), saved, of_before, 2**62)
    assert "Start it with a new checkpoint" in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ({"key": ["user", "town"]}, {"key": ["town", "user"]}, r"key was \[\['user', .* and is \[\['town', "),
        (
            {"operator": {"a": ("sum", "v"), "b": ("max", "w")}},
            {"operator": {"b": ("max", "w"), "a": ("sum", "v")}},
            "value was",
        ),
    ],
)
def test_columns_in_another_order_are_another_aggregation(old, new, error):
    """By their order they are called in packs."""
    schema = t.StructType([*SCHEMA, t.StructField("town", t.StringType()), t.StructField("w", t.DoubleType())])
    saved = bucket.take(aggregation_of(schema, **old), None, [], 0).state
    with pytest.raises(state.StateError, match=error):
        state.read(aggregation_of(schema, **new), saved)


def test_times_with_a_zone_and_without_are_not_the_same(saved):
    without = t.StructType([SCHEMA["user"], t.StructField("ts", t.TimestampNTZType()), SCHEMA["v"]])
    with pytest.raises(state.StateError, match=r"time was 'ts \(timestamp\)' and is 'ts \(timestamp_ntz\)'"):
        state.read(aggregation_of(without), saved)


def test_whether_columns_may_have_nulls_can_change(saved):
    """A schema says so, and sources and casts make it say something else."""
    never = t.StructType([SCHEMA["user"], SCHEMA["ts"], t.StructField("v", t.DoubleType(), nullable=False)])
    now = aggregation_of(never, algorithm="two_stacks_lite", size="4 seconds", slide="4 seconds")
    before = aggregation_of(algorithm="two_stacks_lite", size="4 seconds", slide="4 seconds")
    records = [("a", made.START, None), ("a", made.START + 1, 2.0), ("b", made.START, None)]
    for old, new in ((before, now), (now, before)):
        first = bucket.take(old, None, packs(old, records[:1]), 0).state
        then = bucket.take(new, first, packs(new, records[1:]), 2**62)
        assert [(row["user"], row["sum"]) for row in then.results.to_pylist()] == [("a", 2.0), ("b", None)]


def test_a_newer_format_is_refused_by_its_number(saved):
    with pytest.raises(state.StateError, match="is of format 2, and this version of the package reads 1: go on with"):
        state.read(aggregation_of(), with_format(saved, "2"))


def test_an_older_format_is_read_by_its_own_reader(saved, monkeypatch):
    """As an upgrade would: format 0, say, had no column `done`."""
    batch = pa.ipc.open_stream(with_format(saved, "0")).read_next_batch()
    older = written(batch.drop_columns(["done"]))

    def read_0(aggregation, batch):
        return state.READERS[1](aggregation, batch.append_column("done", pa.array([0] * batch.num_rows)))

    monkeypatch.setitem(state.READERS, 0, read_0)
    keys, kept = state.read(aggregation_of(kept="rows"), older)
    assert state.written(aggregation_of(kept="rows"), keys, kept) == saved


@pytest.mark.parametrize("damaged", [b"", b"no state", None])
def test_a_damaged_state_is_refused(saved, damaged):
    with pytest.raises(state.StateError, match="the saved state cannot be read"):
        state.read(aggregation_of(), saved[:40] if damaged is None else damaged)


def test_a_state_that_is_not_whole_is_refused(saved):
    for n in range(0, len(saved) - 8, 5):  # the last 8 bytes say that nothing follows
        with pytest.raises(state.StateError, match="the saved state cannot be read"):
            state.read(aggregation_of(), saved[:n])
    batch = pa.ipc.open_stream(saved).read_next_batch()
    metadata = {name: value for name, value in batch.schema.metadata.items() if name != b"sliding_aggregate"}
    for broken in (batch.drop_columns(["done"]), batch.replace_schema_metadata(metadata)):
        with pytest.raises(state.StateError, match="the saved state cannot be read: it has no .*(done|aggregate)"):
            state.read(aggregation_of(), written(broken))


def with_format(saved, version):
    batch = pa.ipc.open_stream(saved).read_next_batch()
    return written(batch.replace_schema_metadata({**batch.schema.metadata, b"sliding_aggregate.format": version}))


def written(batch):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return sink.getvalue().to_pybytes()
