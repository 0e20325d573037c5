"""Paths to columns and to keys of JSON columns, and the text by which values are compared and ordered."""

import pandas as pd
import pytest

from plots.columns import FigureError, check_path, column, in_order, matches, text, texts


@pytest.fixture
def rows():
    parameters = ['{"slide":4,"store":"lazy"}', '{"slide":"n/4"}', "{}"]
    return pd.DataFrame({"parameters": parameters, "window": pd.array([8, None, 2**20], dtype="Int64")})


def test_a_path_reads_a_column_or_a_key_of_it(rows):
    assert list(column(rows, "parameters.slide")) == [4, "n/4", None]
    assert list(texts(rows, "parameters.slide")) == ["4", "n/4", ""]
    assert list(texts(rows, "window")) == ["8", "", "1048576"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("operators", "x is 'operators'; did you mean 'operator'"),
        ("parameter.slide", "x is 'parameter'; did you mean 'parameters'"),
        ("operator.name", "only parameters, workload_parameters, .* have keys, written COLUMN.KEY"),
        ("facts.", "x is 'facts.'"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(path, words):
    with pytest.raises(FigureError, match=words):
        check_path("x", path)


@pytest.mark.parametrize(
    ("value", "written"),
    [(4, "4"), (4.0, "4"), (0.5, "0.5"), (True, "true"), (None, ""), (float("nan"), ""), (float("inf"), "inf")],
)
def test_values_are_written_as_in_configuration(value, written):
    assert text(value) == written


def test_rows_match_values_lists_and_what_is_missing(rows):
    assert list(matches(rows, {"parameters.slide": 4.0})) == [True, False, False]
    assert list(matches(rows, {"parameters.slide": ["n/4", 4], "window": 8})) == [True, False, False]
    assert list(matches(rows, {"parameters.store": None})) == [False, True, True]
    assert list(matches(rows, {})) == [True] * 3


def test_given_values_come_first_then_numbers_by_size_then_texts():
    assert in_order(["n", "64", "4", "inf", "n/4", "4"], ["n/4", "1"]) == ["n/4", "1", "4", "64", "inf", "n"]
    goals = ["m<=10MB", "m<=1.4MB", "l<=2ms", "m<=1MB", "m<=0.7MB"]
    assert in_order(goals) == ["l<=2ms", "m<=0.7MB", "m<=1MB", "m<=1.4MB", "m<=10MB"]
