"""window("auto"): what is legal, what the table says, and windows that answer as those asked for by name."""

import math
import pickle

import numpy as np
import pytest

from algorithms import SlidingAggregate, catalogue, operators, policies, window
from algorithms.windows.choosing import choice as choosing
from algorithms.windows.choosing import operator_cost
from algorithms.windows.choosing import table as table_of_costs
from algorithms.windows.choosing.candidates import Candidate, in_memory, legal, subtracts
from algorithms.windows.choosing.choice import TRIED, choice
from algorithms.windows.choosing.learnt import learnt
from algorithms.windows.choosing.operator_cost import OperatorCost, cost_of, guessed, measured, name_of, values_for
from algorithms.windows.choosing.table import LIKE, UNLIKE, Table, factors, line_of
from algorithms.windows.choosing.trial import VALUES, Rounds
from algorithms.windows.contract import ANY_ORDER, IN_ORDER
from tests.algorithms.own_functions import span

MADE = [("sum", "int64"), ("sum", "float64"), ("max", "float64"), ("arg_max", "float64"), ("bloom", "int64")]


@pytest.mark.plain
@pytest.mark.parametrize(("name", "dtype"), MADE)
@pytest.mark.parametrize("distance", [None, 0, 40])
@pytest.mark.parametrize("calls", [(), ("range_query",), ("evict_at", "bulk_insert")])
def test_what_is_chosen_is_legal_and_the_quickest_of_what_was_considered(name, dtype, distance, calls):
    op = operators.make(name, dtype)
    made = choice(op, 500, distance, 3, calls)
    card = made.candidate.card
    assert not card.refusal(op) and set(calls) <= set(card.operations)
    assert card.order == ANY_ORDER or distance == 0
    assert op.exact or not subtracts(card, op)
    assert [ns for _, ns in made.expected] == sorted(ns for _, ns in made.expected)
    assert {each for each, _ in made.expected} <= set(legal(op, distance != 0, calls))
    assert str(made).splitlines()[0].startswith(f"{made.candidate} for {name}: 500 entries, distance")


@pytest.mark.plain
def test_windows_that_subtract_are_for_exact_operators_only():
    for dtype, offered in (("int64", True), ("float64", False)):
        names = {each.algorithm for each in legal(operators.make("sum", dtype), False)}
        assert ({"soe", "slick_deque"} <= names) is offered
        assert "two_stacks_lite" in names and "kvs_amta" not in names
    assert "slick_deque" in {each.algorithm for each in legal(operators.make("max"), False)}


@pytest.mark.plain
def test_the_table_speaks_of_windows_and_operators_that_there_are():
    made = [operators.make(name, dtype) for name in operators.names() for dtype in operators.versions(name)]
    lines = {line_of(each, op) for each in in_memory() for op in made if not each.card.refusal(op)}
    assert set(learnt()["windows"]) <= lines
    assert set(learnt()["operators"]) <= {name_of(op) for op in made}
    assert {each.card.order for each in in_memory() if str(each) in learnt()["windows"]} == {IN_ORDER, ANY_ORDER}
    for points in learnt()["windows"].values():
        assert all(0 <= d < n and 1 <= m <= n and min(numbers[:4]) >= 0 for n, d, m, *numbers in points)
        assert all(len(point) == 7 + len(learnt()["known"]) for point in points)
    assert set(learnt()["known"]) <= set(learnt()["operators"])


ONE = OperatorCost(combine=2.0, fold=3.0, undo=5.0)


@pytest.mark.plain
def test_between_the_points_of_the_grid_logarithms_are_interpolated():
    op, at = operators.make("max"), Candidate("recalc")
    table = Table({"recalc": [[15, 0, 1, 1, 2, 0, 0], [255, 0, 1, 20, 0, 0, 0], [255, 15, 1, 80, 0, 0, 0]], "daba": []})
    assert factors(at, op, ONE) == (1.0, 2.0, 3.0, 8 / 64)
    assert factors(Candidate("soe"), operators.make("sum"), ONE)[2] == 5.0

    def ns(n, d, batch=1):
        return table.round_of(at, op, ONE, n, d, batch)

    assert ns(15, 0) == pytest.approx(5) and ns(255, 0) == pytest.approx(20)
    assert ns(63, 0) == pytest.approx(10)  # log 64 is in the middle of log 16 and log 256
    assert ns(255, 3) == pytest.approx(40)
    assert ns(3, 9, 7) == pytest.approx(5)  # outside, the nearest point
    assert table.round_of(Candidate("daba"), op, ONE, 15, 0, 1) is None


