"""Edits that measure alike: rows of the source before such an edit count as rows of today's.

A row has a hash over all sources that decide its measurement, and is measured anew where one of them differs. An edit
that cannot change what is measured, such as a check of wrong input, would so cost hours of measuring. `alike.json` has
these edits: of each module the hashes of its source before and after, and the reason. Any further edit of the source
ends it, until that one has been looked at as well.

    python -m experiments.harness.alike "a window that is too long is refused" algorithms.rolling.call

adds the edit between the last commit and the file as it is now. If the module had one in the last commit, the edit
from the source before that one is kept, and both reasons.
"""

import hashlib
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from experiments.harness import provenance
from safeguards.files import write_atomically


def add(why: str, modules: Sequence[str]) -> None:
    """Note the edits of modules. Raises ValueError for one that is as it was."""
    entries = dict(provenance.edits())
    earlier = json.loads(_committed(provenance.EDITS.relative_to(provenance.ROOT).as_posix()))
    for module in modules:
        path = Path(*module.split(".")).with_suffix(".py").as_posix()
        edit = earlier.get(module) or {"before": hashlib.sha256(_committed(path)).hexdigest(), "why": ""}
        now = hashlib.sha256(provenance.source_of(module)).hexdigest()
        if now in (edit["before"], edit.get("now")):
            raise ValueError(f"{path} is as it was: there is no edit")
        entries[module] = {"before": edit["before"], "now": now, "why": "; ".join(filter(None, (edit["why"], why)))}
    text = json.dumps(dict(sorted(entries.items())), indent=1, ensure_ascii=False)
    write_atomically(provenance.EDITS, f"{text}\n".encode())


def _committed(path: str) -> bytes:
    """A file as the last commit has it."""
    asked = ["git", "show", f"HEAD:{path}"]
    return subprocess.run(asked, cwd=provenance.ROOT, capture_output=True, check=True).stdout


if __name__ == "__main__":
    add(sys.argv[1], sys.argv[2:])
