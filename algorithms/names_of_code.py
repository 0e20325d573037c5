"""A name of its own for every function that Numba compiles, in whatever process.

Numba tells functions apart that have the same Python name, as `_` here, by a number that it counts from 1 in each
process, and puts it into the name of the compiled code. Drivers that different processes have put into the cache on
disk can therefore hold different functions under one name, such as an evict and a query of one window. A process that
loads both gets, without a word, the code of the first for the calls of the second, and a wrong answer or a crash. Among
the 7,655 names in a cache of 2,509 drivers one stood for two functions of FiBA, and a worker that loaded both crashed.
It is Numba's issue 10486, where random numbers are a proposed remedy.
"""

import os

from numba.core.bytecode import FunctionIdentity

BYTES = 12
"""Of a number: in a billion functions there are two with the same one once in a hundred billion times."""


class _RandomNumbers:
    """An iterator of random numbers. A process that is forked has other ones than its parent."""

    def __iter__(self) -> "_RandomNumbers":
        return self

    def __next__(self) -> int:
        return int.from_bytes(os.urandom(BYTES), "little")


FunctionIdentity._unique_ids = _RandomNumbers()
