"""What fuzzing has found stays found: all that is kept is read again, and short programs of every kind run."""

import random

import numpy as np
import pytest

from tests.fuzz import programs
from tests.fuzz.__main__ import CORPUS
from tests.fuzz.parsers import PARSERS, mutated
from tests.fuzz.programs import PROGRAMS

DAMAGED = 60
"""Damaged copies of seeds, of each parser; of commands fewer, because Hydra takes long."""


@pytest.mark.smoke
@pytest.mark.parametrize("name", PARSERS)
def test_what_was_kept_and_what_is_good_is_read_or_refused(name):
    kept = sorted((CORPUS / name).iterdir())
    assert kept and not [path for path in kept if path.name.startswith("failing-")]
    for content in [path.read_bytes() for path in kept] + PARSERS[name].seeds():
        PARSERS[name].check(content)


@pytest.mark.parametrize("name", PARSERS)
def test_damaged_input_is_read_or_refused(name):
    chance, seeds = random.Random(name), PARSERS[name].seeds()
    for _ in range(DAMAGED if name != "overrides" else DAMAGED // 6):
        PARSERS[name].check(mutated(chance.choice(seeds), chance))


STEPS = {"windows": 1, "sliding": 8, "shared": 200, "compressed": 10}
"""Programs of each kind."""


@pytest.mark.plain
@pytest.mark.parametrize("name", PROGRAMS)
def test_short_programs_agree_with_their_oracles(name):
    for _, steps in zip(range(STEPS[name]), PROGRAMS[name](1)):
        assert steps >= 0


@pytest.mark.plain
def test_a_wrong_answer_is_found(monkeypatch):
    execute = programs.program.execute

    def wrong(card, w, steps, columns):
        answers, costs = execute(card, w, steps, columns)
        answers[np.flatnonzero(answers)[-1]] += 1
        return answers, costs

    monkeypatch.setattr(programs.program, "execute", wrong)
    with pytest.raises(AssertionError, match=r"seed 1: step \d+ is"):
        next(PROGRAMS["windows"](1))
