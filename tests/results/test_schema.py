"""The row schema: what is accepted, what is refused, and with which words."""

import math
from datetime import UTC, datetime

import numpy as np
import pytest

from results import OK, SCHEMA, STATUSES, RowError, empty_row, validate
from results.schema import COLUMNS, REQUIRED

pytestmark = pytest.mark.smoke


def test_every_column_explains_itself():
    for column in COLUMNS:
        assert SCHEMA.field(column.name).metadata[b"doc"].decode() == column.meaning
        assert len(column.meaning) > 10


def test_an_empty_row_has_the_columns_in_order_and_lacks_only_the_required_ones():
    row = empty_row()
    assert list(row) == SCHEMA.names
    filled = row | {"experiment": "e", "cell": "0" * 16, "metric": "time", "started": datetime.now(UTC)}
    assert validate([filled | {"status": OK, "value": 1.0}]).num_rows == 1
    for name in REQUIRED:
        with pytest.raises(RowError, match=f"{name} is None"):
            validate([filled | {"status": OK, "value": 1.0, name: None}])


def test_rows_survive_exactly(make_row):
    row = make_row(window=2**62 + 1, distance=None, samples=[1.0, 2.5], checksum=2**60 + 1)
    table = validate([row, make_row()])
    assert table.schema.equals(SCHEMA)
    back = table.to_pylist()[0]
    assert back["window"] == 2**62 + 1
    assert back == row | {"checksum": float(2**60 + 1)}


def test_numpy_numbers_are_numbers(make_row):
    row = make_row(window=np.int64(7), value=np.float64(1.5), samples=np.array([3.0, 4.0]), repetition=np.int32(2))
    back = validate([row]).to_pylist()[0]
    assert (back["window"], back["value"], back["samples"], back["repetition"]) == (7, 1.5, [3.0, 4.0], 2)


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("status", "fine", "status is 'fine'; it must be one of ok, failed"),
        ("window", 1.5, "window is 1.5; it must be an integer"),
        ("window", True, "window is True"),
        ("window", 2**63, "window is 9223372036854775808"),
        ("repetition", 2**31, "repetition is 2147483648"),
        ("repetition", -1, "numbered from 0"),
        ("operator", None, "operator is None; it must be given"),
        ("operator", 3, "operator is 3"),
        ("value", "fast", "value is 'fast'"),
        ("value", math.nan, "must be finite"),
        ("value", None, "value and samples are both empty"),
        ("samples", "abc", "samples is 'abc'"),
        ("samples", [1.0, None], "samples is"),
        ("git_dirty", 1, "git_dirty is 1"),
        ("started", datetime(2025, 1, 1), "started is datetime"),
        ("parameters", "min_arity=4", "parameters is 'min_arity=4'; it must be a JSON object"),
        ("facts", "[]", "facts is '\\[\\]'"),
        ("experiment", "../elsewhere", "experiment is '../elsewhere'"),
        ("cell", "ABC", "16 hexadecimal digits"),
        ("metric", "", "metric is ''"),
        ("reason", "slow", "the reason of an ok row is empty"),
    ],
)
def test_bad_values_are_refused_with_column_value_and_cure(make_row, column, value, words):
    with pytest.raises(RowError, match=f"row 1: .*{words}"):
        validate([make_row(), make_row(**{column: value})])


@pytest.mark.parametrize("status", [status for status in STATUSES if status != OK])
def test_a_row_without_result_must_say_why(make_row, status):
    assert validate([make_row(status=status, reason="not enough memory")]).num_rows == 1
    with pytest.raises(RowError, match="must say why"):
        validate([make_row(status=status, reason=" ")])


def test_missing_and_unknown_columns_are_named(make_row):
    row = make_row()
    del row["seed"]
    with pytest.raises(RowError, match="columns seed are missing"):
        validate([row])
    with pytest.raises(RowError, match="unknown columns speed"):
        validate([make_row() | {"speed": 3}])
