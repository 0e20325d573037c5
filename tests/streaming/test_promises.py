"""What docs/promises.md says of Spark: threads, pickle, zones."""

import copy
import datetime
import pickle
import threading

import pytest

from streaming import SlidingAggregateSink, sliding_aggregate
from tests.docs.test_promises import PROMISED

pytestmark = pytest.mark.slow

SETTINGS = {"key": "user", "time": "ts", "value": "len", "size": "1 hour", "operator": "max"}
ZONE = datetime.timezone(datetime.timedelta(hours=2))
ROWS = [("a", datetime.datetime(2026, 3, 1, 9, minute, tzinfo=ZONE), float(minute)) for minute in range(5)]


def test_an_aggregate_of_a_table(spark):
    df = spark.createDataFrame(ROWS, "user string, ts timestamp, len double")
    made, answers = sliding_aggregate(df, **SETTINGS), []
    assert PROMISED["sliding_aggregate"][0] == "safe: several threads may call it"
    threads = [threading.Thread(target=lambda: answers.append(made.collect())) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert [[row["max"] for row in answer] for answer in answers] == [[4.0], [4.0]]

    assert PROMISED["sliding_aggregate"][1] == "a DataFrame has neither"
    for copied in (pickle.dumps, copy.deepcopy):
        with pytest.raises(Exception, match=r"pickle|CONTEXT_ONLY_VALID_ON_DRIVER|Method __\w+__\("):
            copied(made)

    assert PROMISED["sliding_aggregate"][3] == "moments, shown in the session's zone"
    assert dict(made.dtypes)["window_end"] == "timestamp"
    [shown] = made.selectExpr("CAST(window_end AS STRING) AS shown").collect()
    assert shown.shown == "2026-03-01 03:00:00"  # in New York, the session's zone, where it was 09:04 in UTC + 2


def test_a_sink(spark, tmp_path):
    (tmp_path / "in").mkdir()
    stream = spark.readStream.schema("user string, ts timestamp, len double").parquet(str(tmp_path / "in"))
    sink = SlidingAggregateSink(stream, str(tmp_path / "sink"), watermark="1 minute", **SETTINGS)
    assert PROMISED["SlidingAggregateSink"][1] == PROMISED["sliding_aggregate"][1]
    with pytest.raises(Exception, match=r"pickle|CONTEXT_ONLY_VALID_ON_DRIVER|Method __\w+__\("):
        pickle.dumps(sink)
