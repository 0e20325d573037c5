"""Tables: what stands in each cell, as a figure and as Markdown."""

import json

import pytest

from plots import FigureError, figure
from plots.cells import Entry, grid
from plots.description import select
from plots.families import described
from plots.families.table import markdown
from plots.scales import three_digits

TABLE = {
    "name": "t4", "family": "table", "rows": "operator", "columns": "window", "y": "time_per_item", "format": "{:.1f}",
    "titles": {"arithmetic_mean": "mean", "operator": "aggregation"},
}  # fmt: skip
RATIO = {"ratio": {"over": {"algorithm": "b_int"}, "under": {"algorithm": "reactive"}}, "format": "{:.2f}"}
NANOSECONDS = {"reactive": (10, 11, 12), "b_int": (20, 22, 36)}
"""By repetition, times the window."""


@pytest.fixture
def rows(make_rows):
    failures = {("b_int", 4, "sum", 8192): ("timeout", "longer than 2 s")}
    made = make_rows(
        operators=["sum", "arithmetic_mean"], xs=[8, 8192], x="window", distance=0, failures=failures,
        series=[("reactive", {}), ("b_int", {})],
    )  # fmt: skip
    per_item = [NANOSECONDS[name][k] * n for name, k, n in zip(made["algorithm"], made["repetition"], made["window"])]
    return made.assign(value=[1e5 * t for t in per_item]).assign(value=lambda m: m["value"].where(m["status"] == "ok"))


def made(description, rows):
    spec = described(description)
    return grid(spec, select(spec, rows))


def shown(drawn):
    return [text.get_text() for text in (*drawn.axes[0].texts, *drawn.texts)]


def test_cells_are_medians_with_the_smallest_and_largest(rows):
    found = made({**TABLE, "where": {"algorithm": "reactive"}}, rows)
    assert (found.rows, found.columns) == (["mean", "sum"], ["8", "8,192"])
    assert found.entries[0] == [Entry("88.0", "80.0 to 96.0"), Entry("90112.0", "81920.0 to 98304.0")]


def test_small_and_large_numbers_have_three_digits_each(rows):
    table = {**TABLE, "where": {"algorithm": "reactive"}, "format": "three digits"}
    assert made(table, rows).entries[0] == [Entry("88", "80 to 96"), Entry("90,112", "81,920 to 98,304")]
    assert [three_digits(x) for x in (0.49218, 7.5, 99.94, 99.96, 1234.5)] == ["0.492", "7.5", "99.9", "100", "1,234"]


def test_ratios_are_of_medians_and_their_spread_of_equal_repetitions(rows):
    found = made({**TABLE, **RATIO, "row_values": ["sum"]}, rows)
    assert found.rows == ["sum", "mean"]
    assert found.entries == [[Entry("2.00", "2.00 to 3.00"), Entry("–")], [Entry("2.00", "2.00 to 3.00")] * 2]


def test_different_grid_points_are_never_pooled_in_a_cell(rows):
    with pytest.raises(FigureError, match=r"different algorithm \(b_int, reactive\)"):
        made(TABLE, rows)
    with pytest.raises(FigureError, match="over is {'algorithm': 'bint'}, which no row is"):
        made({**TABLE, "ratio": {"over": {"algorithm": "bint"}, "under": {"algorithm": "reactive"}}}, rows)


def test_rows_may_be_the_series_in_the_order_of_the_style_table(rows):
    found = made({**TABLE, "rows": "series", "where": {"operator": "arithmetic_mean"}}, rows)
    assert found.rows == ["reactive", "b_int"]


def test_keys_of_the_parameters_that_are_columns_do_not_make_series(rows):
    rows["parameters"] = [json.dumps({"capacity": "fixed" if n == 8 else "oscillating"}) for n in rows["window"]]
    keyed = {**TABLE, "rows": "series", "columns": "parameters.capacity", "where": {"operator": "arithmetic_mean"}}
    found = made(keyed, rows)
    assert (found.rows, found.columns) == (["reactive", "b_int"], ["fixed", "oscillating"])


