"""The documents of a window in a key-value store: blocks of nodes, and a header. Raw bytes under a versioned layout.

A block holds up to `block` consecutive nodes of one level: first their times (int64), then their partial aggregates as
they are in memory. Its key is the window's name, the level and the number of the block, so that any node is one
retrieval away. The last block of a level may be short; it is written anew when it has grown.

The header is one line of JSON, which says what is in the window and how it lies, and then the pointers, the records of
the levels, the aggregates that are not nodes of the levels, and the youngest node of every level.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from algorithms import operators

VERSION = 3
"""Goes up with every change of what is stored, or of what an operator of this package does under a name that it had."""
LONGEST_NAME = 200
"""Bytes: LMDB takes keys of up to 511."""


class Recovered(NamedTuple):
    """What a header says."""

    ends: np.void
    level: np.ndarray
    fixed: np.ndarray
    youngest: np.ndarray


def must_be_name(name: Any) -> str:
    """The name of a window, if it can be in a key. Raises ValueError."""
    encoded = name.encode(errors="replace") if isinstance(name, str) else b""
    if not 0 < len(encoded) <= LONGEST_NAME or {"{", "}"} & set(name) or encoded.decode() != name:
        raise ValueError(f"the name of a window must be text of 1 to {LONGEST_NAME} bytes without braces, not {name!r}")
    return name


def header_key(name: str) -> bytes:
    return b"{%s}header" % name.encode()


def block_key(name: str, level: int, number: int) -> bytes:
    return b"{%s}%c%s" % (name.encode(), level, number.to_bytes(8, "big"))


def block_keys(name: str, blocks: list[tuple[int, int, int]]) -> Iterator[bytes]:
    """The keys of blocks first .. end - 1 of levels."""
    for level, first, end in blocks:
        for number in range(first, end):
            yield block_key(name, level, number)


def block_of(times: np.ndarray, partials: np.ndarray) -> bytes:
    return times.tobytes() + partials.tobytes()


def nodes_of(document: bytes, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Times and partial aggregates of a block."""
    n = len(document) // (8 + dtype.itemsize)
    return np.frombuffer(document, "i8", n), np.frombuffer(document, dtype, n, 8 * n)


def signature(w: Any, cache: int, time: str) -> dict[str, Any]:
    """What must be the same when a window is opened again; `time` is the kind of its times."""
    return {
        "layout": VERSION,
        "window": type(w).__name__,
        "operator": operators.described(w.op),
        "time": time,
        "partials": str(np.dtype(w.agg.dtype).descr),
        "bytes": w.agg.dtype.itemsize,
        "cache": cache,
        "order": sys.byteorder,
    }


def header_of(signed: dict[str, Any], says: Recovered) -> bytes:
    """The header of a window of that signature."""
    said = {**signed, "levels": len(says.level)}
    return json.dumps(said).encode() + b"\n" + b"".join(part.tobytes() for part in says)


def recovered(document: bytes, w: Any, signed: dict[str, Any], first: int) -> Recovered:
    """What a header says, if it is of such a window. Raises ValueError naming the first difference."""
    line, _, rest = document.partition(b"\n")
    try:
        said = json.loads(line)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise ValueError("its header is not that of a window")
    if said.get("layout") != VERSION:
        raise ValueError(
            f"its layout is {said.get('layout')!r}, and this version of the package reads {VERSION}: "
            "open it with the version that wrote it, or give another name (stored_as=)"
        )
    for field, here in signed.items():
        if said.get(field) != here:
            raise ValueError(f"its {field} is {said.get(field)!r}, and that of the window to open {here!r}")
    if not isinstance(said.get("levels"), int):
        raise ValueError("its header does not say how many levels it has")
    counts = ((1, w.ends.dtype), (said["levels"], w.level.dtype), (first, w.agg.dtype), (said["levels"], w.agg.dtype))
    needed = sum(count * dtype.itemsize for count, dtype in counts)
    if said["levels"] < 1 or len(rest) != needed:
        raise ValueError(f"its header has {len(rest)} bytes after the first line, not {needed}")
    parts, offset = [], 0
    for count, dtype in counts:
        parts.append(np.frombuffer(rest, dtype, count, offset))
        offset += count * dtype.itemsize
    return Recovered(parts[0][0], *parts[1:])
