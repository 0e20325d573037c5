"""Good files of every form: what the trace of each is."""

import bz2
import decimal
import gzip

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytestmark = pytest.mark.smoke

PLAIN = "t,v\n3,10\n1,20\n2,30\n"


@pytest.mark.parametrize(
    "content",
    [
        PLAIN,
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.rstrip(),
        PLAIN + "\n\r\n\n",
        "\n\n" + PLAIN.replace("\n", "\n\n"),
        "\ufeff" + PLAIN,
        't,"v"\n"3","10"\n1,20\n"2",30\n',
        'name,t,other,v\n"a,b",3,x,10\n"say ""so""",1,"two\nlines",20\n,2,,30\n',
        "t,v\n 3 ,10\n+1, +20\n002,30\n",
    ],
    ids=["plain", "crlf", "cr", "no-end", "blank-end", "blank-all", "bom", "quoted", "quoted-others", "padded"],
)
def test_csv_forms_are_one_trace(tmp_path, content, load, write):
    trace = load(write(tmp_path, content))
    assert (trace.times.tolist(), trace.values.tolist()) == ([3, 1, 2], [10, 20, 30])
    assert (trace.values.dtype, trace.keys, trace.skipped, trace.time_unit) == (np.int64, None, 0, "tick")
    assert trace.hash == load(write(tmp_path, PLAIN, "plain.csv")).hash


@pytest.mark.parametrize(
    ("name", "packed", "options"),
    [
        ("trips.csv.gz", gzip.compress(PLAIN.encode()), {}),
        ("trips.csv.bz2", bz2.compress(PLAIN.encode()), {}),
        ("trips.txt", PLAIN.replace(",", ";").encode(), {"delimiter": ";"}),
        ("trips.tsv", PLAIN.replace(",", "\t").encode(), {"delimiter": "tab"}),
        ("trips.csv", PLAIN[4:].encode(), {"header": False, "time": 1, "value": "2"}),
        ("trips.csv", PLAIN.encode(), {"time": "1", "value": 2}),
        ("trips.csv", b"\xe9t\xe9,t,v\n\xe9,3,10\n,1,20\n,2,30\n", {}),
    ],
    ids=["gzip", "bzip2", "semicolon", "tab", "no-header", "numbers", "latin-1-elsewhere"],
)
def test_other_files_are_the_same_trace(tmp_path, name, packed, options, load, write):
    trace = load(write(tmp_path, packed, name), **options)
    assert trace.hash == load(write(tmp_path, PLAIN, "plain.csv")).hash


def test_quoted_lines_may_run_over_the_end_of_a_block(tmp_path, monkeypatch, load, write):
    monkeypatch.setattr("workloads.reading.delimited.BLOCK", 64)
    lines = "".join(f'{item},"a\n\nb\n{item}",{item % 7}\n' for item in range(500))
    trace = load(write(tmp_path, "t,name,v\n" + lines))
    assert trace.times.tolist() == list(range(500))
    assert trace.values.tolist() == [item % 7 for item in range(500)]


@pytest.mark.parametrize("ending", ["zst", "lz4"])
def test_other_compressions(tmp_path, ending, load, write):
    path = tmp_path / f"trips.csv.{ending}"
    with pa.output_stream(path, compression="detect") as stream:
        stream.write(PLAIN.encode())
    assert path.read_bytes() != PLAIN.encode()
    assert load(path).hash == load(write(tmp_path, PLAIN, "plain.csv")).hash


def test_parquet_is_the_same_trace(tmp_path, load, write, table):
    path = table(tmp_path, v=pa.array([10, 20, 30], pa.int16()), t=pa.array([3, 1, 2], pa.uint64()))
    assert load(path).hash == load(write(tmp_path, PLAIN)).hash


def test_canonical_parameters(tmp_path, load, write):
    path = write(tmp_path, PLAIN)
    assert load(path).parameters == {
        "path": str(path),
        "time": "t",
        "value": "v",
        "key": None,
        "arrival": None,
        "time_format": "integer",
        "arrival_format": "integer",
        "time_unit": "tick",
        "delimiter": ",",
        "header": True,
        "on_error": "fail",
        "ties": "combine",
        "folder": "results/records",
    }


def test_without_a_value_column_every_value_is_one(tmp_path, load, write):
    assert load(write(tmp_path, PLAIN), value=None).values.tolist() == [1, 1, 1]


def test_one_column_may_have_two_roles(tmp_path, load, write):
    trace = load(write(tmp_path, "t\n5\n\n6\n"), value="t", key="t")
    assert trace.times.tolist() == trace.values.tolist() == trace.keys.tolist() == [5, 6]


@given(times=st.lists(st.integers(-(2**62) + 1, 2**62 - 1), min_size=1), data=st.data())
def test_integers_stay_exact(tmp_path_factory, times, data, load, write):
    values = data.draw(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=len(times), max_size=len(times)))
    lines = "".join(f"{time},{value}\n" for time, value in zip(times, values, strict=True))
    trace = load(write(tmp_path_factory.mktemp("exact"), "t,v\n" + lines))
    assert (trace.times.tolist(), trace.values.tolist()) == (times, values)


