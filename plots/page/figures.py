"""The figures of a page: their texts, their pictures, and what a reader with a script explores."""

import base64
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from plots.page.runs import without_profile

BESIDE, COLOURS = 720, 48
"""Of another run's figure: pixels across; and the colours of every picture that is made smaller."""


def figure(
    stem: Path, sidecar: Mapping[str, Any], measured: pd.DataFrame, beside: Mapping[str, Path]
) -> dict[str, Any]:
    """The texts of a figure, its picture as an address with the content, and its points if it can be explored."""
    pictures = {name: smaller(_same_in(folder, stem.name), BESIDE) for name, folder in beside.items()}
    description = sidecar.get("figure", {})
    texts = {key: str(description.get(key, "")) for key in ("title", "caption", "paper")}
    rows = sidecar.get("rows")
    return {
        "name": stem.name,
        "uri": _picture(stem),
        **texts,
        "told": sidecar.get("told", []),
        "rows": f"{rows['count']} rows, SHA-256 {rows['sha256'][:16]}…" if rows else "",
        "draft": "draft: uncommitted code" if sidecar.get("git", {}).get("dirty") else "",
        "points": _points(description, measured) if description and len(measured) else "",
        "frames": _frames(description, measured) if description and len(measured) else [],
        "beside": [(name, picture) for name, picture in pictures.items() if picture],
    }


def _same_in(folder: Path, name: str) -> Path:
    """The figure of that name among those of another run; either may have been drawn with a profile in its name."""
    names = [path.name.removesuffix(".png") for path in sorted(folder.glob("*.png"))]
    fitting = [found for found in names if without_profile(found) == without_profile(name)]
    return folder / (fitting[0] if fitting and name not in fitting else name)


def _picture(stem: Path) -> str:
    svg = stem.with_name(f"{stem.name}.svg")
    if svg.is_file():
        return as_svg(svg.read_text(encoding="utf-8"))
    return _as_png(stem.with_name(f"{stem.name}.png").read_bytes())


def as_svg(content: str) -> str:
    """The address of an SVG that `render` made: without double quotes and ampersands, so that it needs no escapes."""
    from markupsafe import Markup

    encoded = quote(content, safe=" =/;:,'()!*~@$+<>{}[]").replace("http:", "http%3A")
    return Markup("data:image/svg+xml," + encoded)  # noqa: S704 - what could end the attribute is encoded


def _as_png(content: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"


def smaller(stem: Path, across: int) -> str:
    """The picture of a figure in so many pixels across at most; empty if there is no PNG of it."""
    from PIL import Image

    path = stem.with_name(f"{stem.name}.png")
    if not path.is_file():
        return ""
    with Image.open(path) as picture:
        small = picture.convert("RGB")
        small.thumbnail((across, across))
        buffer = io.BytesIO()
        small.quantize(COLOURS, method=Image.Quantize.FASTOCTREE).save(buffer, "PNG", optimize=True)
    return _as_png(buffer.getvalue())


def _points(description: Mapping[str, Any], rows: pd.DataFrame) -> str:
    """The points of a figure as JSON for a script element; empty if it cannot be explored."""
    from plots.columns import FigureError
    from plots.exploring import explorable

    try:
        found = explorable(description, rows)
    except FigureError:
        return ""
    return json.dumps(found, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c") if found else ""


def _frames(description: Mapping[str, Any], rows: pd.DataFrame) -> list[tuple[str, str]]:
    """The states of a worked example, as pictures."""
    from plots.columns import FigureError
    from plots.exploring import frames

    try:
        return [(name, as_svg(svg.decode())) for name, svg in frames(description, rows)]
    except FigureError:
        return []
