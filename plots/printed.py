"""The numbers that a paper prints, drawn beside what was measured."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from plots.columns import FigureError, text
from plots.scales import LOGARITHMS, Scale
from safeguards.wrong_input import is_real

PAPER = "paper"
LOOK: dict[str, Any] = {
    "marker": "x", "color": "black", "markersize": 4, "markeredgewidth": 1.1, "linestyle": "none", "zorder": 5,
}  # fmt: skip
KEYS = ("x", "y", "panel", "series")


class Point(NamedTuple):
    """A printed point: x as text or number; empty panel: every one; empty series: no particular algorithm."""

    x: Any
    y: float
    panel: str = ""
    series: str = ""


def checked(entries: Iterable[Mapping[str, Any]]) -> tuple[Point, ...]:
    """The printed points of a description. Raises FigureError for one that is not understood."""
    points = []
    for entry in entries:
        if not isinstance(entry, Mapping) or not {"x", "y"} <= set(entry) <= set(KEYS) or not is_real(entry["y"]):
            raise FigureError(f"printed has {entry!r}; a point is {{x, y}}, and panel and series where they are needed")
        points.append(Point(entry["x"], float(entry["y"]), text(entry.get("panel", "")), text(entry.get("series", ""))))
    return tuple(points)


def placed(points: Iterable[Point], kind: str, layout: Scale) -> list[tuple[float, Point]]:
    """The points with their places on the axis of that kind; those outside what was measured are left out."""
    low, high = min(layout.places.values()), max(layout.places.values())
    places = ((_place(point.x, kind, layout), point) for point in points)
    return [(place, point) for place, point in places if place is not None and low <= place <= high]


def _place(x: Any, kind: str, layout: Scale) -> float | None:
    if kind == "category":
        return layout.places.get(text(x))
    if kind == "linear" or x <= 0:
        return float(x) if kind == "linear" else layout.places.get(0.0)
    return float(LOGARITHMS[kind](float(x)))  # that of the axis: by another, its ends may be beyond it


def handles(points: Iterable[Any]) -> list[Line2D]:
    """The key of the legend; none without points."""
    return [Line2D([], [], **LOOK, label=PAPER)] if list(points) else []


def draw(
    panel: Axes, value: str, points: Iterable[tuple[float, Point]], shift: Callable[[str], float] = lambda _: 0.0
) -> float:
    """Draw crosses in the panel of that value, shifted to their series; the largest y among them, 0 without any."""
    largest = 0.0
    for place, point in points:
        if point.panel in ("", value):
            panel.plot(place + shift(point.series), point.y, **LOOK)
            largest = max(largest, point.y)
    return largest
