"""The report page: it is HTML, it is whole, and what it is told it tells safely."""

import base64
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pandas as pd
import pytest
from PIL import Image

from plots import draw
from plots.exploring import explorable
from plots.page import runs
from plots.page.provenance import without_result
from plots.report import report
from plots.sidecar import OfTheRun
from results.agreement import Run
from results.verdicts import IN_PART
from tests.plots.test_claims import verdict

VOID = {"meta", "img", "br", "link", "input", "hr"}


class Page(HTMLParser):
    """Checks that every tag is closed in order, and collects the text, the tags and the image sources."""

    def __init__(self, html):
        super().__init__()
        self.open, self.texts, self.tags = [], [], set()
        self.images, self.links, self.ids, self.scripts = [], [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        values = dict(attributes)
        self.ids += [values["id"]] if "id" in values else []
        self.images += [values["src"]] if tag == "img" else []
        self.links += [values["href"]] if "href" in values else []
        self.scripts += [values] if tag == "script" else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


def page_of(path):
    return Page(path.read_text(encoding="utf-8"))


def test_a_page_without_anything_is_a_page(tmp_path):
    page = page_of(report({}, [], [], tmp_path / "new" / "report.html"))
    for words in (
        "which goals hold here",
        "No claims were judged.",
        "No figures were drawn.",
        "There are no rows.",
        "Every cell gave a result.",
    ):
        assert words in page.text


def test_scoreboard_figures_failures_and_provenance(description, make_rows, tmp_path):
    rows = make_rows(xs=(0, 16), git_dirty=True, failures={("fiba", 4, "bloom", 16): ("timeout", "longer than 60 s")})
    figures = draw(description, rows, tmp_path, {"name": "fiba_ooo", "results": str(tmp_path)}, {"fiba_ooo/a": "0"})
    verdicts = [verdict(), verdict(IN_PART, fails=1), verdict(experiment="ra_cost", panel="Figure 7")]
    path = report({"fiba_ooo": rows}, verdicts, figures, tmp_path / "report.html")
    page = page_of(path)
    assert not re.findall(r'<th(?! scope="col")[ >]', path.read_text())
    assert "which claims of one paper hold here" in page.text
    assert "3 statements: 2 hold, 1 holds in part" in page.text
    assert "FiBA: finger B-trees for out-of-order windows ✓ 1 holds ≈ 1 holds in part" in page.text
    assert "Finger trees fall with the distance" in page.text and "FiBA, Figure 11." in page.text
    assert "fiba_ooo bfinger4 bloom distance 65536 16 timeout longer than 60 s 1" in page.text
    for words in ("processor Made-up 9000, cores 2", "numba 0.68.0", "0123456789 + uncommitted changes", "draft:"):
        assert words in page.text
    assert "Again: python run.py experiment=fiba_ooo" in page.text
    assert len(page.ids) == len(set(page.ids))
    assert all(link[1:] in page.ids for link in page.links if link[0] == "#")
    rows_file, *pages = [link for link in page.links if link[0] != "#"]
    assert rows_file == "fiba_ooo/a"
    assert {Path(link).name for link in pages} >= {"fiba.md", "bloom.md"}
    assert all((tmp_path / link).is_file() for link in pages)


def test_cells_without_a_result_are_told_apart_by_what_they_were_given(make_rows):
    failures = {("fiba", 4, "sum", 16): ("failed", "no room")}
    rows = pd.concat(
        make_rows(
            ["sum"],
            (16,),
            failures=failures,
            workload_parameters=f'{{"distance": {limit}, "limit": {limit}}}',
            batch=batch,
        )
        for limit, batch in [(64, None), (64, 8), (128, 8)]
    )
    found = without_result(runs.Run("fiba_ooo", rows, [], {}))
    assert {(entry["given"], entry["rows"]) for entry in found} == {
        ("limit=64", 1),
        ("batch=8, limit=64", 1),
        ("batch=8, limit=128", 1),
    }


def test_a_figure_belongs_to_its_run_whatever_their_profiles(tmp_path):
    def drawn_by(name, names):
        (tmp_path / f"{name}.json").write_text(json.dumps({"config": {"name": "fiba_ooo"}}))
        found = runs.of_the_page(dict.fromkeys(names, pd.DataFrame()), [], [tmp_path / f"{name}.png"])
        return [run.name for run in found if run.figures]

    name = "fiba_ooo_second-algorithms_fiba-profile_paper-window_8"
    plain = ["fiba_ooo", "fiba_ooo-window_8", "fiba_ooo-algorithms_fiba-window_8"]
    assert drawn_by(name, plain) == plain[2:]
    several = ["fiba_ooo", "fiba_ooo-profile_laptop", "fiba_ooo-profile_paper"]
    assert [drawn_by(f"fiba_ooo_second{end}", several) for end in ("-profile_paper", "-profile_laptop", "")] == [
        several[2:],
        several[1:2],
        several[:1],
    ]


def test_an_experiment_whose_figure_has_no_title_has_its_name(description, make_rows, tmp_path):
    rows = make_rows(xs=(0, 16))
    figures = draw({**description, "title": ""}, rows, tmp_path, {"name": "fiba_ooo"})
    html = report({"fiba_ooo": rows}, [], figures, tmp_path / "report.html").read_text()
    assert '<h3><a href="#fiba_ooo">fiba_ooo</a></h3>' in html


def test_only_runs_of_whole_experiments_count(description, make_rows, tmp_path):
    rows, small = make_rows(xs=(0, 16)), make_rows(xs=(0, 16), profile="smoke")
    frames = {"fiba_ooo": rows, "fiba_ooo-window_9": rows}
    verdicts = [verdict(), verdict(experiment="fiba_ooo-window_9")]
    page = page_of(report(frames, verdicts, [], tmp_path / "report.html"))
    assert "1 statement: 1 holds" in page.text and "Runs of other settings" in page.text
    page = page_of(report({"fiba_ooo": small}, [verdict()], [], tmp_path / "report.html"))
    assert "1 statement: 1 holds" in page.text, "there is nothing else"


def test_other_runs_stand_beside(description, make_rows, tmp_path):
    rows = make_rows(xs=(0, 16))
    beside = {"another machine": Run([verdict(IN_PART, fails=1)], rows)}
    verdicts = [verdict(), verdict(claim="Said here alone")]
    page = page_of(report({"fiba_ooo": rows}, verdicts, [], tmp_path / "report.html", beside))
    assert "Other runs stand beside this one" in page.text
    assert "another machine Made-up 9000, 2 cores" in page.text
    assert "The runs agree on 0 of 1 statements that at least two of them decided" in page.text
    assert page.text.count("≈ holds for 1 of 2") == 1


@pytest.mark.parametrize(("of_it", "said"), [(3, "all 3 rows were"), (2, "2 of 3 rows were")])
def test_the_front_says_how_many_rows_are_of_the_code_that_drew(description, make_rows, tmp_path, of_it, said):
    rows = make_rows(xs=(0, 16, 64))
    code = {"revision": "0123456789abcdef", "dirty": False, "rows": 3, "rows_of_it": of_it}
    figures = draw(description, rows, tmp_path, {}, of_the_run=OfTheRun(code=code))
    page = page_of(report({"fiba_ooo": rows}, [], figures, tmp_path / "report.html"))
    assert f"{said} measured by the code of revision 0123456789" in page.text


@pytest.mark.parametrize(("of_both", "profile"), [("", ""), ("", "-profile_paper"), ("-window_9", "-profile_paper")])
def test_figures_of_other_runs_stand_beside_those_of_the_same_name(description, make_rows, tmp_path, of_both, profile):
    there, here = tmp_path / "there", tmp_path / "here"
    draw({**description, "name": description["name"] + profile + of_both}, make_rows(xs=(0, 16, 64)), there, {})
    draw({**description, "name": f"{description['name']}-profile_paper-window_8"}, make_rows(xs=(0, 16)), there, {})
    figures = draw({**description, "name": description["name"] + of_both}, make_rows(xs=(0, 16)), here, {})
    figures += draw({**description, "name": "only_here"}, make_rows(xs=(0, 16)), here, {})
    rows = {"fiba_ooo": make_rows(xs=(0, 16))}
    beside = {"another machine": Run([verdict()], rows["fiba_ooo"], str(there))}
    page = page_of(report(rows, [verdict()], figures, tmp_path / "report.html", beside))
    assert page.text.count("the same of another machine") == 1
    without = page_of(report(rows, [verdict()], figures, tmp_path / "report.html"))
    assert len(page.images) == len(without.images) + 1


def pictures(page):
    return [image for image in page.images if not image.startswith("data:image/png")]


def test_each_figure_is_embedded_once_as_svg_or_else_png(description, make_rows, tmp_path):
    png, svg, sidecar = draw(description, make_rows(xs=(0, 16)), tmp_path, {})
    thumbnail, image = page_of(report({}, [], [png, svg, sidecar], tmp_path / "report.html")).images
    assert image.startswith("data:image/svg+xml,")
    assert unquote(image.partition(",")[2]) == svg.read_text()
    with Image.open(io.BytesIO(base64.b64decode(thumbnail.partition(",")[2]))) as small:
        assert max(small.size) == 300
    sidecar.unlink()
    _, image = page_of(report({}, [], [png], tmp_path / "report.html")).images
    assert base64.b64decode(image.split(",")[1]) == png.read_bytes() or svg.exists()


def test_nothing_is_loaded_from_elsewhere(description, make_rows, tmp_path):
    rows = make_rows(xs=(0, 16))
    figures = draw(description, rows, tmp_path, {"name": "fiba_ooo"})
    html = report({"fiba_ooo": rows}, [verdict()], figures, tmp_path / "r.html").read_text()
    page = Page(html)
    assert "http:" not in html and "https:" not in html
    assert not {"link", "iframe", "object"} & page.tags
    assert all(image.startswith("data:") for image in page.images)
    assert len(page.scripts) == 2 and not any("src" in attributes for attributes in page.scripts)


def test_points_are_those_that_are_drawn(description, make_rows, tmp_path):
    rows = make_rows(xs=(0, 2**17))
    found = explorable(description, rows)
    assert found["x_scale"] == "log2" and len(found["panels"]) > 1
    values = rows[rows["status"] == "ok"].copy()
    values["y"] = values["operations"] / values["value"] * 1e3
    for line in found["series"]:
        assert line["color"].startswith("#") and line["x"] == [0, 2**17]
        assert line["pieces"] == [0, 1]  # the axis is broken behind 0
        assert all(low <= middle <= high for low, middle, high in zip(line["low"], line["middle"], line["high"]))
    medians = sorted(values.groupby(["algorithm", "parameters", "operator", "distance"])["y"].median())
    shown = sorted(y for line in found["series"] for y in line["middle"])
    assert shown == pytest.approx(medians, rel=1e-4)
    table = {"name": "t", "family": "table", "rows": "operator", "columns": "series", "y": "throughput"}
    assert explorable(table, rows) is None


def test_points_of_categories_have_their_names_in_order_and_no_line_where_there_is_none(make_rows):
    goals = ("60", "inf", "latency<=2ms", "memory<=1MB")
    rows = make_rows(operators=["sum"], xs=[1], series=[("reactive", {"goal": goal}) for goal in goals])
    spec = {"name": "goals", "family": "lines", "x": "parameters.goal", "x_scale": "category", "y": "time_per_item"}
    found = explorable({**spec, "x_values": ["inf", "60"], "titles": {"inf": "∞", "60": "1 min"}}, rows)
    assert found["categories"] == ["∞", "1 min", "latency<=2ms", "memory<=1MB"]
    [line] = found["series"]
    assert (line["x"], line["pieces"]) == (found["categories"], [0, 2, 3])


def test_powers_in_statements_are_raised_and_the_rest_is_escaped(tmp_path):
    claims = [verdict()._replace(claim="n = 2^22 <b>", says="with a window size 2^9 or greater")]
    html = report({}, claims, [], tmp_path / "report.html").read_text(encoding="utf-8")
    assert "n = 2<sup>22</sup> &lt;b&gt;" in html and "a window size 2<sup>9</sup> or greater" in html


def test_all_text_is_escaped(description, make_rows, tmp_path):
    evil = '<script>alert("x")</script>&amp;'
    rows = make_rows(
        xs=(0, 16),
        failures={("fiba", 4, "bloom", 16): ("failed", evil)},
        machine_facts='{"cpu":"<script>1</script>"}',
    )
    description = description | {"caption": evil, "title": f'"{evil}', "x_label": evil}
    figures = draw(description, rows, tmp_path, {"name": "fiba_ooo"})
    verdicts = [verdict(claim=evil, reason=evil, experiment=evil)]
    page = page_of(report({"fiba_ooo": rows}, verdicts, figures, tmp_path / "report.html"))
    assert [attributes.get("class") for attributes in page.scripts] == ["points", None]
    assert page.text.count(evil) >= 6
    [points] = [text for text in page.texts if text.startswith('{"x"')]
    assert "<" not in points and json.loads(points)["x"] == evil
