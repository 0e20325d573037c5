"""Bad files and bad records: what is said, where, and what is left when they are skipped."""

import gzip

import pyarrow as pa
import pytest

GOOD = "t,v,k\n1,10,a\n2,20,b\n"

RECORDS = {
    "no-number": ("3,x,c", "field 'v' is 'x', not a finite number"),
    "empty-value": ("3,,c", "field 'v' is empty; a finite number is needed"),
    "blank-value": ("3,  ,c", "field 'v' is '  ', not a finite number"),
    "nan": ("3,nan,c", "field 'v' is 'nan', not a finite number"),
    "infinite": ("3,-inf,c", "field 'v' is '-inf', not a finite number"),
    "too-large": ("3,1e999,c", "field 'v' is '1e999', not a finite number"),
    "not-available": ("3,NA,c", "field 'v' is 'NA', not a finite number"),
    "hexadecimal": ("3,0x10,c", "field 'v' is '0x10', not a finite number"),
    "comma-decimal": ('3,"1,5",c', "field 'v' is '1,5', not a finite number"),
    "empty-time": (",30,c", "field 't' is empty; a whole number between -2\\^62 and 2\\^62"),
    "fraction-time": ("3.5,30,c", "field 't' is '3.5', not a whole number between -2\\^62 and 2\\^62 .time_format=int"),
    "least-time": ("-9223372036854775808,30,c", "field 't' is '-9223372036854775808', not a whole number between"),
    "last-time": ("9223372036854775806,30,c", "field 't' is '9223372036854775806', not a whole number between"),
    "far-time": ("4611686018427387904,30,c", "field 't' is '4611686018427387904', not a whole number between"),
    "huge-time": ("9223372036854775808,30,c", "field 't' is '9223372036854775808', not a whole number"),
    "endless-time": ("9" * 5000 + ",30,c", "field 't' is '9{59}[.]{3}, not a whole number"),
    "not-utf-8": (b"\xff3,30,c", "field 't' is '\ufffd3', not a whole number"),
    "empty-key": ("3,30,", "field 'k' is empty; a key is needed"),
    "time-before-value": ("x,y,", "field 't' is 'x'"),
    "few-fields": ("3,30", "2 fields where the first line has 3"),
    "one-field": ("3", "1 field where the first line has 3"),
    "many-fields": ("3,30,c,", "4 fields where the first line has 3"),
}


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("kind", RECORDS)
def test_a_bad_record_is_placed_and_described(tmp_path, kind, ending, load, write):
    record, message = RECORDS[kind]
    record = record if isinstance(record, bytes) else record.encode()
    lines = [*GOOD.encode().split(b"\n")[:-1], record, b"4,40,d", b""]
    path = write(tmp_path, ending.encode().join(lines))
    with pytest.raises(ValueError, match=rf"trips.csv, line 4: {message}.*on_error=skip"):
        load(path, key="k")
    trace = load(path, key="k", on_error="skip")
    assert (trace.times.tolist(), trace.values.tolist()) == ([1, 2, 4], [10, 20, 40])
    assert trace.skipped == 1
    assert trace.notes[1].startswith("1 bad record left out; the first, line 4: ")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("\n\nt,v\n\n1,1\n\n\nx,1\n", 8),
        ('t,v\n1,1\n"x\ny\nz",1\n', 3),
        ('t,v,w\n1,1,"a\nb\nc"\nx,1,\n', 5),
        ("t,v\n1\n1,2,3\n1,1\nx,1\n", 2),
        ("t,v\nx,1\n1\n", 2),
        ("\ufefft,v\r\n\r\n1,1\r\nx,1", 4),
        ('t,v\n1,1\n"2,1\n3,1\n', 3),
        ('t,v\n1,1\n"2,1\n' + "3,1\n" * 50_000, 3),
    ],
    ids=["blank", "several-lines", "after-several-lines", "short-first", "bad-first", "bom", "open", "open-long"],
)
def test_lines_are_counted_as_an_editor_shows_them(tmp_path, content, line, load, write):
    with pytest.raises(ValueError, match=f"line {line}: "):
        load(write(tmp_path, content))


def test_lines_after_left_out_records_are_right(tmp_path, load, write):
    """A short record is left out before values are looked at; the numbers of later records must not shift."""
    path = write(tmp_path, "t,v\n1\nx,1\n5\n6\n7,1\ny,1\n")
    trace = load(path, on_error="skip")
    assert (trace.times.tolist(), trace.skipped) == ([7], 5)
    from workloads.reading.records import read

    records, _ = read(str(path), ["t"], ",", True)
    assert [records.place(records.number(index)) for index in range(3)] == ["line 3", "line 6", "line 7"]


def test_lines_without_a_header(tmp_path, load, write):
    with pytest.raises(ValueError, match="line 2: field '1' is 'x'"):
        load(write(tmp_path, "1,1\nx,1\n"), time=1, value=2, header=False)


