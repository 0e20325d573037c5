"""The invariants of A_C, in plain Python: AssertionError for one that does not hold."""

import itertools

import numpy as np

from algorithms.streams.compressed.serial import unpack
from algorithms.streams.compressed.state import NEVER
from algorithms.streams.compressed.table import find
from algorithms.streams.compressed.windows import Windows


def check(w: Windows, sorted_tuples: bool) -> None:
    """Check maps, index, arena and counts. `sorted_tuples`: windows hold tuples as they came, in [e_l, e_l + WS)."""
    s = w.a.state[0]
    alive, gamma = w.alive().tolist(), np.asarray(w.a.gamma)
    uncompressed = [j for j in alive if gamma[j]["room"] > 0]
    check_maps(w, alive)
    check_index(w, uncompressed)
    check_arena(w, uncompressed)
    check_counts(w, alive, uncompressed)
    if sorted_tuples:
        for j in alive:
            times = times_of(w, j)
            assert times, f"window {j} is empty"
            assert times == sorted(times), f"times of window {j} descend"
            assert s.e_l <= times[0] <= times[-1] < s.e_l + s.WS, f"window {j} is not within its epoch"
            assert times[-1] == gamma[j]["latest"], f"k_tau of window {j}"


def check_maps(w: Windows, alive: list[int]) -> None:
    """Every key has one window, which the table finds and which one of the maps holds."""
    a, s = w.a, w.a.state[0]
    keys = [int(a.gamma[j].key) for j in alive]
    assert len(set(keys)) == len(keys) == len(set(alive)), "a key or a window is there twice"
    assert [int(find(a, key)) for key in map(np.int64, keys)] == alive, "the table leads elsewhere"
    assert int((np.asarray(a.table)["window"] > 0).sum()) == len(alive), "the table has keys without windows"
    spare, j = [], int(s.spare)
    while j >= 0:
        spare.append(j)
        j = int(a.gamma[j].older)
    assert sorted(spare + alive) == list(range(int(s.begun))), "a record of a window is lost, or there twice"
    packed = {j for j, compressed_bytes in enumerate(w.packed.windows) if compressed_bytes is not None}
    holding = {j for j in alive if a.gamma[j].room == 0 and a.gamma[j].last > 0}
    assert packed == holding, "comp has other windows than those that are compressed"


def check_index(w: Windows, uncompressed: list[int]) -> None:
    """The index has exactly the uncompressed windows, least recent first; none if D is infinite."""
    a, s = w.a, w.a.state[0]
    index, j, before = [], int(s.oldest), -1
    while j >= 0:
        assert a.gamma[j].older == before, "the index is not the same both ways"
        index.append(j)
        before, j = j, int(a.gamma[j].younger)
    assert s.youngest == before, "the index ends elsewhere"
    assert sorted(index) == (sorted(uncompressed) if s.D != NEVER else []), "the index has other windows"
    latest = [int(a.gamma[j].latest) for j in index]
    assert latest == sorted(latest), "the index is not in order"


def check_arena(w: Windows, uncompressed: list[int]) -> None:
    """Used and free segments together cover the allocated slots without overlap."""
    a, s = w.a, w.a.state[0]
    used = [(int(a.gamma[j].at), int(a.gamma[j].room)) for j in uncompressed]
    free = []
    for k, at in enumerate(a.free.tolist()):
        while at >= 0:
            free.append((at, 1 << k))
            at = int(a.times[at])
    ends = [
        int(s.bench),
        *itertools.chain.from_iterable((at, at + room) for at, room in sorted(used + free)),
        int(s.end),
    ]
    assert ends[::2] == ends[1::2], "segments overlap, or one is lost"
    assert sum(room for _, room in used) == s.used, "used slots are counted wrong"
    for j in uncompressed:
        g = a.gamma[j]
        assert g.at <= g.first <= g.last <= g.at + g.room <= g.at + s.bench, f"window {j} is outside its segment"


def check_counts(w: Windows, alive: list[int], uncompressed: list[int]) -> None:
    """The counts of tuples, windows and bytes are right."""
    a, s = w.a, w.a.state[0]
    tuples = {j: int(a.gamma[j].last - a.gamma[j].first) for j in alive}
    assert sum(tuples.values()) == s.tuples, "tuples are counted wrong"
    assert sum(tuples[j] for j in uncompressed) == s.unpacked, "uncompressed tuples are counted wrong"
    assert len(alive) - len(uncompressed) == s.compressed, "compressed windows are counted wrong"
    assert sum(map(len, filter(None, w.packed.windows))) == s.packed, "compressed bytes are counted wrong"


def times_of(w: Windows, j: int) -> list[int]:
    """The times of a window's tuples; a compressed one is unpacked to the bench, which is free between batches."""
    g = w.a.gamma[j]
    if g.room > 0:
        return w.a.times[int(g.first) : int(g.last)].tolist()
    decompressed = w.packed.codec.decompress(w.packed.windows[j], int(g.last * w.a.state[0].bytes), True)
    w.a.scratch[: len(decompressed)] = np.frombuffer(decompressed, "u1")
    unpack(w.a, g.last, g.at, 0, 0)
    return w.a.times[: int(g.last)].tolist()
