"""Docstrings and examples are written to be read as they are; here they become what Sphinx reads.

A table of parameters (a name, two spaces or more, what it is) becomes a list of definitions; text in backticks is code;
nothing else has a meaning: stars, bars and underscores are themselves. Examples stay as they are, without the empty
line that ends them for doctest.
"""

import inspect
import re
from typing import Any

from sphinx.application import Sphinx

MARKED = re.compile(r"([*_|\\])")


def escaped(text: str) -> str:
    """Text with what is in backticks as code, and all else without a meaning."""
    pieces = re.split(r"``?([^`]+)``?", text)
    return "".join(f"``{piece}``" if n % 2 else MARKED.sub(r"\\\1", piece) for n, piece in enumerate(pieces))


def is_table(lines: list[str]) -> bool:
    """Whether the lines of a paragraph are a table: the texts of all parameters begin in one column."""
    starts = [found.start("text") for line in lines if (found := re.match(r"\S.*?\s{2,}(?P<text>\S)", line))]
    return (
        bool(starts)
        and len(set(starts)) == 1
        and not lines[0].startswith(" ")
        and all(re.match(r"\S.*?\s{2,}\S", line) or line[: starts[0]].isspace() for line in lines)
    )


def definitions(lines: list[str]) -> list[str]:
    """A table of parameters as a list of definitions."""
    made: list[str] = []
    for line in lines:
        if line.startswith(" "):
            made.append(f"   {escaped(line.strip())}")
        else:
            name, text = re.split(r"\s{2,}", line, maxsplit=1)
            made += [f"``{name}``", f"   {escaped(text)}"]
    return made


def paragraph(lines: list[str]) -> list[str]:
    if lines[0].lstrip().startswith(">>>"):
        return lines
    if is_table(lines):
        return definitions(lines)
    if all(line.startswith("    ") for line in lines):
        return ["::", "", *lines]
    return [escaped(line) for line in lines]


def readable(docstring: str) -> str:
    """The docstring as reStructuredText."""
    paragraphs = re.split(r"\n\s*\n", docstring.strip("\n"))
    return "\n\n".join("\n".join(paragraph(text.split("\n"))) for text in paragraphs) + "\n"


def rewrite(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    lines[:] = readable("\n".join(lines)).split("\n")


def sign(app: Sphinx, what: str, name: str, thing: Any, options: Any, signature: str, returns: str) -> Any:
    """The signature of a class is that of its own __init__, whatever a base has as __new__."""
    if what == "class" and signature and "__init__" in vars(thing):
        takes = inspect.signature(thing.__init__)
        without_self = takes.replace(parameters=list(takes.parameters.values())[1:])
        plain = [each.replace(annotation=each.empty) for each in without_self.parameters.values()]
        return str(without_self.replace(parameters=plain, return_annotation=takes.empty)), None
    return None


def end_examples(app: Sphinx, name: str, source: list[str]) -> None:
    source[0] = re.sub(r"\n\n```$", "\n```", source[0], flags=re.MULTILINE)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", rewrite)
    app.connect("autodoc-process-signature", sign)
    app.connect("source-read", end_examples, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
