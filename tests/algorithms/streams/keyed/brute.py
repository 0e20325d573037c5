"""Keyed windows over a stream with watermarks, straight from their definitions; and the same from `KeyedAggregate`."""

import numpy as np

from algorithms.streams.keyed import Fired, Kept
from tests.algorithms.streams.sliding.brute import affine, inside

EARLIEST = -(2**62)


def in_time(batches: list[tuple], code: int) -> list[tuple]:
    """Rows (time, value) of a key that are not late, in order of time, and of arrival where times are equal."""
    rows, watermark = [], EARLIEST
    for some, after in batches:
        rows += [(t, v) for c, t, v in some if c == code and t > watermark]
        watermark = max(after, watermark)
    return sorted(rows, key=lambda row: row[0])


def lateness(batches: list[tuple]) -> int:
    late, watermark = 0, EARLIEST
    for some, after in batches:
        late += sum(t <= watermark for _, t, _ in some)
        watermark = max(after, watermark)
    return late


def expected(batches: list[tuple], settings: dict) -> list[tuple]:
    """Results (key, time, value) of batches ([(key, time, value)], watermark) as far as the watermarks go."""
    final = max([EARLIEST, *(after for _, after in batches)])
    made = []
    for code in sorted({c for some, _ in batches for c, _, _ in some}):
        rows = in_time(batches, code)
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


def at_ends(rows: list, final: int, size: int, slide: int, closed: str = "left", offset: int = 0, **_) -> list:
    times, made = [t for t, _ in rows], []
    for k in range((min(times) - size - offset) // slide, (max(times) - offset) // slide + 1) if rows else ():
        begin = k * slide + offset
        held = [v for t, v in rows if inside(t, begin, begin + size, closed)]
        if held and begin + size <= final:
            made.append((begin + size, of_values(held)))
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
