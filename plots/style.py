"""The one style table: an algorithm has the same colour, marker and line in every figure.

Families share a hue: classic B-trees are orange and dashed, finger B-trees blue and solid, each in three shades that
also differ in lightness, so that series can be told apart in grey and with the usual colour-vision deficiencies. An
algorithm that is not in the table gets a style from a hash of its name, the same in every figure and every run.
"""

import colorsys
import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

SOLID, DASHED, DOTTED, DASH_DOTTED = "solid", "dashed", "dotted", "dashdot"

# Markers that the table never uses: an algorithm outside it cannot be mistaken for one of its entries.
OTHER_MARKERS = ("H", "p", (4, 1, 0), (5, 1, 0), (6, 1, 0), (8, 1, 0))
OTHER_ORDER = 1000

LEAST_CONTRAST = 3
"""Of such a colour with white: what WCAG 2.2 asks of graphical objects."""

# Stands for every value of a parameter, which is then written in the label.
ANY = object()


class Style(NamedTuple):
    """How a series looks: legend label, colour (#rrggbb), matplotlib marker and line style, place in the legend."""

    label: str
    color: str
    marker: Any
    line: str
    order: float


_ENTRIES = (
    # algorithm, parameters, label, colour, marker, line
    ("b_tree", {"min_arity": 2}, "bclassic2", "#f2a65a", "v", DASHED),
    ("b_tree", {"min_arity": 4}, "bclassic4", "#d9661f", "s", DASHED),
    ("b_tree", {"min_arity": 8}, "bclassic8", "#8c3503", "^", DASHED),
    ("fiba", {"min_arity": 2}, "bfinger2", "#74b6e8", "o", SOLID),
    ("fiba", {"min_arity": 4}, "bfinger4", "#2374b5", "D", SOLID),
    ("fiba", {"min_arity": 8}, "bfinger8", "#08316b", "X", SOLID),
    ("fiba_folds", {"min_arity": 2}, "bfinger2, folds", "#8fd6c1", "h", DOTTED),
    ("fiba_folds", {"min_arity": 4}, "bfinger4, folds", "#2a9d7c", "P", DOTTED),
    ("fiba_folds", {"min_arity": 8}, "bfinger8, folds", "#0c5843", "*", DOTTED),
    ("two_stacks", {}, "two_stacks", "#117733", "o", SOLID),
    ("two_stacks_lite", {}, "two_stacks_lite", "#63b56f", "s", SOLID),
    ("daba", {}, "daba", "#882255", "D", SOLID),
    ("daba_lite", {}, "daba_lite", "#cc6fa3", "^", SOLID),
    ("soe", {}, "soe", "#8a8a1f", "P", DASH_DOTTED),
    ("recalc", {}, "recalc", "#1a1a1a", "x", DOTTED),
    ("flat_fat", {}, "flat_fat", "#9a7cc9", "v", DASH_DOTTED),
    ("reactive", {}, "reactive", "#4b2a86", "*", DASH_DOTTED),
    ("flatfit", {}, "flatfit", "#c9a800", "<", DASH_DOTTED),
    ("slick_deque", {}, "slick_deque", "#0f9c9c", ">", DASH_DOTTED),
    ("b_int", {}, "b_int", "#7a7a7a", "d", DASHED),
    ("auto", {}, "the chosen window", "#2b5797", "o", SOLID),
    ("fastest", {}, "the fastest window", "#6b8e23", "o", SOLID),
    ("naive", {}, "naive", "#000000", "+", DOTTED),
    ("panes", {}, "panes", "#a0522d", "s", DOTTED),
    ("panes_plus", {}, "panes+", "#d2976a", "D", DOTTED),
    ("pairs", {}, "pairs", "#e0a030", "^", DASHED),
    ("pairs_plus", {}, "pairs+", "#b8560f", "v", DASHED),
    ("cutty", {}, "cutty", "#0b6e4f", "o", SOLID),
    ("cutty_lazy", {}, "cutty_lazy", "#59c3a0", "D", SOLID),
    ("ra", {}, "RA", "#6a3d9a", "*", DASH_DOTTED),
    ("ra_lazy", {}, "RA_lazy", "#b79fd4", "P", DASH_DOTTED),
    ("log_mta", {}, "Mem. LMTA", "#e7298a", "s", SOLID),
    ("amta", {}, "Mem. AMTA", "#9b0f3f", "o", SOLID),
    ("kvs_log_mta", {"cache": 512}, "KVS LMTA", "#f29ec4", "s", DASHED),
    ("kvs_amta", {"cache": 512}, "KVS AMTA", "#d4557b", "o", DASHED),
    ("kvs_log_mta", {"cache": 16}, "KVS LMTA, caches of 16", "#fbb4d4", "D", DOTTED),
    ("kvs_amta", {"cache": 16}, "KVS AMTA, caches of 16", "#e08aa3", "h", DOTTED),
    ("a_c", {}, "A_C", "#1f78b4", "h", SOLID),
    ("rolling", {}, "rolling", "#005f9e", "o", SOLID),
    ("sliding", {}, "SlidingAggregate", "#56a8dd", "D", SOLID),
    ("ordered_window", {}, "OrderedWindow", "#3d3a8c", "s", SOLID),
    ("pandas", {}, "pandas", "#d81b60", "s", DASHED),
    ("polars", {}, "Polars", "#ef8b2c", "v", DASHED),
    ("bottleneck", {}, "Bottleneck", "#2e7d32", "^", DASHED),
    ("numbagg", {}, "numbagg", "#86b34a", "P", DASHED),
    ("duckdb", {}, "DuckDB", "#b59a00", "X", DASH_DOTTED),
    ("river", {}, "River", "#7b3fa0", "h", DOTTED),
    ("sliding_aggregate", {"window": "fiba"}, "sliding_aggregate", "#08519c", "D", SOLID),
    ("sliding_sink", {"window": "fiba"}, "SlidingAggregateSink", "#4a9bd1", "o", SOLID),
    ("sliding_by_row", {"window": "two_stacks_lite"}, "sliding_aggregate, by row", "#2aa198", "h", SOLID),
    ("spark_window", {}, "Spark's window()", "#c1440e", "s", DASHED),
    ("spark_window_in_memory", {}, "Spark's window(), default store", "#f0a27a", "v", DASHED),
    ("spark_panes", {}, "panes, two levels of window()", "#b5651d", "P", DASHED),
    ("spark_panes_state", {}, "panes with a state of the last ones", "#8a6d1d", "X", DASH_DOTTED),
    (
        "sliding_by_slide",
        {"window": "two_stacks_lite", "kept": "slices"},
        "sliding_aggregate, by slide",
        "#12775f",
        "*",
        SOLID,
    ),
    ("sliding_table", {"window": "two_stacks_lite", "kept": "rows"}, "rows are kept", "#5aa9a0", "h", DASHED),
    ("sliding_table", {"window": "two_stacks_lite", "kept": "slices"}, "slices are kept", "#2f4f7f", "P", SOLID),
    ("table_window", {}, "window() of a table", "#d95f30", "v", DASHED),
    ("table_panes", {}, "panes of a table", "#c98a4b", "D", DASHED),
    ("table_panes_sql", {}, "panes in SQL, segment tree", "#7f4f24", "h", DOTTED),
    ("sql_window", {}, "Spark SQL window function", "#45484f", "x", DOTTED),
    ("sql_window_tree", {}, "Spark SQL, segment tree", "#6e2f10", "P", DASHED),
    (
        "sliding_by_range",
        {"window": "two_stacks_lite"},
        "sliding_aggregate, over a range",
        "#1b6f66",
        "h",
        DASHED,
    ),
    ("sql_range_tree", {}, "Spark SQL over a range, segment tree", "#a2542f", "X", DASHED),
    ("pandas_rolling", {}, "pandas' rolling, applyInPandas", "#e36aa0", "s", DOTTED),
    ("cells", {"window": "fiba"}, "cells", "#93a1a1", "P", SOLID),
    # the rates at which A_C is fed, from light to dark, and its codecs
    ("a_c", {"codec": "snappy", "rate": 5000}, "5,000 tuples/s", "#f5b83d", "v", SOLID),
    ("a_c", {"codec": "snappy", "rate": 10000}, "10,000 tuples/s", "#ec7f2c", "^", SOLID),
    ("a_c", {"codec": "snappy", "rate": 20000}, "20,000 tuples/s", "#d13c5b", "s", SOLID),
    ("a_c", {"codec": "snappy", "rate": 25000}, "25,000 tuples/s", "#a01a7d", "D", SOLID),
    ("a_c", {"codec": "snappy", "rate": 40000}, "40,000 tuples/s", "#5b1b9e", "o", SOLID),
    ("a_c", {"codec": "snappy", "rate": "saturating"}, "saturating", "#14124a", "X", DASHED),
    ("a_c", {"codec": "snappy"}, "Snappy", "#2b9348", "s", SOLID),
    ("a_c", {"codec": "lz4"}, "LZ4", "#3a86d6", "v", SOLID),
    ("a_c", {"codec": "zstd"}, "Zstandard", "#8d4a12", "D", SOLID),
    ("a_c_controlled", {"codec": "snappy"}, "Snappy, controller", "#e01e37", "*", SOLID),
    ("a_c_controlled", {"codec": "lz4"}, "LZ4, controller", "#4cc9f0", "*", SOLID),
    ("a_c_controlled", {"codec": "zstd"}, "Zstandard, controller", "#c08552", "*", SOLID),
)

