"""What docs/streaming.md says of Spark's ways is what is published."""

import re
from pathlib import Path

from plots import spark_table
from results import Store
from results.verdicts import published_in

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = ROOT / "results" / "published"
BESIDE_PANES = (ROOT / "docs" / "streaming.md").read_text("utf-8").split("## Beside panes")[1].split("\n## ")[0]


def test_each_interval_is_that_of_a_published_verdict():
    published = published_in(PUBLISHED)
    measured = " ".join(v.measured for name in ("spark_operator", "spark_layout") for v in published[name])
    prose = " ".join(BESIDE_PANES.split())
    today = re.sub(r"Over twelve triggers.*?Panes keep", "", prose)  # an earlier run, as the page says
    said = re.findall(r"([\d.]+) times[^()]*\(([\d.]+) to ([\d.]+)\)", today)
    said += re.findall(r"\(([\d.]+) times: ([\d.]+) to ([\d.]+)\)", today)
    assert len(said) >= 8
    assert [one for one in said if "{} ({} to {})".format(*one) not in measured] == []


def test_each_rate_is_that_of_the_table_of_published_rows():
    table = spark_table.markdown(Store(PUBLISHED).rows("spark_operator"))
    rates = re.findall(r"\| ([\d,]+) (?=\|)", BESIDE_PANES)
    assert len(rates) >= 12
    assert [rate for rate in rates if f" {rate} " not in table.replace("**", "")] == []
