"""What a window of the library holds at the moment, as a panel of a picture: one function for each structure."""

from typing import Any

from algorithms import operators
from algorithms.windows.in_order import amta
from algorithms.windows.in_order.reactive import used_nodes
from docs.picture import Cell, Queue, Tree

STACKS = {"front": "green", "back": "blue"}
DABA_PARTS = {"F": "green", "L": "gold", "R": "plain", "A": "violet", "B": "blue"}
"""The tone of the entries from each pointer on."""


def partial(w: Any, slot: int) -> str:
    """The partial aggregate in a slot, as text."""
    return str(operators.present(w.op, w._w.agg, slot))


def pointers(w: Any) -> dict[str, int]:
    ends = w._w.ends[0]
    return {name: int(ends[name]) for name in w._w.ends.dtype.names}


def element(w: Any, i: int, ring: int = 0, fixed: int = 1) -> str:
    """The slot of entry i in the ring, as text; of several rings the first is 0."""
    mask = pointers(w)["mask"]
    return partial(w, fixed + ring * (mask + 1) + (i & mask))


def tone(i: int, places: dict[str, int], tones: dict[str, str]) -> str:
    """The tone of the part that contains entry i: that of the last pointer at or before it."""
    tone_of_part = "gone"
    for name, colour in tones.items():
        if i >= places[name]:
            tone_of_part = colour
    return tone_of_part


def two_stacks(w: Any, caption: str) -> Queue:
    at = pointers(w)
    rows = {"values": [], "aggregates": []}
    for i in range(at["end"]):
        colour = tone(i, at, STACKS)
        rows["values"].append(Cell(element(w, i, ring=1), colour))
        rows["aggregates"].append(Cell("" if colour == "gone" else element(w, i), colour))
    return Queue(caption, rows, {name: at[name] for name in ("front", "back", "end")})


def two_stacks_lite(w: Any, caption: str) -> Queue:
    at = pointers(w)
    cells = []
    for i in range(at["end"]):
        colour = tone(i, at, STACKS)
        cells.append(Cell("" if colour == "gone" else element(w, i, fixed=2), colour))
    marks = {name: at[name] for name in ("front", "back", "end")}
    return Queue(caption, {"elements": cells}, marks, beside={"BACK": Cell(partial(w, 1), "blue")})


def daba_pointers(w: Any) -> dict[str, int]:
    at = pointers(w)
    return {"F": at["front"], **{name: at[name] for name in "LRAB"}, "E": at["end"]}


def daba(w: Any, caption: str) -> Queue:
    at = daba_pointers(w)
    rows = {"values": [], "aggregates": []}
    for i in range(at["E"]):
        colour = tone(i, at, DABA_PARTS)
        rows["values"].append(Cell(element(w, i, ring=1), colour))
        rows["aggregates"].append(Cell("" if colour == "gone" else element(w, i), colour))
    return Queue(caption, rows, at)


def daba_lite(w: Any, caption: str) -> Queue:
    at = daba_pointers(w)
    cells = []
    for i in range(at["E"]):
        colour = tone(i, at, DABA_PARTS)
        cells.append(Cell("" if colour == "gone" else element(w, i, fixed=3), colour))
    beside = {"MIDDLE": Cell(partial(w, 2)), "BACK": Cell(partial(w, 1), "blue")}
    return Queue(caption, {"elements": cells}, at, beside=beside)


def soe(w: Any, caption: str) -> Queue:
    at = pointers(w)
    cells = [Cell(element(w, i, fixed=2), tone(i, at, {"front": "green"})) for i in range(at["end"])]
    marks = {name: at[name] for name in ("front", "end")}
    return Queue(caption, {"values": cells}, marks, beside={"ALL": Cell(partial(w, 1), "gold")})


def flatfit(w: Any, caption: str) -> Queue:
    at = pointers(w)
    cells, arrows = [], []
    for i in range(at["end"]):
        in_window = i >= at["front"]
        cells.append(Cell(element(w, i) if in_window else "", "green" if in_window else "gone"))
        if in_window:
            arrows.append((i, int(w._w.next[i & at["mask"]])))
    return Queue(caption, {"covers": cells}, {"front": at["front"]}, arrows)


def slick_deque(w: Any, caption: str, values: str) -> Queue:
    at, k = pointers(w), w._w
    in_deque = {int(k.number[i & at["mask"]]): element(w, i, fixed=3) for i in range(at["first"], at["last"])}
    stream = [Cell(values[i], "plain" if i >= at["front"] else "gone") for i in range(at["end"])]
    deque = [Cell(in_deque.get(i, ""), "green" if i in in_deque else "gone") for i in range(at["end"])]
    return Queue(caption, {"stream": stream, "deque": deque}, {name: at[name] for name in ("front", "end")})


