"""What keyed windows refuse: settings, batches and states that cannot be, by name, and nothing has changed."""

import numpy as np
import pytest

from algorithms import MemoryEstimateError, OrderError, TimeError, ValueKindError
from algorithms.streams.keyed import KeyedAggregate
from tests.algorithms.streams.keyed.brute import copied

pytestmark = [pytest.mark.plain, pytest.mark.slow]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"by": "delta"}, "unknown by 'delta'"),
        ({"slide": "rows"}, "slide must be a whole number of at least 1 .time., not 'rows'"),
        ({"slide_by": "count"}, "slide_by='count' is for SlidingAggregate"),
        ({"lateness": 3}, "lateness=3 is for SlidingAggregate"),
        ({"partial": False}, "partial=False is for SlidingAggregate"),
        ({"emit": "changes"}, "emit='changes' is for SlidingAggregate"),
        ({"order": "sort"}, "unknown order 'sort'"),
        ({"window": "daba"}, "order='any' needs a window of any order, which daba is not; order='buffer'"),
        ({"by": "count"}, "order='any' is for windows by time"),
        ({"window": "soe", "order": "buffer", "operators": "max"}, "soe needs an operator that is invertible"),
        ({"operators": {}}, "there must be at least one"),
        ({"operators": {"a b": "max"}}, "the name of a result must be an identifier"),
        ({"operators": {"a": ("max", ("x", "y"))}}, "a is given 'x', 'y', but max: a value must be a number"),
        ({"operators": {"a": 3}}, "operators: a must be the name of an operator"),
        ({"operators": "affine", "dtypes": {"value": "float64"}}, "takes whole numbers, and column 'value' is float64"),
        ({"dtypes": {"value": "int32"}}, "column 'value' must be float64 or int64, not 'int32'"),
        ({"dtypes": {"valeu": "int64"}}, "unknown column in dtypes 'valeu'; did you mean value?"),
        ({"nullable": ["valeu"]}, "unknown column in nullable 'valeu'; did you mean value?"),
        ({"operators": {"a": ("sum", ())}}, r"columns of a must be a name or a tuple of names, not \(\)"),
        ({"operators": {"a": ("sum", (1,))}}, r"columns of a must be a name or a tuple of names, not \(1,\)"),
        ({"operators": {"a": ("sum", 1)}}, "columns of a must be a name or a tuple of names, not 1"),
        ({"nullable": "value"}, r"nullable must be a tuple of columns, such as \('value',\), not 'value'"),
        ({"dtypes": "int64"}, "dtypes must be a mapping of columns, such as {'value': 'int64'}, not 'int64'"),
        ({"peers": "no"}, "peers must be True or False, not 'no'"),
        ({"counting": "no"}, "counting must be True or False, not 'no'"),
        ({"size": 0}, "size must be a whole number of at least 1"),
        ({"min_arty": 4}, "unknown parameter of fiba 'min_arty'"),
    ],
)
def test_settings_that_cannot_be(wrong, message):
    with pytest.raises(ValueError, match=message):
        KeyedAggregate(**{"size": 10, **wrong})


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        ({"values": {"v": [1.0]}}, ValueKindError, "values must have 'value', not 'v'"),
        ({"valid": {"value": [True]}}, ValueKindError, "valid must have no columns, not 'value'"),
        ({"values": {"value": [1.0, 2.0]}}, ValueKindError, "value has 2 rows and codes 1"),
        ({"values": {"value": ["a"]}}, ValueKindError, "value must be a column of float64, not <U1"),
        ({"times": [0.5]}, ValueKindError, "times must be a column of int64, not float64"),
        ({"times": [2**62]}, TimeError, "within 2..62 of 0"),
        ({"watermark": 3.5}, TimeError, "watermark must be a whole number, as times are, not 3.5"),
        ({"watermark": 2**61, "times": [-(2**61)]}, MemoryEstimateError, "windows fire"),
    ],
)
def test_batches_that_cannot_be(wrong, kind, message):
    k = KeyedAggregate("two_stacks_lite", order="buffer", size=2**61, slide=1)
    good = {"codes": [1], "times": [5], "values": {"value": [1.0]}, "watermark": 4}
    with pytest.raises(kind, match=message):
        k.take(k.empty(), **{**good, **wrong})


