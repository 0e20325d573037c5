"""The command that compiles what people use first: it goes through every step and says what it does."""

import pytest

from algorithms import warm_up


@pytest.mark.plain
@pytest.mark.smoke
def test_every_step_is_said_and_timed(capsys):
    warm_up.main()
    *lines, last = capsys.readouterr().out.splitlines()
    assert [line.partition(" ... ")[0] for line in lines] == [f"compiling {words}" for words, _ in warm_up.steps()]
    assert all(line.endswith(" s") for line in lines) and len(lines) == 29
    assert "kept in" in last
