"""Codecs by PyArrow: the one module of this package that imports it, when a window is first to be compressed."""

import pyarrow

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
        if isinstance(level, bool) or not isinstance(level, int) or not least <= level <= most:
            raise ValueError(f"level: {name} has whole numbers from {least} to {most}, not {level!r}")
    return made(kind, level)
