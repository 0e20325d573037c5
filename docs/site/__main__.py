"""The documentation as a site: python -m docs.site [FOLDER]

Into build/site, unless a folder is given. Any warning, such as of a link that leads nowhere, is an error.
"""

import sys
from pathlib import Path

from sphinx.cmd.build import main

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def build(folder: Path) -> int:
    """Make the site anew; 0 if there was nothing to warn of."""
    strict = ["--fresh-env", "--fail-on-warning", "--keep-going"]
    shown = [] if sys.stdout.isatty() else ["--quiet"]
    print("making the site, which takes a minute", file=sys.stderr, flush=True)
    places = ["-c", str(HERE), "-d", str(folder.parent / "doctrees"), str(ROOT), str(folder)]
    return main([*strict, *shown, "--builder", "html", *places])


if __name__ == "__main__":
    made = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build" / "site"
    failed = build(made)
    if not failed:
        print("open", made / "index.html")
    sys.exit(failed)
