"""experiment=make_workload: what it prints and writes, and what it says to wrong input."""

import re

import pytest

MAKE = ["experiment=make_workload", "workload=debs12", "executor=inline", "workload.records=300000"]


def test_a_record_set_is_made_once_and_a_lost_chunk_again(run_py, tmp_path):
    answer = run_py(*MAKE)
    assert answer.code == 0, answer.err
    first, second = answer.out.splitlines()
    folder = re.match(r"(results/records/debs12-[0-9a-f]{16}): 300,000 records, 2 chunks, [\d.]+ MB", first)[1]
    assert re.match(r"chunks: 2 made now, 0 kept from earlier runs, 300,000 records in [\d.]+ s \([\d.]+ mill", second)
    assert answer.err == "2 chunks\n"
    again = run_py(*MAKE)
    assert again.out.splitlines()[1] == "chunks: 0 made now, 2 kept from earlier runs" and again.err == ""
    next((tmp_path / folder).glob("000001-*")).unlink()
    assert "chunks: 1 made now, 1 kept" in run_py("action=make", *MAKE[1:]).out
    assert {path.name for path in tmp_path.iterdir()} == {"results"}


def test_a_dry_run_says_how_large_and_how_long_and_keeps_nothing(run_py, tmp_path):
    answer = run_py(*MAKE, "workload.records=100000000", "dry_run=true")
    assert answer.code == 0, answer.err
    size, rate = answer.out.splitlines()[:2]
    said = r"would make 382 chunks of about 100,\d{3},\d{3} records in all, ([\d,]+) MB, in results/records"
    assert 100 < int(re.fullmatch(said, size)[1].replace(",", "")) < 2_000
    assert re.fullmatch(r"about [\d,.]+ min at [\d.]+ million/s, the rate of 16 chunks; nothing is kept", rate)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    few = run_py(*MAKE, "dry_run=true")
    assert few.code == 0 and few.out.startswith("would make 2 chunks of about 300,000 records in all, ")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["workload=distance"], "workload=distance needs window and distances: give, say, window=4096 distances=[16]"),
        (["workload=distance", "window=8", "distances=[0,1]"], "distances is [0, 1]; a record set has one distance"),
        (["workload=distance", "window=8", "distances=[9]"], "distance is 9; it must be from 0 to 8"),
        (["workload=file", "workload.time=t"], "workload=file needs workload.path: give workload.path=..."),
        (["workload=file", "workload.path=no.csv", "workload.time=t"], "no.csv does not exist; give the path of a CSV"),
        (["workload.path=a.txt"], "a.txt does not exist; give the path of a CSV or Parquet file"),
        (["workload.records=0"], "records is 0; it must be from 1 to 1099511627776"),
        (["workload.folder=/dev/null/a"], "Not a directory"),
        (["dry_run=3"], "dry_run is 3; it must be true or false"),
        (["executor=spark", "executor.master=here"], "executor.master is 'here'; it must be such as local"),
    ],
)
def test_what_cannot_be_made_is_said(run_py, tmp_path, given, message):
    kept = MAKE[:3] if not given[0].startswith("workload=") else [MAKE[0], MAKE[2]]
    answer = run_py(*kept, *given)
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert message in answer.err
    assert not list(tmp_path.iterdir())


def test_every_workload_is_made_and_found_again(run_py, tmp_path):
    (tmp_path / "trips.csv").write_text("t,v\n3,1\n1,2\n", encoding="utf-8")
    (tmp_path / "cars.txt").write_text("0,0,7,62,1,2,0,3,16000\n", encoding="utf-8")
    for name, settings, count in [
        ("distance", ["window=100", "distances=[3]", "workload.items=300000"], "300,000 records, 2 chunks"),
        ("delay", ["workload.items=600000"], "600,000 records, 2 chunks"),
        ("memory_usage", ["workload.records=260000"], "260,000 records, 2 chunks"),
        ("flights", [], "328,521 records, 2 chunks"),
        ("linear_road", ["workload.path=cars.txt"], "1 records, 1 chunk"),
        ("file", ["workload.path=trips.csv", "workload.time=t", "workload.value=v"], "2 records, 1 chunk"),
    ]:
        given = [MAKE[0], MAKE[2], f"workload={name}", *settings]
        answer = run_py(*given)
        assert answer.code == 0, answer.err
        assert re.match(rf"results/records/{name}-[0-9a-f]{{16}}: {count}, ", answer.out)
        assert re.search(
            r"\d+ kept from earlier runs, [\d,]+ records in .*/s\), [\d.]+ s with start and end\n", answer.out
        )
        assert "chunks: 0 made now" in run_py(*given).out


def test_statistics_are_shown_beside_the_documented_ones(run_py):
    answer = run_py("action=workload", "workload=debs12", "workload.records=10000")
    assert answer.code == 0, answer.err
    assert re.search(r"  mf01 median +13,049 documented, +1\d,\d{3} here\n", answer.out)
