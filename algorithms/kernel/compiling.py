"""How kernels are compiled: modes and options, and the folder of compiled code.

With SLOTS_CHECKED=1 and NUMBA_DISABLE_JIT=1 the same kernels are other code, and are kept apart.
"""

import hashlib
import os
import platform
import sys
from contextlib import suppress
from pathlib import Path

import llvmlite
import numba
import numpy as np

from safeguards.files import cache_folder, can_write

PLAIN = bool(numba.config.DISABLE_JIT)
"""True when kernels run as plain Python (NUMBA_DISABLE_JIT=1)."""

CHECKED = os.environ.get("SLOTS_CHECKED", "") not in ("", "0")
"""True when compiled code tests every index (SLOTS_CHECKED=1). Plain Python always does."""

OPTIONS = {
    "error_model": "numpy",  # x / 0 is inf or nan, as in NumPy, instead of a branch and an exception
    "no_cfunc_wrapper": True,  # nobody calls a kernel from C; of FiBA's drivers it is a seventh of the time to compile
}


def sources_hash() -> str:
    """Sixteen hex digits over every source file of this package and the versions that shape machine code.

    Numba notices an edit in the file of a cached function but not in a file that function calls into, so the cache
    directory itself is named by this hash.
    """
    versions = [each.__version__ for each in (numba, llvmlite, np)]
    digest = hashlib.sha256(f"{versions} {platform.python_version()} checked={CHECKED}".encode())
    root = Path(__file__).parents[1]
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _use_cache() -> None:
    """Point Numba's on-disk cache at a directory of our own that can be written (NUMBA_CACHE_DIR wins as the base).

    Numba unpickles and runs what it finds there: nobody else may write to it.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    with suppress(OSError):  # without any such folder all is compiled anew
        directory = Path(given or cache_folder()) / sources_hash()
        if not can_write(directory):
            directory = cache_folder() / sources_hash()
            directory.mkdir(exist_ok=True)
        numba.config.CACHE_DIR = str(directory)


_use_cache()

if sys.maxsize < 2**63 - 1:
    raise ImportError("algorithms needs a 64-bit Python: times, indices and counters are int64")