def test_lines_in_a_compressed_file(tmp_path, load, write):
    with pytest.raises(ValueError, match="line 3: field 't' is 'x'"):
        load(write(tmp_path, gzip.compress(b"t,v\n1,1\nx,1\n"), "trips.csv.gz"))


@pytest.mark.parametrize(
    "word", ["now", "Today", "", "NaT", "2012-13-01", "2012-02-30", "12:00", "2012-02-22T16:46:60Z"]
)
def test_bad_timestamps(tmp_path, word, load, write):
    with pytest.raises(ValueError, match=r"line 3: field 't' is .*time_format=iso8601"):
        load(write(tmp_path, f"t,v\n2012-02-22,1\n{word},1\n"), time_format="iso8601")
    with pytest.raises(ValueError, match=r"line 3: field 't' is .*a time like the pattern %Y-%m-%d"):
        load(write(tmp_path, f"t,v\n2012-02-22,1\n{word},1\n"), time_format="%Y-%m-%d")


@pytest.mark.parametrize("word", ["1e13", "-1e300", "nan", "inf", "soon"])
def test_bad_seconds(tmp_path, word, load, write):
    with pytest.raises(ValueError, match=f"line 3: field 't' is '{word}', not a finite number of seconds"):
        load(write(tmp_path, f"t,v\n1,1\n{word},1\n"), time_format="seconds")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"v": pa.array([1.0, None])}, "field 'v' is empty"),
        ({"v": pa.array([1.0, float("nan")])}, "field 'v' is nan, not a finite number"),
        ({"v": pa.array([1.0, float("inf")])}, "field 'v' is inf"),
        ({"v": pa.array([1, None])}, "field 'v' is empty"),
        ({"v": pa.array(["1", "one"])}, "field 'v' is 'one'"),
        ({"t": pa.array([1, None])}, "field 't' is empty"),
        ({"t": pa.array([1, 2**63], pa.uint64())}, "field 't' is 9223372036854775808, not a whole number between"),
        ({"t": pa.array([1, -(2**63)])}, "field 't' is -9223372036854775808, not a whole number between -2"),
        ({"t": pa.array([1, -(2**62)])}, "field 't' is -4611686018427387904, not a whole number between -2"),
        ({"t": pa.array([1, -(2**63)], pa.timestamp("us"))}, "field 't' is -9223372036854775808, not a timestamp"),
        ({"t": pa.array([1, None], pa.timestamp("ns"))}, "field 't' is empty; a timestamp within"),
        ({"t": pa.array([1, 2**60], pa.int64()), "time_format": "seconds"}, "field 't' is 1152921504606846976"),
        ({"t": pa.array([1, 2**45], pa.timestamp("s"))}, "field 't' is 35184372088832000, not a timestamp within"),
        ({"t": pa.array([1, 2**31 - 1], pa.date32())}, "field 't' is 2147483647, not a timestamp within"),
        ({"t": pa.array([1, -(2**31)], pa.date32())}, "field 't' is -2147483648, not a timestamp within"),
        ({"t": pa.array([1, None], pa.date32())}, "field 't' is empty; a timestamp within"),
        ({"k": pa.array(["a", None]), "key": "k"}, "field 'k' is empty"),
        ({"k": pa.array([5, None]), "key": "k"}, "field 'k' is empty"),
        ({"k": pa.array(["a", ""]), "key": "k"}, "field 'k' is empty"),
        ({"a": pa.array([1, None]), "arrival": "a"}, "field 'a' is empty"),
    ],
)
def test_bad_parquet_records(tmp_path, columns, message, load, table):
    options = {name: columns[name] for name in ("time_format", "key", "arrival") if name in columns}
    data = {"t": [1, 2], "v": [1, 2], **{name: column for name, column in columns.items() if name not in options}}
    path = table(tmp_path, **data)
    with pytest.raises(ValueError, match=f"trips.parquet, row 2: {message}"):
        load(path, **options)
    trace = load(path, on_error="skip", **options)
    assert (len(trace), trace.skipped) == (1, 1)


def test_a_whole_key_stays_whole_when_an_empty_one_is_skipped(tmp_path, load, write):
    path = write(tmp_path, "t,v,k\n1,1,70\n1,1,\n1,1,80\n")
    assert load(path, key="k", on_error="skip").keys.tolist() == [70, 80]


def test_a_bad_value_does_not_make_whole_numbers_floats(tmp_path, load, write):
    path = write(tmp_path, f"t,v\n1,{2**62 + 1}\n2,x\n")
    assert load(path, on_error="skip").values.tolist() == [2**62 + 1]


