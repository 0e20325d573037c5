"""Every statement about FiBA's figures on made-up rows: as published it holds; on rows that contradict it and on those
of wrong implementations it does not."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from experiments.fiba.anomaly import fiba_anomaly
from experiments.fiba.bulk import fiba_bulk
from experiments.fiba.fifo import COUNT, fiba_fifo
from experiments.fiba.latency import fiba_latency, step_of
from experiments.fiba.ooo import fiba_ooo
from experiments.fiba.sharing import fiba_sharing
from experiments.harness.measured import Measured
from experiments.harness.settings import Profile, Settings, SettingsError
from results.verdicts import HOLDS, NOT_JUDGED, NOT_MEASURED
from tests.experiments.made_rows import OPERATIONS, frame, row

pytestmark = pytest.mark.smoke

REPETITIONS = 7
N, FAR = 1024, 256
DISTANCES = (0, 1, 4, 16, 64, 256, N)
COUNTED_DISTANCES = tuple(1 << k for k in range(11))
WINDOWS = (1, 16, 256, 1024, 4096, 16384)
SMALL = (1, 16, 64)
BATCHES = (1, 64, 256)
OPERATORS = ("sum", "geometric_mean", "bloom")
TREES = [(name, arity) for name in ("b_tree", "fiba") for arity in (2, 4, 8)]
FOLDS = [("fiba_folds", arity) for arity in (2, 4, 8)]
FIFO = [("two_stacks", 0), ("daba", 0), ("reactive", 0), ("b_tree", 4), ("fiba", 2), ("fiba", 4)]


def made(value, points):
    """Rows of all repetitions: `value` of each point (a dictionary of columns), timed with noise, counted without."""
    random, rows = np.random.default_rng(1), []
    for k, point in enumerate(points):
        columns = {"workload": "distance"} | point
        name, parameters = columns.pop("algorithm"), columns.pop("parameters")
        for repetition in range(REPETITIONS):
            noise = random.lognormal(0, 0.01)
            found = value(name, parameters, point)
            if point["metric"] in ("combines", "walks", "bytes"):
                facts = json.dumps({"restructurings": found[1]}) if isinstance(found, tuple) else "{}"
                each = found[0] if isinstance(found, tuple) else found
                known = {"value": each * (1 if point["metric"] == "bytes" else OPERATIONS), "facts": facts,
                         "counted": True}  # fmt: skip
            elif point["metric"] == "latency":
                samples = found[0] * random.lognormal(0, 0.1, 1000)
                samples[500:520] = found[1]
                known = {"samples": samples * noise}
            else:
                known = {"value": found * OPERATIONS * noise}
            known = {"counted": False, "repetition": repetition, "cell": f"{k:016x}", "status": "ok"} | known
            rows.append(row(name, parameters, **columns, **known))
    return frame(rows)


def points_of(series, metric, operators=OPERATORS, **axis):
    """A point for each series, operator and value of the one axis, whose name is a column."""
    ((key, values),) = axis.items()
    fixed = {"window": N, "distance": 0, "metric": metric}
    return [
        fixed | {"algorithm": name, "parameters": {"min_arity": arity} if arity else {}, "operator": op, key: x}
        for name, arity in series for op in operators for x in values
    ]  # fmt: skip


def used(points, name, values):
    """The points, each with every value of a further parameter."""
    return [point | {"parameters": point["parameters"] | {name: value}} for point in points for value in values]


def looped(points):
    return [point | {"parameters": point["parameters"] | {"evict": how, "insert": how}}
            for point in points for how in ("bulk", "loop")]  # fmt: skip


FINGER = [("fiba", 4)]
POINTS = {
    "fiba_ooo": points_of(TREES, "time", distance=DISTANCES)
    + points_of(TREES, "combines", ("sum",), distance=COUNTED_DISTANCES),
    "fiba_latency": points_of(TREES, "latency", distance=(0, FAR))
    + points_of(TREES, "combines", ("sum",), distance=(0, FAR)),
    "fiba_anomaly": points_of([*TREES[3:], *FOLDS], "combines", ("sum",), window=(N, 1 << 22))
    + points_of([*TREES[3:], *FOLDS], "walks", ("sum",), window=(N, 1 << 22)),
    "fiba_fifo": points_of(FIFO, "time", window=WINDOWS) + points_of(FIFO[3:], "combines", ("sum",), window=WINDOWS),
    "fiba_sharing": used(
        points_of(FINGER, "time", window=SMALL) + points_of(FINGER, "bytes", window=SMALL), "sharing", ("range", "twin")
    ),
    "fiba_bulk": looped(points_of(FINGER, "time", ("sum",), batch=BATCHES)),
}
EXPERIMENTS = {one.name: one for one in (fiba_ooo, fiba_latency, fiba_anomaly, fiba_fifo, fiba_sharing, fiba_bulk)}
AXIS = dict(zip(EXPERIMENTS, ("distance", "distance", "window", "window", "window", "batch")))


def of_ooo(name, parameters, point):
    arity, d = parameters["min_arity"], point["distance"]
    classic, bloom = name == "b_tree", point["operator"] == "bloom"
    if point["metric"] == "combines":
        height = int(math.log2(1 + d) / math.log2(1.4 * arity))
        return 10 * arity + (40 if classic else 2 * arity * height), 0.0 if d == N else 0.5
    worth = math.log2(arity) * (2 if bloom else -2)
    steps = 0 if d == N else math.log2(1 + d)
    return worth + (100 - 20 * (d == N) if classic else 20 + 8 * steps)


def of_latency(name, parameters, point):
    classic, bloom, arity = name == "b_tree", point["operator"] == "bloom", parameters["min_arity"]
    if point["metric"] == "combines":
        return (8.0 if classic else 2.0) * arity
    if point["distance"] == 0:
        return (3000 if classic else 1000 if bloom else 100), 20000
    if bloom:
        return (60000 if classic else {2: 1500, 4: 6000, 8: 4000}[arity]), 90000 if classic else 7000
    return (3000 if classic else {2: 1500, 4: 2500, 8: 2000}[arity]), 20000


def of_anomaly(name, parameters, point):
    arity, effect = parameters["min_arity"], name == "fiba" and point["window"] == 1 << 22
    if point["metric"] == "walks":
        return 9.0 if arity == 4 and effect else 0.5
    if point["window"] == N:
        return {2: 100.0, 4: 60.0, 8: 70.0}[arity]
    return {2: 60.0, 4: 180.0 if effect else 100.0, 8: 140.0}[arity]


def of_fifo(name, parameters, point):
    arity, bloom, log = parameters.get("min_arity", 0), point["operator"] == "bloom", math.log2(1 + point["window"])
    if point["metric"] == "combines":
        return (10 + arity if name == "fiba" else 5 * log), 0.1
    reactive = 10 + 0.95 * log if bloom else 500 + log / 10
    tree = 23 if bloom else 10
    return {"two_stacks": 8, "daba": 10, "reactive": reactive, "fiba": tree + arity, "b_tree": 60 + 20 * log}[name]


def of_sharing(name, parameters, point):
    twin = parameters["sharing"] == "twin"
    if point["metric"] == "bytes":
        return 1000.0 + 40 * point["window"] * twin
    return 100 if twin else 120


def of_bulk(name, parameters, point):
    return 50 if parameters["evict"] == "loop" else 60 / point["batch"] ** 0.5


PUBLISHED = dict(zip(EXPERIMENTS, (of_ooo, of_latency, of_anomaly, of_fifo, of_sharing, of_bulk)))


def judged(experiment, rows):
    """The word for each claim that can have a verdict."""
    return {one.claim: one.word for one in EXPERIMENTS[experiment].verdicts(rows) if one.word != NOT_JUDGED}


def reversed_along(experiment):
    """The values in reversed order along the axis of the panels."""
    axis, published = AXIS[experiment], PUBLISHED[experiment]

    def value(name, parameters, point):
        values = sorted({one[axis] for one in POINTS[experiment] if one["metric"] == point["metric"]})
        return published(name, parameters, point | {axis: values[len(values) - 1 - values.index(point[axis])]})

    return value


def shuffled(experiment):
    """The series under each other's names: the first as the last; the ways to use a tree exchanged."""
    published = PUBLISHED[experiment]
    exchanged = {"twin": "range", "range": "twin", "bulk": "loop", "loop": "bulk"}

    def value(name, parameters, point):
        if set(parameters.values()) & set(exchanged):
            return published(name, {key: exchanged.get(use, use) for key, use in parameters.items()}, point)
        series = [*TREES[3:], *FOLDS] if experiment == "fiba_anomaly" else FIFO if experiment == "fiba_fifo" else TREES
        series = series[3:] if point["metric"] == "combines" and experiment == "fiba_fifo" else series
        name, arity = series[len(series) - 1 - series.index((name, parameters.get("min_arity", 0)))]
        return published(name, {"min_arity": arity}, point)

    return value


