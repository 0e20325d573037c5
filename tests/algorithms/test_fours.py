"""Vectors of four floats: compiled code does, bit for bit, what the same functions do in plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.fours import alike, all_first, all_last, first_of, four, put_four, running, running_back
from algorithms.kernel import PLAIN, as_slots, driver
from tests.examples import examples


def everything(x, out, number):
    a, b = four(x, 0), four(x, 4)
    put_four(out, 0, running(a))
    put_four(out, 4, running_back(a))
    put_four(out, 8, all_first(a))
    put_four(out, 12, all_last(a))
    put_four(out, 16, alike(number))
    put_four(out, 20, a + b)
    put_four(out, 24, a * b)
    put_four(out, 28, a / b)
    put_four(out, 33, four(x, 1))  # at any place
    out[32] = first_of(b)


compiled = driver(everything)
FLOATS = st.floats(allow_nan=False, width=64).filter(lambda v: v != 0 or np.copysign(1, v) > 0)


@pytest.mark.skipif(PLAIN, reason="there is nothing compiled")
@settings(max_examples=examples(200), deadline=None)
@given(st.lists(FLOATS, min_size=8, max_size=8), FLOATS)
def test_compiled_as_plain(values, number):
    x, ours, plain = as_slots(np.array(values)), np.zeros(37), np.zeros(37)
    compiled(x, as_slots(ours), number)
    with np.errstate(all="ignore"):
        everything(x, as_slots(plain), number)
    assert np.array_equal(ours, plain, equal_nan=True)


@pytest.mark.plain
def test_what_they_are():
    x, out = as_slots(np.array([1.0, 2, 4, 8, 16, 32, 64, 128])), np.zeros(37)
    everything(x, as_slots(out), 5.0)
    assert out[:8].tolist() == [1, 3, 7, 15, 15, 14, 12, 8]
    assert out[8:20].tolist() == [1.0] * 4 + [8.0] * 4 + [5.0] * 4
    assert out[20:32].tolist() == [17, 34, 68, 136, 16, 64, 256, 1024, 1 / 16, 1 / 16, 1 / 16, 1 / 16]
    assert out[32:].tolist() == [16, 2, 4, 8, 16]


@pytest.mark.skipif(not PLAIN, reason="slots are bare pointers, unless SLOTS_CHECKED")
@pytest.mark.plain
def test_outside_of_slots():
    x = as_slots(np.zeros(6), "numbers")
    with pytest.raises(IndexError, match="numbers: index 6"):
        four(x, 3)
    with pytest.raises(IndexError, match="numbers: index 6"):
        put_four(x, 3, alike(1.0))
