"""Write the library's table of costs anew: python -m experiments.choosing.learn [settings of run.py]

Measures what is missing of experiment=auto_grid, so that it goes on where it was stopped; times the combines of the
catalogue's operators; and fits four numbers for each window and point, and by how much each operator differs from them
(algorithms/windows/choosing/table.py). Three repetitions, unless profile.repetitions says otherwise; one took 15
minutes on busy cores, two thirds of it compiling.
"""

import datetime
import itertools
import json
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from algorithms import operators
from algorithms.windows.choosing.candidates import in_memory
from algorithms.windows.choosing.learnt import PATH
from algorithms.windows.choosing.operator_cost import OperatorCost, measured, name_of
from algorithms.windows.choosing.table import factors, line_of
from experiments.choosing.measuring.own import operator_named
from experiments.harness.provenance import ROOT
from results import OK, Store
from safeguards.files import write_atomically

EXPERIMENT = "auto_grid"

Times = dict[str, dict[tuple[int, int, int], dict[str, tuple[tuple[float, ...], float]]]]
"""By line of the table, point (n, d, m) and operator in the table: its factors, and the nanoseconds of a round."""


def main(arguments: list[str]) -> int:
    """Measure, fit, write. The exit code is that of the run."""
    usual = [f"experiment={EXPERIMENT}", "executor=inline", "profile.repetitions=3", "profile.most_repetitions=0"]
    given = {text.partition("=")[0] for text in arguments}
    command = [sys.executable, "run.py", *(s for s in usual if s.partition("=")[0] not in given), *arguments]
    done = subprocess.run(command, cwd=ROOT)
    if done.returncode:
        print("the table is left as it was", file=sys.stderr)
        return done.returncode
    folder = next((text.partition("=")[2] for text in arguments if text.startswith("results=")), "results/data")
    rows = newest(Store(ROOT / folder).rows(EXPERIMENT))
    known = {name_of(op): sorted(op.laws) for op in map(operator_named, sorted(set(rows["operator"])))}
    windows, misfit = fitted(times_of(rows), known)
    content = {
        "learnt": {**origin(rows), "misfit": round(misfit, 3)},
        "operators": dict(costs_of_operators()),
        "known": known,
        "windows": windows,
    }
    write_atomically(PATH, text_of(content).encode())
    print(f"{PATH.relative_to(ROOT)}: {len(windows)} windows; a fitted time is {misfit:.1%} off in the median")
    return 0


def newest(rows: pd.DataFrame) -> pd.DataFrame:
    """The good rows of the newest profile and machine, those of each operator by its newest code."""
    good = rows[rows["status"] == OK].sort_values("started")
    last = good.iloc[-1]
    good = good[(good["profile"] == last["profile"]) & (good["machine"] == last["machine"])]
    return good[good["code_hash"] == good.groupby("operator")["code_hash"].transform("last")]


def times_of(rows: pd.DataFrame) -> Times:
    """The median over the repetitions of the median laps, with the operator's cost: the median of all its rows."""
    by_name = {str(candidate): candidate for candidate in in_memory()}
    costs = {operator: cost_in(of_operator["facts"]) for operator, of_operator in rows.groupby("operator")}
    times: Times = defaultdict(lambda: defaultdict(dict))
    for (operator, *point), of_cell in rows.groupby(["operator", "window", "distance", "batch"]):
        facts = [json.loads(text) for text in of_cell["facts"]]
        op, cost = operator_named(operator), costs[operator]
        for name, candidate in by_name.items():
            laps = [statistics.median(each["laps"][name]) for each in facts if name in each["laps"]]
            if laps:
                by_factors = factors(candidate, op, cost), statistics.median(laps)
                times[line_of(candidate, op)][tuple(map(int, point))][name_of(op)] = by_factors
    return times


def cost_in(facts: Iterable[str]) -> OperatorCost:
    """The cost of an operator's combines in the facts of its rows."""
    return OperatorCost(*np.median([json.loads(text)["operator"] for text in facts], axis=0))


def fitted(times: Times, known: Iterable[str]) -> tuple[dict[str, list[list[float | None]]], float]:
    """The table's lines, and the median relative misfit of all times by the four numbers alone."""
    windows, misfits = {}, []
    for line, points in sorted(times.items()):
        windows[line] = []
        for point, measurements in sorted(points.items()):
            costs, ns = (np.array(column) for column in zip(*measurements.values(), strict=True))
            numbers = fit(costs, ns).round(3)
            misfits += list(np.abs(costs @ numbers / ns - 1))
            differs = dict(zip(measurements, np.log(ns / (costs @ numbers)).round(2).tolist(), strict=True))
            windows[line].append([*point, *numbers.tolist(), *(differs.get(name) for name in known)])
    return windows, float(np.median(misfits))


def fit(costs: np.ndarray, ns: np.ndarray) -> np.ndarray:
    """Numbers of at least 0 that make costs @ numbers the nearest to the times, in relation to these.

    Least squares over every choice of columns: there are few. A round of the window itself takes 0.1 ns at
    least, so that logarithms exist.
    """
    weighted, least, best = costs / ns[:, None], np.inf, np.zeros(costs.shape[1])
    used = [column for column in range(costs.shape[1]) if costs[:, column].any()]
    for count in range(1, min(len(used), len(ns)) + 1):
        for columns in itertools.combinations(used, count):
            found = np.linalg.lstsq(weighted[:, columns], np.ones(len(ns)), rcond=None)[0]
            misfit = float(((weighted[:, columns] @ found - 1) ** 2).sum())
            if (found >= 0).all() and misfit < least - 1e-9:
                least, best = misfit, np.zeros(costs.shape[1])
                best[list(columns)] = found
    best[0] = max(best[0], 0.1)
    return best


def costs_of_operators() -> Iterator[tuple[str, list[float]]]:
    """Every operator of the catalogue and kind of values, timed."""
    for name in operators.names():
        for dtype in operators.versions(name):
            op = operators.make(name, dtype)
            yield name_of(op), list(measured(op))


def origin(rows: pd.DataFrame) -> Mapping[str, Any]:
    """Where the table comes from."""
    last = rows.iloc[-1]
    return {
        "on": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": json.loads(last["machine_facts"]),
        "versions": json.loads(last["versions"]),
        "revision": last["git_revision"] + (" with changes" if last["git_dirty"] else ""),
        "profile": last["profile"],
        "repetitions": int(rows["repetition"].nunique()),
        "operators": sorted(set(rows["operator"])),
    }


def text_of(content: Mapping[str, Any]) -> str:
    """JSON with a line for each operator, and for each point of a window."""
    parts = [f'  "learnt": {json.dumps(content["learnt"])}']
    entries = (f"    {json.dumps(name)}: {json.dumps(cost)}" for name, cost in sorted(content["operators"].items()))
    parts.append('  "operators": {\n' + ",\n".join(entries) + "\n  }")
    parts.append(f'  "known": {json.dumps(content["known"])}')
    lines = (f"    {json.dumps(name)}: [\n{_points(points)}\n    ]" for name, points in content["windows"].items())
    parts.append('  "windows": {\n' + ",\n".join(lines) + "\n  }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _points(points: Iterable[list[float]]) -> str:
    return ",\n".join(f"      {json.dumps(point)}" for point in points)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
