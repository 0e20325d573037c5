"""fiba_bulk and fiba_sharing: plans and their refusals, and loops whose answers must agree."""

from types import SimpleNamespace

import pytest

from experiments.fiba.bulk import batches_of, fiba_bulk
from experiments.fiba.measuring import sharing
from experiments.fiba.sharing import fiba_sharing, small_windows
from experiments.harness.cell import Cell
from experiments.harness.measuring import bulk, rig
from experiments.harness.settings import Profile, Settings, SettingsError

TASK = {"operations": None, "minimum_ns": 1000}
USES = list(bulk.LOOPS)
PROFILE = Profile("smoke", 1, 1, 60)


def settings(**changes):
    given = {
        "name": "probe", "paper": "fiba", "workload": {"name": "distance"}, "profile": PROFILE, "executor": {},
        "operators": ("sum",), "algorithms": ({"name": "fiba", "min_arity": 4},), "sizes": {"window": 64},
    }  # fmt: skip
    return Settings(**(given | changes))


def bulk_cell(n, d, m, evict, insert, algorithm="fiba"):
    uses = {"evict": evict, "insert": insert}
    protocol = {"window": n, "distance": d}
    return Cell("fiba", "fiba_bulk", algorithm, {}, "sum", "distance", protocol, n, "bulk.time", d, m, uses)


@pytest.mark.parametrize(
    ("n", "d", "m"), [(1, 0, 1), (64, 0, 16), (64, 40, 16), (64, 63, 1), (100, 50, 50), (64, 0, 64)]
)
def test_bulk_and_loops_give_the_same_answers(n, d, m):
    found = [bulk.time(bulk_cell(n, d, m, *use, algorithm), TASK) for algorithm in ("fiba", "recalc") for use in USES]
    assert len({one["checksum"] for one in found}) == 1
    assert all(one["operations"] % m == 0 and one["operations"] >= m for one in found)


def test_rounds_of_many_items_take_the_minimum_too(monkeypatch):
    m, now = 1024, [0]

    def a_microsecond_an_item(w, time, oldest, count, batch, *rest):
        now[0] += 1000 * count * batch
        return 0

    monkeypatch.setitem(bulk.LOOPS, ("bulk", "bulk"), a_microsecond_an_item)
    monkeypatch.setattr(rig, "time", SimpleNamespace(perf_counter_ns=lambda: now[0], perf_counter=lambda: 0.0))
    answer = bulk.time(bulk_cell(m, 0, m, "bulk", "bulk"), {**TASK, "minimum_ns": 5_000_000})
    assert answer["value"] == 1000 * answer["operations"] >= 5_000_000


def test_the_last_answers_are_those_of_a_plain_sum():
    n, m = 8, 2
    values = [1 + i % 101 for i in range(n + max(4 * m, bulk.CHECKED_ITEMS))]
    expected = sum(sum(values[first : first + n]) for first in range(m, bulk.CHECKED_ITEMS + 1, m))
    assert bulk.time(bulk_cell(n, 0, m, "bulk", "bulk"), TASK)["checksum"] == expected


def test_batches_are_powers_of_four_that_find_old_entries_enough():
    assert batches_of(1024, 0) == [1, 4, 16, 64, 256]
    assert batches_of(1024, 1000) == [1, 4, 16]
    assert batches_of(1, 0) == [1]
    assert all(m + d <= n for n in (1, 2, 7, 64) for d in range(n) for m in batches_of(n, d))


def test_a_window_is_used_as_its_card_allows():
    cells = fiba_bulk.plan(settings(algorithms=({"name": "two_stacks"}, {"name": "fiba", "min_arity": 2})))
    assert {cell.columns["parameters"] for cell in cells if cell.algorithm == "two_stacks"} == {
        '{"evict":"loop","insert":"loop"}'
    }
    finger = [cell for cell in cells if cell.algorithm == "fiba"]
    assert {cell.parameters["min_arity"] for cell in finger} == {2}
    assert len({cell.columns["parameters"] for cell in finger}) == 2


@pytest.mark.parametrize(
    ("experiment", "changes", "words"),
    [
        (fiba_bulk, {"distances": (64,)}, "distances has 64; of a window of 64 items a round evicts the oldest"),
        (fiba_bulk, {"operators": ("sum", "max")}, "draws one"),
        (fiba_bulk, {"workload": {"name": "flights"}}, "workload is 'flights'"),
        (fiba_sharing, {"distances": (3,)}, "half of each small window"),
        (fiba_sharing, {"workload": {"name": "flights"}}, "workload is 'flights'"),
    ],
)
def test_meaningless_settings_are_refused(experiment, changes, words):
    with pytest.raises(SettingsError, match=words):
        experiment.plan(settings(**changes))


def sharing_cell(n, small, how, algorithm="fiba"):
    d, uses = small // 2, {"sharing": how}
    protocol = {"window": n, "distance": d}
    return Cell("fiba", "fiba_sharing", algorithm, {}, "sum", "distance", protocol, small, "sharing.time", d, uses=uses)


@pytest.mark.parametrize(("n", "small"), [(1, 1), (64, 1), (64, 2), (64, 3), (64, 16), (64, 63), (64, 64), (1000, 250)])
def test_one_tree_and_two_give_the_same_answers(n, small):
    cells = [sharing_cell(n, small, how, algorithm) for how in ("range", "twin") for algorithm in ("fiba", "recalc")]
    assert len({sharing.time(cell, TASK)["checksum"] for cell in cells}) == 1


def test_answers_are_those_of_both_windows():
    n, small = 6, 2  # one high item and five low ones; the small window has the high one and the youngest low one
    total, values = 0, [1 + i % 101 for i in range(2000)]
    for done in range(1, 1001):
        low = [values[serial] for serial in range(1 + done, n + done)]
        total += values[0] + sum(low) + values[0] + low[-1]
    assert sharing.time(sharing_cell(n, small, "range"), TASK)["checksum"] == total


def test_memory_is_that_of_one_tree_or_two():
    shared, twin = (sharing.bytes(sharing_cell(64, 64, how), {})["value"] for how in ("range", "twin"))
    assert twin == 2 * shared
    assert sharing.bytes(sharing_cell(64, 4, "twin"), {})["value"] < twin
    assert sharing_cell(64, 16, "range").entries == 65
    assert sharing_cell(64, 16, "twin").entries == 65 + 17


def test_small_windows_are_powers_of_four_and_the_big_one():
    assert small_windows(64) == [1, 4, 16, 64]
    assert small_windows(100) == [1, 4, 16, 64, 100]
    assert small_windows(1) == [1]
