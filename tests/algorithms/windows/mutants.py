"""Mistakes put into the kernels on purpose, one at a time: the exhaustive search must find each. Run as a script with
NUMBA_DISABLE_JIT=1; prints as JSON what the search said of each, or null where it noticed nothing.
"""

import importlib
import importlib.util
import json
import sys
from pathlib import Path
from typing import NamedTuple


class Mutant(NamedTuple):
    """`right` occurs once in the module's source and is replaced by `wrong`; then the search is run on a window."""

    module: str
    right: str
    wrong: str
    search: str
    window: str
    numbers: tuple[int, ...]


EXHAUSTIVE = "tests.algorithms.windows.exhaustive"
REBALANCE, BULK = "algorithms.windows.out_of_order.rebalance", "algorithms.windows.out_of_order.bulk"

MUTANTS = {
    # The mistake of the FiBA paper's pseudocode (Figure 8): only the right spine of a sibling is noticed.
    "left spine of a sibling forgotten": Mutant(
        REBALANCE,
        "hit |= on_spine(node, left) | on_spine(node, right)",
        "hit |= (on_spine(node, left) | on_spine(node, right)) & 2",
        *("sequences", "fiba", (8, 4)),
    ),
    "newcomer combined on the left": Mutant(
        REBALANCE,
        "combine(w.op, w.agg, p, w.agg, p, w.agg, source)",
        "combine(w.op, w.agg, p, w.agg, source, w.agg, p)",
        *("sequences", "b_tree", (8, 4)),
    ),
    "nodes under an evicted inner entry not repaired": Mutant(
        REBALANCE,
        "        repair(w, top)\n        top =",
        "        top =",
        *("shapes", "b_tree", (2, 8)),
    ),
    "spines not told of a thickened node": Mutant(
        BULK,
        "hit |= on_spine(node, z)",
        "hit |= 0",
        *("shapes", "fiba", (2, 8)),
    ),
    "bulk evict keeps the entry at its time": Mutant(
        BULK,
        "after(w, y, time + 1)",
        "after(w, y, time)",
        *("sequences", "fiba", (8, 4)),
    ),
    "right end of a range put on the left": Mutant(
        "algorithms.windows.out_of_order.ranges",
        "combine(op, dst, k, dst, k, agg, PART)",
        "combine(op, dst, k, agg, PART, dst, k)",
        *("sequences", "fiba", (8, 4)),
    ),
    "flip combines the wrong way round": Mutant(
        "algorithms.windows.in_order.two_stacks_lite",
        "w.agg, older, w.agg, RING + (i & mask)",
        "w.agg, RING + (i & mask), w.agg, older",
        *("basic", "two_stacks_lite", (9,)),
    ),
    "base interval that ends too late": Mutant(
        "algorithms.windows.in_order.b_int",
        "highest_bit(end - i))",
        "highest_bit(end - i + 1))",
        *("basic", "b_int", (9,)),
    ),
    "oldest combined with what has left": Mutant(
        "algorithms.windows.in_order.reactive_update",
        "        if a & 1:",
        "        if a < 0:",
        *("slides", "reactive", (8, 1, 1)),
    ),
    "youngest without the half before it": Mutant(
        "algorithms.windows.in_order.reactive_update",
        "    if b & 1:",
        "    if b < 0:",
        *("basic", "reactive", (5,)),
    ),
    "stack of AMTA combined the wrong way round": Mutant(
        "algorithms.windows.in_order.amta",
        "w.agg, at(w, level, j), w.agg, top - 1",
        "w.agg, top - 1, w.agg, at(w, level, j)",
        *("basic", "amta", (9,)),
    ),
    "trees of AMTA's right result combined from the left": Mutant(
        "algorithms.windows.in_order.amta",
        "for level in range(ends.top):",
        "for level in range(ends.top - 1, -1, -1):",
        *("basic", "amta", (9,)),
    ),
    "new level of Log MTA without its first node": Mutant(
        "algorithms.windows.in_order.log_mta",
        "if level <= ends.top else ends.front >> level",
        "if level >= 0 else ends.front >> level",
        *("basic", "log_mta", (9,)),
    ),
    "left branch of Log MTA that keeps what has left": Mutant(
        "algorithms.windows.in_order.log_mta",
        "if left_node < ends.front >> (level - 1):",
        "if left_node < 0:",
        *("basic", "log_mta", (9,)),
    ),
}


def load_mutated(name: str, right: str, wrong: str) -> None:
    """Import a module of the package afresh, with the change in its source; modules that use it then find this one."""
    for loaded in [module for module in sys.modules if module == EXHAUSTIVE or module.split(".")[0] == "algorithms"]:
        del sys.modules[loaded]
    spec = importlib.util.find_spec(name)
    source = Path(spec.origin).read_text()
    if source.count(right) != 1:
        raise ValueError(f"{name} has {right!r} {source.count(right)} times, not once: bring the mutant up to date")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    exec(compile(source.replace(right, wrong), spec.origin, "exec"), vars(module))


def verdict(mutant: Mutant) -> str | None:
    """What the search says, None if it notices nothing."""
    load_mutated(mutant.module, mutant.right, mutant.wrong)
    exhaustive = importlib.import_module(EXHAUSTIVE)
    card = exhaustive.catalogue()[mutant.window]
    try:
        getattr(exhaustive, mutant.search)(card, *mutant.numbers)
    except AssertionError as error:
        return str(error)
    return None


if __name__ == "__main__":
    print(json.dumps({name: verdict(mutant) for name, mutant in MUTANTS.items()}))
