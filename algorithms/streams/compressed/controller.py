"""A controller that picks D while A_C runs: for a budget of memory, or for a bound on latency.

The paper (section 7) leaves adjusting D to a required quality of service to future work. What it measures suffices for
that: a smaller D takes less memory and more latency (Figures 1c and 4a). So one end of the ladder of D's is safe for
the goal but expensive, the other cheap: if memory is bounded, D = 0 is safe and infinity cheap; if latency is, the
reverse. The controller moves to the safe end as fast as it must and to the cheap end as carefully as it can:

- above NEAR of the bound: one rung to the safe side at once, then two, four ... while that does not help. D's above the
  age of the stream compress nothing and are skipped;
- below FAR of it: one rung to the cheap side, and no other before the effect of that one shows. After a rise of D, it
  takes as much event time as the rise until no window is compressed that the larger D would spare; a fall shows when
  windows are next put out;
- a rung that had to be left again is tried after twice the time, then four times ... the time.

It knows event times but no clock, so that equal observations give equal decisions.
"""

import math
from collections.abc import Sequence

MEMORY, LATENCY = "memory", "latency"
"""What may be bounded."""

NEAR, FAR = {MEMORY: 0.9, LATENCY: 0.8}, {MEMORY: 0.7, LATENCY: 0.6}
"""Fractions of the bound, between which D stays.

Memory is exact and can be read every few thousand tuples. Latency is known only when windows are put out, and what is
compressed by then stays so until its key has another tuple: that needs more distance from the bound.
"""

MOST_PATIENCE = 64
"""The largest factor by which the controller waits longer before it retries what failed."""


def ladder(size: int) -> tuple[float, ...]:
    """The D's to choose from, falling: infinity, the windows' size, three quarters of it ... down to 1, and 0.

    All but infinity are whole units of time, each at most three quarters of the one before.
    """
    rungs, rung = [math.inf], size
    while rung >= 1:
        rungs.append(rung)
        rung = rung * 3 // 4
    return (*rungs, 0)


class Controller:
    """D for a goal (MEMORY or LATENCY), a bound in the unit of what is observed, and a ladder of falling D's.

    `advance` is the event time between outputs of windows (WA). D begins at infinity, as the cost of compression is
    not known. An observation takes O(1) time. Raises ValueError for wrong arguments.
    """

    def __init__(self, goal: str, bound: float, rungs: Sequence[float], advance: float):
        if goal not in (MEMORY, LATENCY):
            raise ValueError(f"goal is {goal!r}; it must be {MEMORY!r} or {LATENCY!r}")
        if not 0 < bound < math.inf:
            raise ValueError(f"bound is {bound!r}; it must be a number above 0")
        if len(rungs) < 2 or not all(high > low >= 0 for high, low in zip(rungs, rungs[1:])):
            raise ValueError(f"rungs is {rungs!r}; it must be two D's or more, falling, none below 0")
        if not 0 < advance < math.inf:
            raise ValueError(f"advance is {advance!r}; it must be a number above 0")
        self.goal, self.bound, self.rungs, self.advance = goal, bound, tuple(rungs), advance
        self._safer = 1 if goal == MEMORY else -1
        self._place, self._stride, self._patience = 0, 1, 1
        self._trying, self._until, self._begun = False, -math.inf, None

    @property
    def D(self) -> float:
        """The D to run with now."""
        return self.rungs[self._place]

    def observe(self, time: float, value: float) -> float:
        """Take in the bounded quantity at an event time, which may not go back. Returns D from now on."""
        if not value >= 0:
            raise ValueError(f"value is {value!r}; it must be a number of at least 0")
        self._begun = time if self._begun is None else self._begun
        if value > NEAR[self.goal] * self.bound:
            self._retreat(time)
        else:
            self._stride = 1
            if value < FAR[self.goal] * self.bound and time >= self._until:
                self._try(time)
        return self.D

    def _retreat(self, time: float) -> None:
        """Move to the safe side; what was tried is not tried again soon."""
        if self._trying:
            self._trying, self._patience = False, min(2 * self._patience, MOST_PATIENCE)
        before, age = self.D, time - self._begun
        if self._safer > 0:
            self._place = max(self._place, sum(rung > age for rung in self.rungs[:-1]) - 1)
        self._move(self._safer * self._stride)
        self._stride *= 2
        self._until = time + self._patience * self._effect(before, self.D)

    def _try(self, time: float) -> None:
        """Move one rung to the cheap side. If the last try succeeded, patience starts again at 1."""
        if self._trying:
            self._patience = 1
        before = self.D
        self._move(-self._safer)
        self._trying = before != self.D
        self._until = time + self._patience * self._effect(before, self.D)

    def _move(self, rungs: int) -> None:
        self._place = min(max(self._place + rungs, 0), len(self.rungs) - 1)

    def _effect(self, before: float, after: float) -> float:
        """Event time until the whole effect of a change shows, either way: a return must last as long as the try.

        Infinity counts as twice the largest finite D.
        """
        most = 2 * max((rung for rung in self.rungs if rung < math.inf), default=0)
        rise = abs(min(after, most) - min(before, most))
        return max(self.advance, rise) if self.goal == MEMORY else self.advance
