"""FiBA, section 5.4, Figure 14: a big and a small window, by range queries on one tree or by a tree for each."""

from experiments.fiba.measuring.sharing import RANGE, TWIN
from experiments.harness.cell import Cell
from experiments.harness.fitting import geometric_mean, share_of
from experiments.harness.grid import point, synthetic_only, window_of
from experiments.harness.measured import Measured, Table, ratio
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings, SettingsError

FINGER = "fiba"
TIME, BYTES = "sharing.time", "sharing.bytes"


def small_windows(n: int) -> list[int]:
    """1, 4, 16 ... below n, and n."""
    return [*(1 << k for k in range(0, n.bit_length(), 2) if 1 << k < n), n]


@experiment("fiba_sharing")
def fiba_sharing(settings: Settings) -> list[Cell]:
    """Throughput over the size s of the small window, at distance s / 2, and the memory of the trees."""
    synthetic_only(settings)
    if settings.distances is not None:
        raise SettingsError(
            f"distances is {list(settings.distances)}; {settings.name} takes half of each small window: leave it out"
        )
    n = window_of(settings)
    return [
        point(
            settings,
            algorithm,
            operator,
            small,
            small // 2,
            measurement=measurement,
            uses={"sharing": sharing},
            protocol={"window": n},
        )
        for measurement in (TIME, BYTES)
        for operator in settings.operators
        for small in small_windows(n)
        for algorithm in settings.algorithms
        for sharing in ((RANGE, TWIN) if algorithm["name"] == FINGER else (TWIN,))
    ]


def of_finger(measured: Measured, sharing: str) -> Table:
    """Nanoseconds of a round by the size of the small window, with that way of sharing."""
    return measured.each("time", "min_arity", "operator", "window", algorithm=FINGER, sharing=sharing)


@fiba_sharing.quantity
def range_over_twin(measured: Measured) -> Table:
    """Time of a round with range queries on one tree over that with a tree for each window."""
    return ratio(of_finger(measured, RANGE), of_finger(measured, TWIN))


@fiba_sharing.quantity
def share_of_gains(measured: Measured) -> Table:
    """The share of small windows at which one tree is faster than two."""
    quotient = range_over_twin(measured)
    return share_of((quotient < 1).astype(float).where(quotient.notna()), "window")


@fiba_sharing.quantity
def mean_range_over_twin(measured: Measured) -> Table:
    """The geometric mean of `range_over_twin` over the small windows."""
    return geometric_mean(range_over_twin(measured), "window")


@fiba_sharing.quantity
def bytes_saved(measured: Measured) -> Table:
    """Bytes that one tree saves, for each entry of the small window."""
    twin, shared = (
        measured.total("bytes", "min_arity", "operator", "window", algorithm=FINGER, sharing=sharing)
        for sharing in (TWIN, RANGE)
    )
    saved = (twin - shared).dropna()
    return saved.div(saved.index.get_level_values("window").to_numpy(float), axis=0)
