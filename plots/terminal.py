"""What a run says on the terminal when it is done."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from plots.claims import claims_table
from results.schema import OK

MOST_PROBLEMS = 8


def show(
    rows: pd.DataFrame,
    verdicts: Sequence[Mapping[str, str]],
    paths: Iterable[Path],
    measured: int,
    kept: int,
) -> None:
    """Print the table of claims, what was not measured and why, and where the figure is."""
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=False)
    if verdicts:
        console.print(claims_table(verdicts))
    console.print(f"{measured} measured now, {kept} kept from earlier runs (force=true measures them again)")
    problems = rows[rows["status"] != OK].groupby(["status", "reason"], sort=False).size()
    for (status, reason), count in problems.head(MOST_PROBLEMS).items():
        console.print(Text(f"{status} ({count}): {reason}", style="yellow"))
    if len(problems) > MOST_PROBLEMS:
        console.print(f"... and {len(problems) - MOST_PROBLEMS} more reasons")
    for path in paths:
        console.print(Text(f"wrote {path}"))
