"""The site is made without a warning, is whole without a network, and has every page, link and public name."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import algorithms
import streaming
from algorithms import operators, queries
from tests import HUNG
from tests.plots.test_page_in_browser import BROWSER, browse

pytest.importorskip("sphinx", reason="the site's tools are not installed: make site")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PROBE = """<script>
const wide = [...document.querySelectorAll("article *")].filter((node) =>
  !node.closest(".table-wrapper, pre, .sig") && node.getBoundingClientRect().right > innerWidth + 1);
document.body.dataset.tooWide = wide.map((node) => node.tagName + "." + node.className).slice(0, 5).join(" ");
</script></body>"""


class Page(HTMLParser):
    """What a page leads to and loads, and what in it can be led to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.ids = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids |= {found["id"]} if found.get("id") else set()
        self.ids |= {found["name"]} if tag == "a" and found.get("name") else set()
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag in ("img", "script", "iframe") and found.get("src"):
            self.loaded.append(found["src"])
        if tag == "link" and found.get("rel") not in ("canonical", "prev", "next", "author"):
            self.loaded.append(found["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "site"
    command = [sys.executable, "-m", "docs.site", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=HUNG)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in site.rglob("*.html") if path.name != "report.html"}


def test_every_page_of_the_documentation_is_there(site):
    of_docs = list((ROOT / "docs").rglob("*.md"))
    published = [
        *ROOT.glob("results/published/*.md"),
        *ROOT.glob("results/paper_sizes/*.md"),
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
    ]
    missing = [
        path for path in [*of_docs, *published] if not (site / path.relative_to(ROOT)).with_suffix(".html").exists()
    ]
    assert missing == []
    assert (site / "results" / "published" / "report.html").exists()


def test_every_link_leads_to_what_is_there(site, pages):
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file() or (parts.fragment and target in pages and parts.fragment not in pages[target].ids):
                broken.append((str(path.relative_to(site)), link))
    assert broken == []


def test_nothing_is_loaded_from_elsewhere(site, pages):
    loaded = {(str(path.relative_to(site)), link) for path, page in pages.items() for link in page.loaded}
    assert [link for link in loaded if urlsplit(link[1]).scheme not in ("", "data") or link[1].startswith("//")] == []
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"url\(\s*['\"]?((?:https?:)?//[^)]*)|@import[^;]*", styles) == []


def test_the_reference_has_every_public_name(site):
    ids = set().union(*(Page(path).ids for path in (site / "docs" / "api").glob("*.html")))
    modules = {"algorithms": algorithms, "algorithms.operators": operators, "sliding_windows.spark": streaming}
    modules["algorithms.queries"] = queries
    listed = {f"{module}.{name}" for module, it in modules.items() for name in it.__all__}
    are_modules = {"algorithms.operators", "algorithms.policies", "algorithms.queries"}
    assert {name for name in listed if name not in ids and f"module-{name}" not in ids} - are_modules == set()


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
@pytest.mark.parametrize("page", ["docs/README", "docs/promises", "docs/api/streams", "docs/algorithms/fiba"])
def test_nothing_but_code_and_tables_is_wider_than_a_telephone(site, page):
    made = site / f"{page}.html"
    narrow = made.with_name(f"{made.stem}-narrow.html")
    narrow.write_text(made.read_text(encoding="utf-8").replace("</body>", PROBE), encoding="utf-8")
    dom = browse(narrow, "--dump-dom", width=390)
    narrow.unlink()
    assert 'data-too-wide=""' in dom, re.findall(r'data-too-wide="[^"]*"', dom)
