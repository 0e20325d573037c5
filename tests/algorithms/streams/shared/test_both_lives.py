"""The same programs compiled, as plain Python, and compiled with every index checked."""

import json

import pytest

from tests.algorithms.streams.shared.program import main
from tests.scripts import CHECKED, PLAIN, run

pytestmark = pytest.mark.slow

EVERY = ("cutty/lazy", "cutty/eager", "pairs/eager", "panes/lazy", "ra/lazy", "ra/eager", "naive/lazy")


@pytest.mark.parametrize(
    ("life", "programs", "choices"),
    [(PLAIN, "25", EVERY), (CHECKED, "200", ("cutty/eager",))],
    ids=["plain", "checked"],
)
def test_every_life_gives_the_same(life, programs, choices):
    asked = ("7", programs, *choices)
    assert run(["-m", "tests.algorithms.streams.shared.program", *asked], life) == json.loads(json.dumps(main(*asked)))
