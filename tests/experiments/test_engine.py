"""The engine: what is measured, what is kept, and what is said of what went wrong."""

import contextlib
import json

import pytest

from experiments.harness import engine, executors, registry
from experiments.harness.measured import lines_of, ratio
from experiments.harness.outcome import recall
from experiments.harness.statements import Paper, Statement
from results import Store
from results.store import IDENTITY
from tests.experiments import probing

pytestmark = pytest.mark.smoke

RUNS = 4  # two algorithms, two repetitions


def outcome_of(tmp_path, measurement="probing.fine", **changes):
    with probing.registered(measurement):
        return engine.run(probing.config(tmp_path, **changes))


def test_a_run_measures_every_repetition_and_the_next_keeps_them(tmp_path):
    first = outcome_of(tmp_path)
    assert (first.measured, first.kept, len(first.rows)) == (RUNS, 0, RUNS)
    assert set(first.rows["status"]) == {"ok"} and not first.failed
    assert sorted(zip(first.rows["algorithm"], first.rows["repetition"])) == [
        ("fiba", 0), ("fiba", 1), ("recalc", 0), ("recalc", 1)]  # fmt: skip
    second = outcome_of(tmp_path)
    assert (second.measured, second.kept) == (0, RUNS)
    assert list(second.rows["started"]) == list(first.rows["started"])


def test_force_measures_again(tmp_path):
    first = outcome_of(tmp_path)
    again = outcome_of(tmp_path, force=True)
    assert (again.measured, again.kept, len(again.rows)) == (RUNS, 0, RUNS)
    assert again.rows["started"].min() > first.rows["started"].max()
    assert set(again.rows["attempt"]) == {2}


def test_force_counts_nothing_from_before(tmp_path):
    outcome_of(tmp_path, profile={"repetitions": 3})
    again = outcome_of(tmp_path, force=True, profile={"most_repetitions": 3})
    assert (again.measured, set(again.rows["repetition"])) == (RUNS, {0, 1})
    later = outcome_of(tmp_path, profile={"repetitions": 3})
    assert later.measured == 2, "a later run does not count it either"
    assert later.rows["started"].min() >= again.rows["started"].min()


def test_what_fails_when_it_is_measured_again_is_told_and_what_was_good_is_kept(tmp_path, monkeypatch):
    fixed = tmp_path / "fixed"
    fixed.touch()
    monkeypatch.setenv("PROBE_FIXED", str(fixed))
    outcome_of(tmp_path, "probing.fails_at_first")
    fixed.unlink()
    again = outcome_of(tmp_path, "probing.fails_at_first", force=True)
    assert again.failed and list(again.rows["status"]) == ["failed"] * RUNS
    kept = outcome_of(tmp_path, "probing.fails_at_first")
    assert (kept.measured, kept.failed) == (0, False)


def test_what_is_refused_is_refused_here_and_counts_wherever_the_others_are_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(executors.LazyExecutor, "machines", lambda self: set())  # workers that are not known yet
    first, again = (outcome_of(tmp_path, algorithms=["fiba", "two_stacks"], distances=[4]) for _ in range(2))
    assert list(first.rows["status"]) == ["ok", "ok", "skipped"] and (first.measured, first.kept) == (3, 0)
    assert again.measured == 2  # nobody said that the workers are on this machine


def test_more_repetitions_measure_only_what_is_missing(tmp_path):
    outcome_of(tmp_path)
    more = outcome_of(tmp_path, profile={"repetitions": 3})
    assert (more.measured, more.kept, len(more.rows)) == (2, RUNS, RUNS + 2)


def test_rows_say_where_they_came_from(tmp_path):
    outcome = outcome_of(tmp_path)
    row = outcome.rows.iloc[0]
    assert (row["metric"], row["unit"], row["executor"], row["profile"]) == ("fine", "ns", "inline", "smoke")
    assert json.loads(row["parameters"]) == {"min_arity": 2} or row["algorithm"] == "recalc"
    for column in ("config_hash", "code_hash", "trace_hash", "machine"):
        assert row[column]
    assert json.loads(row["versions"])["numba"] and json.loads(row["machine_facts"])["cores"]


def test_the_order_is_repetition_by_repetition_and_decided_by_the_seed(tmp_path):
    told = []

    class Watch:
        def __init__(self, total, steps):
            self.total = total

        def __enter__(self):
            return lambda label, compiled: told.append(label)

        def __exit__(self, *exception):
            return False

    orders = []
    for seed in (1, 1, 2, 3, 4):
        told.clear()
        with probing.registered("probing.fine"):
            settings = probing.config(tmp_path, seed=seed, force=True, distances=[0, 1, 2])
            engine.run(settings, Watch)
        assert [label[-1] for label in told] == ["1"] * 6 + ["2"] * 6
        orders.append(tuple(told))
    assert orders[0] == orders[1]
    assert len(set(orders)) > 1


