"""How long experiments are going to take: as long as in the run that is published, on the machine that it ran on."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from experiments.harness.cli.help_text import ROOT

PUBLISHED = ROOT / "results" / "published"

PAUSE = np.timedelta64(10, "m")
"""Between two measurements of a run that was stopped and went on; it counts as no time."""


def minutes(experiment: str, profile: str, folder: Path = PUBLISHED) -> float | None:
    """Minutes from the first measurement of an experiment to its last one; None if it has none at this profile."""
    path = folder / experiment / "rows.parquet"
    if not path.exists():
        return None
    table = pq.read_table(path, columns=["started"], filters=[("profile", "=", profile)])
    steps = np.diff(np.sort(table["started"].to_numpy()))
    return float(steps[steps < PAUSE].sum() / np.timedelta64(1, "m")) if len(table) else None


def said(experiments: Iterable[str], profile: str, folder: Path = PUBLISHED) -> str:
    """The minutes of all experiments, the longest first, in a few lines; empty if nothing of them is published."""
    each = {name: minutes(name, profile, folder) for name in experiments}
    known = {name: taken for name, taken in each.items() if taken is not None}
    if not known:
        return ""
    longest_first = sorted(known.items(), key=lambda pair: -pair[1])
    hours, rest = divmod(round(sum(known.values())), 60)
    lines = [
        f"At profile {profile} the published run took {hours} h {rest} min for {len(known)} of these experiments:",
        "  "
        + ", ".join(f"{name} {taken:.0f}" if taken >= 1 else f"{name} <1" for name, taken in longest_first)
        + " minutes.",
    ]
    if unknown := [name for name in each if name not in known]:
        lines.append(f"  It has nothing of {', '.join(unknown)}.")
    return "\n".join([*lines, "What is stored is not measured again."])
