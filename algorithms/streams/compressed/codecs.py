"""Codecs by PyArrow: the one module of this package that imports it, when a window is first to be compressed."""

import pyarrow

from safeguards.wrong_input import whole

NAMES = {"snappy": "snappy", "lz4": "lz4_raw", "zstd": "zstd"}
"""What PyArrow calls them. LZ4's raw blocks are what Snappy's are: without the frame of its files."""


def opened(name: str, level: int | None) -> pyarrow.Codec:
    """A codec: `compress(buffer, True)` and `decompress(bytes, size, True)` give bytes, in half a microsecond.

    Raises ValueError for a level that the codec does not have.
    """
    made, kind = pyarrow.Codec, NAMES[name]
    if level is not None:
        if not made.supports_compression_level(kind):
            raise ValueError(f"level={level!r}: {name} has no levels")
        least, most = made.minimum_compression_level(kind), made.maximum_compression_level(kind)
        level = whole(f"level of {name}", level, least, most)
    return made(kind, level)
