"""How times are written in files, and what they become."""

import datetime as dt

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

MOMENT = 1_329_929_188_967_032  # 2012-02-22 16:46:28.967032 UTC in microseconds


@pytest.fixture
def micros(tmp_path, load, write):
    def times(written, **options):
        lines = "".join(f'"{time}",1\n' for time in written)
        trace = load(write(tmp_path, "t,v\n" + lines), **options)
        assert trace.time_unit == options.get("time_unit", "us")
        return trace.times.tolist()

    return times


@pytest.mark.parametrize(
    "written",
    [
        "2012-02-22T16:46:28.967032Z",
        "2012-02-22T16:46:28.9670320+00:00",
        "2012-02-22 16:46:28.967032",
        "2012-02-22T11:46:28.967032999-05:00",
        " 2012-02-22T17:46:28.967032+0100 ",
    ],
)
def test_iso8601(written, micros):
    assert micros([written, "1970-01-02"], time_format="iso8601") == [MOMENT, 86_400_000_000]


def test_iso8601_reaches_far_and_rounds_down(micros):
    far = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.9999999", "1969-12-31T23:59:59.9999999"]
    epoch = dt.datetime(1970, 1, 1)
    ends = [(moment - epoch) // dt.timedelta(microseconds=1) for moment in (dt.datetime.min, dt.datetime.max)]
    assert micros(far, time_format="iso8601") == [*ends, -1]


@pytest.mark.parametrize(
    ("unit", "expected"),
    [("us", -1_500_000), ("ms", -1_500), ("s", -2), ("min", -1), ("h", -1), ("day", -1)],
)
def test_units_of_timestamps_round_down(tmp_path, unit, expected, load, table, micros):
    assert micros(["1969-12-31T23:59:58.5"], time_format="iso8601", time_unit=unit) == [expected]
    stamps = pa.array([-1_500], pa.timestamp("ms"))
    assert load(table(tmp_path, t=stamps, v=[1]), time_unit=unit).times.tolist() == [expected]


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        ("%d.%m.%Y %H:%M:%S.%f", "22.02.2012 16:46:28.967032"),
        ("%b %d, %Y %I:%M:%S.%f %p", "Feb 22, 2012 04:46:28.967032 PM"),
        ("%Y%m%d-%H%M%S.%f%z", "20120222-184628.967032+0200"),
    ],
)
def test_strptime_patterns(pattern, written, micros):
    assert micros([written], time_format=pattern) == [MOMENT]


@pytest.mark.parametrize(
    ("written", "expected"),
    [("1329929188.967032", MOMENT), ("0", 0), ("-1.5", -1_500_000), ("1e3", 10**9), ("0.0000004", 0)],
)
def test_seconds(tmp_path, written, expected, load, table, micros):
    assert micros([written], time_format="seconds") == [expected]
    assert load(table(tmp_path, t=[float(written)], v=[1]), time_format="seconds").times.tolist() == [expected]


def test_the_farthest_times_that_are_taken(micros):
    farthest = [-(2**62) + 1, 2**62 - 1]
    assert micros(farthest, time_unit="tick") == farthest


def test_integer_times_take_any_unit(micros):
    assert micros(["-5", "7"], time_unit="fortnight") == [-5, 7]


@pytest.mark.parametrize("zone", [None, "UTC", "America/New_York"])
@pytest.mark.parametrize(("unit", "scale"), [("s", 10**6), ("ms", 10**3), ("us", 1), ("ns", 1)])
def test_parquet_timestamps_become_microseconds_utc(tmp_path, unit, scale, zone, load, table):
    count = MOMENT * 1000 + 999 if unit == "ns" else MOMENT // scale
    trace = load(table(tmp_path, t=pa.array([count, -1], pa.timestamp(unit, zone)), v=[1, 2]))
    assert trace.times.tolist() == [MOMENT // scale * scale, -scale]
    assert trace.time_unit == "us"


@pytest.mark.parametrize("moment", [MOMENT, 253_402_300_799_000_000, -62_135_596_800_000_000, 2**60])
def test_timestamps_of_96_bits_reach_as_far_as_others(tmp_path, moment, load):
    """Spark writes them, and a moment of the year 9999 is a common way to say never."""
    stamps = pa.table({"t": pa.array([0, moment], pa.timestamp("us")), "v": [1, 2]})
    pq.write_table(stamps, tmp_path / "spark.parquet", use_deprecated_int96_timestamps=True)
    assert load(tmp_path / "spark.parquet").times.tolist() == [0, moment]


def test_parquet_dates(tmp_path, load, table):
    assert load(table(tmp_path, t=[dt.date(1970, 1, 3)], v=[1]), time_unit="day").times.tolist() == [2]


def test_the_same_moments_hash_alike_however_written(tmp_path, load, write, table):
    text = write(tmp_path, "t,v\n2012-02-22T16:46:28Z,1\n")
    stamps = table(tmp_path, t=pa.array([dt.datetime(2012, 2, 22, 16, 46, 28)], pa.timestamp("ns")), v=[1])
    assert load(text, time_format="iso8601").hash == load(stamps).hash


def test_parquet_text_times(tmp_path, load, table):
    path = table(tmp_path, t=["1970-01-01T00:00:01Z"], v=[1])
    assert load(path, time_format="iso8601").times.tolist() == [10**6]


def test_microseconds_of_today_are_too_many_for_sequence_but_milliseconds_fit(tmp_path, load, write):
    path = write(tmp_path, "t,v\n2012-02-22T16:46:28Z,1\n")
    with pytest.raises(ValueError, match="coarser time unit, or ties=combine"):
        load(path, time_format="iso8601", ties="sequence")
    assert load(path, time_format="iso8601", ties="sequence", time_unit="ms").times[0] == MOMENT // 10**6 * 1000 << 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time_format": "iso"}, "unknown time_format 'iso'; did you mean iso8601"),
        ({"time_format": "iso8601", "time_unit": "sec"}, "unknown time_unit for timestamps 'sec'"),
        ({"time_format": "%Q"}, "time_format '%Q' is not a strptime pattern"),
        ({"arrival_format": "date"}, "unknown arrival_format 'date'"),
    ],
)
def test_wrong_forms_are_named(tmp_path, options, message, load, write):
    with pytest.raises(ValueError, match=message):
        load(write(tmp_path, "t,v\n1,1\n"), **options)


@pytest.mark.parametrize(
    ("column", "options", "message"),
    [
        (pa.array([1.5]), {}, "field 't' has type double; a whole number"),
        (pa.array([5]), {"time_format": "iso8601"}, "field 't' has type int64; time_format=iso8601 reads text"),
        (pa.array([[1]]), {"time_format": "seconds"}, "field 't' has type list"),
        (pa.array([0], pa.timestamp("s")), {"time_unit": "week"}, "unknown time_unit for timestamps 'week'"),
    ],
)
def test_parquet_columns_of_the_wrong_type_are_named(tmp_path, column, options, message, load, table):
    with pytest.raises(ValueError, match=message):
        load(table(tmp_path, t=column, v=[1]), **options)


@pytest.mark.parametrize("role", ["value", "key"])
def test_parquet_lists_are_no_values_and_no_keys(tmp_path, role, load, table):
    with pytest.raises(ValueError, match="field 'x' has type list"):
        load(table(tmp_path, t=[1], v=[1], x=pa.array([[1]])), **{role: "x"})
