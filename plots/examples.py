"""Drawings of worked examples, which rows hold in their facts: which are drawn, and what is said of the others."""

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
    """panels: the names of the examples to draw, in their order; all if there are none."""

    panels: Names = ()

    def chosen(self, found: Mapping[str, Any], usual: Iterable[str], what: str, word: str = "") -> list[Any]:
        """Return the examples to draw, in the `usual` order if the description has none. Raises FigureError.

        `what` they are all together, and the `word` before their names, are for its message.
        """
        if not found:
            raise FigureError(f"the rows hold no {what}; see the reasons of rows that are not ok")
        if missing := [name for name in self.panels if name not in found]:
            raise FigureError(f"panels has {', '.join(missing)}; the rows have {word}{', '.join(sorted(found))}")
        return [found[name] for name in self.panels or usual]

    def around(self, rows: pd.DataFrame, note: str) -> Texts:
        """Return the texts around the drawing, with a line for each reason of rows without a result."""
        return around(self, rows, [note, *without_result(rows)])
