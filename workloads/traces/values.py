"""The values of synthetic items: small whole numbers that recur, since only the times of such a stream matter."""

import numpy as np

VALUES = 101


def values(serial: np.ndarray) -> np.ndarray:
    """Values of the items with these numbers, int64: 1 + i mod 101."""
    return 1 + serial % VALUES
