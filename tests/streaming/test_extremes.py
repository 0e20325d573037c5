"""Streams that are hard on the operator: late rows, very many rows or keys, nulls and NaN wherever they can be."""

import itertools
import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.streaming import made, paths

pytestmark = pytest.mark.slow

SECOND = made.SECOND
SIZE, DELAY = 4 * SECOND, 3 * SECOND
COLUMNS = "user string, ts timestamp, v double"
WINDOW = {"key": "user", "time": "ts", "value": "v", "watermark": "3 seconds", "operator": {"total": "sum"}}
WINDOW |= {"algorithm": "two_stacks_lite", "buckets": 3}


def followed(files, slide):
    """Rows, each with the watermark of the batch before, if they are not late; and counts of each file.

    These are the late rows, the rows that are still in a window, and keys of those. A row is late if the watermark had
    reached it in the batch before, and the ends of all its windows.
    """
    kept, counts, before, now = [], [], -math.inf, -math.inf
    for some in files:
        waits = SIZE + slide if slide else 0
        taken = [row for row in some if row[1] > before or (slide and row[1] // slide * slide + SIZE > before)]
        kept += [(*row, before) for row in taken]
        still = [user for user, time, *_ in kept if time > now - SIZE - waits]
        counts.append((len(some) - len(taken), len(still), len(set(still))))
        before, now = now, max([now, *(time - DELAY for _, time, _ in some)])
    return kept, counts


def late_files():
    """Rows up to 15 seconds late where 3 are allowed, some at the watermark to the microsecond; each file a new key."""
    files = [
        [
            *made.rows(40, ["a", "b", None], first=5 * i, spread=5, disorder=15, seed=i),
            (f"only in {i}", made.START, 1.0),
        ]
        for i in range(7)
    ]
    newest = max(time for some in files[:2] for _, time, _ in some)
    at = [("edge", newest - DELAY + moved, 2.0**n) for n, moved in enumerate((-1, 0, 1, 1000))]
    files[3] = [*files[3], *at, ("only in 3", newest, 1.0)]
    return [*files, [("far", paths.FAR, 0.0)]]


@pytest.mark.parametrize(("path", "slide"), [("query", "row"), ("sink", "1 second"), ("query", "1 second")])
def test_late_rows_are_those_no_window_waits_for(spark, tmp_path, path, slide):
    """And the state is what is still in windows, though each file brings a new key, and there is no end of files."""
    files = late_files()
    kept, counts = followed(files, 0 if slide == "row" else SECOND)
    assert sum(late for late, *_ in counts) > 5
    for i, some in enumerate(files):
        made.write(tmp_path / "in", i, some)
    out, told = paths.run_along(spark, tmp_path, path, COLUMNS, size="4 seconds", slide=slide, **WINDOW)

    near = [row for row in kept if row[0] != "far"]
    if slide == "row":
        rows = out.selectExpr("user", "unix_micros(ts)", "v", "total").collect()
        got = sorted((made.alike(user), time, made.alike(v), made.alike(total)) for user, time, v, total in rows)
        assert got == made.per_row([row[:3] for row in near], SIZE, made.total)
        assert {row[2] for row in kept if row[0] == "edge"} == {4.0, 8.0}
    else:
        assert windows_of(out) == made.per_open_slide(near, SIZE, SECOND, made.total)
    for one, (late, rows, keys) in zip(told, counts):
        assert one["late"] == late and one["kept_rows"] <= rows and one["keys"] <= keys


def windows_of(out):
    rows = out.selectExpr("user", "unix_micros(window_end)", "total").collect()
    got = {(made.alike(user), end): total for user, end, total in rows}
    assert len(got) == len(rows)
    return got


def test_late_rows_count_in_open_windows_as_they_do_in_sparks_own(spark, tmp_path):
    from pyspark.sql import functions as F

    files = late_files()
    for i, some in enumerate(files):
        made.write(tmp_path / "in", i, some)
    df = paths.source(spark, tmp_path, COLUMNS).withWatermark("ts", "3 seconds")
    windows = df.groupBy(F.window("ts", "4 seconds", "1 second"), "user").agg(F.sum("v").alias("total"))
    out = windows.select("user", F.col("window.end").alias("window_end"), "total")
    writer = out.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "spark" / "checkpoint"))
    writer.option("path", str(tmp_path / "spark" / "out")).trigger(availableNow=True).start().awaitTermination()
    kept = [row for row in followed(files, SECOND)[0] if row[0] != "far"]
    found = windows_of(spark.read.parquet(str(tmp_path / "spark" / "out")).where("user IS NULL OR user <> 'far'"))
    assert found == made.per_open_slide(kept, SIZE, SECOND, made.total)