_USES = (
    # how a window is used, if that is in the parameters; suffix of the label, marker and line (None: the window's own)
    ({"sharing": "range"}, "_range", None, SOLID),
    ({"sharing": "twin"}, "_twin", "P", DOTTED),
    ({"sharing": "separate"}, ", k windows", "X", DOTTED),
    ({"evict": "bulk", "insert": "bulk"}, "_bulk", None, SOLID),
    ({"evict": "bulk", "insert": "loop"}, "_bulk_evict", "P", DASH_DOTTED),
    ({"evict": "loop", "insert": "loop"}, "_loop", "x", DOTTED),
    ({"capacity": "fixed"}, ", fixed", None, SOLID),
    ({"capacity": "oscillating"}, ", oscillating", "P", DOTTED),
    ({"store": "eager"}, ", eager", None, SOLID),
    ({"store": "lazy"}, ", lazy", "P", DASHED),
    ({"store": "lmdb"}, " (LMDB)", None, None),
    ({"store": "redis"}, " (Redis)", "v", DOTTED),
    ({"store": "redis+cluster"}, " (Redis cluster)", "^", DOTTED),
    ({"store": "redis+0.5ms"}, " (Redis, 0.5 ms away)", "X", DASH_DOTTED),
    ({"store": ANY}, " ({})", "X", DASH_DOTTED),
    ({"framework": "sliding_aggregate"}, " in SlidingAggregate", "X", DOTTED),
    ({"buckets": "4"}, "", None, None),  # as many as there are in these sessions unless told otherwise
    ({"buckets": ANY}, ", {} buckets", None, None),
    ({"slide": "1"}, ", slide 1", None, None),
    ({"slide": "4"}, ", slide 4", "s", DASHED),
    ({"slide": "64"}, ", slide 64", "^", DASH_DOTTED),
    ({"slide": "n/16"}, ", slide n/16", "v", DOTTED),
    ({"slide": "n/4"}, ", slide n/4", "P", DASHED),
    ({"slide": "n"}, ", slide n", "X", DOTTED),
    ({"slide": ANY}, ", slide {}", None, None),
)


