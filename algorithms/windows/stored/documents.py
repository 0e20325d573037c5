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
    """What must be equal when a window is reopened; `time` is the kind of its times."""
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


def header_of(signed: dict[str, Any], state: Recovered) -> bytes:
    """The header of a window of that signature."""
    header = {**signed, "levels": len(state.level)}
    return json.dumps(header).encode() + b"\n" + b"".join(record.tobytes() for record in state)


def recovered(document: bytes, w: Any, signed: dict[str, Any], first: int) -> Recovered:
    """The state in a header, if it is of such a window. Raises ValueError naming the first difference."""
    line, _, binary = document.partition(b"\n")
    try:
        header = json.loads(line)
    except ValueError:
        header = None
    if not isinstance(header, dict):
        raise ValueError("its header is not that of a window")
    if header.get("layout") != VERSION:
        raise ValueError(
            f"its layout is {header.get('layout')!r}, and this version of the package reads {VERSION}: "
            "open it with the version that wrote it, or give another name (stored_as=)"
        )
    for field, expected in signed.items():
        if header.get(field) != expected:
            raise ValueError(f"its {field} is {header.get(field)!r}, and that of the window to open {expected!r}")
    if not isinstance(header.get("levels"), int):
        raise ValueError("its header does not say how many levels it has")
    levels = header["levels"]
    counts = ((1, w.ends.dtype), (levels, w.level.dtype), (first, w.agg.dtype), (levels, w.agg.dtype))
    needed = sum(count * dtype.itemsize for count, dtype in counts)
    if levels < 1 or len(binary) != needed:
        raise ValueError(f"its header has {len(binary)} bytes after the first line, not {needed}")
    records, offset = [], 0
    for count, dtype in counts:
        records.append(np.frombuffer(binary, dtype, count, offset))
        offset += count * dtype.itemsize
    return Recovered(records[0][0], *records[1:])
