"""plain_*.py, in plain Python: with many windows and operators most of the time would go into compiling."""

from pathlib import Path

import pytest
from plain_python import must_pass


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scripts", "least"), [("plain_streams.py", 24), ("plain_keyed*.py", 50), ("plain_float_ends.py", 30)]
)
def test_in_plain_python(scripts, least):
    must_pass(Path(__file__).parent.glob(scripts), least)
