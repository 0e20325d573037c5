"""The report page: it is HTML, it is whole, and what it is told it tells safely."""

import base64
import re
from html.parser import HTMLParser

from plots import draw
from plots.report import report
from results.verdicts import IN_PART
from tests.plots.test_claims import verdict

VOID = {"meta", "img", "br", "link", "input", "hr"}


class Page(HTMLParser):
    """Checks that every tag is closed in order, and collects the text, the tags and the image sources."""

    def __init__(self, html):
        super().__init__()
        self.open, self.texts, self.tags, self.images, self.links, self.ids = [], [], set(), [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        values = dict(attributes)
        self.ids += [values["id"]] if "id" in values else []
        self.images += [values["src"]] if tag == "img" else []
        self.links += [values["href"]] if "href" in values else []
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
        "No claims were judged.",
        "No figures were drawn.",
        "There are no rows.",
        "Every cell gave a result.",
    ):
        assert words in page.text


def test_scoreboard_figures_failures_and_provenance(description, make_rows, tmp_path):
    rows = make_rows(xs=(0, 16), git_dirty=True, failures={("fiba", 4, "bloom", 16): ("timeout", "longer than 60 s")})
    figures = draw(description, rows, tmp_path, {})
    verdicts = [verdict(), verdict(IN_PART, fails=1), verdict(experiment="ra_cost", panel="Figure 7")]
    page = page_of(report({"fiba_ooo": rows}, verdicts, figures, tmp_path / "report.html"))
    assert "3 statements: 2 hold, 1 holds in part" in page.text
    assert re.search(r"fiba 1 1 0 0 0 0 ra_cost 1 0 0 0 0 0", page.text)
    assert "Finger trees fall with the distance" in page.text and "FiBA, Figure 11." in page.text
    assert "fiba_ooo bfinger4 bloom distance 65536 16 timeout longer than 60 s 1" in page.text
    for words in ("processor Made-up 9000, cores 2", "numba 0.68.0", "0123456789 + uncommitted changes", "draft:"):
        assert words in page.text
    assert len(page.ids) == len(set(page.ids))
    assert all(link[0] == "#" and link[1:] in page.ids for link in page.links)


def test_each_figure_is_embedded_once_as_svg_or_else_png(description, make_rows, tmp_path):
    png, svg, sidecar = draw(description, make_rows(xs=(0, 16)), tmp_path, {})
    [image] = page_of(report({}, [], [png, svg, sidecar], tmp_path / "report.html")).images
    assert image.startswith("data:image/svg+xml;base64,")
    assert base64.b64decode(image.split(",")[1]) == svg.read_bytes()
    sidecar.unlink()
    [image] = page_of(report({}, [], [png], tmp_path / "report.html")).images
    assert base64.b64decode(image.split(",")[1]) == png.read_bytes()


def test_nothing_is_loaded_from_elsewhere(description, make_rows, tmp_path):
    rows = make_rows(xs=(0, 16))
    html = report(
        {"fiba_ooo": rows}, [verdict()], draw(description, rows, tmp_path, {}), tmp_path / "r.html"
    ).read_text()
    assert "http:" not in html and "https:" not in html
    assert not {"script", "link", "iframe"} & Page(html).tags


def test_all_text_is_escaped(description, make_rows, tmp_path):
    evil = '<script>alert("x")</script>&amp;'
    rows = make_rows(
        xs=(0, 16),
        failures={("fiba", 4, "bloom", 16): ("failed", evil)},
        machine_facts='{"cpu":"<script>1</script>"}',
    )
    figures = draw(description | {"caption": evil, "title": f'"{evil}'}, rows, tmp_path, {})
    verdicts = [verdict(claim=evil, reason=evil, experiment=evil)]
    page = page_of(report({"fiba_ooo": rows}, verdicts, figures, tmp_path / "report.html", title=evil))
    assert "script" not in page.tags
    assert page.text.count(evil) >= 6
