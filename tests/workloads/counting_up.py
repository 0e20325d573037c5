"""A small record set for tests: counters and random numbers in chunks of three."""

import os
from dataclasses import asdict, dataclass

import numpy as np
import pyarrow as pa

from workloads.record_sets import RecordSet, stream


@dataclass(frozen=True)
class CountingUp(RecordSet):
    """`dies_at`: the chunk whose maker is killed, as by kill -9."""

    rows: int
    seed: int = 0
    dies_at: int | None = None
    name: str = "counting"

    @property
    def chunks(self):
        return -(-self.rows // 3)

    def parameters(self):
        return {key: value for key, value in asdict(self).items() if key in ("rows", "seed")}

    def chunk(self, number):
        if number == self.dies_at:
            os._exit(9)
        count = np.arange(3 * number, min(3 * number + 3, self.rows))
        return {
            "time": pa.array(count).cast(pa.timestamp("ns", "UTC")),
            "count": count,
            "chance": stream(self.seed, number, 1).random(3)[: len(count)],
        }
