"""Parameters of random disorder, its draws and its trace."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from workloads import record_sets
from workloads.checks import check_choice, check_range, check_types
from workloads.delay.generator import Arrivals
from workloads.traces import Trace
from workloads.traces.values import values

CHUNK = 100_000
LONGEST = 1 << 40  # a heavy-tailed draw has no bound, and arrival times must stay within 64 bits
SINGLE = ("uniform", "exponential", "pareto")


@dataclass(frozen=True)
class Delay:
    """Times are whole ticks; delays are rounded down to ticks and cut off at 2^40.

    items         length of the trace
    interval      ticks from one event to the next
    distribution  uniform: from 0 up to `scale`; exponential: mean `scale`; pareto: the form that starts at 0 (Lomax),
                  P(delay > x) = (1 + x / scale)^-shape; mixture: a share `punctual` has no delay, the others are late
    late          distribution of the late items of a mixture: uniform, exponential or pareto
    scale         scale of the delays in ticks, at least 0
    shape         shape of pareto, above 0; the smaller, the heavier the tail (no mean at 1 and below)
    punctual      share of items without delay in a mixture, from 0 to 1
    seed          seed of the delays, from 0 to 2^63 - 1
    folder        folder of record sets made with experiment=make_workload; the trace is read from there if it exists
    Values are 1 + i mod 101, where i is the item's number in order of event time.
    """

    items: int = 1_000_000
    interval: int = 1
    distribution: str = "exponential"
    late: str = "pareto"
    scale: float = 1000.0
    shape: float = 1.5
    punctual: float = 0.9
    seed: int = 0
    folder: str = "results/records"

    def __post_init__(self) -> None:
        check_types(self)
        check_range("items", self.items, 1, 1 << 40)
        check_range("interval", self.interval, 1, 1 << 20)
        check_choice("distribution", self.distribution, (*SINGLE, "mixture"))
        check_choice("late", self.late, SINGLE)
        check_range("scale", self.scale, 0, LONGEST)
        if self.shape <= 0:
            raise ValueError(f"shape is {self.shape}; it must be above 0")
        check_range("punctual", self.punctual, 0, 1)
        check_range("seed", self.seed, 0, (1 << 63) - 1)

    def chunk(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Event times and delays of the items of one chunk, in order of event time; int64, shape (at most 100,000,).

        Chunk c holds the items c * 100,000 and on; the last chunk is cut at `items`. Raises ValueError outside.
        """
        check_range("chunk", number, 0, (self.items - 1) // CHUNK)
        serial = np.arange(number * CHUNK, min((number + 1) * CHUNK, self.items))
        generator = record_sets.stream(self.seed, number, 0)
        choice, chance = generator.random((len(serial), 2)).T  # two draws an item, used or not: items stay independent
        if self.distribution == "mixture":
            delays = np.where(choice < self.punctual, 0.0, self._delays(self.late, chance))
        else:
            delays = self._delays(self.distribution, chance)
        return serial * self.interval, np.minimum(delays, LONGEST).astype(np.int64)

    @property
    def draw_size(self) -> int:
        """Items of a chunk, but of the last."""
        return CHUNK

    def longest(self, share: float) -> int:
        """A delay, in ticks, that about this share of the items exceeds, and none with share 0."""
        distribution = self.distribution
        if distribution == "mixture":
            distribution, share = self.late, share / (1 - self.punctual) if self.punctual < 1 else 1.0
        if share >= 1:
            return 0
        # Draws are multiples of 2^-53 below 1. Another tick, since functions of neighbours may differ in the last bit.
        chance = np.array([1 - max(share, 2**-53)])
        return int(np.minimum(self._delays(distribution, chance)[0], LONGEST - 1)) + 1

    def record_set(self) -> Arrivals:
        """What experiment=make_workload makes."""
        return Arrivals(self)

    def trace(self) -> Trace:
        """All chunks, put in order of arrival. O(items log items). Raises RecordsError for a damaged record set."""
        if manifest := record_sets.find(self.record_set(), self.folder):
            columns = record_sets.read(manifest, ["time", "value"])
        else:
            chunks = [self.chunk(number) for number in range((self.items - 1) // CHUNK + 1)]
            times, delays = (np.concatenate(columns) for columns in zip(*chunks, strict=True))
            order = np.argsort(times + delays, kind="stable")
            columns = {"time": times[order], "value": values(order)}
        note = f"synthetic: {self.distribution} delays, arrival order = order of event time + delay"
        return Trace("delay", asdict(self), columns["time"], columns["value"], notes=(note,))

    def _delays(self, distribution: str, chance: np.ndarray) -> np.ndarray:
        """Delays in ticks, float64, from uniform draws in [0, 1) by inverting the distribution function."""
        if self.scale == 0:  # an infinite draw times 0 would be no number
            return np.zeros(len(chance))
        if distribution == "uniform":
            return chance * self.scale
        if distribution == "exponential":
            return -np.log1p(-chance) * self.scale
        with np.errstate(over="ignore"):  # infinite draws are cut off like all beyond the longest delay
            return np.expm1(-np.log1p(-chance) / self.shape) * self.scale
