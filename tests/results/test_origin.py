"""Which rows of a cell count, where it has some of other code, another trace or another machine."""

import pandas as pd

from results.origin import of_one_origin

CELL, OTHER = "0123456789abcdef", "fedcba9876543210"


def counted(rows, codes=None):
    """The values of the rows that count, in their order."""
    return list(of_one_origin(pd.DataFrame(rows), codes)["value"])


def test_the_newest_origin_of_each_cell_counts(make_row):
    rows = [
        make_row(3, value=1.0, repetition=1),
        make_row(0, value=2.0, code_hash="older"),
        make_row(2, value=3.0),
        make_row(1, value=4.0, machine="m0"),
        make_row(1, value=5.0, trace_hash="other"),
        make_row(0, value=6.0, cell=OTHER, code_hash="older"),
    ]
    assert counted(rows) == [6.0, 3.0, 1.0]


def test_rows_of_todays_code_count_even_if_others_are_newer(make_row):
    rows = [
        make_row(0, value=1.0, code_hash="today"),
        make_row(2, value=2.0, code_hash="taken back"),
        make_row(1, value=3.0, code_hash="today", machine="m2"),
        make_row(0, value=4.0, cell=OTHER, code_hash="older"),
        make_row(1, value=5.0, cell=OTHER, code_hash="newer"),
    ]
    assert counted(rows, {CELL: "today", OTHER: "today"}) == [3.0, 5.0]
    assert counted(rows, {CELL: "never measured"}) == [5.0, 2.0]
    assert counted(rows, {OTHER: "older"}) == [4.0, 2.0]


def test_no_rows_are_no_rows(make_row):
    assert of_one_origin(pd.DataFrame([make_row()]).iloc[:0], {CELL: "today"}).empty
