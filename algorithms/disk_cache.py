"""Compiled code on disk: Numba's own cache for the classes of this package, and a file for each piece of a user's code.

Numba keeps an index for each driver, with the classes of all signatures in it. A later process does not find a class
that was made while an earlier one ran, and could then read nothing of the index. So code for a user's own operator is
in a file by itself, whose name is a hash of all that determines it: the driver and its source, Numba's description of
the processor, the types, and the content of the operator (`algorithms.own_classes`). In the file, classes have numbers;
the process that reads it puts its own in their places.

The folder is within the one that is named by the sources of this package and by the versions of Python, NumPy and Numba
(`algorithms.kernel`). It is used if it belongs to this user and nobody else may write to it.
"""

import functools
import hashlib
import io
import os
import pickle
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
from numba.core import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator
from numba.core.runtime import _nrt_python
from numba.core.serialize import NumbaPickler

from safeguards.files import is_private, write_atomically

IMPLEMENTED: set[type | None] = set()
"""The classes for which any generic function has an implementation."""

PACKAGE = Path(__file__).parent

FOLDER, SUFFIX = "own", ".code"

MOST_FILES = 2000
"""Beyond so many, the quarter that has not been used for longest is deleted. A file has 20 to 200 KB."""


class _PlaceInPackage(UserProvidedCacheLocator):
    """Files of this package are named by their place in it: every clone and environment with these sources shares code.

    Numba names them by their place on the disk. A driver elsewhere keeps that: what it calls is in no hash.
    """

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        folder = Path(py_file).parent
        if folder.is_relative_to(PACKAGE):
            return "-".join([PACKAGE.name, *folder.relative_to(PACKAGE).parts])
        return super().get_suitable_cache_subpath(py_file)


class _Implementation(CompileResultCacheImpl):
    _locator_classes = [_PlaceInPackage, *CompileResultCacheImpl._locator_classes]


class DiskCache(FunctionCache):
    """The cache of one driver.

    Code of this package is linked without the registries of Numba that are there to compile. To set those up imports
    200 modules, SciPy's linear algebra among them, and registers a thousand functions: that was 0.3 of the 0.35 s that
    the first call of a process took.
    """

    _impl_class = _Implementation

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if _lasting(sig):
            _know_reference_counting()
            with self._guard_against_spurious_io_errors():  # as in FunctionCache, but for `target_context.refresh()`
                return self._load_overload(sig, target_context)
        target_context.refresh()
        path = self._path(sig, target_context.codegen())
        try:
            if path is None or not path.exists():
                return None
            # docs/trust.md: the folder is this user's, and nobody else may write there
            payload = _Reader(io.BytesIO(path.read_bytes()), list(_own_classes(sig))).load()
            os.utime(path)
            same = payload[_SIGNATURE].args == tuple(sig)
            return self._impl.rebuild(target_context, payload) if same else None
        except Exception:  # cut short, or of a module that is not here: then it is compiled, as at first
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if _lasting(sig):
            return super().save_overload(sig, data)
        path, classes = self._path(sig, data.codegen), list(_own_classes(sig))
        gives_class = any(_own_classes([data.signature.return_type]))  # Numba would put it into the code by value
        if path is None or gives_class or data.lifted or data.library.has_dynamic_globals:
            return None
        with suppress(Exception):  # a constant that cannot be pickled, a full disk: the next process compiles again
            written = io.BytesIO()
            _Writer(written, classes).dump(self._impl.reduce(data))
            write_atomically(path, written.getvalue())
            _forget_the_oldest(path.parent)
        return None

    def _path(self, sig: Any, codegen: Any) -> Path | None:
        """Where the code for these types is, or will be; None where they do not determine it."""
        contents = [content_of(cls) for cls in _own_classes(sig)]
        folder = _folder()
        if folder is None or None in contents or any(map(_is_code, sig)):
            return None
        _, processor, source = self._index_key(sig, codegen)
        driver = self._cache_path, self._impl.filename_base, self._cache_file._source_stamp, source
        parts = (driver, processor, tuple(map(str, sig)), contents)
        return folder / (hashlib.sha256(repr(parts).encode()).hexdigest()[:32] + SUFFIX)


@functools.cache
def _know_reference_counting() -> None:
    """Tell the linker of the C functions that count references, which Numba does when it sets up its registries.

    It knows all others from the import of Numba, or of the modules that compiled code names.
    """
    for name, address in _nrt_python.c_helpers.items():
        llvmlite.binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


_SIGNATURE = 3
"""Where the signature is in what Numba keeps of compiled code."""


def content_of(cls: type) -> str | None:
    """What determines the code of a class that was made in this process; None if that is not known.

    Of a plain named tuple it is the fields. An operator's class says itself what it is in `content`.
    """
    if cls in IMPLEMENTED:
        return getattr(cls, "content", None)
    return f"{cls.__name__}{cls._fields}"


def _own_classes(kinds: Iterable[Any]) -> Iterator[type]:
    """The classes in types, and nested in their tuples, that a later process would not find, in the order they come."""
    for kind in kinds:
        cls = getattr(kind, "instance_class", None)
        if not _findable(cls):
            yield cls
        if isinstance(kind, types.BaseTuple):
            yield from _own_classes(kind)


def _is_code(kind: Any) -> bool:
    """Whether a type stands for a function, or contains one: what that does is not in its name."""
    return isinstance(kind, types.Callable) or (isinstance(kind, types.BaseTuple) and any(map(_is_code, kind)))


def _lasting(kinds: Iterable[Any]) -> bool:
    """Whether every class in a signature, or nested in its tuples, can be found again by a later process."""
    return not any(True for _ in _own_classes(kinds))


def _findable(cls: type | None) -> bool:
    """Classes of this package are found again, unless they say `cached = False`."""
    return cls is None or (cls.__module__.startswith(f"{__package__}.") and getattr(cls, "cached", True))


def _folder() -> Path | None:
    """The folder of users' code, made where it is not there; None where no folder is this user's alone."""
    if not numba.config.CACHE_DIR:
        return None
    folder = Path(numba.config.CACHE_DIR) / FOLDER
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if is_private(folder) else None
    return None


def _forget_the_oldest(folder: Path) -> None:
    files = list(folder.glob(f"*{SUFFIX}"))
    if len(files) > MOST_FILES:
        for path in sorted(files, key=lambda path: path.stat().st_mtime)[: len(files) // 4]:
            path.unlink(missing_ok=True)


class _Writer(NumbaPickler):
    """Numba's pickler, with numbers in the place of some classes."""

    def __init__(self, file: io.BytesIO, classes: list[type]):
        super().__init__(file, protocol=4)
        self._numbers = {cls: number for number, cls in reversed(list(enumerate(classes)))}

    def persistent_id(self, value: Any) -> int | None:
        return self._numbers.get(value) if isinstance(value, type) else None


class _Reader(pickle.Unpickler):
    """Puts classes of this process in the places of their numbers."""

    def __init__(self, file: io.BytesIO, classes: list[type]):
        super().__init__(file)
        self._classes = classes

    def persistent_load(self, number: int) -> type:
        return self._classes[number]
