"""What the documentation says of Spark's ways is what is published."""

import json
import re
from pathlib import Path

import pytest

from plots import spark_table
from plots.columns import column
from results import Store
from results.verdicts import published_in

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = ROOT / "results" / "published"


def text_of(page):
    return (ROOT / page).read_text("utf-8")


BESIDE_PANES = text_of("docs/streaming.md").split("## Beside panes")[1].split("\n## ")[0]


@pytest.fixture(scope="module")
def measured():
    published = published_in(PUBLISHED)
    return " ".join(verdict.measured for name in ("spark_operator", "spark_layout") for verdict in published[name])


@pytest.fixture(scope="module")
def rows():
    return Store(PUBLISHED).rows("spark_operator")


def test_each_interval_is_that_of_a_published_verdict(measured):
    prose = " ".join(BESIDE_PANES.split())
    today = re.sub(r"Over twelve triggers.*?Panes keep", "", prose)  # an earlier run, as the page says
    said = re.findall(r"([\d.]+) times[^()]*\(([\d.]+) to ([\d.]+)\)", today)
    said += re.findall(r"\(([\d.]+) times: ([\d.]+) to ([\d.]+)\)", today)
    assert len(said) >= 8
    assert [one for one in said if "{} ({} to {})".format(*one) not in measured] == []


def test_the_ratios_of_the_readme_are_those_of_published_verdicts(measured):
    readme = " ".join(text_of("README.md").split())
    [said] = re.findall(r"`sliding_aggregate` is ([\d.]+) times as fast as `window\(\)`, and the sink ([\d.]+)", readme)
    assert [ratio for ratio in said if f" {ratio} (" not in measured] == []


def test_each_rate_is_that_of_the_table_of_published_rows(rows):
    table = spark_table.markdown(rows)
    rates = re.findall(r"\| ([\d,]+) (?=\|)", BESIDE_PANES)
    assert len(rates) >= 12
    assert [rate for rate in rates if f" {rate} " not in table.replace("**", "")] == []


@pytest.mark.parametrize(("window", "keys", "per_slide"), [(10, 1000, 1), (60, 10, 400)])
def test_the_processor_time_of_a_row_is_that_of_published_rows(rows, window, keys, per_slide):
    sizes = column(rows, "workload_parameters.keys"), column(rows, "workload_parameters.per_slide")
    there = rows[(rows["window"] == window) & (sizes[0] == keys) & (sizes[1] == per_slide) & (rows["status"] == "ok")]
    seconds = there["facts"].map(lambda facts: json.loads(facts).get("cpu_seconds"))
    of_each = (1e6 * seconds / there["operations"]).groupby(there["algorithm"]).median()
    aggregate, sink = (f"{of_each[name]:.1f} µs" for name in ("sliding_aggregate", "sliding_sink"))
    assert f"| {aggregate} | {sink} |" in text_of("docs/cluster.md")
