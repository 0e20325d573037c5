"""Progress on the terminal: a bar with the step under way and the time left; plain lines where there is no terminal.

The bar appears before Spark is started for the first step, and moves while a step takes long.
"""

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Protocol

EVERY = 15.0
"""Seconds between lines where the output is not a terminal."""

REFRESHED = 2
"""Times a second that the bar is drawn: seldom enough to disturb no measurement, often enough to be seen to live."""

STARTING = "starting"

COMPILING = 0.5
"""Seconds of a step above which it compiled something, and did not only load what was compiled before."""


class Tell(Protocol):
    def __call__(self, label: str, compiled: float = 0.0) -> None:
        """A step begins; the one before has spent so many seconds on compiling, or on loading what was compiled."""


class Pace:
    """How many of the steps are done, and how long the others will take.

    Code is compiled once, by the first step that needs it. The first steps would make a run of four minutes look like
    one of two hours, so that time counts for no other step.
    """

    def __init__(self, total: int):
        self.total, self.done, self.compiling = total, -1, 0.0
        self._start = 0.0
        self.lately = 0.0
        """Seconds that the last step spent on compiling; 0 if it only loaded."""

    def begin(self, compiled: float) -> None:
        """A step begins; the one before has spent so many seconds on compiling or loading."""
        self.done += 1
        if self.done == 0:
            self._start = time.monotonic()  # until now Spark was started, which no other step does
        self.lately = compiled if compiled > COMPILING else 0.0
        self.compiling += self.lately

    def told(self) -> str:
        """The time left, in words."""
        if self.done < 1:
            return STARTING
        elapsed = max(0.0, time.monotonic() - self._start - self.compiling)
        left = f"about {elapsed / self.done * (self.total - self.done):.0f} s left"
        return f"{left} when all is compiled ({self.compiling:.0f} s so far)" if self.lately else left


@contextlib.contextmanager
def display(total: int, steps: str = "measurements") -> Iterator[Tell]:
    """Show how many of the `total` steps are done; the value is called with the name of each step before it begins."""
    with _bar(total, steps) if sys.stderr.isatty() else contextlib.nullcontext(_lines(total, steps)) as tell:
        yield tell


@contextlib.contextmanager
def _bar(total: int, steps: str) -> Iterator[Tell]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), BarColumn(20), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, refresh_per_second=REFRESHED) as progress:
        bar = progress.add_task(STARTING, total=total)
        pace, purpose = Pace(total), steps.partition(": ")[2]

        def tell(label: str, compiled: float = 0.0) -> None:
            pace.begin(compiled)
            parts = (pace.told(), purpose, label)
            progress.update(bar, completed=pace.done, description=": ".join(filter(None, parts)))

        yield tell


def _lines(total: int, steps: str) -> Tell:
    pace, last_line = Pace(total), time.monotonic()

    def tell(label: str, compiled: float = 0.0) -> None:
        nonlocal last_line
        pace.begin(compiled)
        now = time.monotonic()
        if pace.done == 0:
            print(f"{total} {steps}", file=sys.stderr, flush=True)
            last_line = now
        elif now - last_line > EVERY:
            print(f"{pace.done} of {total}, {pace.told()}: {label}", file=sys.stderr, flush=True)
            last_line = now

    return tell
