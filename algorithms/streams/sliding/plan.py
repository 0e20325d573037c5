"""From a WindowSpec to an extent, a trigger, and the units of both; every refusal comes with its reason.

As in CQL (and in Spark and Flink), windows by time begin at multiples of the slide. The window at time t begins at
floor((t - size) / slide) * slide (Tangwongsan et al. 2015, section 2.1).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from algorithms.streams.sliding.extent_trigger import (
    EveryEnd,
    EveryFloatEnd,
    EveryStep,
    EveryTuples,
    Last,
    Within,
    WithinAnyOrder,
)
from algorithms.streams.sliding.units import LONGEST, Unit, exactly, meant
from algorithms.streams.window_spec import BY, COUNT, DELTA, EMIT, PUNCTUATION, ROW, TIME, WindowSpec
from algorithms.times import TimeError
from algorithms.windows.contract import IN_ORDER, Card, card
from safeguards.wrong_input import unknown

FARTHEST_END = 2**52
"""The highest number of an end that is a float: beyond it, neighbouring ends may be the same float."""

ROUNDED_OFF = Fraction(1, 2**50)
"""The most that four roundings change a float, as a fraction of it."""

CLOSED = {"left": (0, 0), "right": (1, 1), "both": (0, 1)}
"""Whether a tuple exactly at the start of the window is out, and whether one exactly at its end is in."""


@dataclass(frozen=True)
class Plan:
    """The window of the catalogue, its policies, and the units that they measure in."""

    card: Card
    parameters: dict[str, int]
    by: str
    slide_by: str
    extent: Any
    trigger: Any
    position: Unit
    """The unit of positions of tuples, for the extent; for the trigger by delta if the extent is a count."""
    lateness: int | float | None

    @property
    def at_ends(self) -> bool:
        """Whether the window fires at ends on a clock, not after tuples."""
        return isinstance(self.trigger, EveryEnd | EveryFloatEnd)

    @property
    def may_be_late(self) -> bool:
        """Whether records may come late, if lateness= is given: windows by time, at ends or for every row."""
        return (
            self.by == TIME and self.position.kind != "float64" and (self.slide_by == TIME or _every_row(self.trigger))
        )

    @property
    def waits(self) -> bool:
        """Whether rows wait until the clock has passed them: a result per row, where rows may be late."""
        return self.lateness is not None and not self.at_ends

    def places(self, field: str, values: Any) -> np.ndarray:
        """A column of positions. Raises TimeError for values that are no positions, or too far from 0 for the slide."""
        positions = self.position.positions(field, values)
        if isinstance(self.trigger, EveryFloatEnd):
            slide = self.trigger.slide.nearest
            far = np.flatnonzero(np.abs(positions) > min(FARTHEST_END * slide - self.extent.size, LONGEST))
            if len(far):
                raise TimeError(
                    f"{field}[{far[0]}] is {positions[far[0]]}; its windows may end more than 2**52 slides of {slide} "
                    "from 0, or 2**990, where ends are no longer apart"
                )
        return positions


def plan_of(window: str, spec: WindowSpec, time: str, parameters: dict[str, int]) -> Plan:
    """The plan of a window of the catalogue with these parameters; `time` is the kind of its times.

    Raises ValueError that names the wrong field.
    """
    by, slide, slide_by = spec.by, spec.slide, spec.slide_by
    if by not in BY:
        raise ValueError(unknown("by", by, BY))
    if spec.emit not in EMIT:
        raise ValueError(unknown("emit", spec.emit, EMIT))
    if isinstance(slide, str) and slide == ROW:
        if slide_by not in (None, COUNT):
            raise ValueError(f"slide='row' fires after every record; slide_by={slide_by!r} does not go with it")
        slide, slide_by = 1, COUNT
    slide_by = by if slide_by is None else slide_by
    if slide_by not in BY:
        raise ValueError(unknown("slide_by", slide_by, BY))
    if slide_by not in (by, COUNT, PUNCTUATION) and (by, slide_by) != (COUNT, DELTA):
        raise ValueError(f"slide_by={slide_by!r} does not go with by={by!r}; there are: {by}, count, punctuation")
    if spec.partial is not True and (by, slide_by) != (COUNT, COUNT):
        raise ValueError("partial=False is for windows and slides by count: no other knows when it is full")
    if spec.offset is not None and slide_by != TIME:
        raise ValueError(f"offset is for windows that slide by time, not by {slide_by}")
    units = {COUNT: Unit("tuples", "int64"), PUNCTUATION: Unit("punctuations", "int64"), TIME: Unit("time", time)}
    units[DELTA] = Unit("attribute", time if time != "int64" else "float64" if _fraction(spec.size, slide) else "int64")
    length = units[by].length("size", spec.size)
    if slide is None:
        slide = spec.size if slide_by == by else 1
    step = units[slide_by].length("slide", slide, least=0 if slide_by == DELTA else 1)
    window_card = card(window)
    by_row = slide_by == COUNT and step == 1
    late = None if spec.lateness is None else _lateness(window_card, units[TIME], by, slide_by, by_row, spec.lateness)
    opened, ends = _borders(by, slide_by, spec.closed)
    if by == COUNT:
        extent = Last(length)
    else:
        extent = (Within if late is None or by_row else WithinAnyOrder)(length, opened)
    if slide_by == COUNT:
        trigger = EveryTuples(step, 0 if spec.partial else length)
    elif slide_by == DELTA:
        trigger = EveryStep(step)
    elif slide_by == PUNCTUATION:
        trigger = EveryEnd(step, 0, 0, int(by == PUNCTUATION), _slides(length, step) if by == PUNCTUATION else 0)
    else:
        begin = units[TIME].moment("offset", spec.offset)
        if units[TIME].dtype == "float64":
            trigger = _float_ends(length, step, begin, ends)
        else:
            trigger = EveryEnd(step, (length + begin) % step, ends, 1, _slides(length, step))
    position = units[DELTA] if (by, slide_by) == (COUNT, DELTA) else units[by]
    return Plan(window_card, window_card.complete(parameters), by, slide_by, extent, trigger, position, late)


def _fraction(*lengths: Any) -> bool:
    return any(isinstance(length, float) and not length.is_integer() for length in lengths)


def _borders(by: str, slide_by: str, closed: str | None) -> tuple[int, int]:
    if by in (COUNT, PUNCTUATION):
        if closed is not None:
            raise ValueError(f"closed={closed!r} is for windows by time or delta; one by {by} has no borders to close")
        return int(by != slide_by), 0
    if closed is None:
        closed = "both" if by == DELTA else "left" if slide_by == TIME else "right"
    if closed not in CLOSED:
        raise ValueError(unknown("closed", closed, CLOSED))
    if closed == "left" and slide_by != TIME:
        raise ValueError("closed='left' leaves out the tuple that fires; a window that fires by tuple is right or both")
    return CLOSED[closed]


def _lateness(card: Card, unit: Unit, by: str, slide_by: str, by_row: bool, lateness: Any) -> int | float:
    if by != TIME or not (slide_by == TIME or by_row):
        raise ValueError(
            "lateness is for windows by time that slide by time or by row: others go by the order of coming"
        )
    if unit.kind == "float64":
        raise ValueError("lateness with time='float64' is not there: give times as int64 or datetime64")
    if card.order == IN_ORDER and not by_row:
        raise ValueError(f"lateness needs a window of any order, which {card.name} is not; fiba is")
    return unit.length("lateness", lateness, least=0)


def _every_row(trigger: Any) -> bool:
    return isinstance(trigger, EveryTuples) and trigger.slide == 1


def _slides(size: int, slide: int) -> int:
    """The size in slides if that is a whole number, else 0."""
    return 0 if size % slide else size // slide


def _float_ends(size: float, slide: float, offset: float, closed: int) -> EveryFloatEnd:
    """Ends of windows that begin at k * slide + offset. Raises ValueError if they could not be told apart.

    A size computed with a few roundings, such as 3 * 0.1, counts as the whole number of slides that it nearly is.
    """
    if size / slide > FARTHEST_END:
        raise ValueError(f"slide {slide} is too short for size {size}: ends would have numbers beyond 2**52")
    step, length = meant(slide), meant(size)
    slides = round(length / step)
    if abs(length - slides * step) <= length * ROUNDED_OFF:
        length = slides * step
    begins, begin = divmod(meant(offset), step)
    ends, end = divmod(length + meant(offset), step)
    return EveryFloatEnd(exactly(step), exactly(end), exactly(begin), closed, 1, int(ends - begins))
