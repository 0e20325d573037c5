"""advise: what it finds in data, and what it says."""

import sys

import numpy as np
import pytest

from algorithms import advise, operators, window
from algorithms.advice.advise import replay
from algorithms.advice.disorder import disorder_of, in_span
from algorithms.arguments import as_columns
from algorithms.errors import ValueKindError
from algorithms.windows.contract import ANY_ORDER, card

pytestmark = [pytest.mark.plain, pytest.mark.smoke]


def naive(times, span):
    """(younger rows that are there, rows in the window) for each row."""
    found = []
    for i, time in enumerate(times):
        before, newest = times[:i], max(times[: i + 1])
        gone = max([0, *times[:i]])
        inside = [
            t for j, t in enumerate(times[: i + 1]) if t > max(times[: i + 1]) - span and stayed(times, i, j, span)
        ]
        found.append((sum(t > time for t in before), len(inside)))
        assert newest >= gone
    return found


def stayed(times, i, j, span):
    """Whether row j was not too old when it came."""
    return times[j] > max(times[: j + 1]) - span


@pytest.mark.parametrize("disorder", [0, 3, 30])
def test_distances_and_entries_are_those_of_counting(disorder):
    rng = np.random.default_rng(disorder)
    times = np.arange(120) // 2 + rng.integers(0, disorder + 1, 120)
    expected = np.array(naive(times.tolist(), 12))
    found = disorder_of(times, 12, 0)
    assert found.distance == (
        int(np.ceil(expected[:, 0].mean())),
        int(np.quantile(expected[:, 0], 0.99)),
        expected[:, 0].max(),
    )
    assert found.late == np.count_nonzero(expected[:, 0])
    assert in_span(times, 12).tolist() == expected[:, 1].tolist()
    assert found.entries[2] == expected[:, 1].max() and found.rows == 120
    assert found.ties == 120 - len(set(times.tolist()))
    assert disorder_of(times, 0, 7).entries == (7, 7, 7)


def test_advice_names_a_window_that_fits_and_the_line_that_makes_it():
    rng = np.random.default_rng(5)
    times = (np.arange(64) + rng.integers(0, 9, 64)) * 1_000
    advice = advise(times.astype("M8[ms]"), rng.random(64), "max", size="20s")
    assert advice.best.card.order == ANY_ORDER and advice.disorder.late > 0
    made = eval(advice.code, {"window": window})
    assert (made.card.name, made.capacity) == (advice.best.algorithm, advice.capacity)
    text = repr(advice).splitlines()
    assert text[-1] == advice.code and "of the rows late, by" in text[0]
    assert [each.ns for each in advice.timed] == sorted(each.ns for each in advice.timed)
    assert all(each.least <= each.ns <= each.most and each.bytes > 0 for each in advice.timed)


def test_in_order_windows_are_considered_where_no_row_is_late():
    advice = advise(range(40), range(40), "sum", size=8, by="count", dtype="int64", batch=2)
    assert "in order" in repr(advice) and advice.capacity == 9
    assert any(each.candidate.card.order != ANY_ORDER for each in advice.timed)
    for each in advice.timed:
        parameters = dict(each.candidate.parameters)
        assert each.bytes == each.candidate.card.bytes(operators.make("sum", "int64"), 9, **parameters)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"size": 3, "by": "rows"}, ValueError, "unknown by 'rows'"),
        ({"size": "5min"}, ValueError, "size, where times are whole numbers, must be a whole number"),
        ({"size": 3, "values": [1.0]}, ValueKindError, "times has 20 rows, and values have 1"),
        ({"size": 3, "times": [1, 2], "values": [1.0, 2.0]}, ValueKindError, "times has 2 rows; .* takes 16 at least"),
        ({"size": 3, "batch": 0}, ValueError, "batch must be a whole number of at least 1"),
        ({"size": 3, "operator": "maxx"}, ValueError, "unknown operator 'maxx'"),
    ],
)
def test_wrong_arguments_are_named(given, error, words):
    with pytest.raises(error, match=words):
        advise(**{"times": range(20), "values": np.ones(20), **given})


def sums(times, span, entries, batch):
    """What `replay` sums up: the times in the window after every so many rows, counted."""
    total, inside, newest = 0, [], times[0]
    for i, time in enumerate(times):
        newest = max(newest, time)
        inside = [*inside, time] if not span or time > newest - span else inside
        inside = [each for each in inside if each > newest - span] if span else sorted(inside)[-entries:]
        total += sum(inside) if (i + 1) % batch == 0 else 0
    return total


@pytest.mark.parametrize(("span", "entries"), [(1, 0), (7, 0), (40, 0), (0, 1), (0, 5), (0, 60)])
@pytest.mark.parametrize("batch", [1, 3])
def test_a_replay_keeps_what_the_window_would(span, entries, batch):
    rng = np.random.default_rng(span + entries)
    times = np.unique(np.arange(80) * 2 + rng.integers(0, 9, 80))
    rng.shuffle(times[:40])
    op = operators.make("sum", "int64")
    w = card("fiba").new(op, 100, min_arity=2)
    columns = as_columns(times), as_columns(times.copy())
    assert replay(w, *columns, len(times), span, entries, batch) == sums(times.tolist(), span, entries, batch)


def test_sixteen_rows_are_enough():
    assert advise(range(16), range(16), "sum", size=8, dtype="int64", sample=16).disorder.rows == 16


def test_every_window_is_timed_as_often_and_the_first_lap_does_not_count(monkeypatch):
    module = sys.modules[advise.__module__]
    real, laps = module.replay, []

    def counted(w, times, values, count, *rest):
        laps.append(count)
        return real(w, times, values, count, *rest)

    monkeypatch.setattr(module, "replay", counted)
    found = advise(range(40), range(40), "sum", size=8, dtype="int64").timed
    assert len(laps) == 2 * (module.LAPS + 1) * len(found)
    assert laps == [0, 40] * (len(laps) // 2)
