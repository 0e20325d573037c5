"""A partition of a batch, sorted in the worker: results as by brute force, whether it fits in memory or not."""

import contextlib

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming import sorting
from tests.examples import examples
from tests.streaming import made
from tests.streaming.test_bucket import SIZE, SLIDE, aggregation_of, by_window


def arriving(records, size):
    """Rows in batches, with columns named as in `Aggregation.arriving`."""
    users, times, values = zip(*records, strict=True) if records else ((), (), ())
    whole = pa.record_batch(
        {
            "key0": pa.array(users, pa.string()),
            "time": pa.array(times, pa.timestamp("us", "UTC")),
            "value0": pa.array(values, pa.float64(), from_pandas=False),
        }
    )
    return [whole.slice(i, size) for i in range(0, len(records), size)]


def results_of(aggregation, records, size=7):
    rows = []
    for batch in sorting.aggregate_rows(aggregation, arriving(records, size)):
        columns = {name: batch[name] for name in batch.schema.names}
        with_int64_times = {n: c.cast(pa.int64()) if pa.types.is_timestamp(c.type) else c for n, c in columns.items()}
        rows += pa.table(with_int64_times).to_pylist()
    return rows


@pytest.fixture(autouse=True)
def _folder(tmp_path_factory, monkeypatch):
    """Files of runs are in Spark's local folder, and none stays there."""
    folder = tmp_path_factory.mktemp("local")
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{folder},elsewhere")
    yield
    assert not list(folder.iterdir())


@contextlib.contextmanager
def runs_of(rows):
    """Sorted runs of so many rows, and no more in a piece; runs of a batch if that is longer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "TOGETHER", rows)
        yield patch


@settings(max_examples=examples(40), deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(0, 200),
    st.sampled_from([1, 8, 40, 64, 2**21]),
    st.sampled_from([["a"], ["a", "b", None], [f"k{i}" for i in range(50)]]),
    st.booleans(),
)
def test_results_are_those_of_brute_force_however_many_runs_there_are(seed, n, together, keys, per_row):
    records = made.rows(n, keys, spread=20, disorder=20, seed=seed)
    with runs_of(together):
        rows = results_of(aggregation_of(presorted=True, slide="row" if per_row else "1 second"), records)
    if per_row:
        results = sorted((made.alike(r["user"]), r["ts"], made.alike(r["v"]), made.alike(r["sum"])) for r in rows)
        assert results == made.per_row(records, SIZE, sum)
    else:
        assert by_window(rows) == made.per_slide(records, SIZE, SLIDE, sum) and len(rows) == len(by_window(rows))


def test_rows_of_equal_times_stay_as_they_came_whatever_the_runs():
    records = [("a", made.START + i // 5, float(i)) for i in range(60)]
    aggregation = aggregation_of(
        presorted=True, size=4, slide="row", by="count", operator="collect", algorithm="recalc"
    )
    whole = [row["collect"] for row in results_of(aggregation, records)]
    assert whole[:5] == [[0.0], [0.0, 1.0], [0.0, 1.0, 2.0], [0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0]]
    with runs_of(8):
        assert [row["collect"] for row in results_of(aggregation, records, 4)] == whole


def test_files_appear_only_where_rows_do_not_fit_and_pieces_are_small():
    records = made.rows(2000, ["a", "b"], spread=100, disorder=100, seed=1)
    aggregation, written, taken = aggregation_of(presorted=True), [], []
    write, take = sorting._in_file, aggregation.kernel.take_sorted

    def writing(run):
        written.append(run)
        return write(run)

    def taking(kept, codes, *rest, last=False):
        taken.append(len(codes))
        return take(kept, codes, *rest, last=last)

    with runs_of(256) as patch:
        patch.setattr(sorting, "_in_file", writing)
        patch.setattr(aggregation.kernel, "take_sorted", taking)
        results_of(aggregation, records, 32)
        assert len(written) == 7 and sum(taken) == 2000
        assert max(taken) <= 256 + 16  # and those of the time at which it is cut
        written.clear()
        results_of(aggregation, records[:250], 32)
        assert not written


@pytest.mark.parametrize("slide", ["1 second", "3 seconds", "row"])
@pytest.mark.parametrize("key_bytes", [1, 40])
def test_results_are_made_some_at_a_time(slide, key_bytes):
    keys = [f"{i:0{key_bytes}}" for i in range(3)]
    records = [
        (key, made.START + gap * i * made.SECOND + i, 1.0) for i in range(60) for key, gap in zip(keys, (0, 1, 100))
    ]
    aggregation = aggregation_of(presorted=True, slide=slide)
    whole = results_of(aggregation, records)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "RESULTS", 20)
        patch.setattr(sorting, "RESULT_BYTES", 410)
        sizes = [batch.num_rows for batch in sorting.aggregate_rows(aggregation, arriving(records, 50))]
        assert sum(sizes) == len(whole) and max(sizes) <= (20 if key_bytes == 1 else 10) + 8
        assert results_of(aggregation, records) == whole


def test_lists_are_made_a_few_at_a_time():
    records = [("a", made.START + i, float(i)) for i in range(1000)]
    aggregation = aggregation_of(
        presorted=True, size=4, slide="row", by="count", operator="collect", algorithm="recalc"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "RESULTS", 6400)
        assert max(batch.num_rows for batch in sorting.aggregate_rows(aggregation, arriving(records, 100))) == 100


def test_rows_without_a_time_leave_no_run_behind():
    records = [("a", None, 1.0)] * 20 + [("a", made.START, 2.0)]
    with runs_of(5):
        assert [row["sum"] for row in results_of(aggregation_of(presorted=True), records, 5)] == [2.0] * 4
        assert results_of(aggregation_of(presorted=True), records[:20], 5) == []
        between = [*records[20:] * 6, *records[:20], *records[20:] * 6]
        assert [row["sum"] for row in results_of(aggregation_of(presorted=True), between, 5)] == [24.0] * 4
