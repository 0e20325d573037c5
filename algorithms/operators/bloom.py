"""Bloom filter: the set of a window's values, with false positives and no false negatives.

The expensive operator of the FiBA paper (section 5): 2^14 bits and 4 hash functions, 2,048 bytes a partial.
"""

from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import kernel
from algorithms.operators.monoid import COMMUTATIVE, combine, fold, lift, lower, number, present, unit, zero
from safeguards.wrong_input import is_whole, whole

CHUNK = 4
"""Words read before the first is written. Written so, loads and stores become vectors even where dst may be a or b;
a plain loop is guarded by a test for overlap and runs word by word when they are the same."""


class Bloom(NamedTuple):
    """Values that may have occurred. Partial: the bits, as 64-bit words.

    `lower` gives 1 if the value `probe` may be in the window, else 0; `present` gives a frozen copy of the bits that
    answers `value in it`. combine: O(bits / 64), vectorised. Equal numbers (1 and 1.0) are the same value.
    """

    hashes: int
    bits: int
    probe: Any

    name = "bloom"
    laws = (COMMUTATIVE,)
    exact = True

    @classmethod
    def make(cls, dtype: str, bits: int = 2**14, hashes: int = 4, probe: float = 0) -> "Bloom":
        least = 64 * CHUNK
        if not is_whole(bits) or not least <= bits <= 2**32 or bits & (bits - 1):
            raise ValueError(f"bloom: bits must be a power of two from {least} to 2**32, not {bits!r}")
        op = cls(whole("bloom: hashes", hashes, 1, 64), bits, zero(dtype))
        return op._replace(probe=type(op.probe)(number(op, probe)))

    @property
    def takes(op) -> str:
        return str(np.dtype(type(op.probe)))

    @property
    def dtype(op) -> np.dtype:
        return np.dtype([("words", "i8", (op.bits // 64,))])


HALF = 2**32 - 1
"""Hashes have 32 bits, so that no product leaves int64: compiled code may assume that signed numbers never overflow."""


@kernel
def mix(x):
    """Spread 32 bits over 32 bits, one to one (Thomas Mueller's integer hash)."""
    x = (((x >> 16) ^ x) * 0x45D9F3B) & HALF
    x = (((x >> 16) ^ x) * 0x45D9F3B) & HALF
    return (x >> 16) ^ x


@kernel
def code_of(value):
    """64 bits of a number, the same for equal numbers of either type: of its whole part, and of the rest's bits."""
    size = float(value)
    whole = int(value) if -(2.0**63) <= size < 2.0**63 else 0
    rest = size - float(whole) + 0.0  # -0.0 + 0.0 is 0.0
    return whole ^ int(np.float64(rest).view(np.int64))


@kernel
def hash_of(value):
    """The hash of a number, the same for equal numbers of either type."""
    code = code_of(value)
    return mix((code & HALF) ^ mix((code >> 32) & HALF))


@lift.of(Bloom)
def _(op, dst, k, value):
    words = dst[k].words
    for w in range(len(words)):
        words[w] = 0
    place = hash_of(value)
    step = mix(place ^ HALF) | 1  # odd, so that the places of one value differ
    for _ in range(op.hashes):
        bit = place & (op.bits - 1)
        words[bit >> 6] |= np.int64(1) << (bit & 63)
        place = (place + step) & HALF


@combine.of(Bloom)
def _(op, dst, k, a, i, b, j):
    x, y, z = a[i].words, b[j].words, dst[k].words
    for w in range(0, len(z), CHUNK):
        z0, z1, z2, z3 = x[w] | y[w], x[w + 1] | y[w + 1], x[w + 2] | y[w + 2], x[w + 3] | y[w + 3]
        z[w], z[w + 1], z[w + 2], z[w + 3] = z0, z1, z2, z3


@kernel
def join_four(z, p, q, r, s):
    """z = p + q + r + s; z may be one of them."""
    for w in range(0, len(z), CHUNK):
        z0 = p[w] | q[w] | r[w] | s[w]
        z1 = p[w + 1] | q[w + 1] | r[w + 1] | s[w + 1]
        z2 = p[w + 2] | q[w + 2] | r[w + 2] | s[w + 2]
        z3 = p[w + 3] | q[w + 3] | r[w + 3] | s[w + 3]
        z[w], z[w + 1], z[w + 2], z[w + 3] = z0, z1, z2, z3


@fold.of(Bloom)
def _(op, dst, k, a, first, last):
    # Three more at a time; where fewer are left, the last is repeated: setting a bit twice is harmless. One at a time
    # was 1.5 times slower where partials come from memory. Taking a stretch of words of all partials, so that dst is
    # written once, was 2 to 4 times slower: rows of 2,048 bytes share their places in the first-level cache.
    z, top = dst[k].words, last - 1
    second, third, fourth = min(first + 1, top), min(first + 2, top), min(first + 3, top)
    join_four(z, a[first].words, a[second].words, a[third].words, a[fourth].words)
    j = first + 4
    while j < last:
        join_four(z, z, a[j].words, a[min(j + 1, top)].words, a[min(j + 2, top)].words)
        j += 3


@unit.of(Bloom)
def _(op, dst, k):
    words = dst[k].words
    for w in range(len(words)):
        words[w] = 0


@kernel
def may_hold(op, words, value):
    """1 if every bit of the value is set, else 0."""
    place = hash_of(value)
    step, all_set = mix(place ^ HALF) | 1, 1
    for _ in range(op.hashes):
        bit = place & (op.bits - 1)
        all_set &= words[bit >> 6] >> (bit & 63)
        place = (place + step) & HALF
    return all_set


@lower.of(Bloom)
def _(op, a, i):
    return may_hold(op, a[i].words, op.probe)


class Membership:
    """What a Bloom filter says of a window at one moment: `value in it` is never wrong when it is False."""

    def __init__(self, op: Bloom, words: np.ndarray):
        self._op, self._words = op, words.copy()
        self._words.flags.writeable = False

    def __contains__(self, value: float) -> bool:
        return bool(may_hold(self._op, self._words, number(self._op, value)))

    def __repr__(self) -> str:
        filled = np.bitwise_count(self._words.view(np.uint64)).sum()
        return f"<Bloom filter, {filled} of {self._op.bits} bits set>"


@present.of(Bloom)
def _(op, a, i):
    return Membership(op, np.asarray(a[i].words))
