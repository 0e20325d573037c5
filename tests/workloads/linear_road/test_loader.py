"""Linear Road files of 15 and 9 columns, text and Parquet: what is read, and what is said."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workloads import make, record_sets, workload
from workloads.linear_road import export, loader
from workloads.linear_road.layout import COLUMNS

REST = ",-1,-1,-1,-1,-1,-1"
FIRST = "0,0,7,62,1,2,0,3,16000"
SECOND = "0,30,7,0,1,2,0,3,17364"
QUERY = "2,30,7,-1,-1,-1,-1,-1,-1,5,-1,-1,-1,-1,-1"
THIRD = "0,61,9,100,0,4,1,99,527999"
GENERATED = {"name": "linear_road", "records": 3_000, "expressways": 2, "seconds": 1_300, "folder": "none"}


def text(*lines, ending="\n"):
    return "".join(one + ending for one in lines)


@pytest.fixture
def road(tmp_path, write):
    """road(content, **parameters): the workload of a file with that content."""

    def made(content, name="cars.txt", **parameters):
        return workload({"name": "linear_road", "path": str(write(tmp_path, content, name)), **parameters})

    return made


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("wide", [True, False])
def test_a_text_file_is_read_in_its_own_width(road, wide, ending):
    lines = [FIRST + REST, SECOND + REST, QUERY, THIRD + REST]
    lines = lines if wide else [",".join(one.split(",")[:9]) for one in lines]
    made = road(text(*lines, ending=ending))
    trace = made.trace()
    assert (trace.times.tolist(), trace.values.tolist()) == ([0, 30, 61], [62, 0, 100])
    assert trace.keys.tolist() == [(1 << 32) + 7, (1 << 32) + 7, 9]
    assert trace.notes == ("recorded data, in the file's order",)
    [tuples] = made.tuples()
    assert list(tuples) == list(COLUMNS if wide else COLUMNS[:9])
    assert tuples["Pos"].tolist() == [16000, 17364, -1, 527999]
    if wide:
        assert tuples["QID"].tolist() == [-1, -1, 5, -1]
    else:
        with pytest.raises(ValueError, match="has nine columns, and QID is none of them: Type, Time"):
            made.tuples(("Type", "QID"))


@pytest.mark.parametrize("wide", [True, False])
def test_a_record_set_of_a_file_is_read_instead_of_it(road, tmp_path, monkeypatch, wide):
    lines = [FIRST + REST, "bad", SECOND + REST, QUERY, THIRD + REST]
    lines = lines if wide else [",".join(one.split(",")[:9]) for one in lines]
    given = {"on_error": "skip", "folder": str(tmp_path / "sets")}
    made = road(text(*lines), **given, offset=5)
    trace, tuples = made.trace(), next(made.tuples())
    manifest = record_sets.make(made.record_set(), tmp_path / "sets")
    assert manifest.parameters.keys() == {"on_error", "content"} and manifest.rows == 4
    monkeypatch.setattr(loader, "load", lambda *_: pytest.fail("read"))
    again = road(text(*lines), **given, offset=5)
    assert (again.trace().hash, again.trace().notes) == (trace.hash, trace.notes)
    [found] = again.tuples()
    assert list(found) == list(tuples) and all((found[name] == tuples[name]).all() for name in tuples)
    assert all(found[name].dtype == tuples[name].dtype for name in tuples)


def test_an_offset_is_added_to_the_times_of_a_file(road):
    made = road(text(FIRST, THIRD), offset=10_800)
    assert made.trace().times.tolist() == [10_800, 10_861]
    assert made.trace().notes[-1] == "10,800 s are added to all times"
    late = FIRST.replace("0,0,", f"0,{2**31 - 1},", 1)
    with pytest.raises(ValueError, match="offset is 1; it is added to times up to 2147483647"):
        road(text(late), offset=1).trace()


def test_compressed_text_and_blank_lines(road):
    made = road(gzip.compress(text(FIRST, "", SECOND).encode()), "cars.txt.gz")
    assert made.trace().times.tolist() == [0, 30]


RECORDS = {
    "type": ("1,30,7,0,1,2,0,3,17364", "field 'Type' is '1', not one of the types 0, 2, 3, 4"),
    "no-type": (",30,7,0,1,2,0,3,17364", "field 'Type' is empty; a whole number of 32 bits is needed"),
    "time": ("0,x,7,0,1,2,0,3,17364", "field 'Time' is 'x', not a whole number of 32 bits"),
    "negative": ("0,-1,7,0,1,2,0,3,17364", "field 'Time' is '-1', not a whole number from 0 to 2147483647"),
    "decimal": ("0,30,7,0.5,1,2,0,3,17364", "field 'Spd' is '0.5', not a whole number of 32 bits"),
    "hexadecimal": ("0,0x1F,7,0,1,2,0,3,17364", "field 'Time' is '0x1F', not a whole number of 32 bits"),
    "large": ("0,30,99999999999,0,1,2,0,3,17364", "field 'VID' is '99999999999', not a whole number of 32 bits"),
    "fast": ("0,30,7,101,1,2,0,3,17364", "field 'Spd' is '101', not a whole number from 0 to 100"),
    "lane": ("0,30,7,0,1,5,0,3,17364", "field 'Lane' is '5', not a whole number from 0 to 4"),
    "direction": ("0,30,7,0,1,2,2,3,17364", "field 'Dir' is '2', not a whole number from 0 to 1"),
    "segment": ("0,30,7,0,1,2,0,100,17364", "field 'Seg' is '100', not a whole number from 0 to 99"),
    "position": ("0,30,7,0,1,2,0,3,528000", "field 'Pos' is '528000', not a whole number from 0 to 527999"),
    "road": ("0,30,7,0,-1,2,0,3,17364", "field 'XWay' is '-1', not a whole number from 0"),
    "query": ("2,30,-1,-1,-1,-1,-1,-1,-1", "field 'VID' is '-1', not a whole number from 0"),
    "quote": ('0,30,"7",0,1,2,0,3,17364', "field 'VID' is '\"7\"', not a whole number"),
    "short": ("0,30,7,0,1,2,0,3", "8 fields where the first line has 9"),
}


@pytest.mark.parametrize("kind", RECORDS)
@pytest.mark.parametrize("wide", [True, False])
def test_a_bad_tuple_is_placed_and_described_or_skipped(road, kind, wide):
    bad, message = RECORDS[kind]
    rest = REST if wide else ""
    message = message.replace("8 fields where the first line has 9", "14 fields where .* 15") if wide else message
    content = text(FIRST + rest, bad + rest, THIRD + rest)
    with pytest.raises(ValueError, match=rf"cars.txt, line 2: {message}.*on_error=skip leaves bad records out"):
        road(content).trace()
    trace = road(content, on_error="skip").trace()
    assert trace.times.tolist() == [0, 61] and trace.skipped == 1
    assert trace.notes[1].startswith("1 bad record left out; the first, line 2: ")


def test_times_that_go_back_are_bad_and_those_of_bad_tuples_do_not_count(road):
    bad_and_late = "0,9999,7,101,1,2,0,3,17364"
    with pytest.raises(ValueError, match="line 3: field 'Time' is '29', not a time that is not before an earlier one"):
        road(text(FIRST, SECOND, SECOND.replace("30", "29", 1), THIRD)).trace()
    made = road(text(FIRST, bad_and_late, SECOND, SECOND.replace("30", "29", 1), THIRD), on_error="skip")
    assert made.trace().times.tolist() == [0, 30, 61] and made.trace().skipped == 2
    assert made.trace().notes[1].startswith("2 bad records left out;")


@pytest.mark.parametrize("field", ["Type", "QID", "Day"])
def test_hexadecimal_is_no_whole_number_in_any_block(road, monkeypatch, field):
    monkeypatch.setattr(loader, "BLOCK", 256)
    lines = [FIRST + REST] * 200
    bad = lines[-1].split(",")
    bad[COLUMNS.index(field)] = "0X0"
    with pytest.raises(ValueError, match=f"line 200: field '{field}' is '0X0', not a whole number"):
        road(text(*lines[:-1], ",".join(bad))).trace()


def test_damaged_compression_and_endless_fields_are_said_of_the_file(road):
    short = gzip.compress(text(FIRST, SECOND).encode())
    long = gzip.compress(text(*(FIRST.replace("7", str(vid)) for vid in range(50_000))).encode())
    for packed in (text(FIRST), short[:-12], long[:-100]):
        with pytest.raises(ValueError, match="cars.txt.gz is not readable as delimited text: "):
            road(packed, "cars.txt.gz").trace()
    with pytest.raises(ValueError, match="cars.txt is not readable as delimited text: field larger than field limit"):
        road("7" * 17_000_000 + "\n").trace()


def test_columns_that_do_not_exist_are_named(road):
    for made in (road(text(FIRST + REST)), road(text(FIRST), "narrow.txt"), workload(GENERATED)):
        with pytest.raises(ValueError, match="unknown column 'Spee'; (did you mean Spd|there are)"):
            made.tuples(("Type", "Spee"))


def test_what_queries_ask_is_taken_as_it_is(road):
    made = road(text(FIRST + REST, "3,30,7,50,1,9,9,999,-7,5,1,2,3,4,700", THIRD + REST))
    assert made.trace().times.tolist() == [0, 61] and made.trace().skipped == 0


FILES = {
    "empty": ("", "cars.txt is empty"),
    "narrow": (
        "0,0,7\n",
        r"has 3 comma-separated columns; Linear Road files have 15 or 9, without a header: Type, Time",
    ),
    "tabs": (FIRST.replace(",", "\t") + "\n", r"has 1 comma-separated columns \(read with .* separated by '\\t'\)"),
    "header": (text(",".join(COLUMNS[:9]), FIRST), "line 1: field 'Type' is 'Type', not a whole number"),
    "utf-16": (FIRST.encode("utf-16"), "is UTF-16 text"),
    "queries": (text("2,30,7,-1,-1,-1,-1,-1,-1"), "has no position report; tuples of Type 0 are needed"),
    "all-bad": (text("1" + FIRST[1:]), "Type' is '1'"),
}


@pytest.mark.parametrize("kind", FILES)
def test_bad_files(road, kind):
    content, message = FILES[kind]
    with pytest.raises(ValueError, match=message):
        road(content).trace()


def test_nothing_good_and_nothing_there(road, tmp_path):
    with pytest.raises(ValueError, match="has no good record; the first, line 1: field 'Type'"):
        road(text("1" + FIRST[1:]), on_error="skip").trace()
    with pytest.raises(FileNotFoundError, match="nowhere does not exist"):
        make({"name": "linear_road", "path": str(tmp_path / "nowhere")})


@pytest.mark.parametrize("wide", [True, False])
def test_parquet_is_read_by_the_names_of_its_columns(tmp_path, wide):
    generated = workload(GENERATED)
    parts = list(generated.tuples())
    names = COLUMNS if wide else COLUMNS[:9]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in reversed(names)}
    pq.write_table(pa.table({"more": columns["Pos"], **columns}), tmp_path / "cars.parquet")
    read = workload({"name": "linear_road", "path": str(tmp_path / "cars.parquet")})
    assert read.trace().hash == generated.trace().hash
    assert [list(part) for part in read.tuples()] == [list(names)]


def test_bad_parquet(tmp_path):
    columns = {name: [int(field)] for name, field in zip(COLUMNS, (FIRST + REST).split(","))}
    path = tmp_path / "cars.parquet"
    for change, message in (
        ({"Spd": [101]}, "row 1: field 'Spd' is 101, not a whole number from 0 to 100"),
        ({"Spd": pa.array([None], pa.int64())}, "row 1: field 'Spd' is empty"),
        ({"Spd": [1.5]}, "field 'Spd' has type double; a whole number of 32 bits is needed"),
    ):
        pq.write_table(pa.table({**columns, **change}), path)
        with pytest.raises(ValueError, match=message):
            make({"name": "linear_road", "path": str(path)})
    pq.write_table(pa.table({"Typ": [0], **{name: column for name, column in columns.items() if name != "Type"}}), path)
    with pytest.raises(ValueError, match="unknown column of .*cars.parquet 'Type'; did you mean Typ"):
        make({"name": "linear_road", "path": str(path)})
    pq.write_table(pa.table({name: column for name, column in columns.items() if name not in ("Send", "DOW")}), path)
    with pytest.raises(ValueError, match="has QID, Sinit, TOD, Day but not Send, DOW; .* all 15 columns or just the"):
        make({"name": "linear_road", "path": str(path)})


def test_clean_files_are_read_typed_and_others_as_text_with_the_same_result(monkeypatch, tmp_path):
    path = str(tmp_path / "cars.txt")
    assert export.write(tmp_path / "cars.txt", workload(GENERATED).tuples()) == 3_000
    monkeypatch.setattr(loader, "_sifted", lambda *arguments: pytest.fail("read as text"))
    typed = loader.load(path, "fail")
    monkeypatch.undo()
    monkeypatch.setattr(loader, "_clean", lambda *arguments: None)
    sifted = loader.load(path, "fail")
    assert list(typed.columns) == list(sifted.columns) == list(COLUMNS)
    for name in COLUMNS:
        assert typed.columns[name].dtype == sifted.columns[name].dtype == np.int32
        assert np.array_equal(typed.columns[name], sifted.columns[name])
