"""comp, the map of compressed windows: the bytes of each, and the codec that kernels call back to.

Kernels put the bytes of many windows side by side into the scratch and call once: so a window costs a microsecond, most
of it the codec's; alone it costs half a microsecond more.
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
"""What a bytes object takes besides its bytes: its header, and on average the rounding up to 16."""


class Packed:
    """The compressed windows of one aggregate: `windows[j]` are the bytes of window j, None if it is not compressed."""

    def __init__(self, codec: str, level: int | None):
        self.name, self.level = codec, level
        self.windows: list[bytes | None] = []
        self.failures: list[BaseException] = []
        self.codec: Any = None

    def __getstate__(self) -> dict[str, Any]:
        """Without what belongs to this process: the codec, which is opened again if it was open, and the callback."""
        state = {name: value for name, value in vars(self).items() if name != "_callable"}
        return state | {"codec": self.codec is not None, "failures": []}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state | {"codec": None})
        if state["codec"]:
            self.open()

    def open(self) -> None:
        """Open the codec, if it is not open. Raises ValueError for a level that it does not have."""
        if self.codec is None:  # the import takes a tenth of a second
            self.codec = importlib.import_module(f"{__package__}.codecs").opened(self.name, self.level)

    def serve(self, a: Aggregate, had: np.ndarray) -> None:
        """From now on serve this state, whose windows had the numbers `had` before; with the codec, if it is open."""
        self.windows = [self.windows[j] for j in had.tolist()] + [None] * (len(a.gamma) - len(had))
        if self.codec is not None:
            self._callable = CALLABLE(server(self.windows, self.codec, a, self.failures))
            a.state[0].server = address_of(self._callable)

    def size(self) -> int:
        """Bytes of memory besides the compressed bytes."""
        return 8 * len(self.windows) + OF_A_BYTES * (len(self.windows) - self.windows.count(None))


def server(windows: list, codec: Any, a: Aggregate, failures: list) -> Callable[[int, int, int], int]:
    """What kernels call back to: it returns the growth of all windows' bytes, or FAILED with the error in `failures`.

    It refers to nothing that refers to it: the garbage collector never finds callables of C.
    """
    requests, scratch = np.asarray(a.asked), memoryview(np.asarray(a.scratch))
    compress, decompress = codec.compress, codec.decompress

    def serve(request, window, size):
        try:
            if request in (TAKE_OUT, PUT_IN) and size == 0:
                return 0  # f_A has left this window empty
            if request == TAKE_OUT:
                packed, windows[window] = windows[window], None
                scratch[:size] = decompress(packed, size, True)
                return -len(packed)
            if request == PUT_IN:
                windows[window] = packed = compress(scratch[:size], True)
                return len(packed)
            if request == DECOMPRESS:
                batch = requests[:size].tolist()
                many = [windows[j] for j, *_ in batch]
                raw = b"".join([decompress(packed, n, True) for packed, (*_, n) in zip(many, batch, strict=True) if n])
                scratch[: len(raw)] = raw
                return -sum(map(len, filter(None, many)))
            assert request == COMPRESS
            batch = requests[:size].tolist()
            many = [compress(scratch[at : at + n], True) if n else None for _, _, at, n in batch]
            for (j, *_), packed in zip(batch, many, strict=True):
                windows[j] = packed
            return sum(map(len, filter(None, many)))
        except BaseException as error:  # even KeyboardInterrupt: the caller of the kernel raises it
            failures.append(error)
            return FAILED

    return serve
