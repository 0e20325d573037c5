"""How long experiments are going to take, as long as in the run that is published or at least, and how much memory."""

import csv
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from experiments.harness.cell import Cell
from experiments.harness.cli.help_text import ROOT
from experiments.harness.cli.messages import WRONG_INPUT
from experiments.harness.settings import Settings, of_an_experiment
from safeguards.files import write_atomically

PUBLISHED = ROOT / "results" / "published"

PAUSE = np.timedelta64(10, "m")
"""Between two measurements of a run that was stopped and went on; it counts as no time."""


TIMES = "minutes.csv"
"""The file of how long each experiment took in runs of experiment=all, beside the rows."""

NAMES = ("profile", "experiment", "minutes", "machine")
"""Its columns."""


def minutes(experiment: str, profile: str, folder: Path = PUBLISHED) -> float | None:
    """Minutes from the first measurement of an experiment to its last one, or those that a run of all noted.

    None if it has neither at this profile.
    """
    if profile in (stored := _stored(experiment, folder)):
        return stored[profile][1]
    noted = times(folder).get((profile, experiment))
    return None if noted is None else float(noted["minutes"])


def _stored(experiment: str, folder: Path) -> dict[str, tuple[int, float]]:
    """Of each profile that has rows of an experiment: how many, and their minutes without pauses."""
    path = folder / experiment / "rows.parquet"
    if not path.exists():
        return {}
    rows, found = pq.read_table(path, columns=["profile", "started"]).to_pandas(), {}
    for profile, started in rows.groupby("profile")["started"]:
        steps = np.diff(np.sort(started.to_numpy()))
        found[str(profile)] = len(started), float(steps[steps < PAUSE].sum() / np.timedelta64(1, "m"))
    return found


def at_least(
    experiment: str, measurements: int, each: float, smaller: Collection[str], folder: Path = PUBLISHED
) -> float | None:
    """The minutes that so many measurements take at least, if each takes as long as those stored of `smaller` profiles.

    And not less than `each` seconds. Those of a profile with larger windows take longer, which nothing here knows.
    None if no such profile has rows: a larger one bounds nothing.
    """
    stored = _stored(experiment, folder)
    known = [60 * taken / rows for profile, (rows, taken) in stored.items() if profile in smaller]
    return measurements * max(each, *known) / 60 if known else None


def times(folder: Path) -> dict[tuple[str, str], dict[str, str]]:
    """What runs of all noted in a folder of rows, by profile and experiment."""
    path = folder / TIMES
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as lines:
        return {(line["profile"], line["experiment"]): line for line in csv.DictReader(lines)}


def note(ended: Iterable[tuple[str, int, float]], runs: Iterable[Any], profile: str, folder: Path) -> None:
    """Note how long the experiments took that a run measured whole: (name, exit code, seconds) of each.

    Of those whose rows were there before, in part or as a whole, what was noted is left as it is. So it is of those
    that jobs of a multirun measured on Spark, whose rows took longer than what was done here.
    """
    known, outcomes = times(folder), {run.settings.name: run for run in runs}
    for name, _, seconds in ended:
        outcome = outcomes.get(name)
        if outcome is not None and outcome.measured and not outcome.kept and _spanned(outcome.rows) <= seconds:
            machine = ", ".join(sorted(set(outcome.rows["machine"])))
            entry = (profile, name, f"{seconds / 60:.2f}", machine)
            known[profile, name] = dict(zip(NAMES, entry, strict=True))
    if known:
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, NAMES, lineterminator="\n")
        writer.writeheader()
        writer.writerows(known[key] for key in sorted(known))
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / TIMES, text.getvalue().encode())


def _spanned(rows: pd.DataFrame) -> float:
    """Seconds from the first measurement to the last."""
    return (rows["started"].max() - rows["started"].min()).total_seconds()


class Needs(NamedTuple):
    """What the largest window or stream of an experiment takes, in GiB, and how many cells this machine has no memory
    for: they are not measured. And the measurements of the others, and the seconds that each takes at least, in the
    mean."""

    gibibytes: float
    too_large: int
    measurements: int = 0
    each: float = 0.0


