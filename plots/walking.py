"""A reader's own script, step by step: as text in the terminal, as a figure, and as a page with a stepper."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from plots import figure
from plots.exploring import frames
from plots.families import described
from plots.families.stretches import lanes
from plots.style import series
from plots.tree_captions import caption, heading
from results.schema import OK, empty_row
from safeguards.files import write_atomically

METRIC = "walk"

Facts = Mapping[str, Any]


def show(algorithm: Any, script: str, family: str, facts: Sequence[Facts], folder: str) -> int:
    """Print the states, and write NAME.svg, NAME.png and NAME.html to the folder. Returns the exit code."""
    name = algorithm["name"] if isinstance(algorithm, Mapping) else str(algorithm)
    for line in TEXTS[family](facts):
        print(line)
    rows = pd.DataFrame([empty_row() | {"metric": METRIC, "status": OK, "facts": json.dumps(entry)} for entry in facts])
    title = f"{series(name, {}).label}: {' '.join(script.split())}"
    description = {"name": f"walk-{name}", "family": family, "metric": METRIC, "title": title, "small_print": False}
    for path in write(description, rows, Path(folder)):
        print(f"wrote {path}")
    return 0


def write(description: Mapping[str, Any], rows: pd.DataFrame, folder: Path) -> list[Path]:
    """The figure as image files, and the page that steps through its states."""
    from plots.report import stepping_page
    from plots.theme import render

    drawn = figure(description, rows)
    files = {kind: render(drawn, kind) for kind in ("png", "svg")}
    states = [(name, svg.decode()) for name, svg in frames(description, rows)]
    files["html"] = stepping_page(described(description).title, states).encode()
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{description['name']}.{kind}" for kind in files]
    for path, content in zip(paths, files.values()):
        write_atomically(path, content)
    return paths


# ---------------------------------------------------------------------------------------------------------------- text


def trees(facts: Sequence[Facts]) -> Iterator[str]:
    """A tree turned on its side: the root first, each child below its parent and further right."""
    before = None
    for state in facts[0]["states"]:
        yield f"\n{heading(state)}: {caption(state, before)}"
        if before is not None:
            yield f"  the whole window: {state['answer']}"
        changed = state["step"]["changed"] if state["step"] else ()
        yield from _subtree(state["nodes"], state["nodes"][0], changed, 1)
        before = state


def _subtree(nodes: Sequence[Facts], node: Facts, changed: Sequence[int], depth: int) -> Iterator[str]:
    entries = " ".join(f"{time}:{value}" for time, value in zip(node["times"], node["values"]))
    notes = [f"{node['kind']} aggregate {node['aggregate'] or '∅'}"]
    notes += [f"{node['coins']} coin{'s' * (node['coins'] > 1)}"] * bool(node["coins"])
    notes += [f"{node['finger']} finger".replace("left right", "left and right")] * bool(node["finger"])
    mark = "*" if node["id"] in changed else " "
    yield f"{'  ' * depth}{mark}[{entries}]  {', '.join(notes)}"
    for child in nodes:
        if child["parent"] == node["id"]:
            yield from _subtree(nodes, child, changed, depth + 2)


def levels(facts: Sequence[Facts]) -> Iterator[str]:
    """The levels of pairs, the highest first, each node above the elements that it is of."""
    states = facts[0]["states"]
    pairs = (pair for state in states for level in state["levels"] for pair in level["pairs"])
    widest = max(len(text or "") for pair in pairs for text in pair)
    cell = max(widest, 1) + 1
    for number, state in enumerate(states, 1):
        yield f"\nstep {number}, {state['title']}: {state['answer']}"
        start = min(level["first"] << place for place, level in enumerate(state["levels"]))
        for place, level in reversed(list(enumerate(state["levels"]))):
            line = " " * ((2 * (cell + 1)) * ((level["first"] << place) - start))
            for first, second in level["pairs"]:
                pair = f"[{first or '∅'} {second or '∅'}]"
                line += pair.center(2 * (cell + 1) << place)
            yield f"  level {place}  {line.rstrip()}"
        if state["results"]:
            yield f"  R        {' and '.join(text or '∅' for text in state['results'])}"
            yield f"  stack    {', '.join(state['stack']) or 'empty'}" + " (top first)" * (len(state["stack"]) > 1)


def stretches(facts: Sequence[Facts]) -> Iterator[str]:
    """The elements in columns, and each aggregate that is kept below those that it is of."""
    for number, state in enumerate(facts[0]["states"], 1):
        yield f"\nstep {number}, {state['title']}: {state['answer']}"
        elements = [f"{time}:{value}" for time, value in state["elements"]]
        kept = [one for _, of_part in state["parts"] for one in of_part]
        needed = [-(-(len(text) + 2) // (end - first)) for first, end, text in kept]
        cell = 1 + max([*map(len, elements), *needed], default=0)
        label = max(map(len, ("elements", *(name for name, _ in state["parts"])))) + 2
        yield f"  {'elements'.ljust(label)}{''.join(text.ljust(cell) for text in elements).rstrip()}"
        for name, of_part in state["parts"]:
            for row, lane in enumerate(lanes(of_part)):
                yield f"  {(name if row == 0 else '').ljust(label)}{_bars(lane, cell)}"


def slices(facts: Sequence[Facts]) -> Iterator[str]:
    """The records in columns, the slices below them, and the windows that have ended."""
    first, letters = facts[0]["first"], facts[0]["letters"]
    for number, state in enumerate(facts[0]["states"], 1):
        yield f"\nstep {number}, record {letters[number - 1]}"
        cut = [[begin - first, end - first, text] for begin, end, text in state["slices"]]
        yield f"  records  {''.join(f' {letter} ' for letter in letters[:number])}"
        yield f"  slices   {_bars(cut, 3)}"
        for query, begin, end, text in state["windows"]:
            yield f"  window   {_bars([[begin - first, end - first, text]], 3)}  {facts[0]['queries'][query]['title']}"


def _bars(stretches_: Sequence[Sequence[Any]], cell: int) -> str:
    """A line of boxes over cells of that many characters."""
    line = ""
    for begin, end, text in sorted(stretches_):
        line = line.ljust(begin * cell) + f"[{text.center((end - begin) * cell - 3, '-' if end - begin > 1 else ' ')}]"
    return line


TEXTS = {"trees": trees, "levels": levels, "stretches": stretches, "slices": slices}
"""By family of figures."""
