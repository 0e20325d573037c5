"""The report page in headless Chromium: its script, its address, narrow and wide screens, and print.

Without Chromium these tests are skipped; `apt-get install chromium` brings it.
"""

import html
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from plots import draw
from plots.report import report
from results.verdicts import DOES_NOT_HOLD, IN_PART
from tests.plots.test_claims import verdict

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")

PROBE = r"""<script>
const wide = [...document.querySelectorAll("main *, header *")].filter((node) =>
  !node.closest(".wide, .for-readers, svg") && node.getBoundingClientRect().right > innerWidth + 1);
const named = (nodes) => nodes.map((node) => node.tagName + "." + node.className).slice(0, 5).join(" ");
document.body.dataset.tooWide = named(wide);
document.body.dataset.unhidden = named([...document.querySelectorAll("[hidden]")]
  .filter((node) => getComputedStyle(node).display !== "none"));
const all = (selector) => [...document.querySelectorAll(selector)].filter((node) => node.getClientRects().length);
// WCAG 2.2: names of controls, order of headings, targets of 24 pixels, contrast of 4.5, and where links lead.
document.body.dataset.nameless = named(all("input, select, button, a[href], img").filter((node) => {
  const label = node.labels?.[0]?.textContent || node.textContent || node.getAttribute("aria-label");
  if (node.tagName === "IMG") return !node.hasAttribute("alt");
  return !(label || node.querySelector("img[alt]")?.alt || "").trim();
}));
const levels = all("h1, h2, h3, h4").map((node) => Number(node.tagName[1]));
document.body.dataset.headings = levels.filter((level, i) => level > (levels[i - 1] || 0) + 1).join(" ");
document.body.dataset.small = named(all("button, select, input").filter((node) => {
  const { width, height } = node.getBoundingClientRect();
  return width < 24 || height < 23.5;
}));
document.body.dataset.lost = named(all("a[href^='#']").filter((node) =>
  !document.getElementById(decodeURIComponent(node.getAttribute("href").slice(1)))));
const light = (color) => {
  const [r, g, b] = color.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (node) => {
  for (; node; node = node.parentElement) {
    const color = getComputedStyle(node).backgroundColor;
    if (!/, 0\)$|transparent/.test(color)) return color;
  }
  return "rgb(255, 255, 255)";
};
document.body.dataset.faint = named(all("body *").filter((node) => {
  if (![...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim())) return false;
  if (node.closest(".for-readers, svg, option, script, style")) return false;
  const [low, high] = [light(getComputedStyle(node).color), light(behind(node))].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05) < 4.5;
}));
const usable = all("button, a[href], select, input, summary");
document.body.dataset.unreachable = named(usable.filter((node) => node.tabIndex < 0));
</script>"""


COMMON = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--enable-logging=stderr",
    "--virtual-time-budget=4000",
)
"""Flags of Chromium: it is to look for nothing but the page."""

CHECKS = ("nameless", "headings", "small", "lost", "faint", "unreachable")
"""What the probe looks for: each lists the elements that fail."""


@pytest.fixture(scope="module")
def page(tmp_path_factory, description, make_rows):
    folder = tmp_path_factory.mktemp("page")
    rows = make_rows(xs=(0, 16, 16384))
    config = {"name": "fiba_ooo", "results": str(folder)}
    figures = draw(description, rows, folder, config, {"fiba_ooo/rows.parquet": "0"})
    verdicts = [
        verdict(),
        verdict(IN_PART, fails=1, claim="Another statement"),
        verdict(DOES_NOT_HOLD, claim="A third"),
    ]
    verdicts += [verdict(experiment="ra_cost", panel="Figure 7", claim="A cost")]
    path = report({"fiba_ooo": rows}, verdicts, figures, folder / "report.html")
    path.write_text(path.read_text().replace("</body>", PROBE + "</body>"))
    return path


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """The page of the published run, with the probe."""
    text = (Path(__file__).parents[2] / "results/published/report.html").read_text(encoding="utf-8")
    path = tmp_path_factory.mktemp("published") / "report.html"
    path.write_text(text.replace("</body>", PROBE + "</body>"), encoding="utf-8")
    return path


