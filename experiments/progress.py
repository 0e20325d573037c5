"""Progress on the terminal: a bar with the cell under way and the time left; plain lines where there is no terminal."""

import sys
import time
from collections.abc import Iterator

EVERY = 15.0
"""Seconds between lines where the output is not a terminal."""


def watch(steps: Iterator, total: int) -> Iterator:
    """Pass the steps of a run on, showing how far it is."""
    return _bar(steps, total) if sys.stderr.isatty() else _lines(steps, total)


def _bar(steps: Iterator, total: int) -> Iterator:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("", total=total)
        for one, repetition in steps:
            progress.update(bar, description=f"{one.cell.label}, repetition {repetition + 1}")
            yield one, repetition
            progress.advance(bar)


def _lines(steps: Iterator, total: int) -> Iterator:
    start = said = time.monotonic()
    for number, (one, repetition) in enumerate(steps):
        now = time.monotonic()
        if now - said > EVERY:
            left = (now - start) / number * (total - number)
            print(f"{number} of {total}, about {left:.0f} s left: {one.cell.label}", file=sys.stderr, flush=True)
            said = now
        yield one, repetition
