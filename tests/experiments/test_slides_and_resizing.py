"""The measuring functions of the Reactive Aggregator's experiments: answers, combines, resizes, resident sets."""

import numpy as np
import pytest

from experiments.harness.cell import Cell
from experiments.harness.measurement import find
from experiments.reactive_aggregator.measuring import resident, resizing, slides
from experiments.reactive_aggregator.measuring.resizing import FIXED, OSCILLATING, swing_of

TASK = {"operations": None, "laps": 1, "minimum_ns": 1000}


def cell_of(algorithm, n, m=None, operator="sum", **parameters):
    protocol = {"window": n, "distance": 0}
    return Cell("p", "e", algorithm, {}, operator, "distance", protocol, n, "slides.time", 0, m, uses=parameters)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (16, 1), (16, 4), (16, 16), (100, 64), (100, 7), (100, 100)])
def test_firings_give_the_answers_of_brute_force(n, m):
    firings = max(slides.LEAST_CHECKED, min(slides.MOST_CHECKED, slides.CHECKED_ITEMS // m))
    values = np.arange(n + firings * m) % 101 + 1
    before = np.concatenate([[0], np.cumsum(values)])
    expected = sum(int(before[n + i * m] - before[i * m]) for i in range(1, firings + 1))
    for algorithm in ("reactive", "recalc", "b_int"):
        assert slides.firing(cell_of(algorithm, n, m), TASK)["checksum"] == expected
    assert slides.time(cell_of("reactive", n, m), TASK)["checksum"] == expected


def test_operations_are_items_or_firings_and_kept_by_repetitions():
    items, firings = (slides.time(cell_of("reactive", 64, 16), TASK), slides.firing(cell_of("reactive", 64, 16), TASK))
    assert items["operations"] % 64 == 0 and firings["operations"] % 4 == 0
    again = slides.time(cell_of("reactive", 64, 16), {**TASK, "operations": items["operations"], "laps": items["laps"]})
    assert again["operations"] == items["operations"]
    assert slides.time(cell_of("recalc", 64, 16), {**TASK, "operations": 16 * 5})["operations"] == 80


@pytest.mark.parametrize("n", [64, 256])
def test_combines_of_a_firing_are_bounded_as_the_paper_says(n):
    for m in (1, 4, n // 4, n):
        each = {name: slides.combines(cell_of(name, n, m), TASK) for name in ("recalc", "reactive")}
        firings = each["recalc"]["operations"] // m
        assert each["recalc"]["value"] == (n - 1) * firings
        update, look_up = m * (1 + np.ceil(np.log2(n / m))), 2 * np.log2(n)
        assert each["reactive"]["value"] <= (update + look_up) * firings
        assert each["recalc"]["checksum"] == each["reactive"]["checksum"]


@pytest.mark.parametrize("n", [8, 64, 1024])
def test_a_swing_doubles_the_ring_and_halves_it(n):
    found = resizing.time(cell_of("reactive", n, swing_of(n), capacity=OSCILLATING), TASK)
    assert found["facts"]["resizes"] == 2 * found["facts"]["swings"] > 0
    assert found["operations"] == found["facts"]["swings"] * swing_of(n)
    again = resizing.time(
        cell_of("reactive", n, swing_of(n), capacity=OSCILLATING), {**TASK, "operations": 3 * swing_of(n)}
    )
    assert again["facts"] == {"resizes": 6, "swings": 3}
    assert resizing.time(cell_of("reactive", n, capacity=FIXED), TASK)["facts"] == {"resizes": 0}


def test_answers_while_swinging_are_those_of_brute_force():
    n, values = 64, [1 + i % 101 for i in range(65 + 4 * swing_of(64))]
    first, end, total = 65 - (n // 2 - 1), 65, 0
    for _ in range(resizing.CHECKED_SWINGS):
        for _ in range(swing_of(n)):
            end += 1
            total += sum(values[first:end])
        first += swing_of(n)
    assert resizing.time(cell_of("reactive", n, capacity=OSCILLATING), TASK)["checksum"] == total


def test_combines_while_swinging_are_amortised():
    for n in (8, 64, 1024):
        fixed, swinging = (
            resizing.combines(cell_of("reactive", n, capacity=one), TASK) for one in (FIXED, OSCILLATING)
        )
        assert swinging["operations"] == 2 * swing_of(n)
        built = 2 * (n - 1) / swing_of(n)  # n entries laid out anew, twice in each swing
        queries = 2 * np.log2(2 * n) + 1
        assert built < swinging["value"] / swinging["operations"] <= built + queries
        assert fixed["value"] / fixed["operations"] <= 2 * np.log2(n) + np.log2(n)


def test_single_resizes_are_sampled_in_nanoseconds():
    found = resizing.resize(cell_of("reactive", 4096, capacity=OSCILLATING), {**TASK, "operations": 20})
    assert len(found["samples"]) == found["operations"] == 20 and find("resizing.resize").unit == "ns"
    assert 4096 / 20 < found["facts"]["median_ns"] <= max(found["samples"])
    assert sum(found["samples"]) < 1e9


def test_a_window_in_a_process_of_its_own_shows_in_its_resident_set():
    n = 1 << 18
    cell = cell_of("reactive", n)
    found, laid_out = resident.resident(cell, TASK), resident.bytes(cell, TASK)
    exact, facts = laid_out["value"], found["facts"]
    base = max(found["samples"][: facts["before"]])
    assert (facts["process"], facts["own"]) == (base, found["value"] - base)
    assert sum(laid_out["facts"].values()) == exact and laid_out["facts"]["partial_aggregates"] >= 2 * 8 * n
    assert found["value"] == max(found["samples"])
    assert len(found["samples"]) >= resident.BEFORE + resident.AFTER + 1
    # In use are two rings of partials and times; the exact bytes hold the reserve to resize as well.
    assert 24 * n < found["value"] - base < exact + (32 << 20)


def test_a_process_that_dies_is_said(monkeypatch):
    monkeypatch.setattr(resident, "_say", lambda stream, line: stream.close())
    with pytest.raises(RuntimeError, match="ended with code 1, before it was ready"):
        resident.resident(cell_of("reactive", 8), TASK)