def test_what_failed_is_measured_again_by_the_next_run_and_what_is_good_is_not(tmp_path, monkeypatch):
    fixed = tmp_path / "fixed"
    monkeypatch.setenv("PROBE_FIXED", str(fixed))

    def measurement(name):
        return "probing.fails_at_first" if name == "fiba" else "probing.fine"

    def drive(name):
        return "probing.fails_at_first" if name == "fiba" else "probing.fine"

    first = outcome_of(tmp_path, measurement)
    assert first.failed
    failed = first.rows[first.rows["algorithm"] == "fiba"]
    assert set(failed["status"]) == {"failed"} and set(failed["reason"]) == {"ZeroDivisionError: as asked"}
    again = outcome_of(tmp_path, measurement)
    assert (again.measured, again.kept, again.failed) == (2, 2, True)
    fixed.touch()
    good = outcome_of(tmp_path, measurement)
    assert (good.measured, good.kept, good.failed, len(good.rows)) == (2, 2, False, RUNS)
    assert set(good.rows.loc[good.rows["algorithm"] == "fiba", "attempt"]) == {3}


def test_answers_that_differ_are_said_to_disagree(tmp_path):
    outcome = outcome_of(tmp_path, "probing.biased")
    outcome = outcome_of(tmp_path, "probing.biased")
    assert outcome.failed
    by_status = outcome.rows.groupby("status")["algorithm"].agg(set)
    assert by_status["ok"] | by_status["disagrees"] == {"fiba", "recalc"}
    reason = outcome.rows.loc[outcome.rows["status"] == "disagrees", "reason"].iloc[0]
    assert "sum to" in reason and "fiba(min_arity=2) sum n=8 d=0" in reason and "recalc sum n=8 d=0" in reason
    assert outcome_of(tmp_path, "probing.biased").measured == 2  # the two that disagree
    assert outcome_of(tmp_path, "probing.biased").measured == 2  # the two that disagree


def test_in_order_windows_are_skipped_where_the_workload_is_out_of_order(tmp_path):
    outcome = outcome_of(tmp_path, algorithms=["two_stacks_lite"], distances=[0, 3])
    skipped = outcome.rows[outcome.rows["status"] == "skipped"]
    assert list(skipped["distance"]) == [3] and "takes times in order only" in skipped["reason"].iloc[0]
    assert (outcome.measured, outcome.failed) == (3, False)
    again = outcome_of(tmp_path, algorithms=["two_stacks_lite"], distances=[0, 3])
    assert (again.measured, again.kept) == (0, 3)


def test_what_is_skipped_once_is_not_tried_again_in_the_run(tmp_path):
    outcome = outcome_of(tmp_path, lambda name: "probing.too_slow" if name == "fiba" else "probing.fine")
    assert not outcome.failed
    skipped = outcome.rows[outcome.rows["algorithm"] == "fiba"]
    assert list(skipped["status"]) == ["skipped"] * 2
    assert set(skipped["reason"]) == {"asked in repetition 1"}


def test_recall_gives_the_stored_rows_without_measuring(tmp_path):
    with probing.registered("probing.fine"):
        settings = probing.config(tmp_path)
        assert recall(settings).rows.empty
        measured = engine.run(settings)
        recalled = recall(settings)
    columns = [*IDENTITY, "started"]
    assert recalled.rows[columns].sort_values(columns).values.tolist() == (
        measured.rows[columns].sort_values(columns).values.tolist()
    )


def store_as_well(settings, **changes):
    """Store the first row once more, with these columns changed."""
    store = Store(settings["results"])
    row = {**store.rows(probing.NAME).iloc[0].to_dict(), **changes}
    store.append([{**row, "distance": int(row["distance"]), "batch": None, "samples": None}])


def test_recall_takes_the_newest_code_of_each_cell(tmp_path):
    with probing.registered("probing.fine"):
        settings = probing.config(tmp_path)
        started = engine.run(settings).rows["started"].min().replace(year=2020)
        store_as_well(settings, code_hash="older", started=started, value=5.0)
        assert "older" not in set(recall(settings).rows["code_hash"])


def test_recall_takes_todays_code_even_if_other_code_measured_later(tmp_path):
    with probing.registered("probing.fine"):
        settings = probing.config(tmp_path)
        measured = engine.run(settings).rows
        store_as_well(settings, code_hash="taken back", started=measured["started"].max().replace(year=2120), value=5.0)
        for recalled in (recall(settings), recall(settings, set(measured["cell"]))):
            assert len(recalled.rows) == RUNS and "taken back" not in set(recalled.rows["code_hash"])


def test_rows_of_other_code_are_counted_apart(tmp_path):
    with probing.registered("probing.fine"):
        settings = probing.config(tmp_path)
        measured = engine.run(settings)
        assert measured.code["rows"] == measured.code["rows_of_it"] == RUNS
        measured.rows.loc[0, "code_hash"] = "another"
        assert (measured.code["rows"], measured.code["rows_of_it"]) == (RUNS, RUNS - 1)


def test_a_wrong_setting_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(ValueError, match="unknown operator 'summ'; did you mean sum"):
        outcome_of(tmp_path, operators=["summ"])
    assert not list(tmp_path.iterdir())


