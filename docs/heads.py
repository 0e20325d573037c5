"""Pages whose heads are made from the code, between two marks: which are stale, and how they are written again."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from safeguards.files import write_atomically

END = "<!-- end of the card -->"
"""The mark behind a head; the one before it says which command makes it."""


def file_of(module: str) -> str:
    """A link from a page in a folder of docs/ to the file of a module."""
    path = f"{module.replace('.', '/')}.py"
    return f"[{path}](../../{path})"


def with_head(page: str, name: str, head: str) -> str:
    """The page with a new head; an empty page gets one. Raises ValueError if the marks are not a pair."""
    if not page:
        return head + "\n"
    begin = head.partition("\n")[0]
    if page.count(begin) != 1 or page.count(END) != 1 or not page.startswith(begin):
        raise ValueError(f"{name}.md must begin with {begin!r} and have {END!r} once, before the text")
    return head + page.split(END)[1]


def stale(folder: Path, heads: Mapping[str, str]) -> list[str]:
    """The names of pages that are missing or have another head than the one given."""
    kept = {name: text_of(folder, name) for name in heads}
    return [name for name, text in kept.items() if not text or with_head(text, name, heads[name]) != text]


def text_of(folder: Path, name: str) -> str:
    page = folder / f"{name}.md"
    return page.read_text(encoding="utf-8") if page.exists() else ""


def write(folder: Path, heads: Mapping[str, str]) -> list[str]:
    """Rewrite the heads of stale pages, create missing pages, and return the names of both."""
    names = stale(folder, heads)
    for name in names:
        write_atomically(folder / f"{name}.md", with_head(text_of(folder, name), name, heads[name]).encode())
    return names


def main(folder: str, says: str, stale: Callable[[], list[str]], write: Callable[[], list[str]]) -> int:
    """The command of a kind of pages, --check or not; `says` is what a head follows. The exit code."""
    checking = sys.argv[1:] == ["--check"]
    changed = stale() if checking else write()
    for name in changed:
        print(f"docs/{folder}/{name}.md", f"is missing or not what {says} says" if checking else "written")
    return 1 if checking and changed else 0