def constant(experiment):
    def value(name, parameters, point):
        return {"combines": (10.0, 0.5), "latency": (500, 500), "walks": 5.0, "bytes": 1000.0, "time": 100.0}[
            point["metric"]
        ]

    return value


WRONG = {"reversed": reversed_along, "shuffled": shuffled, "constant": constant}

R, S, C = WRONG
ALLOWED = {
    # What is claimed is that something does not change, or that two things are alike, or within a factor.
    "mostly unaffected by": {R, S, C},
    "the worst cases of both trees are similar": {R, S, C},
    "the median latencies of both trees are similar": {S, C},
    "time of a round is constant": {R, S, C},
    "combines for a round are constant": {R, C},
    "take similar time": {R, S, C},
    "growth is not obvious": {R, C},
    "For single items bulk operations are not much slower": {R, S, C},
    # Of the whole axis, or of one place on it: its order does not matter.
    "smaller min-arity is faster": {R},
    "larger min-arity is faster": {R},
    "has fewer steps": {R},
    "takes more combines": {R},
    "finger tree's median latency is significantly lower": {R},
    "has the best throughput for most": {R},
    "generally second best": {R},
    "further behind DABA": {R},
    "within 30 % of DABA": {R, S, C},
    "about 60 % off DABA": {R},
    "outrun the finger trees at every window": {R},
    "Reactive is slower": {R},
    "Reactive outruns": {R},
    "does not consistently improve": {R},
    "does not outperform": {R},
    "slightly more expensive": {R},
    "outrun loops": {R},
    "With our addition": {R},
    # Of every tree alike, or of a series that takes the place of another like it.
    "is faster at d = n": {S},
    "At d = n no node": {S},
    "Reactive's time of a round grows": {S},
    "growth is obvious": {S},
    "min-arity 8 takes fewer combines": {S},
}
"""Wrong implementations on which a statement holds all the same, by words of its claim."""


