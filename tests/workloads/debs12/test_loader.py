"""The real text files, with 66 or 56 columns, and Parquet with the same columns: what is read, and what is said."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workloads import make, record_sets, workload
from workloads.debs12 import loader
from workloads.debs12.generator import Equipment

pytestmark = pytest.mark.smoke

STAMPS = ["2012-02-22T16:46:28.9670320+00:00", "2012-02-22T17:46:28.9770321+01:00", "2012-02-22T16:46:28.987+00:00"]
FIRST = 1329929188967032000


def line(stamp=STAMPS[0], index="000001", energy=("013049", "014368", "008094"), states="0" * 54, rest=7):
    return "\t".join([stamp, index, *energy, *["0071"] * rest, *states])


def text(*lines, ending="\n"):
    return "".join(one + ending for one in lines)


@pytest.fixture
def debs(tmp_path):
    """debs(content, **parameters): the workload of a file with that content."""

    def made(content, name="sensors.txt", **parameters):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return workload({"name": "debs12", "path": str(path), **parameters})

    return made


@pytest.mark.parametrize("states", [54, 44, 1])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_text_file_is_read_in_its_own_width(debs, states, ending):
    shown = ["0" * states, "1" + "0" * (states - 1), "1" * states]
    lines = [
        line(stamp, energy=(f"{n}", "00014368", "-5"), states=s) for n, (stamp, s) in enumerate(zip(STAMPS, shown))
    ]
    made = debs(text(*lines, ending=ending), time_unit="ns", value="mf01")
    assert made.trace().times.tolist() == [FIRST, FIRST + 10_000_100, FIRST + 19_968_000]
    assert made.trace().values.tolist() == [0, 1, 2]
    transitions = [places.tolist() for places in made.transitions()]
    assert transitions == [[1], *[[2]] * (states - 1), *[[]] * (54 - states)]


def test_means_units_and_compression(debs):
    content = gzip.compress(text(line(), line(STAMPS[1], energy=("1", "2", "4"))).encode())
    trace = debs(content, "sensors.txt.gz").trace()
    assert trace.values.tolist() == [(13049 + 14368 + 8094) / 3, 7 / 3]
    assert (trace.times.tolist(), trace.time_unit) == ([FIRST // 10**6, FIRST // 10**6 + 10], "ms")
    assert trace.notes == ("recorded data, in the file's order",)


def test_a_record_set_of_a_file_is_read_instead_of_it(debs, tmp_path, monkeypatch):
    shown = ["0" * 54, "x" + "1" * 53, "1" * 54]
    lines = [line(stamp, energy=(f"{n}", "5", "6"), states=s) for n, (stamp, s) in enumerate(zip(STAMPS, shown))]
    made = debs(text(*lines, "bad"), on_error="skip", folder=str(tmp_path / "sets"), value="mf01")
    trace, transitions, facts = made.trace(), made.transitions(), made.calibration()
    manifest = record_sets.make(made.record_set(), tmp_path / "sets")
    assert manifest.parameters.keys() == {"on_error", "content"}
    monkeypatch.setattr(loader, "read", lambda *_: pytest.fail("read"))
    again = made.trace()
    assert (again.hash, again.skipped, again.notes) == (trace.hash, 1, trace.notes)
    assert list(map(list, made.transitions())) == list(map(list, transitions)) and made.calibration() == facts


def test_a_file_without_states_has_a_record_set_without_them(debs, tmp_path):
    made = debs(text(line(states=""), line(STAMPS[1], states="")), folder=str(tmp_path / "sets"))
    manifest = record_sets.make(made.record_set(), tmp_path / "sets")
    assert manifest.facts["columns"] == ["ts", "mf01", "mf02", "mf03"] and len(made.trace()) == 2
    with pytest.raises(ValueError, match="has no states"):
        made.transitions()


def test_a_quote_is_a_character_like_any_other(debs):
    lines = [line(index='"x'), line(states='"' + "0" * 53), line(STAMPS[2], states="1" * 54)]
    made = debs(text(*lines), on_error="skip")
    assert (len(made.trace()), made.trace().skipped) == (3, 0)
    assert [places.tolist() for places in made.transitions()] == [[2]] * 54
    with pytest.raises(ValueError, match="line 2: field '13' is"):
        debs(text(*lines)).transitions()


def test_the_mean_of_large_measures(debs):
    trace = debs(text(line(energy=(str(2**62),) * 3))).trace()
    assert trace.values.tolist() == [2.0**62]
    assert debs(text(line(energy=(str(2**62 + 1),) * 3)), value="mf02").trace().values.tolist() == [2**62 + 1]


def test_without_states_there_are_values_but_no_transitions(debs):
    made = debs(text(line(states="")))
    assert len(made.trace()) == 1
    with pytest.raises(ValueError, match="sensors.txt has no states: its 12 columns are those before the states"):
        made.transitions()


RECORDS = {
    "time": (line("yesterday"), "field 'ts' is 'yesterday', not a time like 2012-02-22T16:46:28"),
    "no-time": (line(""), "field 'ts' is empty; a time like"),
    "leap": (line("2012-02-30T00:00:00+00:00"), "field 'ts' is '2012-02-30T00:00:00.00:00', not a time"),
    "far": (line("2999-02-22T00:00:00+00:00"), "field 'ts' is '2999-02-22T00:00:00.00:00', not a time"),
    "energy": (line(energy=("1", "1.5", "3")), "field 'mf02' is '1.5', not a whole number"),
    "no-energy": (line(energy=("1", "2", "")), "field 'mf03' is empty"),
    "early": (
        line("2012-02-22T16:46:28.9660320+00:00"),
        "field 'ts' is '2012-.*', not a time that is not before an ear",
    ),
    "quote": (line(energy=('"1', "2", "3")), "field 'mf01' is '\"1', not a whole number"),
    "short": (line(states="0" * 53), "65 fields where the first line has 66"),
}


@pytest.mark.parametrize("kind", RECORDS)
def test_a_bad_record_is_placed_and_described_or_skipped(debs, kind):
    record, message = RECORDS[kind]
    content = text(line(), record, line(STAMPS[2], states="1" * 54))
    for read in (lambda made: made.trace(), lambda made: made.transitions()):
        with pytest.raises(ValueError, match=rf"sensors.txt, line 2: {message}.*on_error=skip leaves bad records out"):
            read(debs(content))
    made = debs(content, on_error="skip")
    assert (len(made.trace()), made.trace().skipped) == (2, 1)
    assert made.trace().notes[1].startswith("1 bad record left out; the first, line 2: ")
    assert [places.tolist() for places in made.transitions()] == [[1]] * 54


@pytest.mark.parametrize("bad", ["2", "x", "", "-1", "01x"])
def test_a_bad_state_is_placed_or_taken_as_unchanged(debs, bad):
    states = ["0", "1", bad, "1"]
    lines = [line(states=[*"00", state, *"0" * 51]) for state in states]
    with pytest.raises(ValueError, match=r"line 3: field '15' is .*0 or 1.*; on_error=skip takes a bad state as unch"):
        debs(text(*lines)).transitions()
    assert len(debs(text(*lines)).trace()) == 4
    transitions = debs(text(*lines), on_error="skip").transitions()
    assert transitions[2].tolist() == [1] and sum(map(len, transitions)) == 1


FILES = {
    "empty": ("", "sensors.txt is empty"),
    "narrow": ("a\tb\n", "has 2 tab-separated columns; DEBS 2012 files have 66, or fewer states and at least 12: ts,"),
    "wide": (line(states="0" * 55) + "\n", "has 67 tab-separated columns; DEBS 2012 files have 66"),
    "commas": (line().replace("\t", ",") + "\n", "its first line looks separated by ','"),
    "header": ("\t".join(["ts", *["c"] * 65]) + "\n" + line() + "\n", "line 1: field 'ts' is 'ts', not a time"),
    "utf-16": (line().encode("utf-16"), "is UTF-16 text"),
}


@pytest.mark.parametrize("kind", FILES)
def test_bad_files(debs, kind):
    content, message = FILES[kind]
    with pytest.raises(ValueError, match=message):
        debs(content).trace()


def test_nothing_good_and_nothing_there(debs, tmp_path):
    with pytest.raises(ValueError, match="has no good record; the first, line 1: field 'ts'"):
        debs(text(line("x")), on_error="skip").trace()
    with pytest.raises(FileNotFoundError, match="nowhere does not exist"):
        make({"name": "debs12", "path": str(tmp_path / "nowhere")})


def test_many_state_columns_are_read_a_few_at_a_time(debs):
    draw = np.random.default_rng(0).integers(0, 2, (20, 54))
    made = debs(text(*(line(states="".join(map(str, row))) for row in draw)))
    for state, places in enumerate(made.transitions()):
        assert places.tolist() == (np.flatnonzero(np.diff(draw[:, state])) + 1).tolist()


def parquet(path, columns):
    pq.write_table(pa.table(columns), path)
    return {"name": "debs12", "path": str(path)}


def test_a_chunk_as_parquet_gives_what_was_generated(tmp_path):
    equipment = Equipment(5000, 3)
    settings = parquet(tmp_path / "a.parquet", equipment.chunk(0))
    generated = {"name": "debs12", "records": 5000, "seed": 3, "folder": "none"}
    for unit in ("ns", "ms"):
        assert make({**settings, "time_unit": unit}).hash == make({**generated, "time_unit": unit}).hash
    pairs = zip(workload(settings).transitions(), workload(generated).transitions(), strict=True)
    assert all(np.array_equal(one, other) for one, other in pairs)


@pytest.mark.parametrize("times", [[5, 6], pa.array([5, 6], pa.timestamp("ns")), pa.array([5, 6], pa.int32())])
def test_parquet_times_may_be_timestamps_or_nanoseconds(tmp_path, times):
    settings = parquet(tmp_path / "a.parquet", {"ts": times, "mf01": [1, 2], "mf02": [1, 2], "mf03": [1, 2]})
    assert make({**settings, "time_unit": "ns"}).times.tolist() == [5, 6]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ts": [1.5, 2.5]}, "field 'ts' has type double; a time like 2012-02-22T16:46:28"),
        ({"mf02": [1.5, 2.5]}, "field 'mf02' has type double; a whole number"),
        ({"mf02": pa.array([1, None])}, "row 2: field 'mf02' is empty"),
        ({"ts": [5, 2**62]}, "row 2: field 'ts' is 4611686018427387904, not nanoseconds since 1970 within [+]-2"),
        ({"ts": [-(2**63), 5]}, "row 1: field 'ts' is -9223372036854775808, not nanoseconds since 1970 within"),
        ({"ts": [6, 5]}, "row 2: field 'ts' is 5, not a time that is not before an earlier one"),
        ({"mf03": None}, "unknown column of .* 'mf03'; did you mean mf0"),
    ],
)
def test_bad_parquet(tmp_path, changes, message):
    columns = {"ts": [5, 6], "mf01": [1, 2], "mf02": [1, 2], "mf03": [1, 2], **changes}
    settings = parquet(tmp_path / "a.parquet", {name: column for name, column in columns.items() if column is not None})
    with pytest.raises(ValueError, match=message):
        make(settings)


@pytest.mark.parametrize("states", [-1, 1 << 54, 1 << 60])
def test_parquet_states_of_more_than_54_bits(tmp_path, states):
    columns = {"ts": [5, 6], "mf01": [1, 2], "mf02": [1, 2], "mf03": [1, 2], "states": [1, states]}
    settings = parquet(tmp_path / "a.parquet", columns)
    with pytest.raises(ValueError, match=f"row 2: field 'states' is {states}, not a bit for each of 54 states"):
        workload(settings).transitions()
    assert sum(map(len, workload({**settings, "on_error": "skip"}).transitions())) == 0
