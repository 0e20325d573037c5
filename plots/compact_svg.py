"""An SVG as Matplotlib writes it, in half of its bytes: a report has hundreds of them, and is one file."""

import re
from collections import Counter

_IGNORED = re.compile(r"<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_GROUP = re.compile(r"<g\b[^>]*>|</g>")
_NOT_TURNED = re.compile(r" transform='rotate\(-?0 [^']*\)'")
_PATH = re.compile(r" d='[^']*'")
_COMMAND = re.compile(r" ?([A-Za-z]) ?(?=[-\d'A-Za-z])")
_ID = re.compile(r" id='([^']*)'")
_REFERENCE = re.compile(r"(url\(|href=')#([^')]*)")
_STYLE = re.compile(r" style='([^']*)'")
_NUMBER_OR_STYLE = re.compile(r"style='[^']*'|-?\d+\.\d\d+")


def compact(svg: str) -> str:
    """The SVG on one line, without what nobody sees: comments, metadata, unused ids, groups of nothing in common.

    Coordinates are to a tenth of a point, and styles that occur more than once are classes. Its attributes are in
    single quotes, so that an address with the SVG in it can stand in double ones. O(length).
    """
    body = _IGNORED.sub("", svg[svg.index("<svg") :])
    body = re.sub(r">\s+<", "><", re.sub(r"\s+", " ", body)).strip()
    body = _TAG.sub(_short_tag, body)
    return _with_classes(_without_groups(_with_short_ids(body)))


def _short_tag(tag: re.Match) -> str:
    """The tag in single quotes, which names of fonts do without, and without rotations by nothing."""
    plain = _NOT_TURNED.sub("", tag[0].replace("'", "").replace('"', "'"))
    plain = _PATH.sub(lambda path: _COMMAND.sub(r"\1", path[0]), plain)
    return _NUMBER_OR_STYLE.sub(_to_a_tenth, plain)


def _to_a_tenth(found: re.Match) -> str:
    return found[0] if found[0].startswith("style") else f"{float(found[0]):.1f}".removesuffix(".0")


def _with_short_ids(svg: str) -> str:
    """The SVG with a short id for each that something refers to, and without the others."""
    used = dict.fromkeys(name for _, name in _REFERENCE.findall(svg))
    names = {name: f"i{number}" for number, name in enumerate(used)}
    body = _ID.sub(lambda found: f" id='{names[found[1]]}'" if found[1] in names else "", svg)
    return _REFERENCE.sub(lambda found: f"{found[1]}#{names[found[2]]}", body)


def _without_groups(svg: str) -> str:
    """The SVG without the tags of groups that have no attributes."""
    kept: list[bool] = []

    def tag(found: re.Match) -> str:
        if found[0] == "</g>":
            return found[0] if kept.pop() else ""
        if found[0].endswith("/>"):
            return ""
        kept.append(found[0] != "<g>")
        return found[0] if kept[-1] else ""

    return _GROUP.sub(tag, svg)


def _with_classes(svg: str) -> str:
    """The SVG with a class for each style that it has more than once."""
    counts = Counter(_STYLE.findall(svg))
    names = {style: f"c{number}" for number, (style, count) in enumerate(counts.items()) if count > 1}
    rules = "".join(f".{name}{{{style}}}" for style, name in names.items())
    named = _STYLE.sub(lambda found: f" class='{names[found[1]]}'" if found[1] in names else found[0], svg)
    return named.replace("</style>", f"{rules}</style>", 1)
