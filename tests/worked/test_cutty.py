"""The worked examples of the Cutty paper: figures 4, 5, 6 and 7. Records are numbered from 0 here."""

import numpy as np
import pytest

from algorithms import SharedAggregate, operators, queries

pytestmark = pytest.mark.plain

LETTERS = operators.counting(operators.make("concat"))


def windows_at(begins, ends):
    """A user-defined window function that begins and ends windows at given records."""

    def function(i, time, x):
        return i + 1, begins.count(i), ends.count(i)

    return queries.user_defined(function, 0, compiled=False)


def play(s, text, **columns):
    """What is stored after each record, and the windows that end, by record."""
    slices, ended = {}, []
    times = columns.pop("times", range(len(text)))
    for i, letter in enumerate(text):
        row = {name: np.array(column[i : i + 1]) for name, column in columns.items()}
        ended += map(tuple, s.batch([times[i]], letter, **row))
        for begin, end, value in s.slices():
            slices[begin] = (end, value)
    return {begin: value for begin, (_, value) in sorted(slices.items())}, ended


def test_figure_4_slices_of_s_1_to_8():
    # Windows s[1,5], s[1,6] and s[3,8], and others that begin with s6 and s8 and have not ended.
    first, second, third = windows_at([0, 2], [5, 8]), windows_at([0, 5], [6]), windows_at([7], [])
    slices, ended = play(SharedAggregate([first, second, third], LETTERS), "123456789")
    assert slices == {0: "12", 2: "345", 5: "67", 7: "89"}
    assert ended == [(0, 0, 5, "12345"), (1, 0, 6, "123456"), (0, 2, 8, "345678")]


def test_figure_4_a_slice_goes_when_no_open_window_needs_it():
    first, second = windows_at([0, 2], [5, 8]), windows_at([0, 5], [6])
    s = SharedAggregate([first, second], LETTERS)
    s.batch(None, "123456")
    assert [value for _, _, value in s.slices()] == ["12", "345", "6"], "s[1,6] still needs s[1,2]"
    s.batch(None, "7")
    assert [value for _, _, value in s.slices()] == ["345", "67"]


@pytest.mark.parametrize("store", ["lazy", "eager"])
def test_figure_5_range_4_slide_2_and_range_5_slide_3(store):
    s = SharedAggregate([queries.sliding(4, 2), queries.sliding(5, 3)], LETTERS, store=store)
    slices, ended = play(s, "0123456789")
    assert list(slices) == [0, 2, 3, 4, 6, 8, 9], "wherever a window of either query begins, and nowhere else"
    assert [slices[begin] for begin in list(slices)[:6]] == ["01", "2", "3", "45", "67", "8"]
    assert ended == [
        (0, 0, 4, "0123"),  # window 1 ends with record 3, upon record 4
        (1, 0, 5, "01234"),
        (0, 2, 6, "2345"),
        (0, 4, 8, "4567"),
        (1, 3, 8, "34567"),
    ]


def test_figure_6_time_and_distance_together():
    # Reports of a vehicle: seconds and kilometres. Range 10 s slide 6 s; range 10 km slide 5 km.
    seconds = [0, 1, 3, 5, 6, 8, 9, 12, 13, 15, 18]
    kilometres = [0, 2, 4, 5, 6, 8, 11, 12, 14, 16, 21]
    both = [queries.sliding(10, 6, "time"), queries.sliding(10, 5, "kilometres")]
    slices, ended = play(SharedAggregate(both, LETTERS), "abcdefghijk", times=seconds, kilometres=kilometres)
    assert list(slices) == [0, 3, 4, 6, 7, 9, 10], "0 s and 0 km, 5 km, 6 s, 10 km, 12 s, 15 km, 18 s and 20 km"
    assert ended == [
        (1, 0, 6, "abcdef"),  # 0 to 10 km, upon the report at 11
        (0, 0, 7, "abcdefg"),  # 0 to 10 s, upon the report at 12
        (1, 3, 9, "defghi"),  # 5 to 15 km
        (0, 4, 10, "efghij"),  # 6 to 16 s, upon the report at 18
        (1, 6, 10, "ghij"),  # 10 to 20 km
    ]


@pytest.mark.parametrize(
    ("slicing", "cut"),
    [
        ("panes", "0 1 2 3 4 5 6 7 8 9"),
        ("pairs", "0 12 3 45 6 78 9"),
        ("cutty", "012 345 678 9"),
    ],
)
def test_figure_7_range_10_slide_3(slicing, cut):
    s = SharedAggregate([queries.sliding(10, 3)], LETTERS, slicing)
    slices, ended = play(s, "0123456789a")
    assert ended == [(0, 0, 10, "0123456789")]
    last = {"panes": "9 a", "pairs": "9 a", "cutty": "9a"}[slicing]
    assert list(slices.values()) == [*cut.split()[:-1], *last.split()]