@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_floats_stay_exact(tmp_path_factory, values, load, write):
    lines = "".join(f"{item},{value!r}\n" for item, value in enumerate(values))
    trace = load(write(tmp_path_factory.mktemp("exact"), "t,v\n0,0.5\n" + lines))
    assert trace.values.dtype == np.float64
    assert trace.values.tolist() == [0.5, *values]


@pytest.mark.parametrize("values", ["1\n2.5", "1e3\n2", ".5\n5.", "9223372036854775808\n1", "-1E-3\n+4"])
def test_values_that_are_not_all_whole_are_floats(tmp_path, values, load, write):
    trace = load(write(tmp_path, "t,v\n" + "".join(f"0,{value}\n" for value in values.split())))
    assert trace.values.dtype == np.float64
    assert trace.values.tolist() == [float(value) for value in values.split()]


@pytest.mark.parametrize(
    ("column", "values"),
    [
        (pa.array([1.5, 2], pa.float32()), [1.5, 2.0]),
        (pa.array([2**63, 1], pa.uint64()), [2.0**63, 1.0]),
        (pa.array([decimal.Decimal("1.25"), decimal.Decimal("-3")]), [1.25, -3.0]),
        (pa.array([True, False]), [1, 0]),
        (pa.array(["7", "8"]), [7, 8]),
        (pa.array(["7", "8.5"]).dictionary_encode(), [7.0, 8.5]),
        (pa.array([2**62 + 1, 3]), [2**62 + 1, 3]),
    ],
)
def test_parquet_value_types(tmp_path, column, values, load, table):
    trace = load(table(tmp_path, t=[1, 2], v=column))
    assert trace.values.tolist() == values
    assert {type(value) for value in trace.values.tolist()} == {type(value) for value in values}


def test_arrival_orders_items_and_leaves_equal_ones_in_file_order(tmp_path, load, write):
    path = write(tmp_path, "t,v,seen\n1,10,7\n2,20,5\n3,30,7\n4,40,-5\n")
    trace = load(path, arrival="seen")
    assert trace.times.tolist() == [4, 2, 1, 3]
    assert trace.values.tolist() == [40, 20, 10, 30]
    assert trace.notes == ("arrival order: that of seen",)
    assert load(path).notes == ("arrival order: that of the file",)


def test_arrival_may_be_written_in_its_own_form(tmp_path, load, write):
    path = write(tmp_path, "t,v,seen\n2013-01-01,10,2\n2013-01-02,20,1\n")
    trace = load(path, arrival="seen", time_format="iso8601", arrival_format="integer", time_unit="day")
    assert trace.times.tolist() == [15707, 15706]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["7", "-3", "7"], [7, -3, 7]),
        (["b", "a", "b"], [0, 1, 0]),
        (["1", "a", "1"], [0, 1, 0]),
        (["1", "01", "1.0"], [0, 1, 2]),
        (["007", "7", "007"], [0, 1, 0]),
        (["007", "7", "a"], [0, 1, 2]),
        (["7", "+7", "-0"], [0, 1, 2]),
        (["7", " 7", "7 "], [0, 1, 2]),
        (["0", "-10", str(2**63 - 1)], [0, -10, 2**63 - 1]),
        (["7", "8", str(2**63)], [0, 1, 2]),
        (["é", "É", "é"], [0, 1, 0]),
    ],
)
def test_keys(tmp_path, keys, expected, load, write, table):
    lines = "".join(f"1,2,{key}\n" for key in keys)
    trace = load(write(tmp_path, "t,v,k\n" + lines), key="k")
    assert trace.keys.dtype == np.int64
    assert trace.keys.tolist() == expected
    assert load(table(tmp_path, t=[1] * 3, v=[2] * 3, k=keys), key="k").hash == trace.hash


def test_keys_follow_their_items_into_arrival_order(tmp_path, load, write):
    path = write(tmp_path, "t,k,seen\n1,x,3\n2,y,2\n3,x,1\n")
    assert load(path, value=None, key="k", arrival="seen").keys.tolist() == [0, 1, 0]
    assert load(path, value="t", key="t", arrival="seen").keys.tolist() == [3, 2, 1]


def test_sequence(tmp_path, load, write):
    trace = load(write(tmp_path, "t,v\n5,1\n4,1\n5,1\n"), ties="sequence", time_unit="s")
    assert trace.times.tolist() == [5 << 20, 4 << 20, (5 << 20) + 1]
    assert (trace.ticks_per_unit, trace.time_unit) == (2**20, "s")


@pytest.mark.parametrize("content", [b"t,v,k\n3,10,a\n1,\xff\n2,30,b\n", b"t,v,k\n3,10,\xe9\n1,\xe9\n2,30,\xe8\n"])
def test_a_record_with_too_few_fields_may_be_no_utf_8(tmp_path, content, load, write, capfd):
    """Arrow gives up at such a record; what is read of the others is the same, and nothing is printed."""
    path = write(tmp_path, content)
    with pytest.raises(ValueError, match=r"line 3: 2 fields where the first line has 3"):
        load(path)
    trace = load(path, on_error="skip", key="k")
    assert (trace.times.tolist(), trace.values.tolist(), trace.skipped) == ([3, 2], [10, 30], 1)
    assert len(set(trace.keys.tolist())) == 2
    assert not capfd.readouterr().err
