"""The refusal of rows that are out of order, where they must not be."""

import numpy as np

from algorithms.errors import OrderError
from algorithms.streams.keyed.rows import Batch, Kept, Rows, out_of_order
from algorithms.streams.sliding.keys import by_key


def must_not_go_back(kept: Kept, batch: Batch, numbers: np.ndarray) -> None:
    """Raise OrderError for the first row that is older than an earlier row of its key, in the batch or kept.

    `numbers` are the rows' numbers in the user's batch, which includes late rows.
    """
    held = np.flatnonzero(np.diff(kept.offsets))
    newest = np.maximum.reduceat(kept.positions, kept.offsets[held]) if len(held) else kept.positions
    codes = np.concatenate([kept.codes[held], batch.codes])
    order = by_key(codes)
    codes, times = codes[order], np.concatenate([newest, batch.times])[order]
    falls = out_of_order(codes, times)
    if len(falls):
        i = falls[np.argmin(order[falls])]
        raise OrderError(
            f"row {numbers[order[i] - len(held)]} of the batch (key number {codes[i]}) has time {times[i]}, older than "
            f"{times[i - 1]} before it; order='buffer' sorts rows within the watermark, and fiba takes any order"
        )


def must_be_sorted(kept: Kept, batch: Batch, rows: Rows) -> None:
    """Raise OrderError unless times do not decrease within a key, and rows of each key are together.

    `rows` are the kept ones and the batch. The row before those of the key that continues need not be kept.
    """
    codes = np.repeat(rows.codes, np.diff(rows.begin))
    falls = out_of_order(codes, rows.positions)
    if len(falls):
        i = falls[0]
        raise OrderError(
            f"key number {codes[i]} has time {rows.positions[i]} after {rows.positions[i - 1]}; take_sorted is for "
            "rows that are sorted by key and time"
        )
    if len(batch.codes) and batch.codes[0] in kept.codes and batch.times[0] <= kept.watermark:
        raise OrderError(
            f"key number {batch.codes[0]} has time {batch.times[0]}, and the pieces before have gone on to "
            f"{kept.watermark + 1}; take_sorted is for rows that are sorted by key and time"
        )
    if len(np.unique(rows.codes)) < len(rows.codes):
        raise OrderError("rows of one key are not together; take_sorted is for rows that are sorted by key and time")
