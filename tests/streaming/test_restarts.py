"""Restarts with something changed: refused where the state would be of another aggregation, and nothing comes of it."""

import contextlib
import hashlib

import pytest
from pyspark.errors import StreamingQueryException

from streaming import StateError
from tests.streaming import made, paths

pytestmark = pytest.mark.slow

COLUMNS = "user string, ts timestamp, v double"
WINDOW = {"key": "user", "time": "ts", "value": "v", "size": "4 seconds", "slide": "1 second", "buckets": 3}
WINDOW |= {"operator": {"total": "sum"}, "watermark": "3 seconds", "algorithm": "two_stacks_lite"}

CHANGES = [
    ({"size": "5 seconds"}, (), "size was 4000000 and is 5000000"),
    ({"slide": "row"}, (), "slide was 1000000 and is 'row'"),
    ({"operator": {"total": "max"}}, (), "operator was {'total': 'sum of v'} and is {'total': 'max of v'}"),
    ({"key": ["user", "v"]}, (), "key was [['user', 'string']] and is [['user', 'string'], ['v', 'double']]"),
    ({}, ("length(user) AS user", "ts", "v"), "key was [['user', 'string']] and is [['user', 'int32']]"),
    ({}, ("user", "ts", "cast(v AS long) AS v"), "value was [['v', 'float64']] and is [['v', 'int64']]"),
    ({"buckets": 4}, (), "buckets was 3 and is 4"),
]
"""What is changed, the columns that are read then, and what is said. The sink is told all of them; the query reads its
state by the same function, in a worker that takes seconds to start, and is told of one of each kind."""

REFUSED = {"sink": CHANGES, "query": [CHANGES[0], CHANGES[4], CHANGES[6]]}


def contents(folder):
    """All files that a query goes on from: state, progress, results, what is done. Others may come to them.

    Hidden ones are checksums of Hadoop's, which tasks that are being stopped may still remove beside their results, and
    so are these: what has gone by the time it is read is no file to go on from.
    """
    found = {}
    for path in folder.rglob("*"):
        if path.is_file() and not path.name.startswith("."):
            with contextlib.suppress(FileNotFoundError):
                found[str(path.relative_to(folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def windows(out, result="total"):
    rows = out.selectExpr("user", "unix_micros(window_end)", result).collect()
    found = {(made.alike(user), end): total for user, end, total in rows}
    assert len(found) == len(rows)
    return found


@pytest.mark.parametrize("path", paths.STREAMING)
def test_another_aggregation_is_refused_and_another_algorithm_goes_on(spark, tmp_path, path):
    some = made.rows(240, ["a", "b", None], spread=60, disorder=2, seed=7)
    for i in range(3):
        made.write(tmp_path / "in", i, some[60 * i : 60 * i + 60])
    df = paths.source(spark, tmp_path, COLUMNS)
    paths.run(df, tmp_path, path, flush=False, **WINDOW)
    made.write(tmp_path / "in", 3, some[180:])
    made.write(tmp_path / "in", 4, [(None, paths.FAR, 0.0)])
    before = contents(tmp_path / path)

    for changes, columns, said in REFUSED[path]:
        changed = df.selectExpr(*columns) if columns else df
        with pytest.raises((StreamingQueryException, StateError)) as refused:
            paths.run(changed, tmp_path, path, **{**WINDOW, **changes})
        assert said in str(refused.value), changes
        assert contents(tmp_path / path).items() >= before.items(), changes

    out, _ = paths.run(df, tmp_path, path, **{**WINDOW, "algorithm": "fiba"})
    assert windows(out) == made.per_slide(some, 4 * made.SECOND, made.SECOND, made.total)


@pytest.mark.parametrize("path", paths.STREAMING)
def test_disorder_that_is_refused_does_no_harm(spark, tmp_path, path):
    """The rows that one key had out of order are there for a query that takes them."""
    some = made.rows(120, ["a", "b"], spread=30, disorder=2, seed=8)
    ordered = sorted(some[:60], key=lambda row: row[1])
    made.write(tmp_path / "in", 0, ordered)
    df = paths.source(spark, tmp_path, COLUMNS)
    paths.run(df, tmp_path, path, flush=False, **WINDOW, order="refuse")
    before = contents(tmp_path / path)
    made.write(tmp_path / "in", 1, some[60:])
    made.write(tmp_path / "in", 2, [(None, paths.FAR, 0.0)])
    with pytest.raises(StreamingQueryException, match="older than .* before it; order='buffer' sorts rows"):
        paths.run(df, tmp_path, path, **WINDOW, order="refuse")
    assert contents(tmp_path / path).items() >= before.items()
    out, _ = paths.run(df, tmp_path, path, **WINDOW)
    assert windows(out) == made.per_slide(some, 4 * made.SECOND, made.SECOND, made.total)


def test_a_checkpoint_of_the_first_layout_is_refused_by_spark_and_not_begun_anew(spark, tmp_path, monkeypatch):
    """Its states were four, of which `snapshot` was a single value."""
    some = made.rows(60, ["a", "b"], spread=30, disorder=2, seed=9)
    made.write(tmp_path / "in", 0, some)
    df = paths.source(spark, tmp_path, COLUMNS)

    def of_first_layout(aggregation):
        from pyspark.sql.streaming import StatefulProcessor

        class Before(StatefulProcessor):
            def init(self, handle):
                handle.getValueState("head", "name string, watermark long")
                self.snapshot = handle.getValueState("snapshot", "state binary")

            def handleInputRows(self, key, rows, timerValues):
                assert sum(map(len, rows))
                self.snapshot.update((b"rows",))
                yield from ()

            def close(self):
                pass

        return Before()

    with monkeypatch.context() as patched:
        patched.setattr("streaming.dataframes.processor", of_first_layout)
        paths.run(df, tmp_path, "query", flush=False, **WINDOW)
    before = contents(tmp_path / "query")
    made.write(tmp_path / "in", 1, some)
    with pytest.raises(StreamingQueryException, match="STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE"):
        paths.run(df, tmp_path, "query", flush=False, **WINDOW)
    assert contents(tmp_path / "query").items() >= before.items()
