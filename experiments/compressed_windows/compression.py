"""Compressed windows, section 5, Figures 1 to 4: the aggregate A_C on Linear Road over D, at several injection rates.

At each rate the stream is fed for the same time. In laptop and smoke that time is compressed: a tuple arrives at its
place divided by the rate on a virtual clock, what A_C does is timed, and a tuple is done when it has arrived, the ones
before it are done and its own work is done. A rate that A_C sustains is thus a matter of milliseconds, and one that it
does not sustain falls behind as it would. In the paper profile tuples are waited for. Rows say which it was.
"""

import pandas as pd

from experiments.compressed_windows.grid import ages_of, fed_cell, rates_of
from experiments.compressed_windows.judging import (
    against_infinity,
    columns_at,
    in_words,
    over_d,
    rate_in_words,
    timed_rates,
)
from experiments.compressed_windows.measuring.aggregates import aggregates
from experiments.harness.cell import Cell
from experiments.harness.old_judgement import (
    NOT_REPRODUCED,
    PARTLY,
    REPRODUCED,
    Judgement,
    NotMeasuredError,
    judged,
    share,
)
from experiments.harness.registry import experiment
from experiments.harness.settings import Settings

MIDDLE, AGGRESSIVE, MINUTE = 20_000, 15.0, 60.0
"""A rate and D's that the paper gives numbers for."""

NOISE, LATENCY_NOISE = 0.05, 0.2
"""Relative differences of two means of throughput, and of two of latency, that count as none."""


@experiment("compression", aggregates)
def compression(settings: Settings) -> list[Cell]:
    """A cell for each rate and D."""
    return [
        fed_cell(settings, algorithm, age, rate=rate)
        for algorithm in settings.algorithms
        for rate in rates_of(settings)
        for age in ages_of(settings)
    ]


def idle(rows: pd.DataFrame) -> str:
    """The reason why throughput does not fall: how busy A_C is at most, where it is waited for."""
    busy = over_d(rows, "busy")
    busy = busy.loc[timed_rates(busy.index)]
    busiest = float(busy.max().max()) if busy.size else float("nan")
    return f"compiled code sustains the paper's rates at every D here: it is busy {busiest:.0%} of the time at most"


def _lost(rows: pd.DataFrame) -> pd.DataFrame:
    """The part of the throughput of D = infinity that each other D loses."""
    return 1 - against_infinity(over_d(rows, "throughput"))


@compression.claim("Figure 1b", "Throughput falls as D shrinks", "at every rate")
def throughput_falls(rows: pd.DataFrame) -> Judgement:
    table = over_d(rows, "throughput")
    ratio = against_infinity(table)
    steps = table.iloc[:, 1:].to_numpy() <= (1 + NOISE) * table.iloc[:, :-1].to_numpy()
    holds = pd.Series(steps.all(axis=1), table.index).loc[ratio.index] & (ratio.iloc[:, -1] < 1 - NOISE)
    text = f"with the smallest D, of that with infinity: {in_words(ratio.iloc[:, -1])}"
    return share(holds, text, idle(rows))


@compression.claim("Figure 1b", "The higher the rate, the more throughput is lost", "more severe at higher rates")
def throughput_falls_more_at_high_rates(rows: pd.DataFrame) -> Judgement:
    return _more_at_high_rates(_lost(rows).iloc[:, -1], "loss with the smallest D", "{:.0%}", idle(rows))


@compression.claim("Figure 1c", "Latency grows as D shrinks", "at every rate")
def latency_grows(rows: pd.DataFrame) -> Judgement:
    table = over_d(rows, "latency")
    ratio = against_infinity(table)
    steps = table.iloc[:, 1:].to_numpy() >= (1 - LATENCY_NOISE) * table.iloc[:, :-1].to_numpy()
    holds = pd.Series(steps.all(axis=1), table.index).loc[ratio.index] & (ratio.iloc[:, -1] > 1 + NOISE)
    text = f"with the smallest D, of that with infinity: {in_words(ratio.iloc[:, -1], '{:.1f}')}"
    return share(holds, text, "two D's that compress almost the same windows differ by noise")


