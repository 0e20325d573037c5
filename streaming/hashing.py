"""Numbers of buckets as Spark's hash is to see them, so that each partition of a stream has equally many.

Spark divides the groups of a stateful stream by their hash, and of four groups 0 to 3 puts one into the one of two
partitions, and three into the other. Its hash of a whole number of 32 bits is one to one (MurmurHash3 of four bytes,
Appleby 2011; Spark's Murmur3_x86_32 with seed 42), so a bucket can have the label whose hash is the bucket's number:
bucket b then is in partition b modulo their number, however many there are.
"""

import functools
from collections.abc import Iterable, Iterator

import pyarrow as pa

from streaming.aggregation import Aggregation
from streaming.packing import BUCKET, PACKED, pack

SEED, BYTES = 42, 4

WORD = 2**32


@functools.cache
def label(bucket: int) -> int:
    """The whole number of 32 bits, with a sign, that Spark hashes to this one."""
    h = _unshifted(bucket % WORD, 16)
    h = _unshifted(_divided(h, 0xC2B2AE35), 13)
    h = _unshifted(_divided(h, 0x85EBCA6B), 16) ^ BYTES
    k = _rotated(_divided(h - 0xE6546B64, 5), 13) ^ SEED
    k = _divided(_rotated(_divided(k, 0x1B873593), 15), 0xCC9E2D51)
    return k - WORD if k >= WORD // 2 else k


def pack_labelled(aggregation: Aggregation, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """As `pack`, with the label of each bucket in the place of its number."""
    column = PACKED.get_field_index(BUCKET)
    for packed in pack(aggregation, batches):
        labelled = [label(bucket) for bucket in packed[BUCKET].to_pylist()]
        yield packed.set_column(column, PACKED.field(column), pa.array(labelled, pa.int32()))


def _divided(number: int, factor: int) -> int:
    """The number of which this is the product with an odd factor, modulo 2**32."""
    return number * pow(factor, -1, WORD) % WORD


def _unshifted(number: int, bits: int) -> int:
    """The x for which number == x ^ (x >> bits)."""
    x = number
    for _ in range(bits, 32, bits):
        x = number ^ (x >> bits)
    return x


def _rotated(number: int, bits: int) -> int:
    """Rotated to the right by so many of 32 bits."""
    return (number >> bits | number << (32 - bits)) % WORD