def by_numpy(keys, times, values, size, slide):
    """(key, end, sum) of windows that hold a row of the key, sorted."""
    found = []
    ends = np.arange(times.min() // slide * slide + slide, times.max() + size + 1, slide)
    order = np.argsort(times, kind="stable")
    keys, times, values = keys[order], times[order], values[order]
    for end in ends:
        inside = slice(*np.searchsorted(times, [end - size, end]))
        n = np.bincount(keys[inside])
        sums = np.bincount(keys[inside], weights=values[inside])
        some = np.flatnonzero(n)
        found.append(np.column_stack([some, np.full(len(some), end), sums[some].astype(np.int64)]))
    found = np.concatenate(found)
    return found[np.lexsort(found.T[::-1])]


@pytest.mark.parametrize("path", paths.PATHS)
@pytest.mark.parametrize(("n", "keys"), [(1_000_000, 1), (100_000, 10_000)])
def test_a_key_with_a_million_rows_and_ten_thousand_keys(spark, tmp_path, path, n, keys):
    rng = np.random.default_rng(n)
    times = np.sort(rng.integers(0, 60_000, n)) - rng.integers(0, 2_000, n)  # milliseconds
    times = made.START + 1000 * times
    chosen, values = rng.integers(0, keys, n), rng.integers(-1000, 1000, n)
    (tmp_path / "in").mkdir()
    for i, part in enumerate(np.array_split(np.arange(n), 2)):
        columns = {"k": pa.array(chosen[part]), "ts": pa.array(times[part], pa.timestamp("us", "UTC"))}
        pq.write_table(pa.table({**columns, "v": pa.array(values[part])}), tmp_path / "in" / f"{i}.parquet")
    far = {"k": [0], "ts": pa.array([paths.FAR], pa.timestamp("us", "UTC")), "v": [0]}
    pq.write_table(pa.table(far), tmp_path / "in" / "2.parquet")
    arguments = {**WINDOW, "key": "k", "size": "10 seconds", "slide": "5 seconds"}
    schema = "k long, ts timestamp, v long"
    out, _ = paths.run_along(spark, tmp_path, path, schema, files=3 if path == "query" else 1, **arguments)
    got = out.selectExpr("k", "unix_micros(window_end) AS end", "total").toArrow()
    got = np.column_stack([column.to_numpy() for column in got.columns])
    np.testing.assert_array_equal(
        got[np.lexsort(got.T[::-1])], by_numpy(chosen, times, values, 10 * SECOND, 5 * SECOND)
    )


@pytest.mark.parametrize("path", paths.PATHS)
def test_nulls_and_nan_in_keys_and_values(spark, tmp_path, path):
    keys = list(itertools.product([math.nan, 0.0, -0.0, None, 1.5], ["", None, "ü"]))
    values = [1.0, None, math.nan, -2.0, math.inf]
    moments = [*range(8), None]
    rng = np.random.default_rng(5)
    rows = [
        (*keys[rng.integers(15)], moments[rng.integers(9)], values[rng.integers(5) if rng.random() < 0.4 else 0])
        for _ in range(200)
    ]
    rows += [(2.5, "only nulls", 0, None), (2.5, "only nulls", 1, None), (2.5, "no time", None, 1.0)]
    (tmp_path / "in").mkdir()
    for i, some in enumerate([rows[0::2], rows[1::2], [(None, None, 10**6, 0.0)]]):
        f, user, at, v = zip(*some, strict=True)
        times = pa.array([None if t is None else made.START + t * SECOND for t in at], pa.timestamp("us", "UTC"))
        one = {"f": pa.array(f, pa.float64(), from_pandas=False), "user": pa.array(user, pa.string()), "ts": times}
        table = pa.table({**one, "v": pa.array(v, pa.float64(), from_pandas=False)})
        pq.write_table(table, tmp_path / "in" / f"{i}.parquet")
    schema = "f double, user string, ts timestamp, v double"
    arguments = {**WINDOW, "key": ["f", "user"], "size": "4 seconds", "slide": "1 second", "watermark": "10 seconds"}
    out, told = paths.run_along(spark, tmp_path, path, schema, **arguments)

    def normal(f):
        return None if f is None else 0.0 if f == 0 else f

    timed = [
        ((made.alike(normal(f)), made.alike(user)), made.START + t * SECOND, v)
        for f, user, t, v in rows
        if t is not None
    ]
    wanted = {}
    for key in {key for key, *_ in timed}:
        mine = [("", time, v) for k, time, v in timed if k == key]
        for (_, end), total in made.per_slide(mine, SIZE, SECOND, made.total).items():
            wanted[key, end] = made.alike(total)
    found = out.selectExpr("f", "user", "unix_micros(window_end)", "total").collect()
    got = {((made.alike(normal(f)), made.alike(user)), end): made.alike(total) for f, user, end, total in found}
    assert len(got) == len(found) and got == wanted
    if path != "batch":
        assert sum(one["null_times"] for one in told) == sum(t is None for *_, t, _ in rows)


@pytest.mark.parametrize("path", paths.STREAMING)
@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (["ts", "cast(v as string) AS v"], "value column 'v' is string; it must be a number .*: cast it to a number"),
        (["ts", "v AS w"], "unknown column for value: 'v'; there are: user, ts, w"),
        (["cast(ts as date) AS ts", "v"], "time column 'ts' is date; it must be a timestamp"),
    ],
)
def test_a_schema_that_does_not_fit_is_refused_before_anything_starts(spark, tmp_path, path, columns, said):
    made.write(tmp_path / "in", 0, [("a", made.START, 1.0)])
    df = paths.source(spark, tmp_path, COLUMNS).selectExpr("user", *columns)
    with pytest.raises(ValueError, match=said):
        paths.run(df, tmp_path, path, size="4 seconds", slide="1 second", **WINDOW)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
