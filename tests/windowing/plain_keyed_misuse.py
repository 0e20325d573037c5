"""What keyed windows refuse: settings, batches and states that cannot be, by name, and nothing has changed."""

import pytest
from keyed_brute import copied

from algorithms import MemoryEstimateError, OrderError, TimeError, ValueKindError
from algorithms.windowing.keyed import KeyedAggregate


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"by": "delta"}, "unknown by 'delta'"),
        ({"slide": 2, "per_row": True}, "slide=2 does not go with per_row=True"),
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
