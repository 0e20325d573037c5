"""Progress on the terminal: a bar with the cell under way and the time left; plain lines where there is no terminal."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

EVERY = 15.0
"""Seconds between lines where the output is not a terminal."""


@contextlib.contextmanager
def display(total: int, steps: str = "measurements") -> Iterator[Callable[[str], None]]:
    """Show how many of the `total` steps are done; the value is called with the name of each step before it begins."""
    with _bar(total, steps) if sys.stderr.isatty() else contextlib.nullcontext(_lines(total, steps)) as tell:
        yield tell


@contextlib.contextmanager
def _bar(total: int, steps: str) -> Iterator[Callable[[str], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    label = TextColumn("{task.description}", markup=False)
    columns = (BarColumn(20), MofNCompleteColumn(), TimeRemainingColumn(), label)
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("", total=total)
        places = iter(range(total))
        purpose = steps.partition(": ")[2]

        def tell(label: str) -> None:
            progress.update(bar, completed=next(places), description=f"{purpose}: {label}" if purpose else label)

        yield tell


def _lines(total: int, steps: str) -> Callable[[str], None]:
    start = last_line = time.monotonic()
    done = -1

    def tell(label: str) -> None:
        nonlocal last_line, done
        now, done = time.monotonic(), done + 1
        if done == 0:
            print(f"{total} {steps}", file=sys.stderr, flush=True)
            last_line = now
        elif now - last_line > EVERY:
            remaining = (now - start) / done * (total - done)
            print(f"{done} of {total}, about {remaining:.0f} s left: {label}", file=sys.stderr, flush=True)
            last_line = now

    return tell
