"""The slicers: where a stream is cut into slices, besides where the queries' windows begin.

Panes: Li, Maier, Tufte, Papadimos, Tucker: No pane, no gain (SIGMOD Record 2005). Pairs: Krishnamurthy, Wu, Franklin:
On-the-fly sharing for streamed aggregation (SIGMOD 2006). Cutty: Carbone et al. (CIKM 2016). RA: Tangwongsan et al.
(PVLDB 2015). With any of them, slices begin where windows begin; Panes and Pairs make more cuts, so that every window
also ends where a slice does. Their cuts are periodic marks like those of queries; the slicers differ in nothing else.
"""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from algorithms.streams.shared.aggregator import ByRecord, Slicing
from algorithms.streams.shared.discretize import Query, QueryError


@dataclass(frozen=True)
class Cut:
    """A slice ends at every origin + k slide of a measure."""

    reads: str
    slide: int
    origin: int


@dataclass(frozen=True)
class Slicer:
    """How a stream is sliced for its queries."""

    name: str
    title: str
    paper: str
    cuts: Callable[[Sequence[Query]], list[Cut]]
    aggregator: type = Slicing
    periodic_only: bool = False
    shared: bool = True
    """If False, every query has its own aggregator."""
    partials: str = ""
    """The most partial aggregates that a lazy store keeps for a query of range r and slide s."""

    def refusal(self, queries: Sequence[Query]) -> str:
        """The reason why this slicer cannot serve the queries; empty if it can."""
        odd = [query.title for query in queries if not query.periodic]
        if self.periodic_only and odd:
            return f"{self.name} slices for periodic queries only, and {odd[0]!r} is not; take cutty, or ra"
        return ""


def no_cuts(queries: Sequence[Query]) -> list[Cut]:
    return []


def cuts_of_pairs(queries: Sequence[Query]) -> list[Cut]:
    """Cut each slide in two, range mod slide and the rest: the second part of a pair begins where a window ends."""
    return [
        Cut(query.reads, query.slide, query.origin + query.range % query.slide)
        for query in queries
        if query.range % query.slide
    ]


def cuts_of_panes(queries: Sequence[Query]) -> list[Cut]:
    """Equal slices: the greatest common divisor of all ranges, slides and distances between origins."""
    if len({query.reads for query in queries}) > 1:
        raise QueryError(f"panes need one measure, not {' and '.join(sorted({query.reads for query in queries}))}")
    origin = min(query.origin for query in queries)
    width = functools.reduce(math.gcd, [n for q in queries for n in (q.range, q.slide, q.origin - origin)])
    return [Cut(queries[0].reads, width, origin)]


PANES = Slicer(
    name="panes",
    title="Panes",
    paper="Li, Maier, Tufte, Papadimos, Tucker 2005",
    cuts=cuts_of_panes,
    periodic_only=True,
    partials="r / gcd(r, s)",
)
PAIRS = Slicer(
    name="pairs",
    title="Pairs",
    paper="Krishnamurthy, Wu, Franklin 2006",
    cuts=cuts_of_pairs,
    periodic_only=True,
    partials="2 ceil(r / s)",
)
CUTTY = Slicer(
    name="cutty",
    title="Cutty",
    paper="Carbone, Traub, Katsifodimos, Haridi, Markl 2016",
    cuts=no_cuts,
    partials="ceil(r / s) + 1",
)
RA = Slicer(
    name="ra",
    title="Reactive Aggregator, every record a slice",
    paper="Tangwongsan, Hirzel, Schneider, Wu 2015",
    cuts=no_cuts,
    aggregator=ByRecord,
    partials="r",
)
NAIVE = Slicer(
    name="naive",
    title="Naive, every query by itself from its records",
    paper="Carbone et al. 2016, section 7.1",
    cuts=no_cuts,
    aggregator=ByRecord,
    shared=False,
    partials="r for each query",
)


def slicers() -> dict[str, Slicer]:
    """Every slicer of this module by name."""
    return {slicer.name: slicer for slicer in globals().values() if isinstance(slicer, Slicer)}
