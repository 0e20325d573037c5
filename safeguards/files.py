"""Files that are either complete or absent: atomic writes, a lock on a folder, and leftovers of killed runs.

A file is written under a temporary name in its own folder and then renamed. The temporary name contains the host and
the process that writes it, so that another process can tell a leftover from a write in progress.
"""

import fcntl
import hashlib
import os
import re
import socket
import stat
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

# Whether a writer on another host still runs cannot be checked; a write takes milliseconds, so a day means a leftover.
ABANDONED_AFTER_SECONDS = 86_400.0

_HOST = hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]
_TEMPORARY = re.compile(r"\..+\.(?P<host>[0-9a-f]{8})-(?P<pid>\d+)-[0-9a-f]{32}\.tmp")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Where to write what is at `path` after the with block; readers see the old file or the new one, no mixture.

    Raises OSError as the file system does, with `path` as its file. Whatever the block raises, no temporary file is
    left behind.
    """
    temporary = path.with_name(f".{path.name}.{_HOST}-{os.getpid()}-{uuid.uuid4().hex}.tmp")
    try:
        yield temporary
        os.replace(temporary, path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            raise OSError(error.errno, os.strerror(error.errno), str(path)) from error
        raise


def write_atomically(path: Path, content: Any) -> None:
    """Write bytes, or what has a buffer of them, as `replacing`."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def remove_leftovers(folder: Path) -> list[Path]:
    """Delete the temporary files that killed writers left in `folder`, and return their paths."""
    removed = []
    for path in sorted(folder.glob(".*.tmp")):
        with suppress(FileNotFoundError):
            if _is_leftover(path):
                path.unlink()
                removed.append(path)
    return removed


def _is_leftover(path: Path) -> bool:
    name = _TEMPORARY.fullmatch(path.name)
    if name is None:
        return False
    if name["host"] == _HOST:
        return not _is_running(int(name["pid"]))
    return time.time() - path.stat().st_mtime > ABANDONED_AFTER_SECONDS


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def can_write(folder: Path) -> bool:
    """Whether the folder is there, or could be made now, and can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def cache_folder() -> Path:
    """The user's folder for files that can be made again: in the user's cache, or private if that cannot be written.

    What is there is imported and unpickled, so that nobody else may write to it. Raises OSError if there can be none.
    """
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sliding-windows"
    return home if can_write(home) else private_folder("sliding-windows")


def private_folder(name: str) -> Path:
    """A folder for temporary files of this user alone, which lasts: what is in it may be run or unpickled.

    Where a folder of that name belongs to somebody else, or others may write to it, it is a new one that nobody knows.
    Raises OSError if none can be made.
    """
    folder = Path(tempfile.gettempdir()) / f"{name}-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    return folder if is_private(folder) else Path(tempfile.mkdtemp(prefix=f"{name}-"))


def is_private(folder: Path) -> bool:
    """Whether it is a folder of this user, no link to one, in which nobody else may write. Raises OSError."""
    there = folder.lstat()
    return stat.S_ISDIR(there.st_mode) and there.st_uid == os.getuid() and not there.st_mode & 0o022


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of `folder` for the duration of a with block, waiting for other holders.

    The system releases the lock when its holder dies, so a killed run never blocks the next one.
    """
    lock = folder / ".lock"
    with open(lock, "rb" if lock.exists() else "ab") as file:  # a folder that is whole may be one to read only
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
