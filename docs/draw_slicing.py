"""The drawings of docs/slicing.md: python -m docs.draw_slicing [folder]

They show how the library's own slicers cut a stream, and what its store holds. Values are letters and the operator
concatenates them, so that every partial aggregate shows which records it contains.
"""

import sys
from pathlib import Path

from algorithms import SharedAggregate, operators, queries
from algorithms.windows.in_order.flat_fat import TREE
from docs.picture import Cell, Picture, Queue, Tree, svg
from safeguards.files import write_atomically

TONES = ("green", "blue")
LETTERS = "abcdefghijklmnopq"


def sliced(s: SharedAggregate, stream: str, caption: str) -> Queue:
    """The records, and under the first of each slice its partial aggregate; marks where windows begin and end."""
    partial_of: dict[int, str] = {}
    ended = []
    for letter in stream:
        ended += s.batch(None, letter)
        partial_of |= {begin: value for begin, _, value in s.slices()}
    records, partials, tone = [], [], 1
    for i, letter in enumerate(stream):
        tone ^= i in partial_of
        records.append(Cell(letter, TONES[tone]))
        partials.append(Cell(partial_of.get(i, ""), TONES[tone] if i in partial_of else "gone"))
    first = ended[0]
    return Queue(caption, {"records": records, "slices": partials}, {"begin": first.begin, "end": first.end})


def tree(s: SharedAggregate, caption: str) -> Tree:
    """What the eager store holds: the slices are the leaves, `front` the oldest, `last` the youngest."""
    store = s._parts[0].a.store
    ends = store.ends[0]
    ring, front, last = int(ends.mask) + 1, int(ends.front), int(ends.end) - 1
    live = {ring + i % ring for i in range(front, last + 1)}
    nodes = [Cell("")]
    for j in range(1, 2 * ring):
        text = operators.present(s.op, store.agg, TREE + j)
        nodes.append(Cell(text, "green" if j in live else "gone" if j >= ring else "plain"))
    return Tree(caption, nodes, {"front": front % ring, "last": last % ring})


def picture_of_slicers() -> Picture:
    panels = []
    for name, caption in (
        ("panes", "Panes: gcd(10, 3) = 1, so every slice is one record; a window is 10 slices"),
        ("pairs", "Pairs: slices of 10 mod 3 = 1 and of 2 records in turn; a window is 7 slices"),
        ("cutty", "Cutty: a slice begins only where a window does; a window is 3 slices and the open one so far"),
    ):
        aggregate = SharedAggregate([queries.sliding(10, 3)], "concat", name)
        panels.append(sliced(aggregate, LETTERS[:11], caption))
    return Picture("Range 10, slide 3", panels, {})


def picture_of_sharing() -> Picture:
    both = [queries.sliding(4, 2), queries.sliding(5, 3)]
    panel = sliced(SharedAggregate(both, "concat"), LETTERS[:10], "range 4, slide 2 and range 5, slide 3")
    ended = list(SharedAggregate(both, "concat").batch(None, LETTERS))
    rows = {}
    for number in range(len(both)):
        begins = {result.begin for result in ended if result.query == number}
        ends = {result.end for result in ended if result.query == number}
        words = {(True, True): "both", (True, False): "begin", (False, True): "end", (False, False): ""}
        texts = [words[i in begins, i in ends] for i in range(10)]
        rows[f"query {number}"] = [Cell(text, "violet" if text in ("begin", "both") else "plain") for text in texts]
    return Picture(
        "Two queries", [Queue(panel.caption, rows | panel.rows)], {"violet": "a window begins: a slice begins"}
    )


def picture_of_store() -> Picture:
    aggregate = SharedAggregate([queries.sliding(10, 3)], "concat")
    aggregate.batch(None, LETTERS[:10])
    before = tree(aggregate, "a to j read: slices abc, def and ghi are stored, and j is in the open slice")
    ended = next(iter(aggregate.batch(None, LETTERS[10])))
    after = tree(aggregate, f"k ends {ended.value} = abcdef + ghi + j; after that no open window needs abc")
    return Picture("The eager store", [before, after], {"green": "slice", "gone": "no slice"})


def pictures() -> dict[str, Picture]:
    """Every drawing by its name."""
    return {
        "slicing_slicers": picture_of_slicers(),
        "slicing_sharing": picture_of_sharing(),
        "slicing_store": picture_of_store(),
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
    for path in draw(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "images"):
        print(path)
