"""The README's table of other libraries, from measured rows, with who is quicker than ours: in Markdown.

python -m plots.peers_table [FOLDER OF ROWS] [PROFILE]     results/data and laptop, unless told otherwise

Medians over repetitions on random values, in windows of 1,000 rows; the quickest of a line is bold. Below are shares of
checked sums, means and standard deviations that are wrong, on random values and after large ones.
"""

import json

import pandas as pd

from plots.columns import column
from plots.markdown_tables import NoRowsError, lines_of_table, printed
from plots.scales import three_digits
from plots.style import series
from results import OK
from results.laps import typical_values
from results.origin import of_one_origin

EXPERIMENT, SHAPE, WINDOW = "peers", "random", 1000
OURS = ("rolling", "sliding")
TASKS = ("sum", "mean", "std", "min", "max", "argmax", "median", "distinct", "skew", "several")

CHECKED = ("sum", "mean", "std")
SHAPES = {
    "random": "wrong, random values",
    "spikes": "wrong, 1e16 in every fifth window",
    "decay": "wrong, fading by 16 decades in five windows",
}
"""The tasks and the shapes of the lines of wrong answers."""


def times(rows: pd.DataFrame) -> pd.DataFrame:
    """Nanoseconds a row: a line for each task, a column for each library in the order of the style table."""
    chosen = rows[(rows["metric"] == "time") & (rows["window"] == WINDOW)]
    chosen = chosen[column(chosen, "workload_parameters.shape") == SHAPE]
    if chosen.empty:
        raise NoRowsError(f"no rows of {EXPERIMENT} with windows of {WINDOW:,}: python run.py experiment={EXPERIMENT}")
    chosen = chosen.assign(ns=typical_values(chosen) / chosen["operations"])
    table = chosen.pivot_table(index="operator", columns="algorithm", values="ns", aggfunc="median")
    names = sorted(table.columns, key=lambda name: series(name, {}).order)
    return table.reindex(index=[task for task in TASKS if task in table.index], columns=names)


def wrong(rows: pd.DataFrame, shape: str) -> pd.Series:
    """The share of the checked answers of each library on a shape that are wrong."""
    chosen = rows[(rows["metric"] == "wrong") & rows["operator"].isin(CHECKED) & (rows["window"] == WINDOW)]
    chosen = chosen[column(chosen, "workload_parameters.shape") == shape]
    sums = chosen.groupby("algorithm")[["value", "operations"]].sum()
    return sums["value"] / sums["operations"]


def markdown(rows: pd.DataFrame) -> str:
    """The table, wrong answers, a sentence about who is quicker, and versions. Raises NoRowsError."""
    found = of_one_origin(rows[rows["status"] == OK])
    table = times(found)
    labels = [series(name, {}).label for name in table.columns]
    lines = [["ns a row", *labels], *([task, *_marked(line)] for task, line in table.iterrows())]
    for shape, words in SHAPES.items():
        shares = wrong(found, shape)
        if len(shares):
            lines.append([words, *(_share(shares.get(name)) for name in table.columns)])
    said = filter(None, [quicker(table), versions(found, table)])
    return "\n".join([*lines_of_table(lines), "", *said, ""])


def versions(rows: pd.DataFrame, table: pd.DataFrame) -> str:
    """The versions of the other libraries that were measured."""
    timed = rows[rows["metric"] == "time"]
    known = {name: json.loads(facts).get("version") for name, facts in zip(timed["algorithm"], timed["facts"])}
    said = ", ".join(f"{series(name, {}).label} {known[name]}" for name in table.columns if known.get(name))
    return f"Versions: {said}." if said else ""


def quicker(table: pd.DataFrame) -> str:
    """Who is quicker than ours at what, and how many times as quick."""
    ours = table[[name for name in OURS if name in table.columns]].min(axis=1)
    said = []
    for name in table.columns.difference(OURS, sort=False):
        times_as = (ours / table[name])[lambda ratio: ratio > 1]
        if len(times_as):
            tasks = ", ".join(f"{task} ({ratio:.1f} times)" for task, ratio in times_as.items())
            said.append(f"{series(name, {}).label} at {tasks}")
    return f"Quicker than ours: {'; '.join(said)}." if said else "No other library is quicker than ours here."


def _marked(line: pd.Series) -> list[str]:
    least = line.min()
    return ["–" if pd.isna(ns) else f"**{three_digits(ns)}**" if ns == least else three_digits(ns) for ns in line]


def _share(share: float | None) -> str:
    return "–" if share is None else "none" if share == 0 else f"{100 * share:.2g} %"


if __name__ == "__main__":
    printed(EXPERIMENT, markdown)
