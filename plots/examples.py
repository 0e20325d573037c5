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
    """panels: the names of the examples to draw, in this order; all if empty.  small_print: whether there is any."""

    panels: Names = ()
    small_print: bool = True

    def chosen(self, examples: Mapping[str, Any], usual_order: Iterable[str], kind: str, prefix: str = "") -> list[Any]:
        """Return the examples to draw, in the `usual_order` if the description has none. Raises FigureError.

        `kind`, which names the examples, and `prefix`, put before each name, are for the message.
        """
        if not examples:
            raise FigureError(f"the rows hold no {kind}; see the reasons of rows that are not ok")
        if missing := [name for name in self.panels if name not in examples]:
            raise FigureError(f"panels has {', '.join(missing)}; the rows have {prefix}{', '.join(sorted(examples))}")
        return [examples[name] for name in self.panels or usual_order]

    def around(self, rows: pd.DataFrame, note: str) -> Texts:
        """Return the texts around the drawing, with a line for each reason of rows without a result."""
        return around(self, rows, [note, *without_result(rows)]) if self.small_print else Texts(self.title)
