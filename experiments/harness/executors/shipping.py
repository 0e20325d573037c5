"""The project on machines that do not have it: a zip of its sources that Spark hands to the workers.

Spark puts what it hands out into a folder of another name each time, and Numba's compiled code is found again only
where its source has kept its path. So workers unpack the zip where they find it again: one folder for each content.
"""

import functools
import hashlib
import importlib
import io
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from safeguards.files import write_atomically

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("algorithms", "experiments", "results", "safeguards", "streaming", "workloads")
LONG_AGO = (1980, 1, 1, 0, 0, 0)


def caches() -> Path:
    """The folder for what can be made again: the user's, or a temporary one where that cannot be written.

    Raises OSError if neither can.
    """
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sliding-windows"
    try:
        home.mkdir(parents=True, exist_ok=True)
        if os.access(home, os.W_OK):
            return home
    except OSError:
        pass
    made = Path(tempfile.gettempdir()) / "sliding-windows"
    made.mkdir(parents=True, exist_ok=True)
    return made


def sources() -> Iterator[Path]:
    """Every source that a worker may need, sorted."""
    for package in PACKAGES:
        yield from sorted(ROOT.joinpath(package).rglob("*.py"))


@functools.cache
def zipped() -> Path:
    """The zip of this project's sources, in the user's caches; its name has the hash of what is in it."""
    content = hashlib.sha256()
    for path in sources():
        content.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    archive = caches() / f"project-{content.hexdigest()[:16]}.zip"
    if not archive.is_file():
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as target:
            for path in sources():
                named = zipfile.ZipInfo(str(path.relative_to(ROOT)), LONG_AGO)
                target.writestr(named, path.read_bytes(), zipfile.ZIP_DEFLATED)
            for package in PACKAGES:  # one without __init__.py is found in a zip by the entry of its folder
                target.writestr(zipfile.ZipInfo(f"{package}/", LONG_AGO), b"")
        write_atomically(archive, made.getvalue())
    return archive


def settle(name: str) -> None:
    """On a worker: import this project from where the zip of that name is unpacked, and forget other versions of it."""
    archive = next(path for path in sys.path if os.path.basename(path) == name)
    folder = str(unpacked(Path(archive), caches()))
    if sys.path[0] != folder:
        sys.path[:] = [folder, *(path for path in sys.path if path != folder)]
        for module in [module for module in sys.modules if module.partition(".")[0] in PACKAGES]:
            del sys.modules[module]
        importlib.invalidate_caches()


def unpacked(archive: Path, parent: Path) -> Path:
    """The folder with what the archive holds. It appears whole or not at all; others may be unpacking, too."""
    folder = parent / archive.stem
    if not folder.is_dir():
        made = tempfile.mkdtemp(dir=parent)
        try:
            with zipfile.ZipFile(archive) as source:
                source.extractall(made)
            os.rename(made, folder)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            if not folder.is_dir():  # else another was first
                raise
    return folder
