"""A_C compiled: every D and codec, functions of one's own, windows that grow and shrink, no counting of references."""

from typing import NamedTuple

import numpy as np
import pytest

from algorithms import CompressedAggregate
from algorithms.kernel import PLAIN
from algorithms.operators import OperatorError
from algorithms.streams.compressed import algorithm, state
from tests.algorithms.streams.compressed import by_definition
from tests.algorithms.streams.compressed.streams import EVERY_D, fed, rows, traffic

WA, WS = 60, 500


def streamed(a: CompressedAggregate, columns: tuple, batch: int = 1000) -> list[tuple]:
    found = []
    for i in range(0, len(columns[0]), batch):
        found += rows(a.batch(*(column[i : i + batch] for column in columns)))
        a.check()
    return found + rows(a.flush())


@pytest.fixture(scope="module")
def reports() -> tuple:
    return traffic(1800, 150)


@pytest.mark.parametrize("layout", ["columns", "rows"])
@pytest.mark.parametrize("codec", ["snappy", "lz4", "zstd"])
@pytest.mark.parametrize("D", EVERY_D)
def test_results_are_the_same_for_every_D_and_codec_and_layout(reports, D, codec, layout):
    a = CompressedAggregate(WA, WS, D, codec=codec, level=3 if codec == "zstd" else None, layout=layout)
    tuples = [(int(t), int(k), v) for t, v, k in zip(*reports, strict=True)]
    found = streamed(a, reports)
    assert sorted(found) == by_definition.results(tuples, WA, WS, by_definition.stops)
    assert found == streamed(CompressedAggregate(WA, WS), reports)
    assert (a.counts.compressions > 1000) == (D in (30, 15, 1, 0))


class Travel(NamedTuple):
    seconds: int
    order: int


def travel(times, speeds, first, last):
    """f_O: how long from the first report to the last, and a number that no other order of the speeds gives."""
    order = 0
    for i in range(first, last):
        order = (31 * order + int(speeds[i])) % 1_000_003
    return Travel(times[last - 1] - times[first], order)


def moving_only(times, speeds, first, last, time, speed):
    """f_A: leave out reports without speed, but for the first."""
    if speed == 0 and first < last:
        return last
    times[last] = time
    speeds[last] = speed
    return last + 1


def travelled(tuples: list) -> tuple[int, int]:
    order = 0
    for _, speed in tuples:
        order = (31 * order + int(speed)) % 1_000_003
    return tuples[-1][0] - tuples[0][0], order


def test_functions_of_ones_own(reports):
    moving = tuple(column[reports[1] > 0] for column in reports)
    tuples = [(int(t), int(k), v) for t, v, k in zip(*moving, strict=True)]
    expected = [(time, key, *x) for time, key, x in by_definition.results(tuples, WA, WS, travelled)]
    for D in (None, 20, 0):
        a = CompressedAggregate(WA, WS, D, f_O=travel, f_A=moving_only, gives=Travel(0, 0))
        assert sorted(streamed(a, moving)) == expected


def too_many(times, speeds, first, last, time, speed):
    return last + 3


def too_few(times, speeds, first, last, left):
    return last + 1


@pytest.mark.parametrize("functions", [{"f_A": too_many}, {"f_S": too_few}])
def test_positions_outside_a_window_are_refused(functions):
    a = CompressedAggregate(5, 10, 0 if "f_S" in functions else None, start=None, **functions)
    (name,) = functions
    with pytest.raises(OperatorError, match=rf"{name} gave \d+, which does not lie between first = \d+ and last"):
        a.batch(range(20), [0.0] * 20, [1] * 20)
    with pytest.raises(RuntimeError, match=f"stopped in the middle of a batch .OperatorError: {name} gave"):
        a.flush()


def test_windows_wider_than_a_segment_and_many_of_them():
    chance = np.random.default_rng(3)
    stream = [(t // 4, int(k), int(v)) for t, k, v in zip(range(1500), chance.integers(0, 40, 1500), range(1500))]
    stream += [(400 + t // 20, 3, 1 + t % 3) for t in range(1500)]
    expected = [(time, key, *x) for time, key, x in by_definition.results(stream[1:], 50, 100, travelled, None)]
    for D in (None, 20, 0):
        a = CompressedAggregate(50, 100, D, f_O=travel, f_A=moving_only, gives=Travel(0, 0), start=None)
        assert sorted(fed(a, stream[1:], range(0, 2999, 250)) + rows(a.flush())) == expected


def test_the_arena_becomes_smaller_when_windows_have_been_compressed():
    a = CompressedAggregate(10_000, 20_000, start=None)
    t = np.arange(40_000) // 40
    a.batch(t, np.zeros(40_000), np.arange(40_000) % 40)
    before = a.memory().measured
    a.D = 100
    a.batch([1200], [0.0], [0])
    a.check()
    assert a.counts.compressed == 39
    assert a.memory().measured < before / 2
    assert a.memory().accounted < before / 8


@pytest.mark.skipif(PLAIN, reason="functions are not compiled")
def test_functions_that_cannot_be():
    for message, functions in {
        "f_O.times, values, first, last. does not compile": {"f_O": lambda times, values, first, last: values.no},
        "f_O gives float64, where gives=0 says int": {"f_O": lambda times, values, first, last: 0.5, "gives": 0},
        "f_A gives float64, where a position is wanted": {"f_A": lambda times, values, first, last, time, value: 0.5},
        "f_S must be a function f_S.times, values, first, last, left., not <function": {"f_S": lambda times: 0},
    }.items():
        with pytest.raises(OperatorError, match=message):
            CompressedAggregate(5, 10, **functions)


@pytest.mark.skipif(PLAIN, reason="there is no machine code")
def test_the_loops_count_no_references():
    """Of a class that is never cached on disk, for of cached code Numba keeps no LLVM."""
    a = CompressedAggregate(WA, WS, 0, f_O=travel, f_A=moving_only, gives=Travel(0, 0))
    for driver in (algorithm.process, algorithm.go_on, state.move):
        mine = [
            sig
            for sig in driver.signatures
            if type(a._f) in (getattr(kind, "instance_class", None) for kind in sig[0].types)
        ]
        assert mine
        for signature in mine:
            assert "NRT_incref" not in driver.inspect_llvm(signature)