FILES = {
    "empty": (b"", {}, "trips.csv is empty"),
    "blank": (b"\n\r\n\n", {}, "trips.csv is empty"),
    "header-only": (b"t,v\n", {}, "trips.csv is empty"),
    "utf-16": ("t,v\n1,1\n".encode("utf-16"), {}, "trips.csv is UTF-16 text; save it as UTF-8"),
    "all-bad": (b"t,v\nx,1\n1,y\n", {"on_error": "skip"}, "no good record; the first, line 2: field 't' is 'x'"),
    "all-short": (b"t,v\n\n1\n2\n", {"on_error": "skip"}, "no good record; the first, line 3: 1 field where"),
    "column": (b"start time,v\n1,1\n", {"time": "starttime"}, "column of .* 'starttime'; did you mean start time"),
    "case": (b"Time,v\n1,1\n", {"time": "time"}, "did you mean Time"),
    "delimiter": (b"t;v\n1;1\n", {}, "with delimiter ',', but its first line looks separated by ';'"),
    "number": (b"t,v\n1,1\n", {"value": 3}, "column 3 of .* must be a column's name or a number from 1 to 2"),
    "zero": (b"t,v\n1,1\n", {"value": 0}, "column 0 of "),
    "name-without-header": (b"1,1\n", {"header": False}, "column 't' of .* a number from 1 to 2"),
    "twice": (b"t,v,v\n1,1,2\n", {}, "2 columns named 'v'; give them different names"),
    "false-parquet": (b"PAR1 and no more", {}, "not a readable Parquet file"),
}


@pytest.mark.parametrize("kind", FILES)
def test_bad_files(tmp_path, kind, load, write):
    content, options, message = FILES[kind]
    with pytest.raises(ValueError, match=message) as error:
        load(write(tmp_path, content), **options)
    assert str(tmp_path / "trips.csv") in str(error.value)


BINARY = b"\x7fELF\x02\x00\x1b]0;owned\x07\x1b[31m\xc2\x9b" + bytes(range(14, 32)) * 20


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (BINARY + b"\n1\n", {}, r"there are: \\x7fELF\\x02\\x00\\x1b\]0;owned\\x07\\x1b\[31m\\x9b\\x0e.*\.\.\.$"),
        (b"t,v\n1,2,\x1b[31m\n1,x\n", {}, "line 2: 3 fields where"),
        (b"t,v\n" + BINARY + b",1\n", {}, r"line 2: field 't' is '\\x7fELF"),
        (b"1\n" + b"2" * 70 + BINARY, {"header": False, "time": 1, "value": 1}, "not readable .* straddling|line 2: "),
    ],
)
def test_bytes_of_a_file_are_shown_escaped_and_shortened(tmp_path, monkeypatch, content, options, message, load, write):
    monkeypatch.setattr("workloads.reading.delimited.BLOCK", 1 << 10)
    with pytest.raises(ValueError, match=message) as error:
        load(write(tmp_path, content), **options)
    assert str(error.value).isprintable() and len(str(error.value)) < 500


def test_a_record_longer_than_a_block(tmp_path, monkeypatch, load, write):
    monkeypatch.setattr("workloads.reading.delimited.BLOCK", 64)
    with pytest.raises(ValueError, match="trips.csv is not readable as delimited text: straddling object"):
        load(write(tmp_path, f"t,v\n1,1\n2,{'3' * 500}\n4,4\n"))


def test_damaged_compression(tmp_path, load, write):
    whole = gzip.compress(b"t,v\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(9999)))
    for packed in (whole[:-100], b"t,v\n1,1\n"):
        with pytest.raises(ValueError, match="trips.csv.gz is not readable as delimited text"):
            load(write(tmp_path, packed, "trips.csv.gz"))


def test_a_first_record_with_an_endless_field(tmp_path, load, write):
    with pytest.raises(ValueError, match="trips.csv is not readable as delimited text: field larger than field limit"):
        load(write(tmp_path, f"t,v,{'x' * 17_000_000}\n1,1,1\n"))


def test_a_long_field_does_not_hide_the_line_of_a_bad_record_behind_it(tmp_path, load, write):
    long = "x" * 140_000
    with pytest.raises(ValueError, match="trips.csv, line 4: field 't' is 'z'"):
        load(write(tmp_path, f"t,v,{long}\n1,1,{long}\n2,2,a\nz,3,b\n"))


def test_missing_file_and_folder(tmp_path, load):
    with pytest.raises(FileNotFoundError, match="nowhere.csv does not exist"):
        load(tmp_path / "nowhere.csv")
    with pytest.raises(ValueError, match="is a folder; give one CSV or Parquet file"):
        load(tmp_path)


def test_empty_parquet_and_missing_column(tmp_path, load, table):
    with pytest.raises(ValueError, match="trips.parquet is empty"):
        load(table(tmp_path, t=pa.array([], pa.int64()), v=pa.array([], pa.int64())))
    with pytest.raises(ValueError, match="unknown column of .*trips.parquet 't'; there are: time, value"):
        load(table(tmp_path, time=[1], value=[2]))


@pytest.mark.parametrize("delimiter", ["", ";;", '"', "\n", "§"])
def test_impossible_delimiters(tmp_path, delimiter, load, write):
    with pytest.raises(ValueError, match="it must be one ASCII character"):
        load(write(tmp_path, GOOD), delimiter=delimiter)


def test_on_error_is_one_of_two(tmp_path, load, write):
    with pytest.raises(ValueError, match="unknown on_error 'ignore'; there are: fail, skip"):
        load(write(tmp_path, GOOD), on_error="ignore")
