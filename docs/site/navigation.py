"""What the side of the site lists, added unseen to pages that stay plain Markdown.

The front page gets all kinds of pages from docs/site/navigation.txt, where a line that ends with a colon begins a kind.
A page called README gets the other pages of its folder; the project's own gets what is published.
"""

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

LIST = Path(__file__).with_name("navigation.txt")
PUBLISHED = ["results/published/*", "results/paper_sizes/*"]


def kinds() -> dict[str, list[str]]:
    """The pages of each kind, as in the list."""
    found: dict[str, list[str]] = {}
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line.endswith(":"):
            pages = found[line[:-1]] = []
        elif line:
            pages.append(line)
    return found


def tree(pages: list[str], *options: str) -> str:
    """A table of contents that is not shown on the page."""
    return "\n".join(
        ["", "```{toctree}", ":hidden:", ":titlesonly:", *options, "", *(f"/{page}" for page in pages), "```", ""]
    )


def trees_of(name: str, front: str) -> str:
    """What is added to the page of that name."""
    folder, _, page = name.rpartition("/")
    if name == front:
        return "".join(tree(pages, f":caption: {kind}") for kind, pages in kinds().items())
    if page == "README":
        return tree([f"{folder}/*"] if folder else PUBLISHED, ":glob:")
    return ""


def add_navigation(app: Sphinx, name: str, source: list[str]) -> None:
    source[0] += trees_of(name, app.config.root_doc)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", add_navigation)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