def allowed(claim):
    return next((kinds for words, kinds in ALLOWED.items() if words in claim), set())


@pytest.mark.parametrize("experiment", POINTS)
def test_statements_hold_on_rows_as_published(experiment):
    found = judged(experiment, made(PUBLISHED[experiment], POINTS[experiment]))
    assert found and set(found.values()) == {HOLDS}, found


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("experiment", POINTS)
def test_a_wrong_implementation_wins_nothing(experiment, kind):
    found = judged(experiment, made(WRONG[kind](experiment), POINTS[experiment]))
    assert {claim for claim, word in found.items() if word == HOLDS and kind not in allowed(claim)} == set()


def changed(name, factor):
    """The published values with those of one algorithm (or way to use the tree) multiplied by factor(point)."""

    def of(experiment):
        def value(algorithm, parameters, point):
            found = PUBLISHED[experiment](algorithm, parameters, point)
            times = factor(point) if name in (algorithm, *parameters.values()) else 1
            return tuple(times * part for part in found) if isinstance(found, tuple) else times * found

        return value

    return of


CONTRARY = {
    "mostly unaffected by": ("fiba_ooo", changed("b_tree", lambda point: 1 + point["distance"])),
    "the worst cases of both trees are similar": ("fiba_latency", changed("fiba", lambda point: 0.01)),
    "the median latencies of both trees are similar": ("fiba_latency", changed("fiba", lambda point: 0.01)),
    "time of a round is constant": ("fiba_fifo", changed("fiba", lambda point: math.log2(1 + point["window"]))),
    "combines for a round are constant": ("fiba_fifo", changed("fiba", lambda point: math.log2(1 + point["window"]))),
    "within 30 % of DABA": ("fiba_fifo", changed("fiba", lambda point: 2)),
    "take similar time": ("fiba_sharing", changed("range", lambda point: 9)),
    "growth is not obvious": ("fiba_fifo", changed("reactive", lambda point: math.log2(1 + point["window"]))),
    "For single items bulk operations are not much slower": ("fiba_bulk", changed("bulk", lambda point: 3)),
}


