"""A link from a page to a file that is no page opens that file, which lies on the site where it lies in the project.

A link to a folder, which a code host lists, is plain text on the site.
"""

import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx


def open_plain_files(app: Sphinx, tree: nodes.document) -> None:
    """Replace what Sphinx would offer as a download under a name of its own, and links to folders."""
    for node in list(tree.findall(addnodes.pending_xref)):
        if node["reftype"] == "myst" and Path(app.env.relfn2path(node["reftarget"], app.env.docname)[1]).is_dir():
            node.replace_self(node.children)
    for node in list(tree.findall(addnodes.download_reference)):
        target = app.env.relfn2path(node["reftarget"], app.env.docname)[0]
        app.env.metadata[app.env.docname].setdefault("plain_files", set()).add(target)
        link = nodes.reference("", "", *node.children, internal=True, refuri=_from_page(app, target))
        node.replace_self(link)


def _from_page(app: Sphinx, target: str) -> str:
    return "../" * app.env.docname.count("/") + target


def copy_plain_files(app: Sphinx, error: Exception | None) -> None:
    """Copy those files to the same place of the site."""
    if error is None and app.builder.format == "html":
        for name in sorted({name for data in app.env.metadata.values() for name in data.get("plain_files", ())}):
            copied = Path(app.outdir, name)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(Path(app.srcdir, name), copied)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", open_plain_files, priority=100)
    app.connect("build-finished", copy_plain_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
