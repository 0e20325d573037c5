"""How Sphinx makes the site from the Markdown of the project and from docstrings: make site.

The folder of sources is the project itself, so that a link from page to page, to a figure or to a file is the same on
the site as on a code host.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "site")]

from sliding_windows import __version__  # noqa: E402

project, author, copyright = "Sliding windows", "the authors of Sliding windows", "Apache-2.0"
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "navigation",
    "plain_files",
    "plain_docstrings",
]
root_doc = "docs/README"
include_patterns = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/**.md",
    "results/published/*.md",
    "results/paper_sizes/*.md",
]
exclude_patterns = [".*", "build", "results/data", "results/records", "results/figures", "outputs", "multirun"]

nitpicky = True  # a name that leads nowhere is an error, as any warning is (-W)
myst_heading_anchors = 4
smartquotes = False  # quotes in the text of docstrings are those of code

autodoc_typehints = "none"
autodoc_member_order = "bysource"
default_role = "code"

html_theme = "furo"
html_title = "Sliding windows"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_search_summary = False  # a page opened as a file may not read another
html_show_sphinx = False
html_show_copyright = False
html_additional_pages = {"index": "front.html"}
templates_path = ["templates"]
