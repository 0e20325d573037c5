"""Results of sliding windows straight from their definitions: for each window, look at every record."""

from collections.abc import Sequence

from tests.algorithms.windows.oracle import affine


def by_count(values: Sequence[int], size: int, slide: int, partial: bool = True) -> list[tuple]:
    fired = range(slide, len(values) + 1, slide)
    return [(n - 1, affine(values[max(0, n - size) : n])) for n in fired if partial or n >= size]


def inside(t: float, begin: float, end: float, closed: str) -> bool:
    return (begin <= t if closed != "right" else begin < t) and (t <= end if closed != "left" else t < end)


def by_time(
    records: Sequence[tuple], size, slide, closed: str = "left", offset=0, now=None, edge=lambda exact: exact
) -> list[tuple]:
    """Windows [k slide + offset, ... + size] in order of ends, as far as `now` has passed them (None: all).

    With Fractions nothing is rounded; but for edges, where `edge` is float.
    """
    times = [t for t, _ in records]
    made = []
    if times:
        for k in range(int((min(times) - size - offset) // slide) - 1, int((max(times) - offset) // slide) + 2):
            begin, end = edge(k * slide + offset), edge(k * slide + offset + size)
            held = [v for t, v in sorted(records, key=lambda r: r[0]) if inside(t, begin, end, closed)]
            if held and (now is None or (now >= end if closed == "left" else now > end)):
                made.append((end, affine(held)))
    return made


def last_within(records: Sequence[tuple], n: int, size, closed: str = "right") -> int:
    """The records among the first n that are at most `size` older than the n-th."""
    newest = records[n - 1][0]
    return affine([v for t, v in records[:n] if newest - t < size or (closed == "both" and newest - t == size)])


def by_delta(records: Sequence[tuple], size, slide, closed: str = "both") -> list[tuple]:
    made, fired = [], None
    for n, (a, _) in enumerate(records, 1):
        fired = a if fired is None else fired
        if a - fired > slide:
            fired = a
            made.append((n - 1, last_within(records, n, size, closed)))
    return made


def by_punctuation(values: Sequence[int], cuts: Sequence[int], size: int, slide: int, flush: bool) -> list[tuple]:
    """cuts[i]: how many punctuations follow value i. A window is the last `size` stretches, at every slide-th one."""
    stretch, number = [], 0
    for cut in cuts:
        stretch.append(number)
        number += cut
    made = []
    for p in range(slide, number + 1 + (size + 2 * slide if flush else 0), slide):
        held = [v for v, s in zip(values, stretch, strict=True) if p - size <= s < p]
        if held:
            made.append((p, affine(held)))
    return made