def browse(page, *flags, address="", width=1280):
    """What Chromium prints with these flags; fails if the script of the page has."""
    command = [BROWSER, *COMMON, f"--window-size={width},900", *flags, f"file://{page}{address}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Uncaught" not in done.stderr and "CONSOLE" not in done.stderr, done.stderr
    return done.stdout


def rows_of(dom):
    """The statements that are shown, and those that are hidden."""
    rows = re.findall(r'<tr class="claim"([^>]*)>\s*<td[^>]*>(.*?) <span', dom, re.DOTALL)
    shown = [html.unescape(text).strip() for attributes, text in rows if "hidden" not in attributes]
    return shown, len(rows) - len(shown)


def test_the_script_filters_by_what_the_address_says(page):
    everything, hidden = rows_of(browse(page, "--dump-dom"))
    assert len(everything) == 4 and hidden == 0
    shown, hidden = rows_of(browse(page, "--dump-dom", address="#scoreboard&verdict=holds+in+part"))
    assert (shown, hidden) == (["Another statement"], 3)
    for width in (390, 1280):
        dom = browse(page, "--dump-dom", address="#q=cost", width=width)
        assert rows_of(dom) == (["A cost"], 3) and 'data-for="fiba_ooo" hidden=""' in dom
        assert 'data-unhidden=""' in dom, re.findall(r'data-unhidden="[^"]*"', dom)


def test_a_view_of_a_figure_is_in_the_address(page):
    dom = browse(page, "--dump-dom")
    assert ">explore</button>" in dom and 'class="explorer"' not in dom
    [name] = re.findall(r'<figure id="(figure-[^"]*)"', dom)
    dom = browse(page, "--dump-dom", address=f"#{name}&{name}=log2~linear~bfinger4+(fiba+4)")
    hidden = re.findall(r'<button[^>]*data-name="([^"]*)"[^>]*aria-pressed="false"', dom)
    assert hidden == ["bfinger4 (fiba 4)"] and "printed figure" in dom
    said = r"bfinger8 \(fiba 8\), 16,384: [\d.]+ \([\d.]+ to [\d.]+; 3 repetitions\)"
    assert re.search(rf"<title>{said}</title>", dom)
    assert re.search(r'<svg [^>]*role="group"', dom)
    assert re.search(rf'<circle [^>]*role="img"[^>]* aria-label="{said}"', dom)
    assert ">y: linear or log</button>" in dom
    assert "<title>bfinger4" not in dom


def test_what_is_negative_has_no_logarithm(description, make_rows, tmp_path):
    rows = make_rows(xs=(0, 16, 64))
    less = {**description, "y": "value", "base": {"distance": 0}, "compared": "difference"}
    path = report({"fiba_ooo": rows}, [], draw(less, rows, tmp_path, {"name": "fiba_ooo"}), tmp_path / "report.html")
    dom = browse(path, "--dump-dom")
    assert ">x: linear or log</button>" in dom and ">y: linear or log</button>" not in dom


CLICKS = """<script>{
  const link = document.querySelector("#algorithms a[href='#fiba_ooo']"), before = location.hash;
  addEventListener("click", (event) => event.preventDefault());  // the browser opens nothing
  for (const key of ["ctrlKey", "metaKey", "shiftKey", "altKey"])
    link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, [key]: true }));
  document.body.dataset.stayed = location.hash === before;
  link.click();
  document.body.dataset.went = location.hash + " " + document.activeElement.id;
}</script>"""


def test_a_link_leads_to_what_the_filter_hid_and_takes_the_focus_along(page, tmp_path):
    path = tmp_path / "clicks.html"
    path.write_text(page.read_text().replace("</body>", CLICKS + "</body>"))
    dom = html.unescape(browse(path, "--dump-dom", address="#q=cost&figure-fiba_ooo=linear~log10"))
    assert 'data-stayed="true"' in dom and rows_of(dom)[1] == 0
    assert 'data-went="#fiba_ooo&figure-fiba_ooo=linear%7Elog10 fiba_ooo"' in dom


def test_a_view_of_few_decades_has_ticks_and_joins_nothing_that_has_no_order(published):
    name = "figure-compression_auto"
    dom = browse(published, "--dump-dom", address=f"#{name}&{name}=category~log10")
    view = dom[dom.index('class="explorer"') :].partition("</svg>")[0]
    ticks = [text for text in re.findall(r">([^<>]+)</text>", view) if text.replace(",", "").isdecimal()]
    assert {"50", "100", "200", "500", "1,000"} <= set(ticks)
    lines = re.findall(r'<path d="M([^"]*)" fill="none"', view)
    assert [1 + line.count("L") for line in lines] == [6, 6, 6, 1, 1, 1, 1, 1]  # three codecs, and five goals


@pytest.mark.parametrize("width", [390, 820, 1440])
def test_nothing_is_wider_than_the_screen(page, tmp_path, width):
    dom = browse(page, "--dump-dom", width=width)
    assert 'data-too-wide=""' in dom, re.findall(r'data-too-wide="[^"]*"', dom)
    picture = tmp_path / "screen.png"
    browse(page, f"--screenshot={picture}", width=width)
    assert picture.stat().st_size > 5_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_and_used_by_everyone(page, scheme):
    flags = ["--force-dark-mode"] if scheme == "dark" else []
    dom = browse(page, "--dump-dom", *flags)
    found = {name: re.findall(rf'data-{name}="([^"]*)"', dom) for name in CHECKS}
    assert found == {name: [""] for name in CHECKS}


def test_it_prints(page, tmp_path):
    printed = tmp_path / "page.pdf"
    browse(page, f"--print-to-pdf={printed}", "--no-pdf-header-footer")
    assert 1 <= pages_of(printed) <= 4


def pages_of(printed):
    return len(re.findall(rb"/Type\s*/Page\b", printed.read_bytes()))


@pytest.mark.parametrize("width", [390, 820, 1440])
def test_the_published_page_fits_every_screen(published, tmp_path, width):
    dom = browse(published, "--dump-dom", width=width)
    assert 'data-too-wide=""' in dom, re.findall(r'data-too-wide="[^"]*"', dom)
    found = {name: re.findall(rf'data-{name}="([^"]*)"', dom) for name in CHECKS}
    assert found == {name: [""] for name in CHECKS}


def test_the_published_page_is_printed_on_fewer_than_forty_pages(published, tmp_path):
    printed = tmp_path / "page.pdf"
    browse(published, f"--print-to-pdf={printed}", "--no-pdf-header-footer")
    assert 1 < pages_of(printed) < 40