@compression.claim("Figure 1c", "The higher the rate, the more latency is added", "higher overheads at higher rates")
def latency_grows_more_at_high_rates(rows: pd.DataFrame) -> Judgement:
    table = over_d(rows, "latency")
    against_infinity(table)
    added = (table.iloc[:, -1] - table[float("inf")]).loc[timed_rates(table.index)] / 1e6
    reason = "a higher rate comes to more windows in the same time, unless the stream is short"
    return _more_at_high_rates(added, "ms added with the smallest D", "{:.2f}", reason)


def _more_at_high_rates(line: pd.Series, heading: str, form: str, reason: str) -> Judgement:
    """Whether a line over rates rises from the lowest to the highest, and does not fall on the way."""
    line = line.dropna()
    if len(line) < 2:
        raise NotMeasuredError("needs two rates")
    rises = line.iloc[-1] > line.iloc[0] + NOISE * abs(line.iloc[0]) and line.iloc[-1] > 0.01
    slack = NOISE * float(line.max() - line.min())
    steady = bool((line.diff().dropna() >= -slack).all())
    verdict = REPRODUCED if rises and steady else PARTLY if rises else NOT_REPRODUCED
    return judged(verdict, f"{heading}: {in_words(line, form)}", reason)


def _at_highest(table: pd.DataFrame) -> str:
    """The highest rate that is waited for. Raises NotMeasuredError."""
    if not (rates := timed_rates(table.index)):
        raise NotMeasuredError("needs a rate that is waited for")
    return max(rates, key=float)


@compression.claim("Figure 2a", "With D = 15 s at the highest rate throughput is 40 % lower", "-40 % at 40,000 t/s")
def worst_throughput(rows: pd.DataFrame) -> Judgement:
    lost = columns_at(_lost(rows), AGGRESSIVE)[AGGRESSIVE]
    highest = lost[_at_highest(lost.to_frame())]
    verdict = REPRODUCED if 0.25 <= highest <= 0.55 else PARTLY if lost.max() >= 0.25 else NOT_REPRODUCED
    return Judgement(verdict, f"lost: {in_words(lost, '{:.0%}')}", "" if verdict == REPRODUCED else idle(rows))


@compression.claim("Figure 2b", "With D = 15 s at the highest rate latency is 9 times higher", "+9x at 40,000 t/s")
def worst_latency(rows: pd.DataFrame) -> Judgement:
    added = columns_at(against_infinity(over_d(rows, "latency")), AGGRESSIVE)[AGGRESSIVE] - 1
    highest = added[_at_highest(added.to_frame())]
    verdict = REPRODUCED if 6 <= highest <= 13 else PARTLY if highest >= 2 else NOT_REPRODUCED
    reason = "compressing costs as much here as there, counting stops in columns far less" if highest > 13 else ""
    reason = reason or "putting a window out and in again costs less of what else is done"
    return judged(verdict, f"added: {in_words(added, '{:+.1f}x')}", reason)


def _jump(rows: pd.DataFrame, name: str) -> Judgement:
    """Whether the numbers jump from D = 60 s to 15 s, by more than they rise up to 60 s, and stay up at 0."""
    table = over_d(rows, name)
    known = columns_at(table, MINUTE, AGGRESSIVE, 0.0).dropna()
    larger = table.loc[known.index, [age for age in table if MINUTE < age < float("inf")]]
    rise_before = (known[MINUTE] - larger.min(axis=1)).abs().fillna(0) if larger.size else 0 * known[MINUTE]
    rise = known[AGGRESSIVE] - known[MINUTE]
    holds = (rise > 2 * rise_before) & (known[AGGRESSIVE] >= 1.25 * known[MINUTE]) & (known[0.0] >= known[AGGRESSIVE])
    times = known[AGGRESSIVE] / known[MINUTE]
    text = f"D = 15 s over 60 s: {in_words(times, '{:.2f} times')}"
    reason = "windows that are put out are decompressed and compressed whatever D is, which hides the jump"
    return share(holds, text, reason)


