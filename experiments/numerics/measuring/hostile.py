"""Streams that make windows lose digits: spikes, alternating signs, magnitudes that rise and fall, cancelling pairs."""

from collections.abc import Callable

import numpy as np

Shape = Callable[[np.random.Generator, int], np.ndarray]


def spikes(rng: np.random.Generator, rows: int) -> np.ndarray:
    return np.where(rng.random(rows) < 0.1, rng.choice([1e16, -1e16, 3e15], rows), rng.random(rows))


def alternating(rng: np.random.Generator, rows: int) -> np.ndarray:
    return (1e8 + rng.random(rows)) * (-1.0) ** np.arange(rows)


def denormals(rng: np.random.Generator, rows: int) -> np.ndarray:
    return rng.integers(1, 2**20, rows) * 5e-324


def falling(rng: np.random.Generator, rows: int) -> np.ndarray:
    return np.geomspace(1e15, 1e-15, rows) * (1 + rng.random(rows))


def rising(rng: np.random.Generator, rows: int) -> np.ndarray:
    return falling(rng, rows)[::-1].copy()


def far_from_zero(rng: np.random.Generator, rows: int) -> np.ndarray:
    return 1e9 + rng.normal(size=rows)


def cancelling(rng: np.random.Generator, rows: int) -> np.ndarray:
    x = np.repeat(10.0 ** rng.integers(-8, 18, rows // 2 + 1), 2)[:rows]
    return x * (-1.0) ** np.arange(rows) * (1 + (rng.random(rows) < 0.2) * 2.0**-50)


def equal(rng: np.random.Generator, rows: int) -> np.ndarray:
    return np.full(rows, 0.1)


SHAPES: tuple[Shape, ...] = (spikes, alternating, denormals, falling, rising, far_from_zero, cancelling, equal)


def hostile(rows: int, positive: bool) -> np.ndarray:
    """So many values of all shapes but denormals, one after the other; float64. The same each time.

    What is left of a spike is more denormals than a float can count.
    """
    shapes = [shape for shape in SHAPES if shape is not denormals]
    pieces = np.diff(np.linspace(0, rows, len(shapes) + 1).astype(int))
    rng = np.random.default_rng(6)
    values = np.concatenate([shape(rng, int(piece)) for shape, piece in zip(shapes, pieces, strict=True)])
    return np.abs(values) if positive else values
