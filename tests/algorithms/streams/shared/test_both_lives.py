"""The same programs compiled and as plain Python, which checks every index."""

import json

import pytest

from tests.algorithms.streams.shared.program import main
from tests.scripts import PLAIN, run

pytestmark = pytest.mark.slow

EVERY = ("cutty/lazy", "cutty/eager", "pairs/eager", "panes/lazy", "ra/lazy", "ra/eager", "naive/lazy")


def test_both_lives_give_the_same():
    asked = ("7", "25", *EVERY)
    assert run(["-m", "tests.algorithms.streams.shared.program", *asked], PLAIN) == json.loads(json.dumps(main(*asked)))
