"""Random programs, compiled, against oracles: each yields the steps it has done, and raises AssertionError with a seed.

windows      every window of the catalogue, with all the operations that its card lists
sliding      SlidingAggregate: by count, by time with late records, a result for each row, in batches of any size
shared       SharedAggregate: one to three queries, every slicing and both stores
compressed   A_C: every delay before compression, codec and layout
"""

import itertools
import random
from collections.abc import Iterator

import numpy as np

from algorithms import SlidingAggregate, catalogue
from algorithms.kernel import PLAIN
from algorithms.windows.contract import IN_ORDER
from tests.algorithms.streams.compressed import by_definition as compressed_definition
from tests.algorithms.streams.compressed.streams import EVERY_D, fed
from tests.algorithms.streams.compressed.streams import rows as rows_of
from tests.algorithms.streams.compressed.test_aggregate import made as compressed_aggregate
from tests.algorithms.streams.shared import program as shared_program
from tests.algorithms.streams.shared.by_definition import SLICERS, STORES, Records, run, shared
from tests.algorithms.streams.shared.by_definition import answers as shared_answers
from tests.algorithms.windows import program
from tests.fuzz import naive

PART = 2_000 if PLAIN else 100_000
"""Steps of a window's program, after which it is checked and begun anew."""


def windows(seed: int) -> Iterator[int]:
    """Steps of all windows together. Windows with the same operations go through the same programs."""
    cards = list(catalogue().values())
    for number in itertools.count(seed):
        for order, operations in sorted({(card.order, card.operations) for card in cards}):
            alike = [card for card in cards if (card.order, card.operations) == (order, operations)]
            steps, columns = program.random_program(alike[0], PART, number)
            batch = np.asarray(columns.times), np.asarray(columns.values)
            expected = naive.answers(np.array(steps, np.int64), *batch, order != IN_ORDER)
            for card in alike:
                fitting = {"min_arity": 2 + number % 7} if "min_arity" in card.parameters else {}
                w = card.new(program.counted_maps(), program.MOST, **fitting)
                found, _ = program.execute(card, w, steps, columns)
                wrong = np.flatnonzero(found != expected)
                assert not len(wrong), f"{card.name}, seed {number}: step {wrong[0]} is {steps[wrong[0]]}"
                card.check(w)
                yield PART


# ---------------------------------------------------------------------------------------------------------- streams

RECORDS = 200 if PLAIN else 2_000


def sliding(seed: int) -> Iterator[int]:
    """Records of streams; the windows of a result are found by their definition and folded anew."""
    for number in itertools.count(seed):
        chance = np.random.default_rng(number)
        kind = ("count", "time", "late", "row")[number % 4]
        size, slide = int(chance.integers(1, 25)), int(chance.integers(1, 12))
        times = np.cumsum(chance.choice([0, 0, 1, 1, 2, 9, 40], RECORDS)) - 500
        values = chance.integers(-(2**40), 2**40, RECORDS)
        settings = {"operator": "affine", "size": size, "capacity": int(chance.integers(1, 40))}
        if kind == "count":
            settings |= {"slide": slide, "by": "count"}
        elif kind == "row":
            settings |= {"slide_by": "count", "closed": str(chance.choice(["right", "both"]))}
        else:
            settings |= {"slide": slide, "closed": str(chance.choice(["left", "right", "both"]))}
        if kind == "late":
            lateness = int(chance.integers(0, 20))
            times = times - chance.integers(0, 15, RECORDS)
            s = SlidingAggregate(str(chance.choice(["fiba", "b_tree", "recalc"])), **settings, lateness=lateness)
            on_time = times >= np.maximum.accumulate(times) - lateness
        else:
            s = SlidingAggregate(str(chance.choice(["two_stacks_lite", "daba_lite"])), **settings)
            on_time = np.ones(RECORDS, bool)
        found = []
        for some in np.split(np.arange(RECORDS), np.sort(chance.integers(0, RECORDS, 5))):
            found.append(s.batch(times[some], values[some]))
        found.append(s.flush())
        at, results = (np.concatenate([columns[name] for columns in found]) for name in ("time", "value"))
        order = np.argsort(times[on_time], kind="stable")
        expected = by_definition(kind, settings, times[on_time][order], values[on_time][order])
        told = f"{kind}, seed {number}: {settings}"
        assert np.array_equal(np.stack([at, results]), np.stack(expected)), told
        assert s.late == RECORDS - on_time.sum(), told
        yield RECORDS


def by_definition(kind: str, settings: dict, times: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Times and results of the windows of a whole stream in order of time; those without a record are left out."""
    size, n = settings["size"], len(times)
    if kind == "count":
        end = np.arange(settings["slide"], n + 1, settings["slide"])
        at, first = times[end - 1], np.maximum(end - size, 0)
    elif kind == "row":
        end = np.arange(1, n + 1)
        at, first = times, np.searchsorted(times, times - size, "left" if settings["closed"] == "both" else "right")
    else:
        begins = np.arange((times[0] - size) // settings["slide"] - 1, times[-1] // settings["slide"] + 2)
        begins *= settings["slide"]
        at = begins + size
        first = np.searchsorted(times, begins, "right" if settings["closed"] == "right" else "left")
        end = np.searchsorted(times, at, "left" if settings["closed"] == "left" else "right")
        at, first, end = at[first < end], first[first < end], end[first < end]
    return at, naive.folds(values, first, end)


def shared_windows(seed: int) -> Iterator[int]:
    """Records of streams of up to sixty, for each slicing and store in turn."""
    for number in itertools.count(seed):
        for slicing, store in itertools.product(SLICERS, STORES):
            chance = random.Random(f"{number} {slicing} {store}")
            wanted = shared_program.queries_of(chance, slicing)
            records: Records = shared_program.records_of(chance)
            s = shared(wanted, slicing, store)
            parts = sorted(chance.sample(range(len(records.time) + 1), 1))
            told = f"{slicing}/{store}, seed {number}: {wanted}"
            assert run(s, records, parts) == shared_answers(wanted, records), told
            s.check()
            yield len(records.time)


def compressed(seed: int) -> Iterator[int]:
    """Tuples of streams of 300, of three keys each."""
    for number in itertools.count(seed):
        chance = random.Random(number)
        WA, WS = chance.choice([(1, 1), (3, 10), (10, 10), (4, 60), (60, 61), (7, 3), (50, 20)])
        time, stream = chance.randint(-50, 50), []
        for _ in range(300):
            time += chance.choice([0, 0, 1, 2, 7, 16, 31])
            stream.append((time, chance.choice([5, -3, 7]), chance.choice([0, 0, 3, 8])))
        f_O, D = chance.choice(["stops", "affine"]), chance.choice(EVERY_D)
        settings = {"codec": chance.choice(["snappy", "lz4", "zstd"]), "layout": chance.choice(["columns", "rows"])}
        a = compressed_aggregate(f_O, WA, WS, D, **settings)
        found = fed(a, stream, chance.sample(range(300), 4)) + rows_of(a.flush())
        a.check()
        expected = compressed_definition.results(stream, WA, WS, getattr(compressed_definition, f_O), None)
        assert sorted(found) == expected, f"seed {number}: {f_O}, WA={WA}, WS={WS}, D={D}, {settings}"
        yield len(stream)


PROGRAMS = {"windows": windows, "sliding": sliding, "shared": shared_windows, "compressed": compressed}