@pytest.mark.plain
def test_an_operator_differs_from_the_four_numbers_as_it_did_and_others_as_those_that_are_like_it():
    most, total = operators.make("max", "int64"), operators.make("sum", "float64")
    least = operators.make("min", "int64")
    known = {name_of(op): sorted(op.laws) for op in (most, total)}
    table, one = Table({"recalc": [[16, 0, 1, 10, 0, 0, 0, 0.5, None]]}, known), Candidate("recalc")

    def off(op, cost):
        return math.log(table.round_of(one, op, cost, 16, 0, 1) / 10)

    assert off(most, ONE) == pytest.approx(0.5, abs=1e-5) and off(total, cost_of(total)) == pytest.approx(0)
    same = cost_of(most)
    assert off(least, same) == pytest.approx(0.5 / (1 + UNLIKE))
    weight = math.exp(-0.5)  # as far as one law
    assert off(operators.make("min", "float64"), same) == pytest.approx(0.5 * weight / (UNLIKE + weight))
    assert off(least, same._replace(combine=same.combine * math.exp(LIKE))) == pytest.approx(
        0.5 * weight / (UNLIKE + weight)
    )
    assert 0 < off(least, same._replace(combine=same.combine * 100)) < 0.01


@pytest.mark.plain
def test_a_window_that_was_too_slow_to_be_measured_is_not_considered_where_it_was_not():
    op = operators.make("max")
    table = Table({"recalc": [[16, 0, 1, 1, 0, 0, 0]], "daba": [[16, 0, 1, 1, 0, 0, 0], [64, 0, 1, 1, 0, 0, 0]]})
    assert table.round_of(Candidate("recalc"), op, ONE, 17, 0, 1) is None
    assert table.round_of(Candidate("recalc"), op, ONE, 16, 0, 1) == pytest.approx(1)
    assert table.round_of(Candidate("daba"), op, ONE, 1000, 0, 1) == pytest.approx(1)


@pytest.mark.plain
def test_an_automatic_window_answers_late_values_and_says_what_it_is():
    w, naive = window("auto", operator="max", capacity=50), window("recalc", operator="max", capacity=50)
    rng = np.random.default_rng(1)
    for time, value in zip(rng.permutation(40).tolist(), rng.random(40).tolist()):
        for each in (w, naive):
            each.insert(time, value)
        assert w.query() == naive.query() and len(w) == len(naive)
    assert w.card.name in catalogue() and repr(w) == f"<window auto: {w.card.name} of max, 40 of 50 entries>"
    assert str(w.choice.candidate) in str(w.choice)
    copy = pickle.loads(pickle.dumps(w))
    assert copy.choice == w.choice and copy.query() == w.query()
    assert window("fiba").choice is None


@pytest.mark.plain
def test_an_operator_of_ones_own_is_chosen_for():
    w = window("auto", operator=span(), capacity=100, distance=0, batch=4)
    w.insert_many([1, 2, 3], [4.0, 9.0, 6.0])
    assert w.query() == 5.0 and w.card.law != "group"


def test_an_operator_of_ones_own_is_timed_once():
    cheap = measured(operators.make("max"))
    assert 0 < cheap.fold < 100 and 0 < cheap.combine < 100 and cheap.undo == 0
    own = span()
    assert name_of(own) == "" and cost_of(own) is cost_of(own)
    assert min(cost_of(own)[:2]) > 0
    made = choice(own, 20, 0)
    assert len(made.timed) == TRIED and choice(own, 20, 0).timed == made.timed
    assert made.candidate == made.timed[0][0] and choice(own, 20, 0, trial=1).timed == ()


def without(monkeypatch, *lines):
    """Choices go by a table that has not these lines, as one that was written before these windows were."""
    windows = {line: points for line, points in learnt()["windows"].items() if line not in lines}
    monkeypatch.setattr(choosing, "shipped", lambda: Table(windows, learnt()["known"]))


def test_a_window_that_is_not_in_the_table_is_timed_beside_the_best_of_those_that_are(monkeypatch):
    op = operators.make("max", "float64")
    without(monkeypatch, "two_stacks_lite", "recalc")
    made = choice(op, 100, 0)
    assert {str(each) for each, _ in made.timed} == {"two_stacks_lite", "recalc"} | {
        str(each) for each, _ in made.expected[:2]
    }
    assert made.candidate == made.timed[0][0] and str(made.timed[-1][0]) == "recalc"
    assert str(made).count("not in the table, timed ") == len(made.new) == 2
    assert not {"two_stacks_lite", "recalc"} & {str(each) for each, _ in made.expected}
    assert choice(op, 100, 0, trial=1).timed == ()
    assert len(choice(op, 100, 0, trial=3).timed) == 5
    without(monkeypatch, "two_stacks_lite")
    assert choice(op, 100, 7).timed == (), "it takes times in order only"


