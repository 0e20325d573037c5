"""Numbers that Spark has published for its monotonic deque, which the release measured here does not have yet.

MIN and MAX over the last W rows, in amortized O(1) a row (spark.sql.window.monotonicDeque.enabled). They are Spark's
own results: apache/spark, sql/core/benchmarks/WindowBenchmark-results.txt at 0b565c43 (OpenJDK 17, Xeon 6973P-C),
sections A (256,000 rows) and G (2 million rows of random values). Machines differ, but the segment tree is in the same
results and in ours: a statement compares with the tree of the same run times how much faster the deque is there.
"""

from typing import NamedTuple


class Published(NamedTuple):
    """Nanoseconds a row with the segment tree and with the deque."""

    tree: float
    deque: float

    @property
    def faster(self) -> float:
        """How many times as fast the deque is."""
        return self.tree / self.deque


PUBLISHED = {1000: Published(1253.5, 393.9), 100_000: Published(1566.9, 285.2)}
"""By rows before the current one: MAX at 1,000 (MIN: 1,249.5 and 435.3), MIN at 100,000."""