def test_checks_and_texts(rows):
    one = rows[(rows["window"] == 8) & (rows["repetition"] == 0)]
    laws = one.assign(value=[1.0, 0.0, 0.0, 1.0])
    checked = made({**TABLE, "rows": "series", "columns": "operator", "y": "value", "format": "check"}, laws)
    assert [[entry.text for entry in line] for line in checked.entries] == [["", "✓"], ["✓", ""]]
    with pytest.raises(FigureError, match="y takes the value 2; it must be 1 or 0"):
        made(
            {**TABLE, "rows": "series", "y": "value", "format": "check", "columns": "operator"}, laws.assign(value=2.0)
        )
    told = laws.assign(facts=[json.dumps({"law": f"law {n}"}) for n in range(4)])
    written = made({**TABLE, "rows": "series", "columns": "operator", "y": "facts.law", "format": "text"}, told)
    assert [[entry.text for entry in line] for line in written.entries] == [["law 2", "law 0"], ["law 3", "law 1"]]


def test_columns_may_be_metrics(rows):
    one = rows[(rows["window"] == 8) & (rows["algorithm"] == "reactive") & (rows["repetition"] == 0)]
    laws = one.assign(metric=["commutative", "invertible"], unit="1", value=1.0)
    found = made({**TABLE, "columns": "metric", "metric": ["commutative", "invertible"], "y": "value",
                  "format": "check", "column_values": ["invertible"]}, laws)  # fmt: skip
    assert found.columns == ["invertible", "commutative"]
    assert [[entry.text for entry in line] for line in found.entries] == [["✓", "–"], ["–", "✓"]]


def test_markdown_has_a_line_for_each_row_and_says_what_it_is(rows):
    spec = described({**TABLE, **RATIO})
    lines = markdown(spec, select(spec, rows)).splitlines()
    assert lines[0] == "| aggregation | 8 | 8,192 |"
    assert lines[1] == "| --- | --- | --- |"
    assert lines[2] == "| mean | 2.00 (2.00 to 3.00) | 2.00 (2.00 to 3.00) |"
    assert lines[3] == "| sum | 2.00 (2.00 to 3.00) | – |"
    assert "Values: time per item of b\\_int divided by that of reactive.  " in lines
    called = described({**TABLE, **RATIO, "called": {"b_int": "AW"}})
    assert "time per item of AW (b\\_int) divided by that of reactive" in markdown(called, select(called, rows))
    assert any("Not measured: b\\_int / sum, 8192: timeout: longer than 2 s" in line for line in lines)


def test_the_figure_shows_the_same_as_the_markdown(rows):
    texts = shown(figure({**TABLE, **RATIO, "title": "Ratios", "paper": "RA, Table 4"}, rows))
    assert texts.count("2.00") == texts.count("2.00 to 3.00") == 3 and texts.count("–") == 1
    for expected in ("Ratios", "aggregation", "window size n (items)", "8,192", "mean"):
        assert expected in texts
    assert any(text.startswith("RA, Table 4 · profile laptop") for text in texts)


def test_no_two_texts_overlap(rows):
    told = rows.assign(facts=json.dumps({"law": "a text so long that it has to be wrapped in its cell, twice or more"}))
    for description in (
        {**TABLE, **RATIO, "title": "Ratios"},
        {**TABLE, "y": "facts.law", "format": "text", "where": {"algorithm": "reactive"}},
    ):
        drawn = figure(description, told)
        renderer = drawn.canvas.get_renderer()
        texts = [text for text in (*drawn.axes[0].texts, *drawn.texts) if text.get_text()]
        found = [text.get_window_extent(renderer) for text in texts]
        for number, box in enumerate(found):
            assert box.x0 >= 0 and box.x1 <= drawn.bbox.x1 and box.y0 >= 0 and box.y1 <= drawn.bbox.y1
            assert not any(box.overlaps(other) for other in found[number + 1 :])


def test_numbers_that_repetitions_differ_in_are_summarised_beside_those_of_the_paper(rows):
    told = {8: ["370", "1,410", "never up to 50,000"], 8192: ["20", "20", "20"]}
    texts = [json.dumps({"found": told[n][k]}) for n, k in zip(rows["window"], rows["repetition"])]
    table = {**TABLE, "y": "facts.found", "format": "text", "where": {"algorithm": "reactive"}}
    found = made({**table, "printed": {"8": {"sum": "≈ 380"}}}, rows.assign(facts=texts))
    assert found.columns == ["8", "paper", "8,192"]
    searched, same = Entry("890; 1 of 3 never up to 50,000", "370 to 1,410"), Entry("20")
    assert found.entries == [[searched, Entry("–"), same], [searched, Entry("≈ 380"), same]]
