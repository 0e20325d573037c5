"""Edits that measure alike: rows of the source before such an edit count as rows of today's.

A row has a hash over all sources that decide its measurement, and is measured anew where one of them differs. An edit
that cannot change what is measured, such as a check of wrong input, would so cost hours of measuring. `alike.json` has
these edits: of each module the hashes of its source before and after, and the reason. Any further edit of the source
ends it, until that one has been looked at as well.

    python -m experiments.harness.alike "a window that is too long is refused" algorithms.rolling.call

adds the edit between the last commit and the file as it is now, or replaces the one that the module has.
"""

import functools
import hashlib
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from experiments.harness import provenance
from safeguards.files import write_atomically

FILE = Path(__file__).with_suffix(".json")


class Edit(NamedTuple):
    """The SHA-256 of a source as rows were measured with it, and as it is now; and why it measures alike."""

    before: str
    now: str
    why: str


@functools.cache
def edits() -> dict[str, Edit]:
    """The edits by module."""
    entries = json.loads(FILE.read_text(encoding="utf-8"))
    return {module: Edit(**entry) for module, entry in entries.items()}


@functools.cache
def code_hash(*modules: str) -> str:
    """As `provenance.code_hash`, with the source before an edit that measures alike in the place of today's."""
    kernel = provenance.kernel
    content = hashlib.sha256(f"plain={kernel.PLAIN} checked={kernel.CHECKED}".encode())
    for source_hash in sorted(bytes.fromhex(counting(module)) for module in provenance.sources(modules)):
        content.update(source_hash)
    return content.hexdigest()[:16]


def counting(module: str) -> str:
    """The hash of the source of a module that counts: of the one before, if the edit since then measures alike."""
    now = _hash(provenance.source_of(module))
    edit = edits().get(module)
    return edit.before if edit is not None and edit.now == now else now


def _hash(source: bytes) -> str:
    return hashlib.sha256(source).hexdigest()


def add(why: str, modules: Sequence[str]) -> None:
    """Note the edits of modules. Raises ValueError for one that is as it was."""
    entries = {module: edit._asdict() for module, edit in edits().items()}
    for module in modules:
        path = Path(*module.split(".")).with_suffix(".py").as_posix()
        asked = ["git", "show", f"HEAD:{path}"]
        committed = subprocess.run(asked, cwd=provenance.ROOT, capture_output=True, check=True).stdout
        before, now = entries.get(module, {"before": _hash(committed)})["before"], _hash(provenance.source_of(module))
        if before == now:
            raise ValueError(f"{path} is as it was: there is no edit")
        entries[module] = Edit(before, now, why)._asdict()
    text = json.dumps(dict(sorted(entries.items())), indent=1, ensure_ascii=False)
    write_atomically(FILE, f"{text}\n".encode())


if __name__ == "__main__":
    add(sys.argv[1], sys.argv[2:])
