"""Keyed windows over a stream with watermarks, straight from their definitions; and the same from `KeyedAggregate`."""

import numpy as np

from algorithms.streams.keyed import Fired, Kept
from tests.algorithms.streams.sliding.brute import affine, inside

EARLIEST = -(2**62)


def of_key(batches: list[tuple], code: int) -> list[tuple]:
    """Rows (time, value, watermark before) of a key, in order of time, and of arrival where times are equal."""
    rows, watermark = [], EARLIEST
    for some, after in batches:
        rows += [(t, v, watermark) for c, t, v in some if c == code]
        watermark = max(after, watermark)
    return sorted(rows, key=lambda row: row[0])


def lateness(batches: list[tuple], settings: dict) -> int:
    """How many rows come after the last of their windows, or their own."""
    rows = [row for code in {c for some, _ in batches for c, *_ in some} for row in of_key(batches, code)]
    late = [(t, watermark) for t, _, watermark in rows if t <= watermark]
    if by_row(settings):
        return len(late)
    of_windows = [(ends_of(t, **settings), watermark) for t, watermark in late]
    return sum(bool(ends) and max(ends) <= watermark for ends, watermark in of_windows)


def by_row(settings: dict) -> bool:
    return settings.get("by") == "count" or settings.get("slide") == "row"


def ends_of(t: int, size: int, slide: int, closed: str = "left", offset: int = 0, **_) -> list[int]:
    """The ends of windows that hold a time."""
    begins = (k * slide + offset for k in range((t - size - offset) // slide, (t - offset) // slide + 1))
    return [begin + size for begin in begins if inside(t, begin, begin + size, closed)]


def expected(batches: list[tuple], settings: dict) -> list[tuple]:
    """Results (key, time, value) of batches ([(key, time, value)], watermark) as far as the watermarks go."""
    final = max([EARLIEST, *(after for _, after in batches)])
    made = []
    for code in sorted({c for some, _ in batches for c, _, _ in some}):
        rows = of_key(batches, code)
        if by_row(settings):
            rows = [(t, v) for t, v, watermark in rows if t > watermark]
        if settings.get("by") == "count":
            found = last_rows([row for row in rows if row[0] <= final], **settings)
        elif settings.get("slide") == "row":
            found = around_rows(rows, final, **settings)
        else:
            found = at_ends(rows, final, **settings)
        made += [(code, *one) for one in found]
    return made


def of_values(held: list) -> int | None:
    """What is there of them, aggregated; None if nothing is."""
    there = [v for v in held if v is not None]
    return affine(there) if there else None


def at_ends(rows: list, final: int, **settings) -> list:
    """Windows that hold a row when the watermark reaches their ends: a row counts in those open when it comes."""
    ends = sorted({end for t, *_ in rows for end in ends_of(t, **settings)})
    made = []
    for end in ends:
        held = [v for t, v, watermark in rows if end in ends_of(t, **settings) and end > watermark]
        if held and end <= final:
            made.append((end, of_values(held)))
    return made


def around_rows(rows: list, final: int, size: int, closed: str = "right", peers: bool = True, **_) -> list:
    made = []
    for i, (now, _) in enumerate(rows):
        seen = rows if peers else rows[: i + 1]
        if now <= final:
            made.append((now, of_values([v for t, v in seen if inside(t, now - size, now, closed)])))
    return made


def last_rows(rows: list, size: int, slide: int = 1, **_) -> list:
    fired = range(slide, len(rows) + 1, slide)
    return [(rows[n - 1][0], of_values([v for _, v in rows[max(0, n - size) : n]])) for n in fired]


def columns(rows: list[tuple]) -> tuple:
    codes, times = (np.array([row[i] for row in rows], np.int64) for i in range(2))
    return codes, times, {"value": np.array([0 if v is None else v for *_, v in rows], np.int64)}


def there(rows: list[tuple]) -> dict:
    return {"value": np.array([v is not None for *_, v in rows], bool)}


def copied(kept: Kept) -> Kept:
    """As after a restart: plain arrays that were written and read."""
    arrays = [np.frombuffer(one.tobytes(), one.dtype) for one in kept[:5]]
    tables = [{name: np.frombuffer(one.tobytes(), one.dtype) for name, one in table.items()} for table in kept[5:7]]
    return Kept(*arrays, *tables, kept.watermark)


def results(fired: Fired) -> list[tuple]:
    filled = fired.filled.get("value", np.ones(len(fired.codes), bool)).tolist()
    values = [v if yes else None for v, yes in zip(fired.results["value"].tolist(), filled, strict=True)]
    return list(zip(fired.codes.tolist(), fired.times.tolist(), values, strict=True))
