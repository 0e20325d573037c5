"""WindowSpec: which records are in a window and when it fires, in the user's terms."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from algorithms.windows.choosing.choice import AUTO
from algorithms.windows.contract import card
from safeguards.wrong_input import unknown

COUNT, TIME, DELTA, PUNCTUATION = "count", "time", "delta", "punctuation"
BY = (COUNT, TIME, DELTA, PUNCTUATION)

ROW = "row"
"""The slide of a window that fires after every record."""

EMIT = ("all", "changes")


@dataclass(frozen=True, kw_only=True)
class WindowSpec:
    """Which records are in a window, when it fires, and which results are emitted.

    size        of the window, in the measure that `by` names; of time in the unit of whole-number times, or for dates a
                timedelta or text such as "5min", "1 hour" or "90s" (pandas' words; no calendar units); so are slide,
                offset and lateness
    slide       from one firing to the next: by default the size (tumbling), or 1 if `slide_by` differs from `by`; "row"
                fires after every record
    by          "time", "count" (records), "delta" (an attribute that never decreases), or "punctuation" (the stretches
                between punctuations)
    slide_by    by default as `by`; or "count" (fires after records), or "punctuation" (fires at punctuations)
    closed      which border belongs to a window: "left" (default if it slides by time), "right" (default if it fires by
                record), or "both" (as in CQL; default by delta)
    partial     whether a window by count fires before it is full
    offset      shifts the starts of windows by time, which are otherwise multiples of the slide
    lateness    how far behind the newest record another may come. Later records are left out and counted. Without it,
                records must come in order of time. Windows that slide by time need one of any order of the catalogue
    emit        "all" results, or "changes": those that differ from the one before of the same key (IStream)

    Firing. By time: a window that holds a record fires once its end has passed, in order of ends; with closed "left", a
    record at the end passes it. By count: after the record that completes the slide. By delta: after the record that is
    more than `slide` past the last one that fired. By punctuation: at every `slide`-th. If the slide is larger than the
    size, windows are samples: records between two windows are in none.

    Late records. With lateness, no result is emitted before it is final, and none is corrected. A window fires once the
    newest record is `lateness` past its end. With slide "row" a record's result waits until the newest is more than
    `lateness` past it, and comes in order of time; records of one time are in each other's windows, as in SQL's RANGE.
    That is what the Spark operator emits.

    Float times. Windows by time begin and end at exact multiples of the slide, rounded once: with slide 0.3, one ends
    at 5.8 as people write it, not at 5.800000000000001. A size, slide or offset of up to 15 digits is that decimal,
    1 / 3 is a third, and any other is the float itself. Records are where their floats are: one at 3 * 0.1 comes after
    0.3. Windows that fire by record or by delta subtract floats as they are.

    Which settings go together depends on the window of the catalogue and the kind of its times: `plan_of` checks it.

    >>> from sliding_windows import WindowSpec
    >>> WindowSpec(size="5min", slide="1min", closed="both").as_written()
    "size='5min', slide='1min', closed='both', by time"
    >>> WindowSpec(size=100, by="count").as_written()
    'size=100, by count'
    """

    size: Any
    slide: Any = None
    by: str = TIME
    slide_by: str | None = None
    closed: str | None = None
    partial: bool = True
    offset: Any = None
    lateness: Any = None
    emit: str = "all"

    def as_written(self) -> str:
        """The fields that are not as by default, as the user wrote them, and what the size is measured in."""
        fields_written = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "by"}
        defaults = {field.name: field.default for field in fields(self)}
        written = [f"{name}={value!r}" for name, value in fields_written.items() if value != defaults[name]]
        return f"{', '.join(written)}, by {self.by}"


FIELDS = tuple(field.name for field in fields(WindowSpec))


def split(window: str, arguments: Mapping[str, Any]) -> tuple[WindowSpec, dict[str, Any]]:
    """Splits keyword arguments into a WindowSpec and the parameters of a window of the catalogue.

    Raises TypeError without a size, and ValueError for a name that is neither, suggesting the nearest.
    """
    known = (*FIELDS, *(("distance", "batch", "trial") if window == AUTO else card(window).parameters))
    for name in arguments:
        if name not in known:
            raise ValueError(unknown(f"parameter of {window}", name, known))
    if "size" not in arguments:
        raise TypeError("size is missing: how much a window holds")
    parameters = {name: value for name, value in arguments.items() if name not in FIELDS}
    return WindowSpec(**{name: arguments[name] for name in FIELDS if name in arguments}), parameters