@compression.claim(
    "Figure 3a", "Compressions jump at D = 15 s, and stay up at 0", "15 s is less than the 30 s of reports"
)
def compressions_jump(rows: pd.DataFrame) -> Judgement:
    return _jump(rows, "compressions")


@compression.claim("Figure 3b", "Decompressions jump at D = 15 s, and stay up at 0", "as compressions")
def decompressions_jump(rows: pd.DataFrame) -> Judgement:
    return _jump(rows, "decompressions")


def _at_middle_rate(table: pd.DataFrame) -> tuple[float, str]:
    """D = 60 s at the paper's middle rate, or the middle one of those measured."""
    column = columns_at(table, MINUTE)[MINUTE].dropna()
    rates = timed_rates(column.index)
    if not rates:
        raise NotMeasuredError("needs a rate that is waited for")
    rate = min(rates, key=lambda rate: abs(float(rate) - MIDDLE))
    return float(column[rate]), rate_in_words(rate)


@compression.claim("Figure 4a", "With D = 60 s at a middle rate memory falls by two thirds", "3 GB to 1 GB")
def memory_of_a_minute(rows: pd.DataFrame) -> Judgement:
    saved, rate = _at_middle_rate(1 - against_infinity(over_d(rows, "memory")))
    measured, _ = _at_middle_rate(1 - against_infinity(over_d(rows, "bytes")))
    verdict = REPRODUCED if 0.55 <= saved <= 0.8 else PARTLY if saved >= 1 / 3 else NOT_REPRODUCED
    text = f"{saved:.0%} saved by the paper's accounting, {measured:.0%} of the bytes of the buffers, at {rate}"
    reason = "it is the share of vehicles that have left, and how well a codec does on columns, that decide"
    return judged(verdict, text, reason)


@compression.claim("Figure 4b", "With D = 60 s at a middle rate 40 % of the windows are compressed", "about 40 %")
def compressed_of_a_minute(rows: pd.DataFrame) -> Judgement:
    compressed, rate = _at_middle_rate(over_d(rows, "compressed"))
    verdict = REPRODUCED if 0.3 <= compressed <= 0.5 else PARTLY if 0.2 <= compressed <= 0.6 else NOT_REPRODUCED
    reason = "a window stays for 3 h, a vehicle for minutes: most windows are of vehicles that have left"
    return judged(verdict, f"{compressed:.0%} at {rate}", reason)


@compression.claim("Figure 4", "That costs about 15 % of the throughput", "about -15 %")
def throughput_of_a_minute(rows: pd.DataFrame) -> Judgement:
    lost, rate = _at_middle_rate(_lost(rows))
    verdict = REPRODUCED if 0.05 <= lost <= 0.25 else PARTLY if 0.02 <= lost <= 0.4 else NOT_REPRODUCED
    return Judgement(verdict, f"{lost:.0%} lost at {rate}", "" if verdict == REPRODUCED else idle(rows))


@compression.claim("Figure 4a", "Several settings save at least a third of the memory", "at least one third")
def several_save_a_third(rows: pd.DataFrame) -> Judgement:
    kept = against_infinity(over_d(rows, "memory"))
    kept = kept.loc[timed_rates(kept.index)]
    saving = kept <= 2 / 3
    count, settings = int(saving.to_numpy().sum()), int(kept.notna().to_numpy().sum())
    if not settings:
        raise NotMeasuredError("needs a rate that is waited for")
    best = float((1 - kept).max().max())
    verdict = REPRODUCED if count >= 3 else PARTLY if count else NOT_REPRODUCED
    text = f"{count} of {settings} settings save a third, at most {best:.0%}, by the paper's accounting"
    return judged(verdict, text, "no D compresses enough of the windows")
