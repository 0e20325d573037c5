"""How long experiments are going to take, as long as in the run that is published, and how much memory."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

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


class Needs(NamedTuple):
    """What the largest window or stream of an experiment takes, in GiB, and how many cells this machine has no memory
    for: they are not measured."""

    gibibytes: float
    too_large: int


def needs(config: Mapping[str, Any]) -> Needs:
    """The memory for an experiment, by the estimate that refuses cells. Raises what planning it raises."""
    from experiments.harness.feasibility import estimate
    from experiments.harness.plan import cells_of
    from experiments.harness.settings import OF_THE_COMMAND, Settings

    plain = {name: value for name, value in config.items() if name not in OF_THE_COMMAND}
    each = [estimate(cell) for cell in cells_of(Settings.of(plain))]
    fitting = [entry.needed for entry in each if not entry.too_much]
    return Needs(max(fitting, default=0) / 2**30, len(each) - len(fitting))


def table(
    configs: Sequence[Mapping[str, Any]],
    profile: str,
    folder: Path = PUBLISHED,
    needs: Callable[[Mapping[str, Any]], Needs] = needs,
) -> Iterator[str]:
    """A line for each experiment, as soon as it is known, and one for the whole: minutes and memory.

    Minutes are those of the published run at the profile; memory is that of the largest window or stream.
    """
    yield f"At profile {profile}, by the published run's times, on the machine that it ran on:"
    yield f"  {'experiment':<24} {'minutes':>7} {'GiB':>7}"
    known, most = [], 0.0
    for config in configs:
        name = str(config.get("name"))
        taken = minutes(name, profile, folder)
        known += [taken] if taken is not None else []
        shown = "?" if taken is None else f"{taken:.0f}" if taken >= 1 else "<1"
        try:
            memory = needs(config)
        except ValueError as error:
            yield f"  {name:<24} {shown:>7} {'?':>7}  {error}"
            continue
        most = max(most, memory.gibibytes)
        size = f"{memory.gibibytes:.1f}" if memory.gibibytes >= 0.1 else "<0.1"
        left_out = f"  {memory.too_large} cells need more than there is" if memory.too_large else ""
        yield f"  {name:<24} {shown:>7} {size:>7}{left_out}"
    hours, rest = divmod(round(sum(known)), 60)
    unknown = f", and {len(configs) - len(known)} of which it has nothing" if len(known) < len(configs) else ""
    yield f"  all: {hours} h {rest} min for {len(known)} experiments{unknown}; at most {most:.1f} GiB at once."
    yield "Memory is that of the largest window; each process takes about 0.3 GiB besides, and Spark 1 to 2."
    yield "What is stored is not measured again."
