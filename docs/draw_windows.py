"""The drawings of docs/algorithms: python -m docs.draw_windows [folder]

Each shows what one of the library's own windows holds, step by step. Values are letters and the operator concatenates
them, so that every partial aggregate shows which entries it contains; they are numbers if the algorithm needs an
inverse or an order.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from algorithms import operators, window
from docs.panels import (
    base_intervals,
    daba,
    daba_lite,
    flatfit,
    levels,
    recalc,
    ring_tree,
    slick_deque,
    soe,
    two_stacks,
    two_stacks_lite,
)
from docs.picture import Picture, Queue, Tree, svg
from safeguards.files import write_atomically

CAPACITY = 8
DABA_LEGEND = {
    "green": "done: reaches to B",
    "gold": "left: reaches to R",
    "plain": "right",
    "violet": "accumulator: reaches to B",
    "blue": "back",
}


def new_window(name: str, operator: Any = "concat", capacity: int = CAPACITY) -> Any:
    return window(name, operator=operator, capacity=capacity)


def play(w: Any, script: str) -> None:
    """Letters and digits are inserted in order of time, - evicts the oldest, ? queries the window."""
    for step in script:
        if step == "-":
            w.evict()
        elif step == "?":
            w.query()
        else:
            time = w.youngest() + 1 if len(w) else 1
            w.insert(time, int(step) if step.isdigit() else step)


def steps(w: Any, panel: Callable[..., Queue], *script: tuple[str, str], **options: Any) -> list[Queue]:
    """Play a stretch, draw, play the next."""
    panels = []
    for stretch, caption in script:
        play(w, stretch)
        panels.append(panel(w, caption, **options))
    return panels


STACKS_LEGEND = {"green": "front stack", "blue": "back stack", "gone": "evicted"}
STACKS_SCRIPT = (
    ("abcde", "a to e inserted; the front stack is empty"),
    ("-", "evict: the back stack is flipped (4 combines), then a is removed"),
    ("fg", "f and g inserted"),
)
DABA_SCRIPT = (
    ("abcdef-", "a to f inserted, a evicted: all of front is done, and back is one entry shorter"),
    ("g", "insert g: front and back are equal, so flip, moving only pointers; one step makes b reach to g"),
    ("-", "evict b: the next step makes c reach to g, and f joins the accumulator"),
    ("h", "insert h: left and right are used up, c to g all reach to g; from now on pointers shift"),
)


def picture_of_recalc() -> list[Queue]:
    w = new_window("recalc")
    for time, letter in ((1, "a"), (2, "b"), (4, "d"), (5, "e")):
        w.insert(time, letter)
    before = recalc(w, "in order of time")
    w.insert(3, "c")
    return [before, recalc(w, "insert(3, c): d and e move, nothing is combined", changed=(2,))]


def picture_of_slick_deque() -> list[Queue]:
    values, w = "5327146", new_window("slick_deque", operators.make("max", "int64"))
    script = (
        ("532", "max, falling values: each may be the result once those before it are evicted"),
        ("71", "7 is greater than all of them, so they are dropped"),
        ("-46", "5 was evicted; 4 dropped 1, and 6 dropped 4. The result is the oldest, 7"),
    )
    return steps(w, slick_deque, *script, values=values)


def picture_of_flat_fat() -> list[Tree]:
    w = new_window("flat_fat", capacity=7)
    play(w, "abcdefg?")
    first = ring_tree(w, "a to g, up to date: the root has the result")
    play(w, "---hij?")
    second = ring_tree(w, "a, b, c evicted, h, i, j inserted, then a query: it recomputes the nodes in red", first)
    third = ring_tree(w, "the ring has wrapped: the result is d + efgh, the suffix, + i + j, the prefix", query=True)
    return [first, second, third]


def picture_of_reactive() -> list[Tree]:
    w = new_window("reactive", capacity=12)
    play(w, "abcdefgh?")
    first = ring_tree(w, "a to h: the ring is full")
    w.evict_at(3)
    w.query()
    second = ring_tree(w, "evict_at(3) and a query: c leaves a hole, its path to the root is recomputed", first)
    w.insert(9, "i")
    w.query()
    return [first, second, ring_tree(w, "insert i: 7 of 8 leaves are in use, so the ring doubles; the hole is gone")]


def picture_of_b_int() -> list[Tree]:
    w = new_window("b_int", capacity=7)
    play(w, "abcdefg")
    first = base_intervals(w, "a to g: every interval was computed when it was complete")
    play(w, "-h")
    second = base_intervals(w, "a evicted, h inserted: it completed gh, efgh and the interval above: 3 combines")
    play(w, "--ij")
    third = base_intervals(w, "b, c evicted, i, j inserted. The window is d + efgh + ij: 2 combines", query=True)
    return [first, second, third]


def picture_of_log_mta() -> list[Tree]:
    w = new_window("log_mta", capacity=7)
    play(w, "abcdefg")
    first = levels(w, "a to g: the two nodes of the top level are the window")
    play(w, "-")
    second = levels(w, "a evicted: the leftmost branch is recomputed, one combine per level", first)
    play(w, "h")
    third = levels(w, "h inserted: the rightmost branch is recomputed", second)
    w.bulk_evict(5)
    return [first, second, third, levels(w, "bulk_evict(5): evicts b to e, and with them the top level", third)]


def picture_of_amta() -> list[Tree]:
    w = new_window("amta", capacity=7)
    play(w, "abcdefg-")
    first = levels(w, "a to g inserted, a evicted")
    play(w, "-")
    second = levels(w, "b evicted: cd was popped from the stack, d was pushed", first)
    play(w, "h")
    third = levels(w, "h inserted; nothing else changes", second)
    w.bulk_evict(5)
    return [first, second, third, levels(w, "bulk_evict(5)", third)]


def pictures() -> dict[str, Picture]:
    """Every drawing by its algorithm."""
    sums = (
        ("31415", "3, 1, 4, 1, 5 inserted"),
        ("9", "insert 9: added"),
        ("-", "evict 3: subtracted"),
    )
    fit = (
        ("abcde", "a to e inserted; each covers itself"),
        ("?", "a query walks from a to the end, and folds on its way back: 4 combines"),
        ("-f", "a evicted, f inserted"),
        ("?", "the next query: b and f, 1 combine"),
    )
    changed = {"red": "recomputed", "gone": "empty"}
    return {
        "recalc": Picture("Recalculation", picture_of_recalc(), {"red": "new entry"}),
        "two_stacks": Picture("Two-stacks", steps(new_window("two_stacks"), two_stacks, *STACKS_SCRIPT), STACKS_LEGEND),
        "two_stacks_lite": Picture(
            "Two-stacks lite", steps(new_window("two_stacks_lite"), two_stacks_lite, *STACKS_SCRIPT), STACKS_LEGEND
        ),
        "daba": Picture("DABA", steps(new_window("daba"), daba, *DABA_SCRIPT), DABA_LEGEND),
        "daba_lite": Picture("DABA lite", steps(new_window("daba_lite"), daba_lite, *DABA_SCRIPT), DABA_LEGEND),
        "soe": Picture(
            "Subtract on evict",
            steps(new_window("soe", operators.make("sum", "int64")), soe, *sums),
            {"gold": "running aggregate"},
        ),
        "flatfit": Picture("FlatFIT", steps(new_window("flatfit"), flatfit, *fit), {"gone": "evicted"}),
        "slick_deque": Picture("SlickDeque", picture_of_slick_deque(), {"green": "can still be the result"}),
        "flat_fat": Picture("FlatFAT", picture_of_flat_fat(), {**changed, "green": "suffix", "blue": "prefix"}),
        "b_int": Picture(
            "B-Int",
            picture_of_b_int(),
            {"red": "completed", "green": "used by the query", "gone": "not in the window"},
        ),
        "log_mta": Picture("Log MTA", picture_of_log_mta(), changed),
        "amta": Picture("Amortised MTA", picture_of_amta(), {"red": "new", "gone": "empty, or not read again"}),
        "reactive": Picture("Reactive Aggregator", picture_of_reactive(), {**changed, "gold": "hole"}),
    }


def draw(folder: Path) -> list[Path]:
    """Write the drawings as SVG files, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, picture in pictures().items():
        paths.append(folder / f"{name}.svg")
        write_atomically(paths[-1], svg(picture).encode())
    return paths


if __name__ == "__main__":
    for path in draw(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "algorithms" / "images"):
        print(path)
