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


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["workload=flights"], "workload flights has no record set to make: give workload=debs12"),
        (["workload.path=a.txt"], "path is 'a.txt'; a record set is made of synthetic records only: leave path out"),
        (["workload.records=0"], "records is 0; it must be from 1 to 1099511627776"),
        (["workload.folder=/dev/null/a"], "Not a directory"),
        (["executor=spark", "executor.master=here"], "executor.master is 'here'; it must be such as local"),
    ],
)
def test_what_cannot_be_made_is_said(run_py, tmp_path, given, message):
    answer = run_py(*MAKE[:3], *given)
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert message in answer.err
    assert not list(tmp_path.iterdir())


def test_statistics_are_shown_beside_the_documented_ones(run_py):
    answer = run_py("action=workload", "workload=debs12", "workload.records=10000")
    assert answer.code == 0, answer.err
    assert re.search(r"  mf01 median +13,049 documented, +1\d,\d{3} here\n", answer.out)
