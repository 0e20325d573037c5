"""Laws found by trying, and operators read from their source: Tables 1 and 2 of the RA paper."""

import random

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from algorithms import operators
from experiments.harness.cell import Cell
from experiments.harness.cli import help_text
from experiments.harness.plan import cells_of, runs_of
from experiments.harness.settings import Settings, SettingsError, of_an_experiment
from experiments.reactive_aggregator.measuring import decomposition, laws
from experiments.reactive_aggregator.measuring.decomposition import PIECES
from experiments.reactive_aggregator.measuring.laws import LAWS


def settings(*given: str) -> Settings:
    OmegaConf.register_new_resolver("page", help_text.page, replace=True)
    with initialize_config_dir(str(help_text.CONF), version_base=None):
        config = compose("config", ["experiment=ra_operators", "profile=smoke", *given])
    composed = OmegaConf.to_container(config, resolve=True)
    return Settings.of(of_an_experiment(composed))


def cell(operator: str, trials: int = 300) -> Cell:
    return Cell("reactive_aggregator", "ra_operators", "", {}, operator, "partials", {"trials": trials, "seed": 1}, 0)


def chance() -> random.Random:
    return random.Random(1)


# ------------------------------------------------------------------------------------------------------------- laws


def broken(**changes):
    """Sum of whole numbers, with other functions."""
    functions = {"lift": lambda v: v, "combine": lambda a, b: a + b, "lower": lambda a: a, "identity": 0}
    return operators.from_functions(**(functions | changes))


def test_sum_obeys_all():
    for op in (operators.make("sum", "int64"), broken(undo=lambda a, b: a - b)):
        for law in (laws.ASSOCIATIVE, laws.IDENTITY, laws.COMMUTATIVE):
            count, counterexample = laws.tried(op, law, 100, chance())
            assert not counterexample and count >= 50
        assert laws.undone(op, chance())[1] == ""


def test_subtraction_is_not_associative_and_not_commutative():
    op = broken(combine=lambda a, b: a - b)
    found = laws.tried(op, laws.ASSOCIATIVE, 100, chance())[1]
    a, b, c = (int(part.split(" = ")[1]) for part in found.split(":")[0].split(", "))
    left, right = (int(part.rpartition(" = ")[2]) for part in found.split(": ")[1].split(", "))
    wrap = lambda x: (x + 2**63) % 2**64 - 2**63  # noqa: E731 - int64, as compiled
    assert (left, right) == (wrap(a - b - c), wrap(a - (b - c))) and left != right
    assert laws.tried(op, laws.COMMUTATIVE, 100, chance())[1].startswith("a = ")


def test_a_wrong_identity_is_found_on_either_side():
    assert "a = 1: identity + a = 2" in laws.tried(broken(identity=1), laws.IDENTITY, 9, chance())[1]
    assert laws.tried(broken(combine=lambda a, b: a), laws.IDENTITY, 9, chance())[1], "wrong on the left only"
    assert laws.tried(broken(combine=lambda a, b: b), laws.IDENTITY, 9, chance())[1], "wrong on the right only"


def test_a_wrong_inverse_is_found():
    assert "undo(b + x, b) = " in laws.undone(broken(undo=lambda a, b: a - b - b), chance())[1]


def test_without_an_inverse_there_are_two_parts_with_one_sum_or_nothing_is_refuted():
    assert laws.undone(operators.make("max", "int64"), chance())[1].count("b + ") == 2
    assert laws.undone(broken(), chance())[1] == ""  # nothing refutes it: "not invertible" can fail


def test_a_law_that_holds_for_one_kind_of_numbers_only_does_not_hold():
    """Sums of float64 are tried up to rounding, of int64 exactly; both versions are in the facts."""
    row = laws.associative(cell("sum"), {})
    assert (row["value"], row["operations"]) == (1, 600)
    assert row["facts"] == {"versions": ["float64", "int64"], "up_to_rounding": True, "counterexample": ""}
    assert laws.associative(cell("count"), {})["facts"]["versions"] == ["int64"], "count is the same for both"


@pytest.mark.parametrize("operator", ["max_count", "arg_min", "collect", "first"])
def test_measured_laws_are_those_that_tests_of_laws_hold_operators_to(operator):
    declared = operators.make(operator).laws
    assert laws.invertible(cell(operator), {})["value"] == ("invertible" in declared)
    assert laws.commutative(cell(operator), {})["value"] == ("commutative" in declared)
    assert laws.identity(cell(operator), {})["value"] == laws.associative(cell(operator), {})["value"] == 1


# ----------------------------------------------------------------------------------------------------------- pieces


def texts(operator: str) -> dict[str, str]:
    return {name: getattr(decomposition, name)(cell(operator), {})["facts"]["text"] for name in PIECES}


def test_pieces_are_read_from_the_source():
    assert texts("sum") == {"partial": "float", "lift": "value", "combine": "a + b", "lower": "a"}
    assert texts("arithmetic_mean")["partial"] == "n: int, total: float"
    assert texts("collect")["partial"] == "total: int, lost: int, kept: float[…]"


def test_what_only_hands_on_its_arguments_is_shown_as_what_it_calls():
    assert texts("sample_stddev")["combine"].startswith("n = a.n + b.n; share = ")
    assert texts("max")["lift"] == "known(value, op.identity)"
    helpers = decomposition.lift(cell("arg_max"), {})["facts"]["helpers"]
    assert set(helpers) == {"lift_pair", "known", "pair"}


def test_sizes_are_statements_and_bytes():
    assert decomposition.combine(cell("max"), {})["value"] == 1
    assert decomposition.combine(cell("sample_stddev"), {})["value"] == 5
    assert decomposition.partial(cell("sample_stddev"), {})["value"] == 24


# ------------------------------------------------------------------------------------------------------------ plans


def test_a_cell_for_each_law_and_piece_without_a_window():
    cells = cells_of(settings())
    assert len(cells) == 15 * len((*LAWS, *PIECES))
    assert {one.algorithm for one in cells} == {""} and not any(not one.declared.counted for one in cells)
    assert {one.metric for one in cells} == {*LAWS, *PIECES}
    assert next(one.label for one in cells if one.metric == "associative") == "count: associative"
    assert not any(run.refusal for run in runs_of(settings("operators=[sum]")))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("window=5", "takes no window"),
        ("distances=[0]", "takes no distances"),
        ("algorithms=[recalc]", "leave algorithms and workload out"),
        ("workload=flights", "leave algorithms and workload out"),
        ("operators=['sum:float64']", "tries all kinds of numbers"),
        ("operators=[summ]", "unknown operator 'summ'; did you mean sum"),
    ],
)
def test_settings_that_it_cannot_take(given, message):
    with pytest.raises(SettingsError, match=message):
        cells_of(settings(given))
