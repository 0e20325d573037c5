"""Tables of measured rows in Markdown, printed for the README."""

import sys
from collections.abc import Callable, Iterable, Sequence

import pandas as pd

from results import Store

Markdown = Callable[[pd.DataFrame], str]


class NoRowsError(Exception):
    """There is nothing to make a table of; the message says which run would measure it."""


def lines_of_table(cells: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table, of which the first has the titles of its columns."""
    lines = [f"| {' | '.join(line)} |" for line in cells]
    columns = lines[0].count("|") - 1
    return [lines[0], f"|{' --- |' * columns}", *lines[1:]]


def printed(experiment: str, markdown: Markdown) -> None:
    """Print a table of the rows in the folder and of the profile that the command line names.

    Without arguments these are results/data and laptop. Where rows are missing, ends the process and says which.
    """
    arguments = sys.argv[1:]
    folder, profile = [*arguments, *("results/data", "laptop")[len(arguments) :]]
    rows = Store(folder).rows(experiment)
    try:
        print(markdown(rows[rows["profile"] == profile]))
    except NoRowsError as error:
        sys.exit(str(error))