@pytest.mark.parametrize("calls", [(), ("range_query",)])
def test_a_window_is_chosen_where_the_table_has_none(monkeypatch, calls):
    op = operators.make("max", "float64")
    without(monkeypatch, *learnt()["windows"])
    monkeypatch.setattr(choosing, "timed", lambda tried, *_: [(each, 1.0) for each in reversed(tried)])
    made = choice(op, 30, 0, calls=calls)
    assert made.expected == () and made.new == tuple(legal(op, False, calls))
    assert made.candidate in (made.new[-1], made.new[0]) and str(made).count("not in the table") == len(made.new)


@pytest.mark.plain
@pytest.mark.parametrize(("d", "batch"), [(0, 1), (7, 1), (7, 5), (0, 40)])
def test_rounds_of_a_trial_are_those_of_every_window(d, batch):
    op = operators.make("sum", "int64")
    values, answers = values_for(op, VALUES), set()
    for each in legal(op, d > 0):
        rounds = Rounds(each, op, 40, d, batch, values)
        rounds.fill()
        answers.add((rounds.run(3), rounds.run(100)))
    assert len(answers) == 1


@pytest.mark.plain
def test_the_quickest_of_a_trial_is_chosen(monkeypatch):
    monkeypatch.setattr(Rounds, "lap", lambda rounds: 1e6 / (1 + len(type(rounds.w).__name__)))
    made = choice(operators.make("max"), 50, 0, trial=3)
    assert {each for each, _ in made.timed} == {each for each, _ in made.expected[:3]}
    assert made.candidate == made.timed[0][0]
    assert [ns for _, ns in made.timed] == sorted(ns for _, ns in made.timed)
    assert str(made).count(", timed ") == 3


@pytest.mark.plain
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"distanse": 3}, "unknown argument of window.'auto', ....? 'distanse'; did you mean distance"),
        ({"min_arity": 3}, "unknown argument of window.'auto'"),
        ({"distance": -1}, "distance must be a whole number of at least 0, not -1"),
        ({"trial": 0}, "trial must be a whole number of at least 1, not 0"),
        ({"batch": 0}, "batch must be a whole number of at least 1, not 0"),
        ({"calls": ["peek"]}, "unknown call 'peek'"),
        ({"store": "lmdb:here"}, "'auto' chooses among windows in memory; kvs_amta is kept in a store"),
    ],
)
def test_wrong_hints_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        window("auto", capacity=10, **given)


@pytest.mark.plain
def test_with_a_policy_times_are_in_order():
    counted = operators.product(count="count", most="max")
    w = window("auto", operator=counted, capacity=10, policy=policies.count(3))
    assert w.choice.asked.endswith("distance 0, 1 a query")
    w.insert_many([1, 2, 3, 4], [9.0, 2.0, 3.0, 1.0])
    assert w.query().most == 3.0 and len(w) == 3


@pytest.mark.plain
@pytest.mark.parametrize("spec", [{"lateness": 5}, {}, {"by": "count"}, {"slide": "row", "lateness": 5}])
def test_an_automatic_aggregate_gives_what_one_by_name_gives(spec):
    times = np.arange(60) + np.random.default_rng(2).integers(0, 5 if "lateness" in spec else 1, 60)
    values = np.random.default_rng(3).random(60)
    spec = {"size": 10, "slide": 3, "operator": {"most": "max", "total": "sum"}, **spec}
    auto, fiba = SlidingAggregate("auto", **spec), SlidingAggregate("fiba", **spec)
    one, other = (
        {name: each[name].tolist() for name in each} for each in (a.batch(times, values) for a in (auto, fiba))
    )
    assert one.keys() == other.keys() and one["time"] == other["time"] and one["most"] == other["most"]
    assert all(math.isclose(a, b, rel_tol=1e-12) for a, b in zip(one["total"], other["total"], strict=True))
    late_at_ends = "lateness" in spec and spec["slide"] != "row"
    assert (auto.choice.candidate.card.order == ANY_ORDER) >= late_at_ends
    assert fiba.choice is None
    with pytest.raises(ValueError, match="unknown parameter of auto 'calls'"):
        SlidingAggregate("auto", **spec, calls=())


