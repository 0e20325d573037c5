"""The worked example of the FiBA paper, Figures 1, 3 to 6 and 9: states A to N, their aggregates, steps and coins.

MIN_ARITY is 2, the value at time i is the i-th letter, and the operator concatenates. The paper's text gives the steps,
what each spends, is billed and is refunded, and some aggregates; the drawings themselves were not at hand. The trees
were found by searching orders of arrival for those whose tree agrees with all of that. How far the text fixes them:

    A to F    entries a to u without p and r, and every node outside the root's centre child. That child's aggregate
              hijklmn leaves its arity open; three children with leaves h, jk, mn serve the steps IJ and MN as well
    G, H      two levels, a root of arity 4 and a full leaf where c belongs. Ours is the smallest such tree: d to l
    I, J      left child of arity 2 over leaves of arity 2, a root of arity 3 or more, its second child of arity 3. Ours
              is F after one more eviction
    K, L      root, o's leaf, the neighbour it merges with and their parents have least arity. Ours is the smallest such
              tree: i to o
    M, N      9:i in an inner node, and the substitute from a leaf of arity 3. Ours is F
    Figure 1  the aggregate ab..u and three children of the root. Ours is A, as a classic B-tree: its right child holds
              the qstu of section 2
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from algorithms.windows.contract import Card, card
from algorithms.windows.make import window
from experiments.fiba.measuring.snapshots import STEPS, play
from experiments.harness.cell import Cell
from experiments.harness.fitting import largest
from experiments.harness.grid import example_only, scripted, unnamed
from experiments.harness.measured import Measured, NotMeasuredError, Table
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError
from experiments.harness.walks import Step, walk

COINS = "snapshots.coins"

OPERATOR, MIN_ARITY, CAPACITY = "concat", 2, 32
TREES = ("fiba", "b_tree")
RANDOM_CAPACITY = 64
"""Of the random sequences: five levels at MIN_ARITY 2, emptied and filled many times."""


def inserts(letters: str) -> list[list[Any]]:
    """Insertions of letters in this order of arrival, each at its place in the alphabet."""
    return [["insert", ord(letter) - ord("a") + 1, letter] for letter in letters]


EVICT = ["evict"]
TO_A = inserts("gjiceuhkfbdatoqlsmn")
A_TO_F = [["insert", 22, "v"], ["insert", 18, "r"], EVICT, ["insert", 16, "p"], EVICT]
TO_G = inserts("lkjihgfed")
TO_K = [*inserts("onmlkjihgf"), EVICT, EVICT, EVICT]

SCRIPTS = (
    ("b_tree", {"figure": "Figure 1", "states": ["classic"], "build": TO_A, "steps": []}),
    ("fiba", {"figure": "Figure 3", "states": list("ABCDEF"), "build": TO_A, "steps": A_TO_F}),
    ("fiba", {"figure": "Figure 4", "states": list("GH"), "build": TO_G, "steps": [["insert", 3, "c"]]}),
    ("fiba", {"figure": "Figure 5", "states": list("IJ"), "build": [*TO_A, *A_TO_F, EVICT], "steps": [EVICT]}),
    ("fiba", {"figure": "Figure 6", "states": list("KL"), "build": TO_K, "steps": [["evict_at", 15]]}),
    ("fiba", {"figure": "Figure 9", "states": list("MN"), "build": [*TO_A, *A_TO_F], "steps": [["evict_at", 9]]}),
)

CAPTIONS = {
    "B": {"billed": 0, "refunded": 1},
    "C": {"billed": 2, "refunded": 0},
    "D": {"billed": 1, "refunded": 0},
    "E": {"splits": 1, "billed": 0, "refunded": 1},
    "F": {"merges": 1, "billed": 0, "refunded": 0},
    "H": {"splits": 2, "billed": 0, "refunded": 0},
    "J": {"merges": 1, "moves": 1, "billed": 1, "refunded": 0},
    "L": {"merges": 2, "billed": 0, "refunded": 2},
    "N": {"billed": 1, "refunded": 0},
}
"""What the captions say of the step to each state; a step that is not named was not taken."""

PRINTED = (
    # state, kind of aggregate, times of the node's entries, what the text prints
    ("A", "inner", [7, 15], "ghijklmno"),
    ("A", "up", [9, 12], "hijklmn"),
    ("A", "left", [3, 5], "cdef"),
    ("A", "right", [20], "qst"),
    ("classic", "up", [7, 15], "abcdefghijklmnoqstu"),
)
"""Aggregates of sections 3.1 and 3.2; of the classic root the text prints the ends, ab..u."""

REACH = {"B": [[21, 22]], "C": [[17, 18, 19], [20], [21, 22]], "D": [[2]]}
"""Times of the nodes that section 3.3 says the steps without rebalancing affect: the right finger; those on a walk to
it, which begins at the leaf; the left finger."""


@experiment("fiba_walkthrough")
def fiba_walkthrough(settings: Settings) -> list[Cell]:
    """A cell for each figure of the example, and random sequences of operations for each algorithm of the settings."""
    example_only(settings, OPERATOR)
    for algorithm in settings.algorithms:
        if algorithm["name"] not in TREES:
            raise SettingsError(f"algorithms has {algorithm['name']!r}; coins lie in trees: {' or '.join(TREES)}")
    arity = {"min_arity": MIN_ARITY}
    examples = [scripted(settings, name, script, COINS, arity, CAPACITY) for name, script in SCRIPTS]
    sequence = {"random": settings.sizes["operations"], "seed": settings.seed}
    return examples + [
        scripted(settings, algorithm["name"], sequence, COINS, unnamed(algorithm), RANDOM_CAPACITY)
        for algorithm in settings.algorithms
    ]


def states_of(rows: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """The states in the rows by their letter. Raises NotMeasuredError if one is missing."""
    states = {state["state"]: state for text in rows["facts"] for state in json.loads(text).get("states", ())}
    if missing := [letter for _, script in SCRIPTS for letter in script["states"] if letter not in states]:
        raise NotMeasuredError(f"no rows of states {', '.join(missing)}")
    return states


def exactly(values: Mapping[tuple, float], *names: str) -> Table:
    """A table of what is the same in every repetition."""
    columns = pd.MultiIndex.from_tuples([(0, 0)], names=["repetition", "draw"])
    index = pd.MultiIndex.from_tuples(list(values), names=names)
    return pd.DataFrame([[float(value)] for value in values.values()], index, columns)


@fiba_walkthrough.quantity
def printed_aggregate_is_stored(measured: Measured) -> Table:
    """1 where the node that the text names stores the aggregate that the text prints, otherwise 0."""
    states = states_of(measured.rows)
    found = {}
    for letter, kind, times, text in PRINTED:
        nodes = states[letter]["nodes"]
        stored = [node["aggregate"] for node in nodes if (node["kind"], node["times"]) == (kind, times)]
        found[letter, text] = stored == [text]
    return exactly(found, "state", "aggregate")


@fiba_walkthrough.quantity
def more_than_captioned(measured: Measured) -> Table:
    """Splits, merges, moves, coins billed and refunded in each step, less what its caption says."""
    states = states_of(measured.rows)
    found = {
        (letter, name): states[letter]["step"][name] - caption.get(name, 0)
        for letter, caption in CAPTIONS.items()
        for name in (*STEPS, "billed", "refunded")
    }
    return exactly(found, "state", "count")


@fiba_walkthrough.quantity
def nodes_repaired_otherwise(measured: Measured) -> Table:
    """Nodes that a step without rebalancing changes and the text does not name, or the other way round."""
    states = states_of(measured.rows)
    found = {}
    for letter, expected in REACH.items():
        changed = states[letter]["step"]["changed"]
        times = [node["times"] for node in states[letter]["nodes"] if node["id"] in changed]
        found[(letter,)] = len([one for one in [*times, *expected] if (one in times) != (one in expected)])
    return exactly(found, "state")


@fiba_walkthrough.quantity
def most_billed(measured: Measured) -> Table:
    """The most coins that were billed to one operation, in the example and in random sequences."""
    return largest(largest(measured.total("coins", "cell", "min_arity"), "cell"), "min_arity")


def trees() -> dict[str, Card]:
    """The windows that the snapshots are of."""
    return {name: card(name) for name in TREES}


@walk("trees", trees)
def own(algorithm: str, parameters: Mapping[str, int], operator: Any, steps: Sequence[Step]) -> list[dict[str, Any]]:
    """The states of a reader's own script."""
    names = [f"step {number:0{len(str(len(steps)))}}" for number in range(1, len(steps) + 1)]
    script = {"figure": algorithm, "states": names, "build": steps[:1], "steps": steps[1:]}
    w = window(algorithm, operator=operator, capacity=len(steps) + 1, **parameters)
    return [{"states": list(play(w, script))}]
