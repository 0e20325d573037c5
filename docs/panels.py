"""What a window of the library holds at the moment, as a panel of a picture: one function for each structure."""

from typing import Any

from algorithms import operators
from docs.picture import Cell, Queue, Tree

STACKS = {"front": "green", "back": "blue"}
DABA_PARTS = {"F": "green", "L": "gold", "R": "plain", "A": "violet", "B": "blue"}
"""The tone of the elements from each pointer on."""


def shown(w: Any, slot: int) -> str:
    """The partial aggregate in a slot, as text."""
    return str(operators.present(w.op, w._w.agg, slot))


def pointers(w: Any) -> dict[str, int]:
    ends = w._w.ends[0]
    return {name: int(ends[name]) for name in w._w.ends.dtype.names}


def element(w: Any, i: int, ring: int = 0, fixed: int = 1) -> str:
    """What the ring (of several, the first is 0) has for element i."""
    mask = pointers(w)["mask"]
    return shown(w, fixed + ring * (mask + 1) + (i & mask))


def tone(i: int, places: dict[str, int], tones: dict[str, str]) -> str:
    """The tone of the part that element i lies in: that of the last pointer at or before it."""
    found = "gone"
    for name, colour in tones.items():
        if i >= places[name]:
            found = colour
    return found


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
    return Queue(caption, {"elements": cells}, marks, beside={"BACK": Cell(shown(w, 1), "blue")})


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
    beside = {"MIDDLE": Cell(shown(w, 1)), "BACK": Cell(shown(w, 2), "blue")}
    return Queue(caption, {"elements": cells}, at, beside=beside)


def soe(w: Any, caption: str) -> Queue:
    at = pointers(w)
    cells = [Cell(element(w, i, fixed=2), tone(i, at, {"front": "green"})) for i in range(at["end"])]
    marks = {name: at[name] for name in ("front", "end")}
    return Queue(caption, {"values": cells}, marks, beside={"ALL": Cell(shown(w, 1), "gold")})


def flatfit(w: Any, caption: str) -> Queue:
    at = pointers(w)
    cells, arrows = [], []
    for i in range(at["end"]):
        kept = i >= at["front"]
        cells.append(Cell(element(w, i) if kept else "", "green" if kept else "gone"))
        if kept:
            arrows.append((i, int(w._w.next[i & at["mask"]])))
    return Queue(caption, {"covers": cells}, {"front": at["front"]}, arrows)


def slick_deque(w: Any, caption: str, values: str) -> Queue:
    at, k = pointers(w), w._w
    inside = {int(k.number[i & at["mask"]]): element(w, i, fixed=3) for i in range(at["first"], at["last"])}
    seen = [Cell(values[i], "plain" if i >= at["front"] else "gone") for i in range(at["end"])]
    kept = [Cell(inside.get(i, ""), "green" if i in inside else "gone") for i in range(at["end"])]
    return Queue(caption, {"stream": seen, "deque": kept}, {name: at[name] for name in ("front", "end")})


def recalc(w: Any, caption: str, changed: tuple[int, ...] = ()) -> Queue:
    at, k = pointers(w), w._w
    slots = [(at["first"] + i) & at["mask"] for i in range(at["entries"])]
    times = [Cell(str(int(k.time[p]))) for p in slots]
    values = [Cell(shown(w, 2 + p), "red" if i in changed else "green") for i, p in enumerate(slots)]
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
    """The tree of FlatFAT or the Reactive; red where a node differs from the tree before, or as a query takes it."""
    at, k = pointers(w), w._w
    ring = at["mask"] + 1
    suffix, prefix = path_pieces(ring, at["front"] % ring, (at["end"] - 1) % ring) if query else ([], [])
    holes = {i % ring for i in range(at["front"], at["end"]) if "hole" in k._fields and k.hole[i % ring]}
    nodes = [Cell("")]
    for i in range(1, 2 * ring):
        text = shown(w, 2 + i)
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
