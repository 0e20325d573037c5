"""The project on machines that do not have it: a zip of its sources that Spark hands to the workers.

Spark puts the zip into a folder of another name each time, and Numba finds compiled code again only if its source has
kept its path. So workers unpack the zip into a folder of their own, one for each content of the zip.
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

from safeguards.files import cache_folder, write_atomically

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("algorithms", "experiments", "results", "safeguards", "streaming", "workloads")
LONG_AGO = (1980, 1, 1, 0, 0, 0)


def sources() -> Iterator[Path]:
    """Every source that a worker may need, and data that come with one, sorted."""
    for package in PACKAGES:
        yield from sorted(path for kind in ("*.py", "*.json") for path in ROOT.joinpath(package).rglob(kind))


@functools.cache
def zipped() -> Path:
    """The zip of this project's sources, in `cache_folder`; its name has the hash of its content."""
    content = hashlib.sha256()
    for path in sources():
        content.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    archive = cache_folder() / f"project-{content.hexdigest()[:16]}.zip"
    if not archive.is_file():
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as target:
            for path in sources():
                entry = zipfile.ZipInfo(str(path.relative_to(ROOT)), LONG_AGO)
                target.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
            for package in PACKAGES:  # one without __init__.py is found in a zip by the entry of its folder
                target.writestr(zipfile.ZipInfo(f"{package}/", LONG_AGO), b"")
        write_atomically(archive, buffer.getvalue())
    return archive


def settle(name: str) -> None:
    """On a worker: import this project from where the zip of that name is unpacked, and forget other versions of it."""
    archive = next(path for path in sys.path if os.path.basename(path) == name)
    folder = str(unpacked(Path(archive), cache_folder()))
    if sys.path[0] != folder:
        sys.path[:] = [folder, *(path for path in sys.path if path != folder)]
        for module in [module for module in sys.modules if module.partition(".")[0] in PACKAGES]:
            del sys.modules[module]
        importlib.invalidate_caches()


def unpacked(archive: Path, parent: Path) -> Path:
    """The folder with the archive's files. It appears whole or not at all; other processes may be unpacking, too."""
    folder = parent / archive.stem
    if not folder.is_dir():
        temporary = tempfile.mkdtemp(dir=parent)
        try:
            with zipfile.ZipFile(archive) as source:
                source.extractall(temporary)
            os.rename(temporary, folder)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            if not folder.is_dir():  # else another process was first
                raise
    return folder
