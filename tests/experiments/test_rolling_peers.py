"""What experiment=peers measures: columns, exact answers and the rule of what is wrong, budgets, and each library."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.harness import plan, provenance
from experiments.harness.cell import Cell
from experiments.harness.measuring.rig import TooSlowError
from experiments.peers.measuring import affording, columns, exact, online, rolling
from experiments.peers.measuring.libraries import NAMES, OURS, TASKS, Call, module_of, offers
from plots.style import series

ROWS, WINDOW = 400, 20
PEERS = [name for name in NAMES if name not in OURS]

values = st.lists(st.floats(-1e6, 1e6).map(lambda v: v + 1e3), min_size=3, max_size=40)


@given(values)
def test_answers_are_those_of_fractions(some):
    n, true = len(some), [Fraction(value) for value in some]
    mean = sum(true) / n
    squares, cubes = (sum((value - mean) ** power for value in true) for power in (2, 3))
    assert exact.of_sum(some).answer == float(sum(true))
    assert math.isclose(exact.of_mean(some).answer, float(mean), rel_tol=1e-15)
    assert math.isclose(exact.of_std(some).answer, math.sqrt(squares / (n - 1)), rel_tol=1e-13, abs_tol=1e-10)
    found = exact.of_skew(some)
    if squares > n * Fraction(1, 10**6):
        wanted = math.sqrt(n * (n - 1)) / (n - 2) * float(cubes / n) / math.sqrt(squares / n) ** 3
        assert exact.relative_error(found, wanted) < 1e-12


def test_the_others_are_what_their_names_say():
    some = [3.0, 1.0, 3.0, 2.0]
    answers = {task: of(some).answer for task, of in exact.EXACT.items()}
    assert [answers[name] for name in ("min", "max", "argmax", "median", "distinct")] == [1, 3, 3, 2.5, 3]
    assert math.isnan(exact.of_std([1.0]).answer) and math.isnan(exact.of_skew([2.0] * 5).answer)


def test_who_adds_what_is_in_the_window_is_right_and_who_subtracts_what_has_left_is_not():
    inside = np.random.default_rng(2).random(1000)
    wanted = exact.of_sum(inside.tolist())
    assert exact.relative_error(wanted, float(np.cumsum(inside)[-1])) < exact.TOLERANCE
    subtracted = (1e16 + float(inside.sum())) - 1e16
    assert exact.relative_error(wanted, subtracted) > exact.TOLERANCE
    assert exact.relative_error(wanted, math.nan) == exact.relative_error(wanted, math.inf) == math.inf
    assert exact.relative_error(exact.Exact(3.0), 3.0) == 0 and exact.relative_error(exact.Exact(3.0), 4.0) == math.inf


@pytest.mark.parametrize("shape", columns.SHAPES)
def test_windows_are_those_of_their_definition(shape):
    column = columns.column(shape, ROWS, WINDOW)
    assert column.kind == columns.KINDS.get(shape, columns.ROWS) and len(column.values) == ROWS
    assert np.isnan(column.values).any() == (shape == "missing")
    for row in (0, 7, 250, ROWS - 1):
        if column.keys is not None:
            wanted = [i for i in range(row + 1) if column.keys[i] == column.keys[row]][-WINDOW:]
        elif column.times is not None:
            behind = column.times[row] - column.times
            wanted = [i for i in range(ROWS) if 0 <= behind[i] < WINDOW]
        else:
            wanted = list(range(max(0, row - WINDOW + 1), row + 1))
        assert column.window_of(row, WINDOW).tolist() == wanted


def test_rows_are_late_by_as_many_as_the_shape_says():
    times = columns.column("late_10", 5000, WINDOW).times
    behind = np.maximum.accumulate(times) - times
    assert sorted(times) == list(range(5000)) and 5 < behind.max() <= 10


def rows_given(seconds, least=2_000, budget=0.1):
    """The rows of a library whose calls take seconds(rows), and how many of these calls there were."""
    asked = []

    def make(rows):
        return Call(lambda: asked.append(rows) or seconds(rows), dict)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(affording, "_seconds", lambda call: call.run())
        return affording.rows_for(make, 1_000_000, least, budget, 3.0), asked


def test_quick_libraries_get_all_rows_and_slow_ones_as_many_as_they_do_in_the_budget():
    assert rows_given(lambda rows: 1e-8 * rows)[0] == 1_000_000
    assert rows_given(lambda rows: 1e-6 * rows)[0] == 32_000
    assert rows_given(lambda rows: 0.05 + 1e-8 * rows)[0] == 1_000_000  # a job is slow to start


def test_what_is_quadratic_is_noticed_before_it_hangs():
    spent = []
    with pytest.raises(TooSlowError, match="a call with 1,000,000 rows would take more than 3 s"):
        rows_given(lambda rows: spent.append(1e-9 * rows**2) or spent[-1], least=1_000_000)
    assert sum(spent) < 3


def answers(name, task, shape):
    """What a library answers, and what is right, row by row."""
    column = columns.column(shape, ROWS, WINDOW)
    call = module_of(name).prepare(task, column, WINDOW)
    for answered, found in call.read(call.run()).items():
        for row in range(WINDOW, ROWS, 7):
            wanted = rolling.exact_at(shape, ROWS, WINDOW, answered, row)
            if not math.isnan(wanted.answer):
                yield wanted, rolling._seen(answered, float(found[row]), column.values)


def test_the_code_of_a_library_counts_for_its_own_rows_alone(monkeypatch):
    before = {name: plan.code_hash(cell(name)) for name in ("rolling", "pandas", "polars")}
    assert "algorithms.rolling.by_count" in provenance.sources([module_of("rolling").__name__])
    edited, source_of = module_of("pandas").__name__, provenance.source_of
    monkeypatch.setattr(provenance, "source_of", lambda m: source_of(m) + b"#" if m == edited else source_of(m))
    provenance.code_hash.cache_clear()
    assert [name for name, known in before.items() if plan.code_hash(cell(name)) != known] == ["pandas"]
    provenance.code_hash.cache_clear()


def check(name):
    for shape in ("ties", "missing", "irregular", "late_10", "keys"):
        for task in TASKS:
            if offers(name, task, columns.KINDS.get(shape, columns.ROWS)):
                pairs = list(answers(name, task, shape))
                assert len(pairs) > 50 or task in ("skew", "std", "several"), (shape, task)
                for wanted, found in pairs:
                    assert exact.relative_error(wanted, found) <= exact.TOLERANCE, (shape, task)


@pytest.mark.plain
@pytest.mark.parametrize("name", OURS)
def test_ours_answers_what_is_asked(name):
    check(name)


@pytest.mark.parametrize("name", [name for name in PEERS if name != "sql_window_tree"])
def test_every_library_answers_what_is_asked(name):
    pytest.importorskip(module_of(name).PACKAGE)
    check(name)


def cell(name="pandas", task="sum", measurement="rolling.time", **fields):
    stream = {"shape": "random", "rows": 3000}
    made = {"parameters": {}, "workload": "columns", "stream": stream, "window": WINDOW, **fields}
    return Cell(paper="none", experiment="peers", algorithm=name, operator=task, measurement=measurement, **made)


def test_a_row_has_the_rows_that_were_given_and_the_version():
    task = {"operations": None, "laps": None, "minimum_ns": 1}
    row = rolling.time(cell(), task)
    assert row["operations"] == 3000 * row["laps"]
    assert row["facts"]["rows"] == 3000 and row["facts"]["version"] == provenance.version_of("pandas")
    again = rolling.time(cell(), task | {"operations": row["operations"], "laps": row["laps"]})
    assert (again["operations"], again["laps"]) == (row["operations"], row["laps"])


def test_wrong_answers_are_counted(monkeypatch):
    good = rolling.wrong(cell(measurement="rolling.wrong"), {})
    assert good["value"] == 0 and good["operations"] > 150
    right = module_of("pandas").prepare

    def doctored(task, column, window):
        call = right(task, column, window)
        return Call(call.run, lambda result: {"sum": call.read(result)["sum"] * np.where(np.arange(3000) < 1500, 1, 2)})

    monkeypatch.setattr(module_of("pandas"), "prepare", doctored)
    bad = rolling.wrong(cell(measurement="rolling.wrong"), {})
    assert bad["value"] == sum(row >= 1500 for row in rolling.sample(3000, WINDOW)) > 0
    assert bad["facts"]["at_row"] >= 1500 and bad["facts"]["answer"] == pytest.approx(2 * bad["facts"]["exact"])


@pytest.mark.parametrize("name", ["pandas", "river"])
def test_a_library_that_is_not_installed_is_refused_with_what_to_do_and_its_version_is_code(name, monkeypatch):
    chosen = [cell(name), cell(name, measurement="rolling.wrong"), cell("river", measurement="online.latency")]
    hashes = [plan.code_hash(one) for one in chosen]
    monkeypatch.setattr(provenance, "version_of", lambda package: "9.9")
    assert all(plan.code_hash(one) != known for one, known in zip(chosen, hashes))
    assert [plan.refusal(one) for one in chosen] == [""] * 3
    monkeypatch.setattr(provenance, "version_of", lambda package: "")
    assert {plan.refusal(one) for one in chosen} <= {f"{n} is not installed: make peers" for n in (name, "river")}
    assert [plan.refusal(cell("rolling")), plan.refusal(cell("sliding", "argmax"))] == ["", ""]


@pytest.mark.plain
def test_single_rows_are_timed_one_by_one(monkeypatch):
    monkeypatch.setattr(online, "ROWS", 50)
    for name, tasks in online.TASKS.items():
        if name != "river" or provenance.version_of("river"):
            row = online.latency(cell(name, tasks[-1], "online.latency", stream={"shape": "random"}), {})
            assert len(row["samples"]) == row["operations"] == 50 and row["samples"].min() > 0


def test_every_library_has_a_look_of_its_own():
    labels = {name: series(name, {}).label for name in (*NAMES, *online.TASKS)}
    assert len(set(labels.values())) == len(labels)
    assert all("{" not in label and series(name, {}).order < 1000 for name, label in labels.items())
