"""Helpers of all families for axes: scales, a note in empty panels, lines of text one below the other."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import Formatter, LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

FEW_DECADES, MILLION = 1e4, 1e6
NEAR_ONE = (1, 2, 2.5, 5, 10)
"""Steps of which 1 is a multiple, as what is compared with a base is often near it: of 0.06 there would be no tick."""

LINE = 0.17
"""Inches from a line of text to the next."""


def mark_empty(panel: Axes) -> None:
    """Write in a panel that it is empty, and leave out numbers along its side: nothing was measured between 0 and 1."""
    panel.text(0.5, 0.5, "no results", transform=panel.transAxes, ha="center", color="#777777")
    panel.tick_params(axis="y", which="both", left=False, labelleft=False)
    panel.grid(visible=False)


def write_down(canvas: Axes, x: float, y: float, lines: Sequence[str], **look: object) -> None:
    """Write lines on axes in inches, the first at (x, y). They may contain any character; none is read as a formula."""
    for number, line in enumerate(lines):
        canvas.text(x, y - LINE * number, line, parse_math=False, **look)


class Numbers(Formatter):
    """The numbers of a linear axis: thousands separators, as many decimals for each as one needs, and from a million on
    the same power of ten behind each of them, not above the axis."""

    ticks: Sequence[float] = ()

    def set_locs(self, locs: Sequence[float]) -> None:
        """Take the ticks of the axis, as matplotlib gives them before it asks for their texts."""
        self.ticks = [float(each) for each in locs]

    def __call__(self, value: float, place: int | None = None) -> str:
        largest = max(map(abs, self.ticks), default=abs(value))
        exponent = int(np.floor(np.log10(largest))) if largest >= MILLION else 0
        decimals = max((_decimals(each / 10**exponent) for each in self.ticks), default=0)
        text = f"{value / 10**exponent:,.{decimals}f}".replace("-", "−")
        return f"${text}{{\\times}}10^{{{exponent}}}$" if exponent and value else "0" if exponent else text


def _decimals(value: float) -> int:
    """How many decimals a number of six digits needs."""
    return len(f"{value:.6g}".partition(".")[2]) if "e" not in f"{value:.6g}" else 6


def plain_ticks(panel: Axes, axis: str) -> None:
    """Write the numbers of a linear axis ("x" or "y") each for itself, without an offset above the axis."""
    getattr(panel, f"{axis}axis").set_major_formatter(Numbers())


def one_range(panels: Sequence[Axes]) -> None:
    """Give panels one range of y, so that they can be compared."""
    ends = [panel.get_ylim() for panel in panels if panel.has_data()]
    for panel in panels if ends else ():
        low, high = min(low for low, _ in ends), max(high for _, high in ends)
        panel.set_ylim(low, high)
        if panel.get_yscale() == "log":
            _log_numbers(panel.yaxis, low, high)


def scale_y(panel: Axes, kind: str, highest: float) -> None:
    """Set the scale of the y axis: log10, or linear from 0. `highest` is the largest y drawn, NaN if there is none."""
    if kind == "log10":
        log_ticks(panel, "y")
    else:
        plain_ticks(panel, "y")
        panel.set_ylim(0, 1.06 * highest if np.isfinite(highest) and highest > 0 else 1)


def log_ticks(panel: Axes, axis: str, base: int = 10) -> None:
    """Make an axis ("x" or "y") logarithmic, with plain numbers at 1, 2 and 5 if it spans few decades, else powers.

    Where its highest value is less than five times its lowest, at round numbers: otherwise there would be two or fewer.

    The axis stays linear if every drawn value is 0, or nothing is drawn.
    """
    ticks = getattr(panel, f"{axis}axis")
    low, high = ticks.get_data_interval()
    if not 0 < high >= low:
        return
    getattr(panel, f"set_{axis}scale")("log", base=base)
    if base == 10:
        _log_numbers(ticks, low, high)
    ticks.set_minor_formatter(NullFormatter())


def _log_numbers(ticks: Axis, low: float, high: float) -> None:
    """Set the ticks of a logarithmic axis that goes so far."""
    if 0 < low <= high < FEW_DECADES * low:
        near = MaxNLocator(5, steps=NEAR_ONE, min_n_ticks=3)
        ticks.set_major_locator(LogLocator(subs=(1, 2, 5)) if high >= 5 * low else near)
        ticks.set_major_formatter(StrMethodFormatter("{x:,g}"))
