"""plain_*.py, in plain Python."""

from pathlib import Path

from plain_python import must_pass


def test_aggregates_in_plain_python():
    must_pass(Path(__file__).parent.glob("plain_*.py"), 35)
