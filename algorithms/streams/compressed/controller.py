"""A controller that picks D while A_C runs: for a budget of memory, or for a bound on latency.

The paper (section 7) leaves to future work that something adjusts D to a required quality of service. What it measures
suffices for that: the smaller D is, the less memory and the more latency (Figures 1c and 4a). So one end of the ladder
of D's is safe for the goal and dear, the other one cheap: D = 0 and infinity where memory is bounded, the other way
round where latency is. The controller goes to the safe end as fast as it must and to the cheap one as carefully as it
can:

- more than NEAR of the bound: a rung to the safe side at once, then two, four ... while that does not help. D's above
  the age of the stream compress nothing, and are no steps;
- less than FAR of it: a rung to the cheap side, and no other before the effect of that one can be seen. A larger D
  takes as long as it is longer, in event time, until no window is compressed that it would spare; a smaller one shows
  when windows are put out next;
- a rung that had to be left again is tried after twice the time, then four times ... the time.

It is given event times and nothing else of the clock, so that equal observations give equal decisions.
"""

import math
from collections.abc import Sequence

MEMORY, LATENCY = "memory", "latency"
"""What may be bounded."""

NEAR, FAR = {MEMORY: 0.9, LATENCY: 0.8}, {MEMORY: 0.7, LATENCY: 0.6}
"""Parts of the bound: between them D stays.

Memory is exact and can be looked at after every few thousand tuples. Latency is known when windows are put out, and
what was compressed by then stays compressed until its key has another tuple: that takes more room.
"""

MOST_PATIENCE = 64
"""Times that the controller waits longer, at most, before it tries again what failed."""


def ladder(size: int) -> tuple[float, ...]:
    """D's to choose from, falling: infinity, the windows' size, three quarters of it ... down to 1, and 0.

    All but infinity are whole units of time, each at most three quarters of the one before.
    """
    found, rung = [math.inf], size
    while rung >= 1:
        found.append(rung)
        rung = rung * 3 // 4
    return (*found, 0)


class Controller:
    """D for a goal (MEMORY or LATENCY), a bound in the unit of what is observed, and a ladder of falling D's.

    `advance` is the event time from one putting out of windows to the next (WA). It begins at infinity, as nothing is
    known of what compression would cost. An observation takes O(1) time. Raises ValueError for values that are wrong.
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
        """Take in what the bounded quantity was at an event time, which does not go back; D from now on."""
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
        """To the safe side; what was tried is not tried again soon."""
        if self._trying:
            self._trying, self._patience = False, min(2 * self._patience, MOST_PATIENCE)
        before, age = self.D, time - self._begun
        if self._safer > 0:
            self._place = max(self._place, sum(rung > age for rung in self.rungs[:-1]) - 1)
        self._move(self._safer * self._stride)
        self._stride *= 2
        self._until = time + self._patience * self._effect(before, self.D)

    def _try(self, time: float) -> None:
        """A rung to the cheap side. A rung that held until now is not held against the next."""
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
        most = 2 * max((one for one in self.rungs if one < math.inf), default=0)
        rise = abs(min(after, most) - min(before, most))
        return max(self.advance, rise) if self.goal == MEMORY else self.advance