@pytest.mark.plain
def test_what_lies_beyond_the_window_counts_as_its_end(monkeypatch):
    """No more younger entries can be there than all others, and no batch is longer than the window."""
    expected, timed = set(), set()
    monkeypatch.setattr(choosing, "_expected", lambda candidate, costs, *place: expected.add(place) or 1.0)
    monkeypatch.setattr(choosing, "timed", lambda tried, ops, *place: timed.add(place) or [(tried[0], 1.0)])
    for entries, distance, batch in [(10, 10**6, 1), (10, 9, 30), (10, 8, 10), (1, 5, 2), (100, None, 9)]:
        choice(operators.make("max"), entries, distance, batch, trial=2)
    assert expected == timed == {(10, 9, 1), (10, 9, 10), (10, 8, 10), (1, 0, 1), (100, 10, 9)}


@pytest.mark.plain
def test_several_operators_are_timed_if_one_of_them_is_ones_own(monkeypatch):
    monkeypatch.setattr(choosing, "PLAIN", False)
    monkeypatch.setattr(choosing, "timed", lambda tried, *_: [(each, 1.0) for each in tried])
    most, own = operators.make("max"), span()
    assert len(choice([most, own], 20, 0).timed) == len(choice([own], 20, 0).timed) == TRIED
    assert choice([most, operators.make("min")], 20, 0).timed == ()


@pytest.mark.plain
def test_an_operator_takes_the_form_of_a_window_that_its_law_allows():
    deque, either = Candidate("slick_deque"), {"sum": "invertible", "max": "selective"}
    for name, law in either.items():
        assert line_of(deque, operators.make(name, "int64")) == f"slick_deque, {law}"
    assert line_of(Candidate("soe"), operators.make("sum", "int64")) == "soe"


@pytest.mark.plain
def test_twice_the_width_is_half_as_far_as_twice_the_cost():
    def place(cost, width):
        return table_of_costs._place(OperatorCost(cost, cost, 0.0), width, "float64", ())

    by_width = table_of_costs._apart(place(4.0, 8), place(4.0, 16))
    by_cost = table_of_costs._apart(place(4.0, 8), place(8.0, 8))
    assert by_width == pytest.approx(math.log(2) / 2) and by_cost == pytest.approx(math.hypot(math.log(2), math.log(2)))
    assert table_of_costs._apart(place(0.1, 8), place(0.0, 8)) == 0


@pytest.mark.plain
@pytest.mark.parametrize(("algorithm", "batch"), [("two_stacks", 1), ("two_stacks", 7), ("fiba", 1)])
def test_a_lap_is_whole_bursts_and_about_as_long_as_asked(algorithm, batch):
    op = operators.make("sum", "int64")
    rounds = Rounds(next(each for each in legal(op, False) if each.algorithm == algorithm), op, 100, 0, batch, None)
    rounds.lap = lambda: 50.0 * rounds.count
    rounds.calibrate(200_000)
    assert rounds.burst == (-(-100 // batch) if algorithm == "two_stacks" else 1)
    assert rounds.count % rounds.burst == 0 and 1_000 <= rounds.count <= 5_000 + rounds.burst
    rounds.lap = lambda: 1e8 * rounds.count
    rounds.calibrate(200_000)
    assert rounds.count == 16
    rounds.lap = lambda: 50.0 * rounds.count + 17e6  # the call takes long, not the rounds
    rounds.calibrate(200_000)
    assert rounds.count % rounds.burst == 0
    slowed = iter([150_000.0] * 4)
    rounds.lap = lambda: 50.0 * rounds.count + next(slowed, 0.0)  # four laps on end are slowed from without
    rounds.calibrate(200_000)
    assert 1_000 <= rounds.count <= 5_000 + rounds.burst


@pytest.mark.plain
def test_a_cost_is_that_of_many_combines_although_some_laps_were_held_up(monkeypatch):
    held_up = iter([120_000] * 6)  # compensated_sum once cost 3,565 ns a combine, and not 1.4
    monkeypatch.setattr(operator_cost, "lap", lambda run, count: 3_000 + 2 * count + next(held_up, 0))
    assert operator_cost.quickest(lambda count: None) == pytest.approx(2, rel=0.05)


@pytest.mark.plain
def test_a_cost_that_is_not_timed_is_guessed_by_the_width():
    assert guessed(operators.make("sum", "int64")) == OperatorCost(2.125, 2.125, 2.125)
    assert guessed(operators.make("max", "float64")) == OperatorCost(2.125, 2.125, 0.0)