def canonical(parameters: str | dict[str, Any]) -> str:
    """Return parameters as JSON with sorted keys and no spaces, whatever form they came in."""
    if isinstance(parameters, str):
        parameters = json.loads(parameters)
    return json.dumps(parameters, sort_keys=True, separators=(",", ":"))


TABLE = {
    (algorithm, canonical(parameters)): Style(label, color, marker, line, order)
    for order, (algorithm, parameters, label, color, marker, line) in enumerate(_ENTRIES)
}

AS_PUBLISHED = {"reactive": {"fifo": 1, "root": 0}, "a_c_controlled": {"layout": "columns"}}
"""Parameters by which an algorithm can be made another than its paper's, at the values of the paper's; of what is in no
paper, as it always is: not shown."""

# What the papers call a family; the number is its min_arity.
_PAPER_NAMES = {"b_tree": "bclassic", "fiba": "bfinger"}

CALLED: dict[str, dict[str, str]] = {
    "fiba": {
        "b_tree": "bclassic{min_arity}",
        "fiba": "bfinger{min_arity}",
        "two_stacks": "Two-Stacks",
        "daba": "DABA",
        "reactive": "Reactive",
    },
    "reactive_aggregator": {"reactive": "RA", "recalc": "ISS", "b_int": "AW"},
    "mta": {
        "recalc": "Naive",
        "daba": "DABA",
        "log_mta": "Mem. LMTA",
        "amta": "Mem. AMTA",
        "kvs_log_mta": "KVS LMTA",
        "kvs_amta": "KVS AMTA",
    },
    "cutty": {
        "naive": "Naive",
        "panes": "Panes",
        "pairs": "Pairs",
        "pairs_plus": "Pairs+",
        "cutty": "Cutty eager",
        "cutty_lazy": "Cutty lazy",
        "ra": "RA",
        "ra_lazy": "RA lazy",
    },
}
"""By paper, as the column `paper` of the rows has it: what it calls our algorithms. Braces are parameters."""


