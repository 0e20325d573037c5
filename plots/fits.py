"""Straight lines through measured points: the papers' best fit over log2 x, and how good it is."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from plots.points import of_series

FEWEST = 3
"""The least number of points for a fit: a line passes through any two."""


class Fit(NamedTuple):
    """The least-squares line of one series in one panel over log2 x (`log2`) or x, between `first` and `last`."""

    panel: str
    algorithm: str
    parameters: str
    log2: bool
    slope: float
    intercept: float
    r2: float
    first: float
    last: float

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """The line at `x` (float64)."""
        return self.slope * (np.log2(x) if self.log2 else x) + self.intercept


def fitted(kind: str, drawn: pd.DataFrame) -> list[Fit]:
    """Return the fits of all series with at least `FEWEST` points over `kind`: log2 or linear; no fits if it is empty.

    `drawn` is what `points.points` returns; the medians are fitted. A point at x = 0 has no logarithm and is left out.
    """
    fits = []
    if not kind:
        return fits
    log2 = kind == "log2"
    fittable = drawn[drawn["x"] > 0] if log2 else drawn
    for panel, of_panel in fittable.groupby("panel", sort=False):
        for algorithm, parameters in of_panel[["algorithm", "parameters"]].drop_duplicates().itertuples(index=False):
            line = of_series(of_panel, algorithm, parameters)
            if len(line) >= FEWEST:
                x, y = line["x"].to_numpy(), line["middle"].to_numpy()
                fits.append(Fit(panel, algorithm, parameters, log2, *_least_squares(np.log2(x) if log2 else x, y),
                                 x.min(), x.max()))  # fmt: skip
    return fits


def _least_squares(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Slope, intercept and the share of the variance of y that the line explains (1 if y does not vary)."""
    slope, intercept = np.polyfit(x, y, 1)
    residual = np.sum((y - slope * x - intercept) ** 2)
    total = np.sum((y - y.mean()) ** 2)
    return float(slope), float(intercept), float(1 - residual / total) if total else 1.0


def labelled(label: str, fits: list[Fit], algorithm: str, parameters: str) -> str:
    """Return the label of a series with the R² of its fits: one number, or the range over the panels."""
    r2s = [f"{fit.r2:.3f}" for fit in fits if (fit.algorithm, fit.parameters) == (algorithm, parameters)]
    if not r2s:
        return label
    low, high = min(r2s), max(r2s)
    return f"{label} (R² {low})" if low == high else f"{label} (R² {low} to {high})"