def test_latencies_are_samples_in_cycles_and_calibrated_once(tmp_path):
    outcome = outcome_of(tmp_path, "rounds.latency", algorithms=["fiba"], distances=[2], window=16)
    rows = outcome.rows
    assert list(rows["status"]) == ["ok", "ok"], list(rows["reason"])
    assert set(rows["metric"]) == {"latency"} and set(rows["unit"]) == {"cycles"}
    assert rows["value"].isna().all()
    counts = [len(samples) for samples in rows["samples"]]
    assert counts == list(rows["operations"]) and counts[0] == counts[1] >= 256
    assert all((samples > 0).all() for samples in rows["samples"])
    assert rows["checksum"].nunique() == 1


def test_times_are_of_at_least_the_minimum_and_say_how_far_to_trust_them(tmp_path):
    outcome = outcome_of(tmp_path, "rounds.time", profile={"minimum_ms": 5})
    rows = outcome.rows
    assert list(rows["status"]) == ["ok"] * RUNS, list(rows["reason"])
    assert rows.loc[rows["repetition"] == 0, "value"].min() >= 5e6
    assert (rows["cpu_seconds"] > 0).all()
    assert (rows["cpu_seconds"] <= 1.5 * rows["value"] / 1e9 + 0.02).all()
    assert (rows["involuntary_switches"] >= 0).all()
    assert rows["compile_seconds"].max() > 0
    assert rows["checksum"].nunique() == 1
    per_cell = rows.groupby("cell")["operations"].nunique()
    assert (per_cell == 1).all()  # repetitions measure the same work


def test_every_repetition_has_a_process_of_its_own_and_says_what_was_around_it(tmp_path):
    rows = outcome_of(tmp_path, profile={"repetitions": 3}).rows
    assert rows.groupby("repetition")["process"].nunique().eq(1).all() and rows["process"].nunique() == 3
    around = json.loads(rows["surroundings"].iloc[0])
    assert {"load_before", "load_after", "steal", "affinity", "frequency_policy", "calibration_spread"} <= set(around)
    assert not rows["counted"].any()


@pytest.fixture
def statements(monkeypatch):
    """The experiment has a statement: fiba's value is at least 1.5 times recalc's. Returns the bounds to put in."""

    def with_bound(bound):
        statement = Statement(
            panel="none", claim="it is slower", says="slower", experiment=probing.NAME, quantity="slower",
            relation={"at least": bound}, unit="times", tolerance="made up",
        )  # fmt: skip
        monkeypatch.setattr(registry.Experiment, "paper", Paper((statement,), {probing.NAME: ("fiba", "recalc")}))

    return with_bound


def slower(measured):
    table = measured.each("noisy", "algorithm", "operator")
    return ratio(lines_of(table, algorithm="fiba"), lines_of(table, algorithm="recalc"))


def noisy_outcome(tmp_path, **changes):
    told = []

    @contextlib.contextmanager
    def watch(total, steps):
        told.append(steps)
        yield lambda label, compiled: None

    with probing.registered("probing.noisy") as made:
        made.quantity(slower)
        changes = {"profile": {"repetitions": 6, "most_repetitions": 24, **changes.pop("profile", {})}} | changes
        outcome = engine.run(probing.config(tmp_path, **changes), watch)
        return outcome, outcome.verdicts, told


@pytest.mark.parametrize(("bound", "word"), [(1.2, "holds"), (5.0, "does not hold")])
def test_nothing_is_added_where_the_first_repetitions_decide(tmp_path, statements, bound, word):
    statements(bound)
    outcome, [verdict], told = noisy_outcome(tmp_path)
    assert (verdict.word, outcome.measured, told) == (word, 12, ["measurements"]), verdict


def test_repetitions_are_added_for_an_undecided_statement_until_the_most(tmp_path, statements):
    statements(2.0)  # the very median
    most = {"most_repetitions": 12}
    outcome, [verdict], told = noisy_outcome(tmp_path, operators=["sum", "max"], profile=most)
    assert verdict.word == "undecided" and "would decide" in verdict.reason or "no number" in verdict.reason, verdict
    assert outcome.rows.groupby("cell")["repetition"].nunique().tolist() == [12] * 4
    assert told[1] == "measurements: repetition 7 of at most 12, for 1 undecided statement" and len(told) == 1 + 6
    again, _, _ = noisy_outcome(tmp_path, operators=["sum", "max"], profile=most)
    assert (again.measured, again.kept) == (0, 12 * 4)


def test_only_the_cells_of_undecided_configurations_are_repeated(tmp_path, statements):
    statements(2.0)
    outcome, _, _ = noisy_outcome(tmp_path, algorithms=["fiba", "recalc", "soe"], profile={"most_repetitions": 12})
    assert outcome.rows.groupby("algorithm")["repetition"].nunique().to_dict() == {"fiba": 12, "recalc": 12, "soe": 6}


def test_a_spent_budget_ends_the_rounds(tmp_path, statements, monkeypatch):
    statements(2.0)
    outcome, _, told = noisy_outcome(tmp_path, profile={"budget_minutes": 1e-9})
    assert len(told) == 1 and outcome.measured == 12
