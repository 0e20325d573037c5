"""The stateful processor in Spark's tester, without Spark: state, timers, the state of an older query."""

import json

import pandas as pd
import pytest
from pyspark.sql.streaming import TwsTester

from streaming import outcomes, state_store
from streaming.processor import processor
from streaming.state import StateError
from tests.streaming import made
from tests.streaming.test_bucket import aggregation_of, packs

MILLISECONDS = made.START // 1000


def trial(**changes):
    aggregation = aggregation_of(algorithm="two_stacks_lite", **changes)
    return aggregation, TwsTester(processor(aggregation), timeMode="EventTime", eventTimeExtractor=lambda row: 2**62)


def frame(aggregation, records, source=0, number=0, null_times=0):
    blob = packs(aggregation, records)[0] if records else None
    columns = {"source": source, "number": number, "rows": len(records), "newest": None, "null_times": null_times}
    return pd.DataFrame({name: [value] for name, value in {**columns, "blob": blob}.items()})


def emitted(aggregation, frame):
    if not len(frame):
        return []
    results = frame[frame[outcomes.METRIC].isna()].drop(columns=[outcomes.METRIC, outcomes.AMOUNT])
    rows = results.set_axis(aggregation.results.names, axis="columns").to_dict("records")
    assert all(frame.dtypes == [pd.ArrowDtype(kind) for kind in outcomes.columns(aggregation).types])
    return [(row["user"], int(row["window_end"].timestamp()) - made.START // made.SECOND, row["sum"]) for row in rows]


def counts(frame):
    """The counts among the rows of one bucket, by metric."""
    counted = frame[frame[outcomes.METRIC].notna()]
    return {outcomes.METRICS[i]: n for i, n in zip(counted[outcomes.METRIC], counted[outcomes.AMOUNT], strict=True)}


def given(test, other):
    """The store of bucket 0, copied to another trial."""
    saved = test.peekMapState("snapshot", 0)
    other.updateMapState("snapshot", 0, saved)
    return saved


def head_of(test):
    [part] = test.peekMapState("snapshot", 0)[(state_store.HEAD,)]
    return state_store.Head(*json.loads(part))


def parts_of(test):
    """The bytes of the packs of each batch, and those of the chunks of the snapshot."""
    parts = {number: len(part) for (number,), (part,) in sorted(test.peekMapState("snapshot", 0).items())}
    chunks = [size for number, size in parts.items() if number >= state_store.FIRST_CHUNK]
    return [size for number, size in parts.items() if state_store.HEAD < number < state_store.FIRST_CHUNK], chunks


def test_windows_fire_on_the_timer_that_follows_the_watermark():
    aggregation, test = trial(slide="4 seconds")
    records = [("a", made.START, 1.0), ("b", made.START + 1, 2.0)]
    first = test.testInPandas(3, frame(aggregation, records, null_times=5))
    assert emitted(aggregation, first) == []
    of_state = {name: n for name, n in counts(first).items() if name not in ("state_bytes", "combines")}
    assert of_state == {"null_times": 5, "late": 0, "keys": 2, "kept_rows": 2}
    assert emitted(aggregation, test.setWatermark(MILLISECONDS + 3_999)) == []
    assert emitted(aggregation, test.setWatermark(MILLISECONDS + 4_000)) == [("a", 4, 1.0), ("b", 4, 2.0)]
    assert emitted(aggregation, test.setWatermark(MILLISECONDS + 9_000)) == []


def test_rows_that_come_with_the_watermark_are_taken_in_before_it_fires():
    aggregation, test = trial(slide="4 seconds")
    test.testInPandas(0, frame(aggregation, [("a", made.START, 1.0)]))
    test.setWatermark(MILLISECONDS + 2_000)
    later = [("a", made.START + 2 * made.SECOND, 8.0), ("a", made.START + 2 * made.SECOND + 1, 2.0)]
    assert counts(test.testInPandas(0, frame(aggregation, later)))["late"] == 0
    assert emitted(aggregation, test.setWatermark(MILLISECONDS + 4_000)) == [("a", 4, 11.0)]


def test_packs_count_in_the_order_of_partition_and_number():
    aggregation, test = trial(operator={"sum": "last"}, slide="4 seconds")
    packed = [
        frame(aggregation, [("a", made.START, v)], source, n)
        for v, source, n in ((4.0, 1, 0), (2.0, 0, 1), (1.0, 0, 0))
    ]
    test.testInPandas(0, pd.concat(packed))
    assert emitted(aggregation, test.setWatermark(MILLISECONDS + 4_000)) == [("a", 4, 4.0)]


def test_a_bucket_without_rows_keeps_up_with_the_watermark():
    aggregation, test = trial()
    test.testInPandas(0, frame(aggregation, []))
    test.setWatermark(MILLISECONDS + 4_000)
    assert counts(test.testInPandas(0, frame(aggregation, [("a", made.START, 1.0)])))["late"] == 1


def test_a_state_of_another_aggregation_is_refused_and_stays():
    aggregation, test = trial()
    test.testInPandas(0, frame(aggregation, [("a", made.START, 1.0)]))
    other, another = trial(size="8 seconds")
    saved = given(test, another)
    with pytest.raises(StateError, match="size was 4000000 and is 8000000"):
        another.testInPandas(0, frame(other, [("a", made.START, 1.0)]))
    assert another.peekMapState("snapshot", 0) == saved


def test_a_query_goes_on_with_slices_from_rows_and_from_packs_of_rows(records):
    """As after an upgrade: the store has a snapshot of rows, and packs of rows that have come since."""
    of_rows, test = trial(kept="rows", size="60 seconds")
    of_slices, then = trial(kept="slices", size="60 seconds")
    for i in range(0, 60, 3):
        test.testInPandas(0, frame(of_rows, records[i : i + 3]))
    given(test, then)
    assert len(head_of(test).packs) == len(parts_of(test)[0]) > 0
    for one, aggregation in ((test, of_rows), (then, of_slices)):
        one.testInPandas(0, frame(aggregation, records[60:90]))
        one.testInPandas(0, frame(aggregation, records[90:120]))
    assert len(head_of(then).packs) == len(parts_of(then)[0]) <= 1
    end = MILLISECONDS + 3_600_000
    wanted, got = (
        sorted(emitted(a, one.setWatermark(end)), key=str) for a, one in ((of_rows, test), (of_slices, then))
    )
    assert got == wanted and len(got) > 100


def all_batches(aggregation, test, records):
    """Three rows a batch, the watermark two seconds behind; every batch's results, and the bytes of each state."""
    results, sizes = [], []
    for i in range(0, len(records), 3):
        batch = test.testInPandas(0, frame(aggregation, records[i : i + 3]))
        sizes.append(counts(batch)["state_bytes"])
        results += emitted(aggregation, batch)
        newest = max(time for _, time, _ in records[: i + 3])
        if newest // 1000 - 2000 > test._currentWatermarkMs:
            results += emitted(aggregation, test.setWatermark(newest // 1000 - 2000))
    return results, sizes


@pytest.fixture
def records():
    return made.rows(240, ["a", "b", None], spread=60, disorder=1, seed=8)


def test_a_large_snapshot_is_in_chunks(records, monkeypatch):
    """It grows to several, and shrinks to one again."""
    monkeypatch.delenv("SPARK_LOCAL_DIRS", raising=False)
    aggregation, test = trial(kept="rows", size="20 seconds")
    pieces = [records[i : i + 30] for i in range(0, len(records), 30)]
    expected = [all_batches(aggregation, test, piece)[0] for piece in pieces]
    monkeypatch.setattr(state_store, "CHUNK", 2000)
    aggregation, test = trial(kept="rows", size="20 seconds")
    results, most = [], 0
    for piece in pieces:
        results.append(all_batches(aggregation, test, piece)[0])
        packs, chunks = parts_of(test)
        assert sum(chunks) == head_of(test).snapshot_bytes and max(chunks) <= 2000
        assert packs == list(map(sum, head_of(test).packs))
        most = max(most, len(chunks))
    assert results == expected and most >= 2
    test.setWatermark(MILLISECONDS + 3_600_000)
    assert len(parts_of(test)[1]) == 1


def test_copies_on_the_workers_disk_change_nothing(records, tmp_path, monkeypatch):
    """Without one, with one, with one that is of another batch, with one that is damaged."""
    aggregation, test = trial()
    monkeypatch.delenv("SPARK_LOCAL_DIRS", raising=False)
    expected, sizes = all_batches(aggregation, test, records)
    assert len(expected) > 100 and max(sizes) < 3 * 4000
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path},elsewhere")
    aggregation, test = trial()
    assert all_batches(aggregation, test, records)[0] == expected

    aggregation, test = trial()
    halves, first = [], records[:120]
    halves += all_batches(aggregation, test, first[:60])[0]
    [copy] = tmp_path.glob(f"*_{aggregation.token}_0")
    stale = copy.read_bytes()
    halves += all_batches(aggregation, test, first[60:])[0]
    copy.write_bytes(stale)
    halves += all_batches(aggregation, test, records[120:180])[0]
    copy.write_bytes(b"")
    halves += all_batches(aggregation, test, records[180:210])[0]
    copy.unlink()
    copy.mkdir()  # can neither be read nor be replaced
    halves += all_batches(aggregation, test, records[210:225])[0]
    (tmp_path / "a file").touch()
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path / "a file"))
    halves += all_batches(aggregation, test, records[225:])[0]
    assert halves == expected
    assert not list(tmp_path.glob("*.tmp"))


def test_a_batch_writes_what_has_come_and_the_whole_state_now_and_then(records):
    aggregation, test = trial(size="60 seconds")
    snapshots, packs = [], []  # and never more than twice the state in the store
    for i in range(0, len(records), 3):
        test.testInPandas(0, frame(aggregation, records[i : i + 3]))
        snapshots.append(head_of(test).snapshot_bytes)
        packs.append(len(parts_of(test)[0]))
    assert 2 < len(set(snapshots)) < 20 and max(packs) > 3
