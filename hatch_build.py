"""What `pip install .` and a wheel hold: the package `sliding_windows`, with the library's packages inside it.

In a checkout these are folders of their own, with names that others may use, too. In a wheel `algorithms` is
`sliding_windows.algorithms`, and so on: the lines that import it are rewritten. The harness stays in the checkout.
"""

import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "sliding_windows"
PARTS = ("algorithms", "safeguards", "streaming")
FILES = {".py", ".json"}

IMPORTING = re.compile(rf"^(\s*from )(?=({'|'.join(PARTS)})\b[\w.]* import )", re.MULTILINE)


class LibraryHook(BuildHookInterface):
    """Writes the package into a folder that is removed after the build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return  # the checkout itself is imported
        self.folder = tempfile.mkdtemp()
        root, made = Path(self.root), Path(self.folder) / PACKAGE
        shutil.copytree(root / PACKAGE, made, ignore=shutil.ignore_patterns("__pycache__"))
        for path in (path for part in PARTS for path in (root / part).rglob("*") if path.suffix in FILES):
            target = made / path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        for path in made.rglob("*.py"):
            path.write_text(renamed(path.read_text(encoding="utf-8")), encoding="utf-8")
        build_data["force_include"][str(made)] = PACKAGE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            shutil.rmtree(self.folder)


def renamed(source: str) -> str:
    """The source of a module that imports the library's packages from within the package."""
    return IMPORTING.sub(rf"\g<1>{PACKAGE}.", source)
