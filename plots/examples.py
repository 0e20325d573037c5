"""Drawings of worked examples, which are in the facts of rows: which to draw, and the notes about the others."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from plots.columns import FigureError
from plots.description import Description, Names
from plots.layout import Texts
from plots.notes import around, without_result


@dataclass(frozen=True, kw_only=True)
class Examples(Description):
    """panels: the names of the examples to draw, in this order; all if empty."""

    panels: Names = ()

    def chosen(self, found: Mapping[str, Any], usual: Iterable[str], what: str, word: str = "") -> list[Any]:
        """Return the examples to draw, in the `usual` order if the description has none. Raises FigureError.

        `what`, the name for all of them, and `word`, put before the name of each, are for the message.
        """
        if not found:
            raise FigureError(f"the rows hold no {what}; see the reasons of rows that are not ok")
        if missing := [name for name in self.panels if name not in found]:
            raise FigureError(f"panels has {', '.join(missing)}; the rows have {word}{', '.join(sorted(found))}")
        return [found[name] for name in self.panels or usual]

    def around(self, rows: pd.DataFrame, note: str) -> Texts:
        """Return the texts around the drawing, with a line for each reason of rows without a result."""
        return around(self, rows, [note, *without_result(rows)])
