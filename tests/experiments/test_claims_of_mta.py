"""Every statement about the MTA paper's figures on made-up rows, in both directions; their plans and refusals."""

import copy
import functools
import json
import math

import numpy as np
import pytest

from experiments.harness.settings import Profile, Settings, SettingsError
from experiments.harness.statements import Paper
from experiments.mta.analytics import mta_analytics
from experiments.mta.bulk import batches_of, mta_bulk
from experiments.mta.complexity import mta_complexity
from experiments.mta.constant import mta_constant
from experiments.mta.dimensions import mta_dimensions
from experiments.mta.measuring.levels import pairs
from experiments.mta.memory import mta_memory
from experiments.mta.walkthrough import OPERATOR, mta_walkthrough
from results.verdicts import DOES_NOT_HOLD, HOLDS, NOT_JUDGED, NOT_MEASURED
from tests.experiments.made_rows import frame, row

REPETITIONS = 7
MEMORY = ("recalc", "daba", "log_mta", "amta")
STORED = ("kvs_log_mta", "kvs_amta")


def repeated(cells):
    """Rows of all repetitions of the cells, timed ones with a noise of 1 %."""
    random, rows = np.random.default_rng(1), []
    for number, cell in enumerate(cells):
        counted = cell.pop("counted", False)
        for repetition in range(1 if counted else REPETITIONS):
            noisy = cell if counted else cell | {"ns": cell["ns"] * random.lognormal(0, 0.01)}
            rows.append(row(**noisy, counted=counted, cell=f"{number:04}", repetition=repetition))
    return frame(rows)


def used(name, **uses):
    return {"algorithm": name, "parameters": uses | ({"store": "lmdb"} if name in STORED else {})}


# ------------------------------------------------------------------------------------------------------- as published

WINDOWS = (1, 16, 512, 4096, 16384, 65536)


def constant_ns(name, n):
    return {
        "recalc": 5 + n,
        "daba": 60,
        "log_mta": 20 + 12 * math.log2(n),
        "amta": 50 - 30 * (n >= 512) / 10,
        "kvs_log_mta": 1020 + 12 * math.log2(n),
        "kvs_amta": 400,
    }[name]


TRAFFIC = {"arrivals": 5120, "commits": 10, "misses": 1, "waits": 2, "ahead": 20, "node_bytes": 32,
           "bytes_read": 32 * 5120, "bytes_written": 96 * 5120}  # fmt: skip


def constant(ns=constant_ns, **facts):
    return repeated(
        used(name) | {"window": n, "ns": ns(name, n)}
        | ({"facts": json.dumps(TRAFFIC | facts)} if name in STORED else {})
        for name in (*MEMORY, *STORED) for n in WINDOWS
    )  # fmt: skip


