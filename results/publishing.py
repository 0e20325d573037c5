"""Take the rows of experiments at one profile from one folder to another, small enough to be published.

    python -m results.publishing results/data results/published --profile laptop
    python -m results.publishing results/data results/paper_sizes --profile paper ra_resize mta_memory

They are the rows that count, as measured, but for one thing: samples of single operations are not in the order of time.
All repetitions of a cell have them in one other order, from the quickest operation to the costliest, and so take a
fraction of the bytes. What is said of one operation over repetitions, such as its time in the quietest, is as before.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from results.store import ResultsError, Store, to_parquet
from safeguards.files import write_atomically

LEVEL = 12
"""Of compression: a fifth smaller than at 3, at which rows are stored as they come."""

ONE = ("git_revision", "git_dirty", "machine")
"""What all rows of an experiment must have in common to be published."""


def published(table: pa.Table) -> pa.Table:
    """The rows, with the samples of single operations in another order, one for all repetitions of a cell.

    Operations are ordered by their time in the quietest repetition, and those with one such time by that in the first
    repetition, then in the second and so on: half the bytes of FiBA's Figure 12. Those in laps stay, and those of which
    repetitions have other numbers. O(n log n).
    """
    samples, laps = table["samples"].combine_chunks(), table["laps"].to_numpy()
    offsets, values = samples.offsets.to_numpy(), samples.values.to_numpy().copy()
    single = np.flatnonzero((laps == 0) & (np.diff(offsets) > 0))
    keys = table.select(["cell", "metric"]).to_pandas().iloc[single]
    for places in keys.groupby(["cell", "metric"]).indices.values():
        spans = [slice(offsets[row], offsets[row + 1]) for row in single[places]]
        if len({span.stop - span.start for span in spans}) == 1:
            repetitions = [values[span] for span in spans]
            order = np.lexsort([*reversed(repetitions), np.minimum.reduce(repetitions)])
            for span, repetition in zip(spans, repetitions, strict=True):
                values[span] = repetition[order]
    ordered = pa.ListArray.from_arrays(samples.offsets, pa.array(values), mask=pc.is_null(samples))
    place = table.schema.get_field_index("samples")
    return table.set_column(place, table.schema.field(place), ordered.cast(table.schema.field(place).type))


def publish(source: Store, target: Path, experiment: str, profile: str) -> tuple[int, int]:
    """Write the rows of an experiment at a profile to target/EXPERIMENT/rows.parquet. Returns their number and bytes.

    Raises ResultsError where there are none, or where they are of several revisions or machines, or of changed code.
    """
    rows = source.table(experiment)
    rows = rows.filter(pc.equal(rows["profile"], profile))
    if not len(rows):
        raise ResultsError(f"{source.root} has no rows of {experiment} at profile {profile}")
    for name in ONE:
        if len(found := rows[name].unique().to_pylist()) > 1:
            raise ResultsError(f"the rows of {experiment} have several values of {name}: {', '.join(map(str, found))}")
    if rows["git_dirty"][0].as_py():
        raise ResultsError(f"the rows of {experiment} are of code that was not committed; commit it and run again")
    path = target / experiment / "rows.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    content = to_parquet(published(rows), LEVEL)
    write_atomically(path, content)
    return len(rows), len(content)


def measured(source: Store, profile: str) -> list[str]:
    """The experiments that have rows at a profile. Raises ResultsError where there are none."""
    names = [name for name in source.experiments() if pc.any(pc.equal(source.table(name)["profile"], profile)).as_py()]
    if not names:
        raise ResultsError(f"{source.root} has no rows at profile {profile}")
    return names


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m results.publishing", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", help="folder of rows, such as results/data")
    parser.add_argument("target", type=Path, help="folder to publish them in, such as results/paper_sizes")
    parser.add_argument(
        "experiments", nargs="*", metavar="experiment", help="default: all that have rows at the profile"
    )
    parser.add_argument("--profile", required=True, help="laptop or paper")
    chosen = parser.parse_intermixed_args(arguments)  # names may follow --profile
    try:
        store = Store(chosen.source)
        for experiment in chosen.experiments or measured(store, chosen.profile):
            rows, size = publish(store, chosen.target, experiment, chosen.profile)
            print(f"{chosen.target / experiment}: {rows:,} rows, {size:,} bytes")
    except (ResultsError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
