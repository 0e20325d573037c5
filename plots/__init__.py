"""Figures, the table of claims and the report page, from result rows.

Figures read rows and never write or change them. matplotlib is imported when the first figure is drawn, not before.
"""

import importlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from plots.claims import claims_markdown
from plots.description import Description, FigureError, select
from plots.sidecar import sidecar
from results.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure(description: Mapping[str, Any], rows: pd.DataFrame) -> "Figure":
    """Draw a figure of the description's family from the rows and return it, without writing anything.

    `description` is the ``figure`` part of an experiment's configuration; its keys are the fields of
    `plots.description.Description`. `rows` has the columns of the row schema. Raises FigureError for a description that
    is wrong or does not fit the rows.
    """
    spec = Description.from_mapping(description)
    family = importlib.import_module(f"plots.{spec.family}")
    return family.figure(spec, select(spec, rows))


def draw(
    description: Mapping[str, Any],
    rows: pd.DataFrame,
    out: Path | str,
    config: Mapping[str, Any],
    row_files: Mapping[str, str] | None = None,
) -> list[Path]:
    """Draw a figure and write it to the folder `out` as NAME.png (150 dpi), NAME.svg and the sidecar NAME.json.

    NAME is ``description["name"]``. The sidecar says which rows, configuration, code and machine the figure comes from;
    `row_files` are the SHA-256 hashes of the row files by name, as `results.Store.files` gives them. Equal rows and
    descriptions give equal image files. Returns the three paths. Raises FigureError as `figure` does, and OSError if
    `out` cannot be written.
    """
    from plots.sheet import render

    spec = Description.from_mapping(description)
    drawn = figure(description, rows)
    files = {f"{spec.name}.{kind}": render(drawn, kind) for kind in ("png", "svg")}
    files[f"{spec.name}.json"] = sidecar(description, select(spec, rows), config, row_files or {})
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write_atomically(folder / name, content)
    return [folder / name for name in files]


def write_claims(name: str, verdicts: Iterable[Mapping[str, str]], out: Path | str) -> Path:
    """Write the table of claims to the folder `out` as NAME.md; returns the path. Raises OSError as `draw` does."""
    path = Path(out) / f"{name}.md"
    content = f"# {name}\n\n![{name}]({name}.png)\n\n{claims_markdown(verdicts)}"
    write_atomically(path, content.encode())
    return path


__all__ = ["FigureError", "draw", "figure", "write_claims"]