N = 1 << 23
BATCHES = (1, 16, 256, 4096, 65536, N // 8, N // 2, N - 1)


def bulk_ns(name, m):
    last = 0.3 if m == N - 1 else 1
    return {
        "recalc": 2e9,
        "daba": 1200 + 2e9 * m / (N // 10),
        "log_mta": 200 + 100 * math.log2(m),
        "amta": 300 + 200 * math.log2(m),
        "kvs_log_mta": (1e5 + 2e5 * math.log2(m)) * last,
        "kvs_amta": (2e5 + 2.2e5 * math.log2(m)) * last,
    }[name]


def bulk(ns=bulk_ns, **facts):
    reads, at_hand = {"awaited": 60, "watched": 4}, {"awaited": 0}
    return repeated(
        used(name) | {"window": N, "batch": m, "ns": ns(name, m)}
        | ({"facts": json.dumps(reads | (at_hand if m == N - 1 else {}) | facts)} if name in STORED else {})
        for name in (*MEMORY, *STORED) for m in BATCHES
    )  # fmt: skip


ORDERS = {
    "reactive": (math.log2, float, float, float),
    "daba": (lambda n: 5 + n % 2, float, float, float),
    "log_mta": (math.log2, math.log2, float, float),
    "amta": (lambda n: 6, math.log2, float, float),
    "kvs_log_mta": (None, None, float, math.log2),
    "kvs_amta": (None, None, float, math.log2),
}


def counted(count=lambda name, metric, n, order: order(n)):
    return repeated(
        used(name) | {"window": n, "metric": metric, "operations": 1, "counted": True,
                      "value": float(count(name, metric, n, order))}
        for name, orders in ORDERS.items()
        for metric, order in zip(("combines", "worst_bulk", "size", "local_size"), orders) if order
        for n in (64, 256, 1024, 4096, 16384)
    )  # fmt: skip


TABLE_2 = {
    "sum": (3.69e8, 14320, 10341, 4288, 6253, 4163),
    "arithmetic_mean": (3.26e8, 14027, 10378, 4389, 6111, 4033),
    "geometric_mean": (2.83e8, 15267, 11166, 4795, 6198, 4183),
    "population_stddev": (3.5e8, 15439, 12934, 4880, 6131, 3864),
    "max": (2554, 8501, 6188, 3500, 2886, 1763),
    "lis": (19294, 22306, 19794, 10027, 7350, 6476),
}


def analytics_ns(name, operator, pattern):
    if name == "recalc" and pattern == "down":
        return 1e6
    return TABLE_2[operator][("recalc", "kvs_log_mta", "log_mta", "daba", "kvs_amta", "amta").index(name)]


def analysed(ns=analytics_ns):
    return repeated(
        used(name) | {"operator": operator, "window": 1 << 20, "ns": ns(name, operator, pattern),
                      "workload_parameters": json.dumps({"pattern": pattern})}
        for operator in TABLE_2 for name in (*MEMORY, *STORED)
        for pattern in ("usage", "iid", "up", "down") if pattern == "usage" or operator == "max"
    )  # fmt: skip


CAPACITY = 1 << 25
NEEDED = {"recalc": 700, "daba": 1500, "log_mta": 1500, "amta": 1400, "kvs_log_mta": 15, "kvs_amta": 18}
LIMITS = (4, 16, 64, 512, 2048)


def elements(name, limit):
    return float(int(CAPACITY * min(1, limit / NEEDED[name])))


def remembered(needed=NEEDED, reached=elements):
    usual = {"window": CAPACITY, "operations": 1, "counted": True}
    cells = [
        used(name) | usual | {"metric": "reached", "value": reached(name, limit),
                              "workload_parameters": json.dumps({"memory": limit})}
        for name in NEEDED for limit in LIMITS
    ]  # fmt: skip
    return repeated(
        cells + [used(name) | usual | {"metric": "needed", "value": float(mb)} for name, mb in needed.items()]
    )


def dimensions_ns(k, apart):
    return 4569 * k if apart else 4158 + 411 * k


def dimensional(ns=dimensions_ns):
    return repeated(
        used("kvs_amta", **({"sharing": "separate"} if apart else {}))
        | {"window": 1024, "ns": ns(k, apart), "workload_parameters": json.dumps({"dimensions": k})}
        for apart in (False, True) for k in (1, 4, 16, 50)
    )  # fmt: skip


MADE = {
    "constant": (mta_constant, constant),
    "bulk": (mta_bulk, bulk),
    "complexity": (mta_complexity, counted),
    "analytics": (mta_analytics, analysed),
    "memory": (mta_memory, remembered),
    "dimensions": (mta_dimensions, dimensional),
}


@functools.cache
def published(name):
    return MADE[name][1]()


def verdicts(name, rows, quantity=None):
    """By claim, each of which has one; of the statements with a quantity, if one is given."""
    experiment = MADE[name][0]
    asked = [one for one in experiment.paper.of(experiment.name) if quantity in (None, one.quantity)]
    paper = Paper(tuple(asked), experiment.paper.series)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(experiment), "paper", paper)
        found = {verdict.claim: verdict for verdict in experiment.verdicts(rows)}
    assert len(found) == len(asked)
    return found


def judged_claims(name):
    experiment = MADE[name][0]
    return {statement.claim for statement in experiment.paper.of(experiment.name) if not statement.not_judged}


def that_hold(name, rows):
    return {claim for claim, verdict in verdicts(name, rows).items() if verdict.word == HOLDS}


@pytest.mark.parametrize("name", MADE)
def test_all_statements_hold_on_rows_as_published(name):
    found, judged = verdicts(name, published(name)), judged_claims(name)
    assert {claim for claim, verdict in found.items() if verdict.word != NOT_JUDGED} == judged
    assert not [verdict for claim, verdict in found.items() if claim in judged and verdict.word != HOLDS]


# ------------------------------------------------------------------------------------------------ wrong implementations

ALONG = {"constant": "window", "bulk": "batch", "complexity": "window", "memory": "memory", "dimensions": "dimensions"}


def backwards(name):
    """The values of each series in reversed order along x."""
    rows, x = published(name).copy(), ALONG[name]
    along = rows[x] if x in rows else rows["workload_parameters"].map(lambda text: json.loads(text or "{}").get(x, 0))
    for _, group in rows.groupby(["algorithm", "parameters", "metric", "repetition"]):
        order = along[group.index].sort_values().index
        rows.loc[order, "value"] = rows.loc[order[::-1], "value"].to_numpy()
    return rows


def shuffled(name, by=1):
    """The series under one another's names, `by` places on; their facts stay behind."""
    rows = published(name).copy()
    names = list(dict.fromkeys(rows["algorithm"]))
    for _, group in rows.groupby(["metric", "operator", "window", "batch", "workload_parameters"], dropna=False):
        labels = [one for one in names if one in set(group["algorithm"])]
        values = {one: group.loc[group["algorithm"] == one, "value"].to_numpy() for one in labels}
        for one, other in zip(labels, labels[by % len(labels) :] + labels[: by % len(labels)]):
            rows.loc[group.index[group["algorithm"] == one], "value"] = values[other]
    return rows


def all_the_same(name):
    """Every value the same, but for the noise of the timed ones."""
    random, rows = np.random.default_rng(2), published(name).copy()
    noise = np.where(rows["counted"], 1.0, random.lognormal(0, 0.01, len(rows)))
    return rows.assign(value=1000.0 * noise, operations=1)


ORDER_DOES_NOT_MATTER = {
    "constant": {"store_costs", "store_costs_log_over_amortised", "store_behind_daba", "amortised_over_daba",
                 "times_in_memory", "times_in_stores"},
    "bulk": {"last_over_one_before", "naive_over_slowest_in_store", "daba_over_trees_in_memory", "naive_times",
             "log_over_amortised_in_stores", "log_is_faster_in_memory", "log_is_faster_in_stores",
             "trees_over_fastest_other", "log_over_amortised_at_worst", "stores_over_memory"},
    "complexity": {"share_elsewhere", "spread_of_counts"},
    "memory": {"stored_over_others", "naive_over_others", "log_over_amortised_in_stores", "trees_over_daba"},
    "dimensions": {"over_proportional"},
}  # fmt: skip
"""Quantities that compare series point by point, or whose lines are flat; `last_over_one_before` then compares 1 and 16
elements; where times fall with k, they are below the proportional."""

ALL_SERIES_ALIKE = {
    *(f"The size of {name} is linear" for name in ("Reactive Aggregator", "DABA")),
    *(f"The size of {name} MTA is linear, in memory and in a store" for name in ("Log", "Amortised")),
    "More memory never gives a smaller window",
}
"""Statements that hold for every series, whatever its name."""

MAY_BE_EQUAL = {
    "constant": {"times_in_memory", "times_in_stores", "amortised_over_daba", "store_behind_daba"},
    "bulk": {"naive_times", "log_over_amortised_in_stores"},
    "complexity": {"spread_of_counts"},
    "analytics": {"over_amortised"},
    "memory": {"least_step_with_memory", "trees_over_daba"},
    "dimensions": {"over_proportional"},
}
"""Quantities of which it is claimed that they are constant, or about the same for two algorithms; that a window in a
store is less than 500 ns slower; that time grows by less than in proportion."""


def of_facts(claim):
    """Whether a statement is about facts, which the wrong implementations here leave as they are."""
    return claim in {one for one, *_ in FACTS}


@pytest.mark.parametrize("name", ALONG)
def test_statements_do_not_hold_on_series_in_reversed_order(name):
    holding = {quantity_of(name, claim) for claim in that_hold(name, backwards(name)) if not of_facts(claim)}
    assert holding <= ORDER_DOES_NOT_MATTER[name]


@pytest.mark.parametrize("name", [name for name in MADE if name != "dimensions"])
def test_statements_do_not_hold_on_shuffled_series(name):
    holding = set.intersection(*(that_hold(name, shuffled(name, by)) for by in range(1, 6)))
    assert {claim for claim in holding if not of_facts(claim)} <= ALL_SERIES_ALIKE


@pytest.mark.parametrize("name", MADE)
def test_statements_do_not_hold_on_constant_values(name):
    holding = {quantity_of(name, claim) for claim in that_hold(name, all_the_same(name)) if not of_facts(claim)}
    assert holding <= MAY_BE_EQUAL[name]


def quantity_of(name, claim):
    experiment = MADE[name][0]
    (found,) = {one.quantity for one in experiment.paper.of(experiment.name) if one.claim == claim}
    return found


FACTS = [
    ("The window hands elements over to its store 512 at a time", constant, {"commits": 20}),
    ("A level's cache asks its store for more only after 256 of its elements have left", constant, {"ahead": 80}),
    ("Most reads of the store are done in the background, so that no arrival waits for them", constant, {"waits": 60}),
    ("A node comes back from the store at most once, so that an arrival reads two nodes at most", constant,
     {"bytes_read": 3 * 32 * 5120}),
    ("A bulk eviction waits for the store a few times for each level of the tree", bulk, {"awaited": 1000}),
    ("Evicting all but one element waits for no read of the store", bulk, {"awaited": 1000}),
]  # fmt: skip
"""Statements about facts, and facts that contradict them."""


@pytest.mark.parametrize(("claim", "made", "facts"), FACTS)
def test_statements_about_traffic_are_decided_by_it(claim, made, facts):
    name = made.__name__
    quantity = quantity_of(name, claim)
    assert verdicts(name, published(name), quantity)[claim].word == HOLDS
    assert verdicts(name, made(**facts), quantity)[claim].word == DOES_NOT_HOLD


# ------------------------------------------------------------------------------------------------------ contradictions


def spoilt(usual, **other):
    """The published function with other lines: by the name of an algorithm, a function of the rest."""
    return lambda name, *rest: other[name](*rest) if name in other else usual(name, *rest)


def slow(*rest):
    return 1e10


CONTRADICTED = [
    # what holds no more, rows
    ("naive_over_fastest_other", constant, {"recalc": lambda n: 500 + n}),
    ("naive_straightness", constant, {"recalc": lambda n: 10 + 5 * math.log2(n)}),
    ("naive_over_slowest_other", constant, {"recalc": lambda n: 5}),
    ("times_in_memory", constant, {"amta": lambda n: 2 + 10 * math.log2(n), "daba": lambda n: 2 + 10 * math.log2(n)}),
    ("tree_straightness", constant, {"log_mta": lambda n: 20, "kvs_log_mta": lambda n: 20 + n}),
    ("amortised_over_fastest_other", constant, {"amta": lambda n: 100}),
    ("amortised_over_daba", constant, {"amta": lambda n: 1000}),
    ("store_costs", constant, {"kvs_amta": lambda n: 60, "kvs_log_mta": lambda n: 50_000}),
    ("times_in_stores", constant, {"kvs_amta": lambda n: 2 + 10 * math.log2(n)}),
    ("store_costs_log_over_amortised", constant, {"kvs_log_mta": lambda n: 50_000}),
    ("store_behind_daba", constant, {"kvs_amta": lambda n: 900}),
    ("naive_times", bulk, {"recalc": lambda m: 2e9 * math.log2(2 * m)}),
    ("daba_straightness", bulk, {"daba": lambda m: 2e8 * math.log2(2 * m)}),
    ("daba_over_naive_from_an_eighth", bulk, {"daba": lambda m: 1e9 * m / N}),
    ("daba_over_naive_below_an_eighth", bulk, {"daba": lambda m: 3e9 + m}),
    ("log_over_amortised_in_stores", bulk, {"kvs_amta": slow}),
    ("straightness_in_stores", bulk, {"kvs_log_mta": float, "kvs_amta": float}),
    ("log_is_faster_in_stores", bulk, {"kvs_log_mta": slow}),
    ("last_over_one_before", bulk, {"kvs_log_mta": lambda m: 1e6, "kvs_amta": lambda m: 1e6}),
    ("naive_over_slowest_in_store", bulk, {"kvs_log_mta": lambda m: 1e9, "kvs_amta": lambda m: 1e5}),
    ("trees_over_fastest_other", bulk, {"daba": lambda m: 10}),
    ("log_over_amortised_at_worst", bulk, {"log_mta": slow}),
    ("log_is_faster_in_memory", bulk, {"log_mta": slow}),
    ("daba_over_trees_in_memory", bulk, {"daba": lambda m: 10}),
    ("daba_over_trees_in_stores", bulk, {"daba": lambda m: 1e5}),
    ("stores_over_memory", bulk, {"kvs_log_mta": lambda m: 10, "kvs_amta": lambda m: 10}),
    ("amortised_over_fastest_other", analysed, {"amta": lambda operator, pattern: 1e5}),
    ("over_amortised", analysed, {"amta": lambda operator, pattern: 10}),
    ("naive_over_amortised", analysed, {"recalc": lambda operator, pattern: 4e5}),
    ("gain_over_that_of_others", analysed, {"daba": lambda operator, pattern: 40_000 if operator == "sum" else 7000}),
    ("amortised_over_daba", analysed, {"daba": lambda operator, pattern: 1000}),
    ("naive_over_second", analysed, {"recalc": lambda operator, pattern: 1e6}),
    ("naive_over_slowest", analysed, {"recalc": lambda operator, pattern: 10}),
]
"""Lines that contradict every statement with a quantity."""
USUAL = {constant: constant_ns, bulk: bulk_ns, analysed: analytics_ns}


@pytest.mark.parametrize(("quantity", "made", "lines"), CONTRADICTED)
def test_statements_do_not_hold_on_rows_that_contradict_them(quantity, made, lines):
    name = {"analysed": "analytics"}.get(made.__name__, made.__name__)
    claims = {claim for claim in judged_claims(name) if quantity_of(name, claim) == quantity}
    found = verdicts(name, made(spoilt(USUAL[made], **lines)), quantity)
    assert claims and {found[claim].word for claim in claims} == {DOES_NOT_HOLD}, [found[claim] for claim in claims]


OTHERWISE = [
    ("spread_of_counts", lambda: counted(lambda name, metric, n, order: math.log2(n))),
    ("straightness_over_log", lambda: counted(lambda name, metric, n, order: n)),
    ("straightness_over_n", lambda: counted(lambda name, metric, n, order: math.log2(n))),
    ("share_elsewhere", lambda: counted(lambda name, metric, n, order: n)),
    ("least_step_with_memory", lambda: remembered(reached=lambda name, limit: 1e6 / limit)),
    ("stored_over_others", lambda: remembered(NEEDED | {"kvs_log_mta": 300, "kvs_amta": 300})),
    ("naive_over_others", lambda: remembered(NEEDED | {"recalc": 3000})),
    ("trees_over_daba", lambda: remembered(NEEDED | {"daba": 100})),
    ("log_over_amortised_in_stores", lambda: remembered(NEEDED | {"kvs_log_mta": 20})),
    ("straightness_over_k", lambda: dimensional(lambda k, apart: 5000 - 50 * k)),
    ("share_of_one_dimension", lambda: dimensional(lambda k, apart: 4000 * k)),
    ("over_proportional", lambda: dimensional(lambda k, apart: 4000 * k * k)),
    ("separate_over_together", lambda: dimensional(lambda k, apart: 100 if apart else 4000)),
]
NAME_OF = {quantity: name for name, (experiment, _) in MADE.items() for quantity in experiment.quantities}


@pytest.mark.parametrize(("quantity", "made"), OTHERWISE)
def test_counts_memory_and_dimensions_that_contradict(quantity, made):
    name = "memory" if quantity == "log_over_amortised_in_stores" else NAME_OF[quantity]
    claims = {claim for claim in judged_claims(name) if quantity_of(name, claim) == quantity}
    found = verdicts(name, made(), quantity)
    assert claims and {found[claim].word for claim in claims} == {DOES_NOT_HOLD}, [found[claim] for claim in claims]


def test_every_quantity_is_contradicted():
    tried = [quantity for quantity, *_ in CONTRADICTED + OTHERWISE]
    by_facts = {quantity_of(made.__name__, claim) for claim, made, _ in FACTS}
    known = {quantity for experiment, _ in MADE.values() for quantity in experiment.quantities}
    assert known <= {*tried, *by_facts}


@pytest.mark.parametrize("name", MADE)
def test_nothing_is_judged_without_the_rows_it_needs(name):
    rows = published(name)
    for lacking in (rows[:0], rows.assign(status="failed"), rows.assign(algorithm="b_int")):
        words = {verdict.word for verdict in verdicts(name, lacking).values()}
        assert words <= {NOT_MEASURED, NOT_JUDGED} and NOT_MEASURED in words


def test_numbers_of_large_windows_are_judged_in_large_windows_only():
    for name, quantity in (("bulk", "naive_over_slowest_in_store"), ("memory", "stored_over_others"),
                           ("analytics", "naive_over_amortised")):  # fmt: skip
        found = verdicts(name, published(name).assign(window=4096), quantity)
        words = {(found[claim].word, found[claim].reason) for claim in judged_claims(name)
                 if quantity_of(name, claim) == quantity}  # fmt: skip
        ((word, reason),) = words
        assert word == NOT_MEASURED and "needs a window of" in reason


def test_waits_are_told_where_the_store_costs_otherwise():
    found = verdicts("constant", constant(spoilt(constant_ns, kvs_amta=lambda n: 60)))
    claim = "In the largest window the key-value store costs AMTA about a microsecond an arrival"
    assert "waited for 36 reads of the store in 61,440 arrivals" in found[claim].reason


# --------------------------------------------------------------------------------------------------------------- plans


def settings(**given):
    usual = {"name": "x", "paper": "mta", "workload": {"name": "distance"}, "profile": Profile("smoke", 1, 1, 60),
             "executor": {"name": "inline"}, "operators": ("count",), "algorithms": ({"name": "amta"},)}  # fmt: skip
    return Settings(**(usual | given))


def test_evictions_go_from_one_to_all_but_one():
    assert batches_of(64, 1) == [1, 2, 4, 8, 16, 32, 63]
    assert batches_of(64, 4) == [1, 8, 16, 32, 63]
    assert batches_of(1, 1) == batches_of(2, 1) == [1]


def test_naive_is_not_measured_in_windows_that_are_too_large_for_it():
    sizes = {"windows": [16, 4096], "recomputed": 64}
    cells = mta_constant.plan(settings(sizes=sizes, algorithms=({"name": "amta"}, {"name": "recalc"})))
    assert {(cell.algorithm, cell.window) for cell in cells} == {("amta", 16), ("amta", 4096), ("recalc", 16)}


def test_windows_in_stores_are_a_series_for_each_and_k_windows_are_measured_where_asked():
    both = ({"name": "amta"}, {"name": "kvs_amta"})
    cells = mta_dimensions.plan(
        settings(sizes={"window": 16, "dimensions": [1, 5], "separate": [5]}, algorithms=both, store=("lmdb", "redis"))
    )
    apart = [
        (cell.algorithm, cell.uses.get("store"), cell.asked["dimensions"]) for cell in cells if "sharing" in cell.uses
    ]
    assert len(cells) == 9 and apart == [("amta", None, 5), ("kvs_amta", "lmdb", 5), ("kvs_amta", "redis", 5)]


@pytest.mark.parametrize("experiment", [mta_constant, mta_bulk, mta_complexity, mta_memory, mta_dimensions])
def test_other_workloads_and_distances_are_refused(experiment):
    with pytest.raises(SettingsError, match="workload is 'flights'"):
        experiment.plan(settings(workload={"name": "flights"}))
    with pytest.raises(SettingsError, match="is in order: leave distances out"):
        experiment.plan(settings(distances=(4,)))


def test_the_least_memory_is_looked_for_where_the_sizes_say_so():
    both = ({"name": "daba"}, {"name": "kvs_amta"})

    def cells(**sizes):
        given = settings(sizes={"capacity": 16, "memory": [1, 4], **sizes}, algorithms=both, store=("lmdb",))
        return [(cell.algorithm, cell.measurement) for cell in mta_memory.plan(given)]

    reached = {"daba": [("daba", "limited.reached")] * 2, "kvs_amta": [("kvs_amta", "limited.reached")] * 2}
    needed = [("daba", "limited.needed"), ("kvs_amta", "limited.needed")]
    assert cells() == [*reached["daba"], needed[0], *reached["kvs_amta"], needed[1]]
    assert cells(searched=["daba", "amta"]) == [*reached["daba"], needed[0], *reached["kvs_amta"]]
    with pytest.raises(SettingsError, match=r"unknown algorithm in sizes.searched 'amt'; did you mean amta"):
        cells(searched=["amt"])


def test_analytics_are_of_memory_usage():
    with pytest.raises(SettingsError, match="measured on workload=memory_usage"):
        mta_analytics.plan(settings(sizes={"windows": [16]}))
    with pytest.raises(SettingsError, match="is in order: leave them out"):
        mta_analytics.plan(settings(distances=(4,)))


# ------------------------------------------------------------------------------------------------- the worked examples


@functools.cache
def played():
    cells = mta_walkthrough.plan(settings(operators=(OPERATOR,), algorithms=(), name="mta_walkthrough"))
    return [(cell.algorithm, pairs(cell, {})) for cell in cells]


def test_the_steps_say_how_often_the_policy_was_asked():
    facts = [answer["facts"] for _, answer in played()]
    calls = {one["figure"]: [state["asked"] for state in one["states"]] for one in facts}
    assert calls.pop("Figure 2")[1:] == [2]  # both parts of the root: all four values are too old
    assert not any(map(sum, calls.values()))  # no policy, or one that does not count


def walkthrough(spoil=lambda facts: None):
    rows = []
    for algorithm, answer in played():
        facts = copy.deepcopy(answer["facts"])
        spoil(facts)
        rows.append(row(algorithm, metric="pairs", value=answer["value"], facts=json.dumps(facts), counted=True,
                        workload_parameters=json.dumps({"figure": facts["figure"]}), cell=facts["figure"]))  # fmt: skip
    return frame(rows)


def changed(figure, change):
    return walkthrough(lambda facts: change(facts["states"]) if facts["figure"] == figure else None)


def without_a_middle_node(facts):
    facts["states"][0]["levels"][0]["pairs"][1][0] = None


CHANGED = {
    "When 4 comes to [2, 2, 3, 3] the oldest two go": changed(
        "Section 3.2", lambda states: states[1]["elements"].pop()
    ),
    "The maximum is 3 before and 4 after": changed("Section 3.2", lambda states: states[1].update(answer="3 | 10")),
    "Every node is the aggregate of the pair below it": changed("Figure 1", lambda states: states[0]["levels"].pop()),
    "When 8 comes nothing else stays in the window": changed(
        "Figure 2", lambda states: states[1]["elements"].append("4")
    ),
    "The result pair is 6 and 6": changed("Figure 4", lambda states: states[0].update(results=["5", "6"])),
    "The stack has 5 over 3": changed("Figure 4", lambda states: states[0]["stack"].reverse()),
    "Inserting 1 makes R1 7": changed("Figure 4", lambda states: states[1].update(results=["6", "6"])),
    "Evicting the oldest makes R0 5": changed("Figure 4", lambda states: states[2].update(results=["6", "7"])),
    "The sums are 15, 14 and 11 as the oldest go one by one": changed(
        "Figure 5", lambda states: states[2].update(answer="12")
    ),
    "Only the first pair of a level may lack its left node and only the last its right one": walkthrough(
        without_a_middle_node
    ),
}  # fmt: skip
"""By statement, states that contradict it and no other, but for the two about levels."""


def test_the_examples_come_out_as_printed():
    found = {verdict.claim: verdict for verdict in mta_walkthrough.verdicts(walkthrough())}
    decided = {claim: verdict.word for claim, verdict in found.items() if verdict.word != NOT_JUDGED}
    assert set(decided) == set(CHANGED) and set(decided.values()) == {HOLDS}
    assert {verdict.word for verdict in mta_walkthrough.verdicts(walkthrough()[:0])} == {NOT_MEASURED, NOT_JUDGED}


@pytest.mark.parametrize("claim", CHANGED)
def test_an_example_that_comes_out_otherwise_is_told(claim):
    found = {verdict.claim: verdict for verdict in mta_walkthrough.verdicts(CHANGED[claim])}
    assert found[claim].word == DOES_NOT_HOLD and "not" in found[claim].reason
    assert sum(verdict.word == DOES_NOT_HOLD for verdict in found.values()) <= 2


@pytest.mark.parametrize(
    "given", [{"window": 5}, {"distances": (0,)}, {"operators": ("max",)}, {"workload": {"name": "flights"}}]
)
def test_a_fixed_example_takes_nothing(given):
    with pytest.raises(SettingsError, match="is a fixed example"):
        mta_walkthrough.plan(settings(**{"operators": (OPERATOR,), "algorithms": (), **given}))