def test_a_state_of_something_else():
    k, other = KeyedAggregate(size=10), KeyedAggregate(size=10, operators={"a": ("sum", "x")})
    with pytest.raises(ValueKindError, match="kept.values must have 'value', not 'x'"):
        k.take(other.empty(), [1], [1], {"value": [1.0]}, 0)
    _, kept, _ = k.take(k.empty(), [1, 2], [5, 5], {"value": [1.0, 2.0]}, 0)
    with pytest.raises(ValueKindError, match="kept.codes must ascend"):
        k.take(kept._replace(codes=kept.codes[::-1]), [1], [1], {"value": [1.0]}, 0)
    with pytest.raises(ValueKindError, match="carries one key from piece to piece, and kept has 2"):
        k.take_sorted(kept, [1], [1], {"value": [1.0]})


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        ({"offsets": np.array([0, 1, 2])}, ValueKindError, "kept.offsets must ascend from 0 to 3"),
        ({"offsets": np.array([1, 2, 3])}, ValueKindError, "kept.offsets must ascend from 0 to 3"),
        ({"offsets": np.array([0, 4, 3])}, ValueKindError, "kept.offsets must ascend from 0 to 3"),
        ({"offsets": np.array([0, 3])}, ValueKindError, "kept.offsets must have 3 entries, .* not 2"),
        ({"offsets": np.array([0, 2, 3], np.int32)}, ValueKindError, "kept.offsets must be an array of int64 .* int32"),
        ({"codes": [1, 2]}, ValueKindError, "kept.codes must be an array of int64 of one dimension, not list"),
        ({"codes": np.array([2**63 - 1, 1 - 2**63])}, ValueKindError, "kept.codes must ascend"),
        ({"codes": np.array([1, 1])}, ValueKindError, "kept.codes must ascend"),
        ({"counts": np.array([0])}, ValueKindError, "kept.counts must have 2 entries, .* not 1"),
        ({"done": np.array([0])}, ValueKindError, "kept.done must have 2 entries, .* not 1"),
        ({"done": np.array([0, 2])}, ValueKindError, r"kept.done\[1\] must lie within 0 and 1, .* not 2"),
        ({"done": np.array([-1, 0])}, ValueKindError, r"kept.done\[0\] must lie within 0 and 2, .* not -1"),
        ({"positions": np.array([5, 6])}, ValueKindError, "must have 2 entries, .* not 3"),
        ({"values": {"value": np.ones(2)}}, ValueKindError, r"kept.values\['value'\] must have 3 entries, .* not 2"),
        ({"values": {"value": np.ones(3, int)}}, ValueKindError, r"kept.values\['value'\] must be an array of float64"),
        (
            {"valid": {"value": np.ones(4, bool)}},
            ValueKindError,
            r"kept.valid\['value'\] must have 3 entries, .* not 4",
        ),
        ({"valid": {"value": np.ones(3, int)}}, ValueKindError, r"kept.valid\['value'\] must be an array of bool"),
        ({"watermark": 0.5}, TimeError, "kept.watermark must be a whole number, as times are, not 0.5"),
    ],
)
def test_a_state_that_is_not_whole(wrong, kind, message):
    k = KeyedAggregate(size=10, nullable=("value",))
    there = {"value": np.ones(3, bool)}
    _, kept, _ = k.take(k.empty(), [1, 1, 2], [5, 6, 5], {"value": [1.0, 2.0, 3.0]}, 0, valid=there)
    assert kept.offsets.tolist() == [0, 2, 3]
    none = [], [], {"value": []}
    with pytest.raises(kind, match=message):
        k.take(kept._replace(**wrong), *none, 10, valid={"value": []})
    with pytest.raises(kind, match=message):
        k.take_sorted(kept._replace(**wrong), *none, valid={"value": []})


@pytest.mark.parametrize(
    "chosen",
    [
        {"by": "count", "size": 1, "slide": 1},  # keeps no row
        {"size": 1, "slide": 50},  # nor does this: no window holds the time 25
        {"size": 1, "slide": "row"},  # keeps it
    ],
)
def test_pieces_do_not_go_back_though_the_last_row_is_not_kept(chosen):
    k = KeyedAggregate("recalc", order="buffer", **chosen)
    _, kept, _ = k.take_sorted(k.empty(), [1], [25], {"value": [1.0]})
    for late in (10, 24):
        with pytest.raises(OrderError, match=f"key number 1 has time {late}"):
            k.take_sorted(kept, [1], [late], {"value": [1.0]})
    for codes, times in (([1, 1], [25, 26]), ([2, 2], [3, 10])):  # as late as that, or another key
        k.take_sorted(kept, codes, times, {"value": [1.0, 2.0]})


def test_disorder_is_refused_by_name_and_nothing_has_changed():
    k = KeyedAggregate("daba", size=10, order="refuse")
    _, kept, _ = k.take(k.empty(), [1, 2], [7, 20], {"value": [1.0, 2.0]}, 4)
    before = copied(kept)
    with pytest.raises(OrderError, match=r"row 3 of the batch \(key number 1\) has time 6, older than 7 before it"):
        k.take(kept, [2, 9, 1, 1, 2], [3, 1, 7, 6, 19], {"value": [0.0] * 5}, 8)  # 3 is late
    assert all((a == b).all() for a, b in zip(before[:5], kept[:5], strict=True))
    with pytest.raises(OrderError, match="key number 5 has time 1 after 2; take_sorted is for rows that are sorted"):
        k.take_sorted(k.empty(), [4, 5, 5], [1, 2, 1], {"value": [0.0] * 3})
    with pytest.raises(OrderError, match="rows of one key are not together"):
        k.take_sorted(k.empty(), [4, 5, 4], [1, 2, 3], {"value": [0.0] * 3})
