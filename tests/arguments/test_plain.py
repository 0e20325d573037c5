"""What every class takes and refuses, in plain Python: compiled, a hundred kinds of values would take minutes."""

from pathlib import Path

from plain_python import must_pass


def test_values_times_operators_and_copies_in_plain_python():
    must_pass(Path(__file__).parent.glob("plain_*.py"), least=150)