def needs(config: Mapping[str, Any]) -> Needs:
    """The memory for an experiment, by the estimate that refuses cells, and the work. Raises what planning raises."""
    from experiments.harness.feasibility import estimate
    from experiments.harness.plan import cells_of

    settings = Settings.of(of_an_experiment(config))
    each = [(cell, estimate(cell)) for cell in cells_of(settings)]
    fitting = [(cell, memory.needed) for cell, memory in each if not memory.too_much]
    repetitions = [1 if cell.declared.counted else settings.profile.repetitions for cell, _ in fitting]
    times = [n * _least_seconds(cell, settings) for n, (cell, _) in zip(repetitions, fitting, strict=True)]
    most = max((memory for _, memory in fitting), default=0) / 2**30
    return Needs(most, len(each) - len(fitting), sum(repetitions), sum(times) / max(1, sum(repetitions)))


def _least_seconds(cell: Cell, settings: Settings) -> float:
    """Of a measurement: none if it is counted, else as long as the profile asks or as it waits for tuples to arrive."""
    if cell.declared.counted:
        return 0.0
    waits = float(cell.asked["duration"]) if cell.asked.get("clock") == "real" else 0.0
    return max(waits, settings.profile.minimum_ms / 1000)


def table(
    configs: Sequence[Mapping[str, Any]],
    profile: str,
    refused: list[str],
    folder: Path = PUBLISHED,
    needs: Callable[[Mapping[str, Any]], Needs] = needs,
) -> Iterator[str]:
    """A line for each experiment, as soon as it is known, and one for the whole: minutes and memory.

    Minutes are those of the published run at the profile, or `at_least` those; memory is that of the largest window or
    stream. `refused` is given the names of the experiments that cannot be run so; their lines say why.
    """
    yield f"At profile {profile}, by the published run's times, on the machine that it ran on:"
    yield f"  {'experiment':<24} {'minutes':>7} {'GiB':>7}"
    known, least, most = [], [], 0.0
    for config in configs:
        name = str(config.get("name"))
        taken = minutes(name, profile, folder)
        known += [taken] if taken is not None else []
        shown = "?" if taken is None else f"{taken:.0f}" if taken >= 1 else "<1"
        try:
            memory = needs(config)
        except WRONG_INPUT as error:
            refused.append(name)
            yield f"  {name:<24} {shown:>7} {'?':>7}  {error}"
            continue
        if taken is None and (bound := _bound(config, profile, memory, folder)) is not None:
            least.append(bound)
            shown = f"≥{max(1, round(bound)):,}"
        most = max(most, memory.gibibytes)
        size = f"{memory.gibibytes:.1f}" if memory.gibibytes >= 0.1 else "<0.1"
        left_out = f"  {memory.too_large} cells need more than there is" if memory.too_large else ""
        yield f"  {name:<24} {shown:>7} {size:>7}{left_out}"
    unknown = len(configs) - len(known) - len(least)
    parts = [f"{_hours(sum(known))} for {len(known)} experiments"] if known or not least else []
    parts += [f"at least {_hours(sum(least))} for {len(least)} that it has at a smaller profile"] if least else []
    parts += [f"and {unknown} of which it has nothing"] if unknown else []
    yield f"  all: {', '.join(parts)}; at most {most:.1f} GiB at once."
    if least:
        yield "≥: each measurement as long as in the other run, and as the profile asks; larger windows take longer."
    yield "Memory is that of the largest window; each process takes about 0.3 GiB besides, and Spark 1 to 2."
    yield "What is stored is not measured again."


def _bound(config: Mapping[str, Any], profile: str, work: Needs, folder: Path) -> float | None:
    """The minutes of an experiment at least, by the published profiles before this one in its own list of sizes."""
    names = list(config.get("sizes", ()))
    smaller = names[: names.index(profile)] if profile in names else names
    return at_least(str(config["name"]), work.measurements, work.each, smaller, folder)


def _hours(taken: float) -> str:
    hours, rest = divmod(round(taken), 60)
    return f"{hours} h {rest} min"
