"""What is refused, and the sentences that say what would be right."""

import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from algorithms import OrderError, TimeError, ValueKindError, operators, rolling

V = np.array([1.0, 2.0, 3.0])
T = np.array(["2024-01-01", "2024-01-02", "2024-01-03"], "M8[D]")

pytestmark = pytest.mark.smoke

REFUSED = [
    ((V, 0), {}, ValueError, "window must be a whole number of at least 1, not 0"),
    ((V, 2.5), {}, ValueError, "window must be a whole number of at least 1, not 2.5"),
    ((V, True), {}, ValueError, "window must be .* not True"),
    ((V, "5min"), {}, ValueError, "window='5min' is a length of time: give times="),
    ((V, "5 parsecs"), {"times": T}, ValueError, "window must be a length of time.*not '5 parsecs'"),
    ((V, "0s"), {"times": T}, ValueError, "above 0.*not '0s'"),
    ((V, datetime.timedelta(-1)), {"times": T}, ValueError, "of at least 0"),
    ((V, np.timedelta64("NaT")), {"times": T}, ValueError, "window must be a length of time"),
    ((V, np.timedelta64(1, "M")), {"times": T}, ValueError, "unit of fixed length"),
    ((V, 5), {"times": T}, ValueError, "window must be a length of time.*not 5"),
    ((V, "5min"), {"times": np.arange(3)}, ValueError, "window, where times are whole numbers, must be a whole number"),
    ((V, 2**62 + 1), {"times": np.arange(3)}, ValueError, "window, where times .* not 4611686018427387905"),
    ((V, 2**62 + 1), {}, ValueError, "window must be at most 2.62, not 4611686018427387905"),
    ((V, datetime.timedelta.max), {"times": T.astype("M8[us]")}, ValueError, "window is .* at most 2.62 of the units"),
    ((V, "1d"), {"times": T.astype("M8[us]"), "lateness": datetime.timedelta.max}, ValueError, "lateness is .* most"),
    ((V, "1d"), {"times": pd.DataFrame({"t": T})}, TimeError, "times is a DataFrame: give one of its columns"),
    ((V, 2), {"lateness": 5}, ValueError, "lateness is for windows of time: give times="),
    ((V, "1d"), {"times": T, "lateness": "-1d"}, ValueError, "lateness must be a length of time.*of at least 0"),
    ((V, 2, "maximum"), {}, ValueError, "unknown operator 'maximum'; did you mean max"),
    ((V, 2, 5), {}, ValueError, "operator must be the name of an operator"),
    ((V, 2, []), {}, ValueError, "operator is empty: name at least one"),
    ((V, 2, ["max", "max"]), {}, ValueError, "has a name twice; name the results in a dict"),
    ((V, 2, {"my max": "max"}), {}, ValueError, "a name of a result must be an identifier, not 'my max'"),
    ((np.array([1, 2**31]), 2, operators.make("max", "int32")), {}, ValueError, "takes int32, and 2147483648 is none"),
    ((np.array([1e300]), 1, operators.make("max", "float32")), {}, ValueError, "takes float32, and 1e.300 is none"),
    ((np.array([0.5]), 1, operators.make("max", "int64")), {}, ValueError, "takes int64, and 0.5 is none"),
    ((V, 2, "bloom"), {}, ValueError, "a result of bloom is no number"),
    ((V, 2), {"closed": "rihgt"}, ValueError, "unknown value of closed 'rihgt'; did you mean right"),
    ((V, 2), {"min_count": 3}, ValueError, "min_count must be a whole number from 0 to 2, not 3"),
    ((V, 2), {"min_count": -1}, ValueError, "min_count must be a whole number from 0 to 2, not -1"),
    ((V, "1d"), {"min_count": -1, "times": T}, ValueError, "min_count must be a whole number of at least 0"),
    ((V, "1d"), {"times": T[:2]}, ValueKindError, "times has 2 rows, and values have 3"),
    ((V, "1d"), {"times": T[[0, 2, 1]]}, OrderError, r"times\[2\] comes after a later time.*lateness="),
    ((V, 1), {"times": np.array([5, 0, 0])}, OrderError, r"times\[1\] comes after a later time"),
    ((V, "1d"), {"times": T[[2, 1, 0]], "lateness": "1d"}, OrderError, r"times\[2\].*later than lateness='1d' allows"),
    ((V, "1d"), {"times": np.array([T[0], "NaT", T[1]], "M8[D]")}, TimeError, r"times\[1\] is NaT: every row needs"),
    ((V, "1d"), {"times": pa.array([1, None, 2])}, TimeError, r"times\[1\] is null: every row needs a time"),
    ((V, "1d"), {"times": pa.array(["a", "b", "c"])}, TimeError, "times must be dates or whole numbers, not string"),
    ((V, 1), {"times": np.array([0.5, 1, 2])}, TimeError, r"not float64: count whole units, such as \(1000 \* t\)"),
    ((V, 1), {"times": np.zeros((3, 1), int)}, TimeError, "of one dimension, not of 2"),
    ((V, 1), {"times": np.array([0, 1, 2**62])}, TimeError, r"within 2\^62 units of 0"),
    ((V, 1), {"times": np.array([-(2**62), 0, 1])}, TimeError, r"within 2\^62 units of 0"),
    ((V, "1d"), {"times": T.astype("M8[Y]")}, TimeError, "in units from weeks to nanoseconds, not datetime64"),
    ((V, 2), {"by": ["a", "b"]}, ValueKindError, "by has 2 rows, and values have 3"),
    ((V, 2), {"by": ["a", None, "b"]}, ValueKindError, r"by\[1\] is null: every row needs a key"),
    ((V, 2), {"by": np.array([1.0, np.nan, 1.0])}, ValueKindError, r"by\[1\] is null: every row needs a key"),
    ((V, 2), {"by": ["a", 1, "b"]}, ValueKindError, "by must be a column of keys of one kind"),
    ((["a", "b"], 2), {}, ValueKindError, "values must be numbers, not <U1"),
    ((V * 1j, 2), {}, ValueKindError, "values must be numbers, not complex128"),
    ((np.array([1, None], object), 2), {}, ValueKindError, r"numbers, not object.*NaN \(row 1 is None\)"),
    ((pd.Series(["a", "b"], dtype="category"), 2), {}, ValueKindError, "values must be numbers, not dictionary"),
    ((pd.Series(["a", "b"]), 2), {}, ValueKindError, "values must be numbers, not .*string"),
    ((pd.DataFrame({"v": V}), 2), {}, ValueKindError, r"is a DataFrame: give one of its columns, such as frame\['v'\]"),
    ((pa.table({"v": V}), 2), {}, ValueKindError, r"values is a table: give one of its columns, such as table\['v'\]"),
    ((pa.array(["a"]), 2), {}, ValueKindError, "values must be numbers, not string"),
    ((T, 2), {}, ValueKindError, "values must be numbers, not datetime64"),
    ((np.zeros((3, 2)), 2), {}, ValueKindError, "values must be a column, of one dimension, not of 2"),
    ((5.0, 2), {}, ValueKindError, "values must be a column, of one dimension, not of 0"),
    ((np.array([2**63], np.uint64), 2), {}, ValueKindError, r"whole numbers of 2\^63 and more"),
    ((V + 0.5, 2, "affine"), {}, ValueError, "affine"),
]  # fmt: skip


@pytest.mark.plain
@pytest.mark.parametrize(("arguments", "named", "error", "sentence"), REFUSED, ids=[each[3][:40] for each in REFUSED])
def test_is_refused_with_a_sentence(arguments, named, error, sentence):
    with pytest.raises(error, match=sentence):
        rolling(*arguments, **named)
