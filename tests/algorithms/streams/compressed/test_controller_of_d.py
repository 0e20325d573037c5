"""The controller of D on responses that are made up: it keeps to the bound, comes near the best D, and then rests."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.streams.compressed.controller import FAR, LATENCY, MEMORY, NEAR, Controller, ladder

RUNGS = ladder(10_800)
ADVANCE = 60


def run(controller, response, observations=2000, step=6):
    """D and value at each observation; `response(time, D)` is the bounded quantity, in effect at once.

    The stream is older than any D by then, so that all have an effect.
    """
    seen = []
    controller.observe(-20_000, 0.75 * controller.bound)
    for time in range(0, observations * step, step):
        value = response(time, controller.D)
        seen.append((controller.D, value))
        controller.observe(time, value)
    return seen


def memory(most, floor):
    """Rises with D from a part `floor` of `most` to all of it: half way at ten minutes."""
    return lambda time, age: most * (1 if math.isinf(age) else floor + (1 - floor) * age / (age + 600))


def latency(most, least):
    """Falls with D from `most` to `least`."""
    return lambda time, age: least if math.isinf(age) else least + (most - least) * 600 / (age + 600)


def test_a_ladder_goes_by_three_quarters_from_the_size_down_to_a_unit_and_has_both_ends():
    assert ladder(16) == (math.inf, 16, 12, 9, 6, 4, 3, 2, 1, 0)
    assert ladder(1) == (math.inf, 1, 0)
    assert RUNGS[:4] == (math.inf, 10_800, 8100, 6075) and RUNGS[-5:] == (4, 3, 2, 1, 0)


@pytest.mark.parametrize("most", [50, 120, 300, 1000])
@pytest.mark.parametrize(("goal", "response"), [(MEMORY, memory), (LATENCY, latency)])
def test_it_keeps_to_the_bound_soon_and_comes_within_a_rung_or_two_of_the_best_d(goal, response, most):
    curve = response(most, 0.05) if goal == MEMORY else response(most, 0.05 * most)
    controller = Controller(goal, 100, RUNGS, ADVANCE)
    seen = run(controller, curve)
    later = seen[len(RUNGS) :]
    above = sum(value > 100 for _, value in later)
    assert above <= len(later) // 50, "trying what failed must be rare"
    keeping = [age for age in RUNGS if curve(0, age) <= NEAR[goal] * 100]
    best = max(keeping) if goal == MEMORY else min(keeping)
    off = abs(RUNGS.index(later[-1][0]) - RUNGS.index(best))
    assert off <= 2
    assert curve(0, later[-1][0]) >= FAR[goal] * 100 or off <= 1


@pytest.mark.parametrize("goal", [MEMORY, LATENCY])
def test_where_nothing_is_enough_it_stays_at_the_safe_end(goal):
    controller = Controller(goal, 1, RUNGS, ADVANCE)
    seen = run(controller, lambda time, age: 50.0, observations=100)
    assert {age for age, _ in seen[6:]} == {0 if goal == MEMORY else math.inf}


def test_it_stays_where_everything_is_cheap():
    controller = Controller(MEMORY, 100, RUNGS, ADVANCE)
    assert {age for age, _ in run(controller, lambda time, age: 3.0)} == {math.inf}
    controller = Controller(LATENCY, 100, RUNGS, ADVANCE)
    assert run(controller, lambda time, age: 3.0)[-1][0] == 0


def test_a_budget_is_kept_while_the_windows_grow():
    """Memory that grows by a part in a thousand at each observation, of which D = 0 keeps a twentieth."""
    grow = lambda time, age: time / 60 * (1 if math.isinf(age) else 0.05 + 0.95 * age / (age + 600))  # noqa: E731
    controller = Controller(MEMORY, 100, RUNGS, ADVANCE)
    seen = run(controller, grow, observations=3000)
    assert max(value for _, value in seen) <= 100
    assert seen[0][0] == math.inf and seen[-1][0] < 1000
    ages = [age for age, _ in itertools.groupby(age for age, _ in seen)]
    assert len(ages) < 4 * len(RUNGS), "it wanders up and down"


def test_it_strides_while_a_step_does_not_help_and_not_any_more_when_it_does():
    def placed(*values):
        controller = Controller(MEMORY, 100, RUNGS, ADVANCE)
        controller.observe(0, 80)
        return [RUNGS.index(controller.observe(20_000, value)) for value in values]

    assert placed(500, 500, 500, 500, 80) == [1, 3, 7, 15, 15]
    assert placed(500, 80, 500) == [1, 1, 2]


def test_what_is_longer_than_the_stream_has_lasted_is_no_step():
    controller = Controller(MEMORY, 100, (math.inf, 400, 200, 100, 50, 0), ADVANCE)
    assert controller.observe(1000, 80) == math.inf
    assert controller.observe(1100, 95) == 100
    controller = Controller(MEMORY, 100, (math.inf, 400), ADVANCE)
    assert controller.observe(0, 95) == 400, "the safe end is there always"


def test_what_failed_is_tried_again_after_longer_and_longer():
    """Two rungs of which one is below FAR and the other above the bound: there is nothing between them."""
    controller = Controller(MEMORY, 100, (100, 50, 0), ADVANCE)
    seen = run(controller, lambda time, age: {100: 120.0, 50: 97.0, 0: 10.0}[age], observations=5000)
    tries = [k for k in range(1, len(seen)) if seen[k - 1][0] < seen[k][0]]
    waits = [after - before for before, after in zip(tries, tries[1:])]
    assert waits == sorted(waits) and waits[-1] >= 16 * waits[0]
    assert len(tries) < 100


def test_a_larger_d_is_given_the_time_that_its_effect_takes():
    controller = Controller(MEMORY, 100, (1000, 500, 100, 0), ADVANCE)
    for time in range(2):
        controller.observe(time, 500)
    assert controller.D == 0
    ages = [controller.observe(time, 10) for time in range(2, 3000)]
    rises = [k for k, (before, after) in enumerate(zip(ages, ages[1:])) if after > before]
    assert [b - a for a, b in zip(rises, rises[1:])] == [100, 400]


@given(
    st.sampled_from([MEMORY, LATENCY]),
    st.lists(st.floats(0, 300), min_size=1, max_size=60),
    st.integers(1, 500),
)
def test_equal_observations_give_equal_decisions_and_any_d_is_of_the_ladder(goal, values, step):
    made = []
    for _ in range(2):
        controller = Controller(goal, 100, RUNGS, ADVANCE)
        made.append([controller.observe(step * k, value) for k, value in enumerate(values)])
    assert made[0] == made[1] and set(made[0]) <= set(RUNGS)


@given(st.sampled_from([MEMORY, LATENCY]), st.lists(st.floats(0, 300), min_size=1, max_size=60))
def test_above_the_bound_it_never_moves_to_the_cheap_side(goal, values):
    controller, before = Controller(goal, 100, RUNGS, ADVANCE), math.inf
    for time, value in enumerate(values):
        age = controller.observe(60 * time, value)
        if value > NEAR[goal] * 100:
            assert age <= before if goal == MEMORY else age >= before
        elif value >= FAR[goal] * 100:
            assert age == before
        before = age


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"goal": "speed"}, "goal is 'speed'; it must be 'memory' or 'latency'"),
        ({"bound": 0}, "bound is 0; it must be a number above 0"),
        ({"bound": math.nan}, "bound is nan"),
        ({"rungs": (0, 1)}, r"rungs is \(0, 1\); it must be two D's or more, falling"),
        ({"rungs": (1,)}, "two D's or more"),
        ({"rungs": (1, -1)}, "none below 0"),
        ({"advance": math.inf}, "advance is inf; it must be a number above 0"),
    ],
)
def test_what_is_wrong_is_named(change, words):
    given = {"goal": MEMORY, "bound": 100, "rungs": RUNGS, "advance": ADVANCE}
    with pytest.raises(ValueError, match=words):
        Controller(**(given | change))


@pytest.mark.parametrize("value", [-1, math.nan])
def test_an_observation_that_is_none_is_refused_and_changes_nothing(value):
    controller = Controller(MEMORY, 100, RUNGS, ADVANCE)
    with pytest.raises(ValueError, match="it must be a number of at least 0"):
        controller.observe(0, value)
    assert math.isinf(controller.D)
