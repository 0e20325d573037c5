"""The techniques that the Cutty paper compares (Table 1, section 7.1): a slicer and a store, by the paper's names."""

from collections.abc import Mapping
from typing import Any, NamedTuple

LAZY, EAGER = "lazy", "eager"


class Technique(NamedTuple):
    """The arguments slicing and store of `algorithms.SharedAggregate`."""

    slicing: str
    store: str

    def complete(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """No parameters. Raises ValueError if there are any."""
        if parameters:
            raise ValueError(f"{self.slicing} has no parameter {next(iter(parameters))!r}; techniques have none")
        return {}


TECHNIQUES = {
    "naive": Technique("naive", LAZY),
    "ra": Technique("ra", EAGER),
    "ra_lazy": Technique("ra", LAZY),
    "panes": Technique("panes", LAZY),
    "panes_plus": Technique("panes", EAGER),
    "pairs": Technique("pairs", LAZY),
    "pairs_plus": Technique("pairs", EAGER),
    "cutty": Technique("cutty", EAGER),
    "cutty_lazy": Technique("cutty", LAZY),
}


def techniques() -> dict[str, Technique]:
    """Every technique by name."""
    return TECHNIQUES
