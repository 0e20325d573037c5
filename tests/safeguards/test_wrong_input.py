"""What is said of names that do not exist, and of numbers that are not whole."""

import numpy as np
import pytest

from safeguards.wrong_input import is_real, is_whole, nearest, shown, unknown, whole

pytestmark = pytest.mark.smoke


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("summ", ["max", "sum"], "unknown operator 'summ'; did you mean sum?"),
        ("START TIME ", ["start time", "v"], "unknown operator 'START TIME '; did you mean start time?"),
        (3, ["max", "sum"], "unknown operator 3; there are: max, sum"),
        ("x", map(str, range(43)), f"unknown operator 'x'; there are: {', '.join(map(str, range(40)))} and 3 more"),
        ("\x1b[31n", ["\x1b[31m"], r"unknown operator '\x1b[31n'; did you mean \x1b[31m?"),
    ],
)
def test_the_nearest_names_are_offered_and_otherwise_all(name, known, said):
    assert unknown("operator", name, known) == said


def test_how_near_a_name_must_be():
    assert nearest("flights", ["flies", "lights", "trips"]) == ["lights", "flies"]
    assert nearest("flights", ["flies", "lights"], 0.9) == ["lights"]


def test_what_is_shown_of_a_text_is_short():
    assert (shown("a" * 60), shown("a" * 61), shown("abc", 2)) == ("a" * 60, "a" * 60 + "...", "ab...")


def test_numbers():
    numbers = (2, np.int8(2), 2.0, np.float32(2), True, np.True_, "2", None)
    assert [is_whole(number) for number in numbers] == [True] * 2 + [False] * 6
    assert [is_real(number) for number in numbers] == [True] * 4 + [False] * 4


@pytest.mark.parametrize("value", [0, 5, True, 2.0, "2"])
def test_a_number_out_of_its_range_is_refused(value):
    with pytest.raises(ValueError, match=f"^k must be a whole number from 1 to 4, not {value!r}$"):
        whole("k", value, 1, 4)


def test_a_whole_number_is_given_back_as_an_int():
    assert type(whole("k", np.int64(4), 1, 4)) is int
    with pytest.raises(UnicodeError, match="k must be a whole number of at least 1, not 0"):
        whole("k", 0, error=UnicodeError)
