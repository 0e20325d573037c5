"""Codecs by PyArrow: the only module of this package that imports it, when a window is first compressed."""

import pyarrow

from safeguards.wrong_input import whole

NAMES = {"snappy": "snappy", "lz4": "lz4_raw", "zstd": "zstd"}
"""PyArrow's names. LZ4's raw blocks, like Snappy's, lack the frame of its files."""


def opened(name: str, level: int | None) -> pyarrow.Codec:
    """A codec: `compress(buffer, True)` and `decompress(bytes, size, True)` give bytes, in half a microsecond.

    Raises ValueError for a level that the codec does not have.
    """
    Codec, kind = pyarrow.Codec, NAMES[name]
    if level is not None:
        if not Codec.supports_compression_level(kind):
            raise ValueError(f"level={level!r}: {name} has no levels")
        least, most = Codec.minimum_compression_level(kind), Codec.maximum_compression_level(kind)
        level = whole(f"level of {name}", level, least, most)
    return Codec(kind, level)
