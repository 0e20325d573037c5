"""Figures, the table of claims and the report page, from result rows.

Figures read rows and never write or change them. matplotlib is imported only with the family of the first figure.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import pandas as pd

from plots import families
from plots.claims import claims_markdown
from plots.columns import FigureError
from plots.description import Description, NoRowsError, select
from plots.sidecar import NOTHING, OfTheRun, or_as_before, sidecar
from plots.style import CALLED
from plots.telling import markdown as telling_markdown
from plots.telling import told
from results.schema import OK
from results.verdicts import Verdict
from safeguards.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure(description: Mapping[str, Any], rows: pd.DataFrame) -> "Figure":
    """Draw a figure of the description's family from the rows and return it, without writing anything.

    `description` is one of the ``figures`` of an experiment's configuration; its keys are the `Options` of its family
    in `plots.families`. `rows` has the columns of the row schema. Raises FigureError if the description is wrong or
    does not fit the rows.
    """
    spec = described(description, rows)
    family = families.family_of(spec.family)
    from plots.theme import theme

    with theme():
        return family.figure(spec, select(spec, rows))


def draw(
    description: Mapping[str, Any],
    rows: pd.DataFrame,
    out: Path | str,
    config: Mapping[str, Any],
    row_files: Mapping[str, str] | None = None,
    of_the_run: OfTheRun = NOTHING,
) -> list[Path]:
    """Draw a figure and write it to the folder `out` as NAME.png (150 dpi), NAME.svg and the sidecar NAME.json.

    NAME is ``description["name"]``. The sidecar records the rows, configuration, code and machine behind the figure,
    and what is `of_the_run`; `row_files` are the SHA-256 hashes of the row files by name, as returned by
    `results.Store.files`. Equal rows and descriptions give equal image files, and the sidecar stays if nothing in it
    but the time would change. Returns the three paths. Raises FigureError as `figure` does, and OSError if `out` cannot
    be written.
    """
    from plots.theme import render

    spec = families.described(description)
    drawing = figure(description, rows)
    files = {f"{spec.name}.{kind}": render(drawing, kind) for kind in ("png", "svg")}
    selected = select(spec, rows)
    origin = (config, row_files or {}, told(spec, selected), of_the_run)
    described = sidecar(description, selected, *origin)
    folder = Path(out)
    path = folder / f"{spec.name}.json"
    with _writing_to(folder):
        files[path.name] = or_as_before(path, described)
        for name, content in files.items():
            write_atomically(folder / name, content)
    return [folder / name for name in files]


@contextmanager
def _writing_to(folder: Path) -> Iterator[None]:
    """Make the folder, and say of an error in the block what is lost, which is little, and what to do."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise OSError(
            f"the figures cannot be written to {folder} ({error.strerror or error}); free some space or choose another "
            "folder with figure_folder=..., then run again: what was measured is kept"
        ) from error


class Published(NamedTuple):
    """The files of a run; the figures that were not drawn, by name with the reason; and those of them that failed.

    The figures that were not drawn and did not fail have no rows.
    """

    paths: list[Path]
    undrawn: dict[str, str]
    failed: list[str]


class Run(Protocol):
    """What `publish` needs of a run: its name, the descriptions of its figures, and what they are drawn from."""

    name: str
    figures: Sequence[Mapping[str, Any]]
    rows: pd.DataFrame
    verdicts: Sequence[Verdict]
    config: Mapping[str, Any]
    row_files: Mapping[str, str]
    code: Mapping[str, Any]


def publish(run: Run, out: Path | str, tell: Callable[[str], None] = lambda name: None) -> Published:
    """Draw every figure of a run as `draw` does, and write NAME.md with all of them, tables as text, and the claims.

    `tell` is called with the name of each figure before it is drawn.

    The sidecar of the first figure that is drawn has the verdicts, with the name of the run as their experiment, the
    cells of all rows, and the code that draws. A figure without rows is left out and reported; if no figure has rows,
    and not because all cells failed, the first one's error is raised. A figure that cannot be drawn is left out and
    reported too, whatever the error, so that the other figures and the claims are written; with TRACEBACK=1 in the
    environment its error is raised. Raises FigureError for a wrong description, before anything is written, and OSError
    if `out` cannot be written.
    """
    for description in run.figures:
        families.described(description)
    paths, sections, undrawn, failed = [], [], {}, []
    verdicts = [verdict._replace(experiment=run.name) for verdict in run.verdicts]
    whole = OfTheRun(verdicts, sorted(set(run.rows["cell"])), run.code)
    for description in run.figures:
        name = description["name"]
        tell(name)
        try:
            texts = _texts(description, run.rows)
            paths += draw(description, run.rows, out, run.config, run.row_files, NOTHING if paths else whole)
        except OSError:
            raise
        except Exception as error:
            undrawn[name] = error
            failed += [name] if fails(error) else []
            sections.append(f"{name} is not drawn: {reason(error)}\n")
            continue
        sections += [f"![{name}]({name}.png)\n", *texts]
    could_be_drawn = run.rows.empty or (run.rows["status"] == OK).any()
    if not paths and not failed and could_be_drawn:
        raise next(iter(undrawn.values()), FigureError(f"experiment {run.name} has no figures; it must have one"))
    page = Path(out) / f"{run.name}.md"
    with _writing_to(page.parent):
        write_atomically(page, "\n".join([f"# {run.name}\n", *sections, claims_markdown(run.verdicts)]).encode())
    return Published([*paths, page], {name: reason(error) for name, error in undrawn.items()}, failed)


def fails(error: Exception) -> bool:
    """Whether a figure that is not drawn has failed, or only has no rows. With TRACEBACK=1 a failure is raised."""
    failed = not isinstance(error, NoRowsError)
    if failed and os.environ.get("TRACEBACK"):
        raise error
    return failed


def reason(error: Exception) -> str:
    """Why a figure is not drawn; for an unexpected error, with the type of the error."""
    return str(error) if isinstance(error, FigureError) else f"{type(error).__name__}: {error}"


def _texts(description: Mapping[str, Any], rows: pd.DataFrame) -> list[str]:
    """What goes with a figure, as Markdown, and a table itself."""
    from plots.families.table import markdown

    spec = described(description, rows)
    selected = select(spec, rows)
    table = [markdown(spec, selected)] if spec.family == "table" else []
    return [*table, telling_markdown(spec, selected)]


def described(description: Mapping[str, Any], rows: pd.DataFrame) -> Description:
    """The description, with the names that the paper of the rows has for algorithms."""
    spec = families.described(description)
    papers = set(rows["paper"]) - {""}
    return replace(spec, called={**CALLED.get(papers.pop(), {}), **spec.called}) if len(papers) == 1 else spec


__all__ = ["FigureError", "draw", "figure", "publish"]