def recalc(w: Any, caption: str, changed: tuple[int, ...] = ()) -> Queue:
    at, k = pointers(w), w._w
    slots = [(at["first"] + i) & at["mask"] for i in range(at["entries"])]
    times = [Cell(str(int(k.time[p]))) for p in slots]
    values = [Cell(partial(w, 2 + p), "red" if i in changed else "green") for i, p in enumerate(slots)]
    return Queue(caption, {"times": times, "values": values})


def path_pieces(ring: int, start: int, last: int) -> tuple[list[int], list[int]]:
    """The nodes that make up leaves start .. ring - 1, and those for leaves 0 .. last, from left to right."""
    suffix, prefix = [ring + start], [ring + last]
    for pieces, right in ((suffix, False), (prefix, True)):
        j = pieces[0]
        while j > 1:
            if bool(j & 1) == right:
                pieces.append(j ^ 1)
            j >>= 1
    return suffix, prefix[::-1]


def ring_tree(w: Any, caption: str, before: Tree | None = None, query: bool = False) -> Tree:
    """The tree of FlatFAT or Reactive: red where a node differs from the tree before, or coloured by use in a query."""
    at, k = pointers(w), w._w
    ring = at["mask"] + 1
    suffix, prefix = path_pieces(ring, at["front"] % ring, (at["end"] - 1) % ring) if query else ([], [])
    holes = {i % ring for i in range(at["front"], at["end"]) if "hole" in k._fields and k.hole[i % ring]}
    used, nodes = used_nodes(k) if "hole" in k._fields else None, [Cell("")]
    for i in range(1, 2 * ring):
        text = partial(w, 2 + i) if used is None or i in used else ""
        if i in suffix or i in prefix:
            nodes.append(Cell(text, "green" if i in suffix else "blue"))
        elif i - ring in holes:
            nodes.append(Cell("", "gold"))
        elif before and len(before.nodes) == 2 * ring and before.nodes[i].text != text:
            nodes.append(Cell(text, "red"))
        else:
            nodes.append(Cell(text, "plain" if text else "gone"))
    marks = {"oldest": at["front"] % ring, "youngest": (at["end"] - 1) % ring}
    return Tree(caption, nodes, marks)


def greedy_pieces(front: int, end: int) -> list[tuple[int, int]]:
    """Level and first entry of the base intervals that make up entries front .. end - 1."""
    pieces, i = [], front
    while i < end:
        level = max(k for k in range(end.bit_length()) if i % (1 << k) == 0 and i + (1 << k) <= end)
        pieces.append((level, i))
        i += 1 << level
    return pieces


def base_intervals(w: Any, caption: str, query: bool = False) -> Tree:
    """The levels of B-Int: red where the youngest entry completed an interval, or coloured as a query uses them."""
    at, nodes = pointers(w), [Cell("")]
    ring, used = at["mask"] + 1, greedy_pieces(at["front"], at["end"]) if query else []
    for level in range(ring.bit_length() - 1, -1, -1):
        width, size = ring >> level, 1 << level
        for place in range(width):
            first = (place + ((at["end"] >> level) - 1 - place) // width * width) * size  # of the last that was there
            slot = 1 + 2 * ring - (2 * ring >> level) + place
            tone = "green" if (level, first) in used else "gone" if first < at["front"] else "plain"
            if not query and level and first >= 0 and first + size == at["end"]:
                tone = "red"
            nodes.append(Cell(partial(w, slot) if first >= 0 else "", tone))
    return Tree(caption, nodes, {"oldest": at["front"] % ring, "youngest": (at["end"] - 1) % ring})


def levels(w: Any, caption: str, before: Tree | None = None) -> Tree:
    """The levels of a Monoid Tree Aggregator whose entries have numbers below the ring's size, and the result pair.

    Red where a node differs from the tree before, grey where it has lost entries and is not read again.
    """
    at, k = pointers(w), w._w
    ends, ring, forest = k.ends[0], at["mask"] + 1, isinstance(k, amta.AMTA)
    nodes = [Cell("")]
    for level in range(ring.bit_length() - 1, -1, -1):
        last = amta.nodes(ends, level) - 1 if forest else (at["end"] - 1) >> level if level <= at["top"] else -1
        for j in range(ring >> level):
            text = partial(w, amta.at(k, level, j))
            if not at["front"] >> level <= j <= last:
                nodes.append(Cell("", "gone"))
            elif forest and j << level < at["front"]:
                nodes.append(Cell(text, "gone"))
            else:
                nodes.append(Cell(text, "red" if before and before.nodes[len(nodes)].text != text else "plain"))
    if forest:
        stack = [partial(w, amta.STACK + i) for i in range(at["stacked"])]
        stack_text = f"stack {', '.join(reversed(stack))}" if stack else "stack empty"
        caption += f": R0 {partial(w, amta.R0)}, R1 {partial(w, amta.R1)}, {stack_text}"
    return Tree(caption, nodes, {"oldest": at["front"], "youngest": at["end"] - 1})
