"""What goes with a figure: workload, clock, assumptions, store, profile. Short on the image, whole on its page.

The whole is in the sidecar and on the pages in Markdown; of it, the image has the first sentence of each.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from plots.description import Description
from results.schema import OK

STREAMS = {
    "distance": "the distance protocol",
    "delay": "regular times, randomly delayed",
    "debs12": "manufacturing equipment (DEBS 2012)",
    "linear_road": "Linear Road",
    "memory_usage": "memory in use",
    "keyed": "keyed rows",
    "columns": "columns of floats",
    "flights": "flights from New York in 2013",
    "file": "a file",
    "script": "a worked example",
    "partials": "partial aggregates, drawn at random",
    "source": "the source of the operators",
}
"""What the workloads are called."""

IN_ORDER = "items in order of time"
"""The distance protocol at no distance."""

NOT_SYNTHETIC = ("flights", "file", "script", "source")
"""Workloads that are recorded or given; of the others, those that read a file have its `path`."""

PLACES = {
    "lmdb": "LMDB in a folder of this machine, in the same process",
    "redis": "Redis on this machine",
    "redis+cluster": "Redis on this machine, a cluster of one",
}
"""Where the entries are of windows in each key-value store."""

TIMED, COUNTED = "Timed", "nothing (counted: {})."
MOST_PARAMETERS = 12

SENTENCE_END = re.compile(r"(?<=\.)\s")


class Told(NamedTuple):
    """One thing to tell: its heading, such as "Workload", and the whole text."""

    heading: str
    text: str

    @property
    def short(self) -> str:
        """The heading and the first sentence."""
        return f"{self.heading}: {first_sentence(self.text)}"


def first_sentence(text: str) -> str:
    """What is before the first full stop, as a sentence."""
    return SENTENCE_END.split(text)[0].rstrip(".") + "."


def told(spec: Description, rows: pd.DataFrame) -> list[Told]:
    """Everything that goes with a figure of these rows, in the order in which it is shown."""
    return [
        *(Told("Workload", text) for text in workloads(rows)),
        *(Told(TIMED, text) for text in dict.fromkeys(clocks(spec, rows))),
        *(Told("Assumed", text) for text in spec.assumes),
        *(Told("Store", f"{text}. {spec.store}".rstrip()) for text in stores(rows)),
        *(Told("Page faults", text) for text in page_faults(rows)),
        Told("Profile", profile(rows)),
    ]


def on_image(spec: Description, rows: pd.DataFrame) -> list[str]:
    """The lines of an image, the caption's first; the profile is in the image's last line, page faults on the page."""
    caption = [first_sentence(spec.caption)] if spec.caption else []
    return caption + [entry.short for entry in told(spec, rows) if entry.heading not in ("Page faults", "Profile")]


def markdown(spec: Description, rows: pd.DataFrame) -> str:
    """The whole as Markdown: the paper and the caption, and a list."""
    from plots.claims import markdown_cell

    heading = " ".join(filter(None, (f"**{spec.paper}.**" if spec.paper else "", markdown_cell(spec.caption))))
    lines = [f"- {entry.heading}: {markdown_cell(entry.text)}" for entry in told(spec, rows)]
    return "\n".join([*([heading, ""] if heading else []), *lines, ""])


def workloads(rows: pd.DataFrame) -> list[str]:
    """A text for each workload: whether it is synthetic, what it is, and the parameters that all rows share."""
    texts = []
    for name, group in rows[rows["workload"] != ""].groupby("workload", sort=False):
        parameters = [json.loads(text) for text in group["workload_parameters"].unique()]
        from_file = any(entry.get("path") for entry in parameters)
        kind = "" if name in NOT_SYNTHETIC or from_file else "synthetic, "
        read = ", read from a file" if from_file and name != "file" else ""
        what = (
            IN_ORDER if name == "distance" and not (group["distance"].fillna(0) > 0).any() else STREAMS.get(str(name))
        )
        texts.append(f"{kind}{what or name}{read}{_of_all(parameters)}.")
    return texts


def _of_all(parameters: list[dict[str, object]]) -> str:
    """The parameters with one value in all rows, as a sentence; the file's path is the user's own."""
    first = parameters[0]
    same = [name for name in first if name != "path" and all(name in e and e[name] == first[name] for e in parameters)]
    shown = [f"{name} {_plain(first[name])}" for name in same if isinstance(first[name], str | int | float)]
    return f". Parameters: {', '.join(shown[:MOST_PARAMETERS])}" if shown else ""


def _plain(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def clocks(spec: Description, rows: pd.DataFrame) -> Iterator[str]:
    """For each metric of a figure that rows have, what is timed and what is not, or that it is counted."""
    good, counted = rows[rows["status"] == OK], []
    for metric, group in good.groupby("metric", sort=False):
        if metric in spec.clock:
            yield spec.clock[str(metric)]
        elif group["counted"].all():
            counted.append(str(metric).replace("_", " "))
    if counted:
        yield COUNTED.format(", ".join(counted))


def page_faults(rows: pd.DataFrame) -> list[str]:
    """In how many timed repetitions the system had to provide memory while the clock ran; nothing if none says."""
    known = rows.loc[(rows["status"] == OK) & ~rows["counted"], "page_faults"].dropna()
    some = known[known > 0]
    if some.empty:
        return [f"none while the clock ran, in {len(known):,} timed repetitions."] if len(known) else []
    return [f"while the clock ran in {len(some):,} of {len(known):,} timed repetitions, at most {some.max():,} in one."]


def profile(rows: pd.DataFrame) -> str:
    """The profile, the repetitions of its cells, and the executor."""
    names, executors = (", ".join(sorted(set(rows[column]) - {""})) for column in ("profile", "executor"))
    counts = rows[rows["status"] == OK].groupby("cell")["repetition"].nunique()
    if counts.empty:
        return names
    low, high = counts.min(), counts.max()
    repetitions = f"{low}" if low == high else f"{low} to {high}"
    by = f", executor {executors}" if executors else ""
    return f"{names}, {repetitions} {'repetition' if high == 1 else 'repetitions'} of each cell{by}."


def stores(rows: pd.DataFrame) -> list[str]:
    """Where the entries of windows in key-value stores are, a text for all; none if no row has such a window."""
    windows = rows[rows["algorithm"].str.startswith("kvs_")]
    names = sorted({str(json.loads(text).get("store", "")) for text in windows["parameters"].unique()} - {""})
    return ["; ".join(map(_place, names))] if names else []


def _place(store: str) -> str:
    """redis+0.5ms is a store, and milliseconds that are added."""
    kind, added, longer = store.rpartition("+") if store.endswith("ms") else (store, "", "")
    return PLACES.get(kind, kind) + (f", with {longer.removesuffix('ms')} ms added to each request" if added else "")
