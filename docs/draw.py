"""The drawings of docs/fiba.md: python -m docs.draw [folder]

They show what the library's own trees hold after the operations of the paper's worked example.
"""

import sys
from pathlib import Path

from algorithms import window
from experiments.fiba.measuring.snapshots import play
from experiments.fiba.walkthrough import CAPACITY, MIN_ARITY, OPERATOR, SCRIPTS
from plots.families.trees import State, drawing
from plots.layout import Texts
from plots.theme import render, theme
from safeguards.files import write_atomically

IMAGES = {
    "fiba_classic": ["classic"],
    "fiba_tree": ["A"],
    "fiba_insert": ["B", "C"],
    "fiba_split": ["D", "E"],
    "fiba_evict": ["E", "F"],
    "fiba_move": ["I", "J"],
    "fiba_height": ["G", "H"],
}
"""States on each drawing."""


def states() -> dict[str, State]:
    """Every state of the worked example by its letter."""
    states_by_letter = {}
    for name, script in SCRIPTS:
        before = None
        for facts in play(window(name, operator=OPERATOR, capacity=CAPACITY, min_arity=MIN_ARITY), script):
            states_by_letter[facts["state"]] = State(facts, before)
            before = facts
    return states_by_letter


def draw(folder: Path) -> list[Path]:
    """Write the drawings as SVG files, and return their paths."""
    states_by_letter, paths = states(), []
    folder.mkdir(parents=True, exist_ok=True)
    for name, letters in IMAGES.items():
        with theme():
            figure = drawing([states_by_letter[letter] for letter in letters], Texts())
        paths.append(folder / f"{name}.svg")
        write_atomically(paths[-1], render(figure, "svg"))
    return paths


if __name__ == "__main__":
    for path in draw(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "images"):
        print(path)
