"""Chunks of synthetic Linear Road tuples: what each holds, and which expressways stay in memory for the next."""

import numpy as np
import pytest

from workloads.linear_road import generator
from workloads.linear_road.generator import SLICE, Traffic
from workloads.linear_road.layout import COLUMNS

SMALL = Traffic(30_000, 3, 5_400, 7, 100, True)


def test_a_chunk_depends_on_nothing_that_was_made_before():
    numbers = [14, 3, 0, 8]
    generator._kept.cache_clear()
    first = [SMALL.chunk(number) for number in numbers]
    generator._kept.cache_clear()
    again = {number: SMALL.chunk(number) for number in sorted(numbers)}
    for number, chunk in zip(numbers, first):
        assert list(chunk) == list(COLUMNS)
        for name in COLUMNS:
            assert chunk[name].dtype == again[number][name].dtype and np.array_equal(chunk[name], again[number][name])


def test_chunks_are_ten_minutes_of_an_expressway():
    assert (SMALL.slices, SMALL.chunks) == (9, 27)
    for number in (0, 1, 13, 26):
        chunk, (part, xway) = SMALL.chunk(number), divmod(number, 3)
        assert (chunk["Time"] - 100 >= SLICE * part).all() and (chunk["Time"] - 100 < SLICE * (part + 1)).all()
        assert set(chunk["XWay"][chunk["Type"] == 0].tolist()) == {xway}


@pytest.mark.parametrize(("room", "drawn"), [(generator.KEPT, 20), (0, 60)])
def test_expressways_are_drawn_once_if_they_fit_into_memory(monkeypatch, room, drawn):
    traffic, found = Traffic(2_000, 20, 1_800, 3, 0, False), []
    road_of = generator.road_of
    monkeypatch.setattr(generator, "road_of", lambda *of: found.append(of) or road_of(*of))
    monkeypatch.setattr(generator, "KEPT", room)
    generator._kept.cache_clear()
    assert sum(len(traffic.chunk(number)["Type"]) for number in range(traffic.chunks)) == 2_000
    assert len(found) == drawn


def test_of_expressways_that_do_not_fit_some_stay(monkeypatch):
    traffic = Traffic(2_000, 4, 1_800, 3, 0, False)
    room = 2 * generator.road_of(500, 1_800, 3, 0).bytes + 1_000
    monkeypatch.setattr(generator, "KEPT", room)
    generator._kept.cache_clear()
    for number in range(traffic.chunks):
        traffic.chunk(number)
        assert sum(road.bytes for road in generator._kept(traffic).values()) <= room
    assert set(generator._kept(traffic)) == {0, 1}
