"""What `make stream` compares results with is right, and it finds what is not. The stream itself takes half an hour."""

import json
import math

import pandas as pd
import pytest

from tests.streaming import long_stream, made
from tests.streaming.long_stream import DELAY, FAR, SIZE, SLIDE, batches, differences, expected, given_out, rows

pytestmark = pytest.mark.smoke

FILES = [rows(number, 60, seed=1).assign(user=lambda some: some["user"] % 5) for number in range(0, 400, 100)]
BEFORE = [-math.inf, *(some["ts"].max() - DELAY for some in FILES)]
WANTED = [([0, 1], BEFORE[0]), ([2], BEFORE[2]), ([3, FAR], BEFORE[3])]


def test_the_batch_answer_is_that_of_brute_force():
    some = []
    for numbers, before in WANTED:
        for number in numbers:
            if number < FAR:
                some += [(user, ts, v, before) for user, ts, v in FILES[number].itertuples(index=False)]
    windows = made.per_open_slide(some, SIZE, SLIDE, list)
    found, late = expected(FILES, iter(WANTED))
    assert late == sum(t // SLIDE * SLIDE + SIZE <= before for _, t, _, before in some) > 0
    got = {(made.alike(u), end): (total, most, n) for u, end, total, most, n in found.itertuples(index=False)}
    assert got == {window: (sum(values), max(values), len(values)) for window, values in windows.items()}


def test_batches_and_watermarks_are_read_from_a_checkpoint(tmp_path):
    """The second batch has no rows; the watermark that a row is late by is that of the batch before its own."""
    (tmp_path / "sources" / "0").mkdir(parents=True)
    (tmp_path / "offsets").mkdir()
    for entry, numbers in enumerate([[0, 1], [2]]):
        lines = [json.dumps({"path": f"file:///in/{number:07d}.parquet", "batchId": entry}) for number in numbers]
        (tmp_path / "sources" / "0" / str(entry)).write_text("\n".join(["v1", *lines]))
    for number, (offset, watermark) in enumerate([(0, 0), (0, 5000), (1, 9000)]):
        about = json.dumps({"batchWatermarkMs": watermark})
        (tmp_path / "offsets" / str(number)).write_text(f"v1\n{about}\n" + json.dumps({"logOffset": offset}))
    assert list(batches(tmp_path)) == [([0, 1], -math.inf), ([], 5e6), ([2], 9e6)]
    newest = [DELAY + 1.0, DELAY + 3.0, DELAY + 7.0]
    assert list(given_out("query", tmp_path, newest)) == [([0, 1], -math.inf), ([], -math.inf), ([2], 5e6)]
    assert list(given_out("sink", tmp_path, newest)) == [([0, 1], -math.inf), ([], -math.inf), ([2], 3.0)]


def test_what_differs_is_said():
    wanted = pd.DataFrame([(1, 10, 3.0, 2.0, 2), (2, 10, 5.0, 5.0, 1)], columns=long_stream.RESULTS)
    assert differences(wanted, wanted) == ""
    assert differences(pd.concat([wanted, wanted[:1]]), wanted) == "1 results are there twice"
    assert differences(wanted[:1], wanted).startswith("1 of 2 results differ, such as {'user': 2, 'end': 10")
    assert "1 of 2 results differ" in differences(wanted.assign(total=[3.0, 6.0]), wanted)


def test_growth_is_said(capsys):
    assert long_stream._flat("state", [(i, 100.0 + i % 3) for i in range(40)]) == []
    assert long_stream._flat("state", [(i, 100.0 + i) for i in range(400)]) == ["state has grown to 1.80 times"]
    assert "MiB in the second quarter" in capsys.readouterr().out