@pytest.mark.parametrize("words", CONTRARY)
def test_a_statement_does_not_hold_on_rows_that_contradict_it(words):
    experiment, change = CONTRARY[words]
    found = judged(experiment, made(change(experiment), POINTS[experiment]))
    ((claim, word),) = [(claim, word) for claim, word in found.items() if words in claim]
    assert word not in (HOLDS, NOT_MEASURED), claim


def test_every_statement_is_contradicted_by_some_rows_here():
    for experiment in EXPERIMENTS:
        for claim in judged(experiment, made(PUBLISHED[experiment], [])):
            refuted = set(WRONG) - allowed(claim) or any(words in claim for words in CONTRARY)
            assert refuted, claim


@pytest.mark.parametrize("experiment", POINTS)
def test_without_the_rows_it_needs_no_statement_is_judged(experiment):
    rows = made(PUBLISHED[experiment], POINTS[experiment])
    for none in (rows[:0], rows.assign(status="failed"), rows.assign(algorithm="recalc"), rows[:REPETITIONS]):
        assert set(judged(experiment, none).values()) == {NOT_MEASURED}


def test_statements_about_shape_need_windows_of_several_levels():
    points = [point | {"window": point["window"] // 128 or 1} for point in POINTS["fiba_fifo"] if point["window"] > 1]
    found = judged("fiba_fifo", made(of_fifo, points))
    shapes = ("is constant", "are constant", "grows with", "grow with", "growth is")
    assert {word for claim, word in found.items() if any(words in claim for words in shapes)} == {NOT_MEASURED}


def test_a_series_that_the_paper_lacks_wins_nothing():
    """Rows of a fast tree under another name beside those of a slow one."""
    good, bad = (made(value, POINTS["fiba_ooo"]) for value in (of_ooo, shuffled("fiba_ooo")))
    good["algorithm"] = good["algorithm"] + "_ours"
    assert judged("fiba_ooo", pd.concat([bad, good])) == judged("fiba_ooo", bad)


def test_a_round_is_no_shorter_than_the_counters_step():
    rows = frame(row("daba", metric="latency", samples=np.array(samples, float)) for samples in [[0, 26, 9e6], [1, 52]])
    assert step_of(Measured(rows)) == pytest.approx(26, rel=0.01)


@pytest.mark.parametrize(
    "given",
    [{"distances": (3,)}, {"distances": (0, 3)}, {"workload": {"name": "flights"}}, {"workload": {"name": "file"}}],
)
def test_what_is_not_in_order_is_refused(given):
    profile = Profile("smoke", 1, 1, 60)
    usual = {"name": "fiba_fifo", "paper": "fiba", "workload": {"name": "distance"}, "profile": profile, "executor": {},
             "operators": ("bloom", "sum"), "algorithms": ({"name": "daba"}, {"name": "fiba"}),
             "sizes": {"windows": [1, 16]}}  # fmt: skip
    cells = fiba_fifo.plan(Settings(**usual))
    assert [(cell.algorithm, cell.window) for cell in cells if cell.measurement == COUNT] == [("fiba", 1), ("fiba", 16)]
    with pytest.raises(SettingsError, match="fiba_fifo is"):
        fiba_fifo.plan(Settings(**(usual | given)))