def series(algorithm: str, parameters: str | dict[str, Any], called: Mapping[str, str] | None = None) -> Style:
    """Return the style of an algorithm with these parameters (a JSON object or a dict), always the same. O(1).

    `called` is what a paper calls algorithms (see `CALLED`): the label is then the paper's name and ours in brackets.
    Raises ValueError if `parameters` is not JSON.
    """
    values = json.loads(canonical(parameters))
    usual = AS_PUBLISHED.get(algorithm, {})
    key = (algorithm, canonical({name: value for name, value in values.items() if usual.get(name) != value}))
    style = TABLE.get(key) or _style_of_use(*key) or _hashed_style(*key)
    if called and algorithm in called:
        return style._replace(label=_in_paper(called[algorithm], algorithm, json.loads(key[1]), style.label))
    return style


def _in_paper(name: str, algorithm: str, values: dict[str, Any], ours: str) -> str:
    """The paper's name, and in brackets ours if it is another; with what a use adds. `ours` if a parameter is lacking.

    Of the parameters, brackets have those of the paper's name, and all if the style table does not have them.
    """
    if (algorithm, canonical(values)) not in TABLE and (use := _use_of(values)):
        _, names, suffix, _, _ = use
        window = {key: value for key, value in values.items() if key not in names}
        label, added = _in_paper(name, algorithm, window, ours), suffix.format(*(values[key] for key in names))
        before, bracket, after = label.partition(" (")
        if added.startswith("_"):
            return f"{before}{added}{bracket}{after}"
        return f"{label[:-1]}, {added[2:]}" if bracket and added.startswith(" (") else label + added
    try:
        written = name.format(**values)
    except KeyError:
        return ours
    in_name = [key for key in values if f"{{{key}}}" in name]
    others = [key for key in values if key not in in_name] if (algorithm, canonical(values)) not in TABLE else []
    own = " ".join([algorithm, *(f"{values[key]}" for key in in_name), *(f"{key}={values[key]}" for key in others)])
    return written if _letters(written) == _letters(own) else f"{written} ({own})"


def _letters(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def marker_look(style: Style) -> dict[str, Any]:
    """Return the colour and marker of a style as arguments of matplotlib's plot; a white rim keeps points apart."""
    bare = style.marker in ("x", "+")  # strokes, which have no rim
    return {
        "color": style.color,
        "marker": style.marker,
        "markersize": 9 if style.marker == "*" else 5.5,  # a star of the same width looks small
        "markeredgewidth": 1.2 if bare else 0.6,
        "markeredgecolor": style.color if bare else "white",
    }


def _use_of(values: Mapping[str, Any]) -> tuple[int, Mapping[str, Any], str, Any, str | None] | None:
    """The number of the use that the parameters specify, with its entry of `_USES`; None if they specify none."""
    for number, (use, *rest) in enumerate(_USES):
        if all(name in values and (value is ANY or value == str(values[name])) for name, value in use.items()):
            return number, use, *rest
    return None


def _style_of_use(algorithm: str, parameters: str) -> Style | None:
    """The colour of the window itself, with the marker and line for its use; None if the use is not specified."""
    values = json.loads(parameters)
    if not (found := _use_of(values)):
        return None
    number, use, suffix, marker, line = found
    window = series(algorithm, {name: value for name, value in values.items() if name not in use})
    label = window.label + suffix.format(*(values[name] for name in use))
    order = window.order + (number + 1) / 100
    return Style(label, window.color, marker or window.marker, line or window.line, order)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours (#rrggbb), from 1 to 21: WCAG 2.2, relative luminance and contrast ratio. O(1)."""
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    channels = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels)
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _hls(hue: float, lightness: float, saturation: float) -> str:
    red, green, blue = (round(255 * channel) for channel in colorsys.hls_to_rgb(hue, lightness, saturation))
    return f"#{red:02x}{green:02x}{blue:02x}"


def _hashed_style(algorithm: str, parameters: str) -> Style:
    digest = hashlib.sha256(f"{algorithm} {parameters}".encode()).digest()
    hue, lightness = digest[0] / 256, (0.32, 0.45, 0.58)[digest[1] % 3]
    while contrast(color := _hls(hue, lightness, 0.6), "#ffffff") < LEAST_CONTRAST:
        lightness -= 0.01
    return Style(
        label=_label(algorithm, json.loads(parameters)),
        color=color,
        marker=OTHER_MARKERS[digest[2] % len(OTHER_MARKERS)],
        line=(SOLID, DASHED, DOTTED, DASH_DOTTED)[digest[3] % 4],
        order=OTHER_ORDER,
    )


def _label(algorithm: str, parameters: dict[str, Any]) -> str:
    if algorithm in _PAPER_NAMES and set(parameters) == {"min_arity"}:
        return f"{_PAPER_NAMES[algorithm]}{parameters['min_arity']}"
    if not algorithm:  # a series of records, told apart by nothing else
        return ", ".join(str(value) for value in parameters.values())
    return " ".join([algorithm, *(f"{name}={value}" for name, value in parameters.items())])
