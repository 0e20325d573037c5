"""Judges of ra_coarse, ra_vs_bint and ra_memory on made-up rows, in both directions; their plans."""

import json
import math

import pytest

from experiments.harness import judgement
from experiments.harness.settings import SettingsError
from experiments.reactive_aggregator.coarse import batch_of, ra_coarse
from experiments.reactive_aggregator.memory import ra_memory
from experiments.reactive_aggregator.vs_bint import ra_vs_bint
from tests.experiments.made_rows import frame, row, verdict
from tests.experiments.test_claims_of_ra import counted, settings

WINDOWS = (16, 256, 1024, 4096, 16384, 65536)
SLIDES = ("1", "4", "n/16", "n")


def usual(n, m):
    """What an item costs, up to constants: 1 + log2(n/m)."""
    return 1 + math.log2(n / m)


def coarse(ns=usual, combines=usual):
    points = [(slide, n, batch_of(slide, n)) for slide in SLIDES for n in WINDOWS]
    timed = [row("reactive", {"slide": slide}, window=n, batch=m, ns=10 * ns(n, m)) for slide, n, m in points]
    return frame(
        timed + [counted("reactive", n, combines(n, m), batch=m, parameters={"slide": slide}) for slide, n, m in points]
    )


RATIOS = {8: 1.04, 8192: 1.24, 1048576: 1.37}
OPERATORS = ("sum", "max")


def bint(ratio=lambda operator, n: RATIOS[n], grows=lambda n: 1.2, combines=lambda n: 1.1):
    rows = []
    for n, operator in ((n, operator) for n in RATIOS for operator in OPERATORS):
        rows.append(row("reactive", operator=operator, window=n, ns=50))
        rows.append(row("b_int", operator=operator, window=n, ns=50 * ratio(operator, n)))
    for n, name in ((n, name) for n in WINDOWS for name in ("reactive", "b_int")):
        factor = (grows(n), combines(n)) if name == "b_int" else (1, 1)
        rows.append(row(name, {"slide": "1"}, operator="max", window=n, batch=1, ns=50 * factor[0]))
        rows.append(counted(name, n, 10 * factor[1], parameters={"slide": "1"}))
    return frame(rows)


BASE = 200 * 2**20


def memory(each=lambda n: 80 * n, exact=80, recomputed=lambda n: 20 * n, base=BASE):
    rows = []
    for n in (64, 4096, 65536, 262144, 1048576):
        for name, taken in (("reactive", each(n)), *([("recalc", recomputed(n))] if n <= 4096 else [])):
            samples = [float(base)] * 5 + [base + taken / 2, base + taken]
            facts = json.dumps({"before": 5, "interval_ms": 10})
            rows.append(row(name, window=n, metric="resident", value=float(base + taken), samples=samples, facts=facts))
        rows.append(row("reactive", window=n, metric="bytes", value=float(exact * n)))
    return frame(rows)


CLAIMS = [
    (ra_coarse, "For constant m the cost", coarse(), coarse(ns=lambda n, m: 10 - math.log2(n) / 9)),
    (ra_coarse, "For constant m combines", coarse(), coarse(combines=lambda n, m: n)),
    (ra_coarse, "fraction of n the cost", coarse(), coarse(ns=lambda n, m: math.log2(n))),
    (ra_coarse, "fraction of n combines", coarse(), coarse(combines=lambda n, m: math.log2(n))),
    (ra_vs_bint, "RA is faster than AW", bint(), bint(ratio=lambda operator, n: 0.5)),
    (ra_vs_bint, "gap grows", bint(), bint(ratio=lambda operator, n: 2 - RATIOS[n])),
    (ra_vs_bint, "little difference", bint(), bint(ratio=lambda operator, n: 1 + (operator == "sum"))),
    (ra_vs_bint, "comparable complexity", bint(), bint(grows=lambda n: n / 100)),
    (ra_vs_bint, "constant factor", bint(), bint(combines=lambda n: 10)),
    (ra_memory, "O(n) space", memory(), memory(each=lambda n: 900 * n)),
    (ra_memory, "exact bytes", memory(), memory(exact=900)),
    (ra_memory, "own memory dominates", memory(), memory(base=2**10)),
    (ra_memory, "hardly more than recomputation", memory(), memory(each=lambda n: 10 * BASE)),
]


@pytest.mark.parametrize(("experiment", "words", "good", "bad"), CLAIMS, ids=[claim[1] for claim in CLAIMS])
def test_claims(experiment, words, good, bad):
    assert verdict(experiment, words, good)["verdict"] == judgement.REPRODUCED
    found = verdict(experiment, words, bad)
    assert found["verdict"] == judgement.NOT_REPRODUCED and found["reason"], found
    for rows in (good[:0], good.assign(status="failed"), good[good["algorithm"] == "b_int"]):
        assert verdict(experiment, words, rows)["verdict"] == judgement.NOT_MEASURED


@pytest.mark.parametrize("experiment", [ra_coarse, ra_vs_bint, ra_memory])
def test_every_claim_is_tested(experiment):
    assert len(experiment.claims) == sum(claim[0] is experiment for claim in CLAIMS)


def test_slides_are_items_or_parts_of_the_window():
    assert [batch_of(slide, 64) for slide in ("1", "64", "65", "n/16", "n/65", "n")] == [1, 64, 0, 4, 0, 64]


@pytest.mark.parametrize("slide", ["0", "-4", "n/0", "n/x", "m", "", "1.5", "2n"])
def test_other_slides_are_refused(slide):
    with pytest.raises(SettingsError, match="slides has .*; a slide is a number of items such as 64, or n, or n/16"):
        ra_coarse.plan(settings(sizes={"windows": [8], "slides": [slide]}))


def test_a_window_has_the_slides_that_fit():
    cells = ra_coarse.plan(settings(sizes={"windows": [8], "slides": [1, 64, "n/16", "n/4", "n"]}))
    found = {(cell.uses["slide"], cell.batch) for cell in cells}
    assert found == {("1", 1), ("n/4", 2), ("n", 8)}


def test_table_4_is_measured_at_its_own_windows_with_every_operator():
    sizes = {"windows": [16], "slides": [1], "table": [8]}
    cells = ra_vs_bint.plan(settings(sizes=sizes, operators=("max", "sum")))
    assert {(cell.operator, cell.window) for cell in cells if cell.batch is None} == {("max", 8), ("sum", 8)}
    assert {(cell.operator, cell.window) for cell in cells if cell.batch == 1} == {("max", 16)}


def test_recomputation_is_not_measured_in_windows_that_are_too_large_for_it():
    both = ({"name": "reactive"}, {"name": "recalc"})
    cells = ra_memory.plan(settings(sizes={"windows": [64, 65536], "recomputed": 4096}, algorithms=both))
    assert {(cell.algorithm, cell.window) for cell in cells} == {("reactive", 64), ("reactive", 65536), ("recalc", 64)}
