"""comp, the map of compressed windows: bytes for each, and the codec that kernels call back to.

Kernels put the bytes of many windows side by side into the scratch and ask once: a window costs a microsecond so, most
of it the codec's, and half a microsecond more where it is asked for alone.
"""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.kernel import CALLABLE, address_of
from algorithms.streams.compressed.algorithm import COMPRESS, DECOMPRESS, FAILED, PUT_IN, TAKE_OUT
from algorithms.streams.compressed.state import Aggregate

CODECS = ("snappy", "lz4", "zstd")

OF_A_BYTES = 33 + 8
"""What Python adds to the bytes of a bytes object: its head, and what rounding up to 16 adds on average."""


class Packed:
    """The compressed windows of one aggregate: `windows[j]` are the bytes of window j, None if it is not compressed."""

    def __init__(self, codec: str, level: int | None):
        self.name, self.level = codec, level
        self.windows: list[bytes | None] = []
        self.failures: list[BaseException] = []
        self.codec: Any = None

    def __getstate__(self) -> dict[str, Any]:
        """Without what belongs to this process: the codec, made again where it was open, and what kernels call."""
        state = {name: value for name, value in vars(self).items() if name != "_callable"}
        return state | {"codec": self.codec is not None, "failures": []}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state | {"codec": None})
        if state["codec"]:
            self.open()

    def open(self) -> None:
        """Make the codec, if it has not been. Raises ValueError for a level that it does not have."""
        if self.codec is None:  # the import takes a tenth of a second
            self.codec = importlib.import_module("algorithms.streams.compressed.codecs").opened(self.name, self.level)

    def serve(self, a: Aggregate, had: np.ndarray) -> None:
        """From now on serve this state, whose windows had these numbers before; with the codec, if it is open."""
        self.windows = [self.windows[j] for j in had.tolist()] + [None] * (len(a.gamma) - len(had))
        if self.codec is not None:
            self._callable = CALLABLE(server(self.windows, self.codec, a, self.failures))
            a.state[0].server = address_of(self._callable)

    def size(self) -> int:
        """Bytes of memory that are not those of the windows themselves."""
        return 8 * len(self.windows) + OF_A_BYTES * (len(self.windows) - self.windows.count(None))


def server(windows: list, codec: Any, a: Aggregate, failures: list) -> Callable[[int, int, int], int]:
    """What kernels call back to: by how much the bytes of all windows grow, or FAILED, and then `failures` says why.

    It refers to nothing that refers to it: callables of C are never found by the collector of garbage.
    """
    asked, scratch = np.asarray(a.asked), memoryview(np.asarray(a.scratch))
    compress, decompress = codec.compress, codec.decompress

    def serve(what, window, size):
        try:
            if what in (TAKE_OUT, PUT_IN) and size == 0:
                return 0  # a window that f_A has left empty
            if what == TAKE_OUT:
                kept, windows[window] = windows[window], None
                scratch[:size] = decompress(kept, size, True)
                return -len(kept)
            if what == PUT_IN:
                windows[window] = made = compress(scratch[:size], True)
                return len(made)
            if what == DECOMPRESS:
                many = asked[:size].tolist()
                kept = [windows[j] for j, *_ in many]
                whole = b"".join([decompress(one, n, True) for one, (*_, n) in zip(kept, many, strict=True) if n])
                scratch[: len(whole)] = whole
                return -sum(map(len, filter(None, kept)))
            assert what == COMPRESS
            many = asked[:size].tolist()
            made = [compress(scratch[at : at + n], True) if n else None for _, _, at, n in many]
            for (j, *_), one in zip(many, made, strict=True):
                windows[j] = one
            return sum(map(len, filter(None, made)))
        except BaseException as error:  # KeyboardInterrupt, too: whoever called the kernel raises it
            failures.append(error)
            return FAILED

    return serve
