"""A_C on vehicles' reports that are fed at a rate: throughput, latency, compressions, memory, windows compressed.

A cell's algorithm is A_C with its codec, D and rate. A D is a number of seconds, "inf", or the goal of the controller
that chooses it, such as "memory<=8MB" or "latency<=5ms". Everything about one run is in one row: the value is the time
of the tuples between the first and the last tenth of it, an operation is a tuple, and the facts have the rest:

    latency       mean over outputs of the ns from feeding the tuple that lets a window close to the output (section 3)
    since_arrival mean over outputs of the ns from the arrival of that tuple: waiting in the queue counts, for tuples
                  before it and for the rest of its block (a fiftieth of a second)
    compressions, decompressions, memory (bytes by the paper's accounting), bytes (of the buffers), windows,
    compressed (the part of the windows that is)                                    when the last tuple was done
    most_memory   the most bytes by the paper's accounting after any block of tuples
    mean_memory   the mean of that over all blocks, which depends on no clock unless a controller chooses D
    busy          the part of the time in which A_C worked
    lacking       the reason why one of these is missing
"""

import math
from typing import Any

import numpy as np

from algorithms.streams.compressed import CompressedAggregate
from algorithms.streams.compressed.controller import MEMORY, Controller, ladder
from experiments.compressed_windows.measuring.aggregates import SATURATING, goal_of
from experiments.compressed_windows.measuring.injecting import CLOCKS, Course
from experiments.compressed_windows.measuring.reports import Reports, reports_of, traffic
from experiments.harness.cell import Cell
from experiments.harness.measurement import measurement
from experiments.harness.measuring.cycle_counter import counter, nanoseconds_of_cycle
from experiments.harness.measuring.rig import compiled

POINTS = 200
"""Points in time at which a row has memory and D."""

WARMING = 500
"""Tuples fed with each of several D's to an aggregate that is then dropped, so that everything is compiled."""

NO_OUTPUT = "no window closes: times end before the first one, {size:,} s from 0 on, does; take workload.offset={size}"


ALL_ARRIVED = "no tuple is waited for: all have arrived at the beginning"

WORDS = {"compressed": "compressed time (tuples arrive on a virtual clock, A_C's work is timed)", "real": "real time"}
"""The clocks in words, for figures."""


def aggregate(cell: Cell) -> CompressedAggregate:
    """The cell's A_C before its first tuple: it counts stops of each vehicle."""
    parameters, asked = cell.parameters, cell.asked
    age = math.inf if isinstance(parameters["D"], str) else parameters["D"]
    return CompressedAggregate(
        WA=asked["slide"],
        WS=cell.window,
        D=age,
        f_O="stops",
        codec=parameters["codec"],
        level=parameters.get("level"),
        layout=parameters["layout"],
        stamps=True,
    )


def controller(cell: Cell) -> Controller | None:
    """The controller that chooses the cell's D; None if D is fixed."""
    goal = goal_of(cell.parameters["D"])
    if goal is None:
        return None
    return Controller(goal.quantity, goal.bound, ladder(cell.window), cell.asked["slide"])


class Observed:
    """An A_C under way: the tuples that it is fed, its outputs, and its state after each block."""

    def __init__(self, cell: Cell, reports: Reports, checked: int):
        self.a, self.controller, self.reports = aggregate(cell), controller(cell), reports
        self.checked, self.sum = checked, 0
        self.columns: dict[str, np.ndarray] = {}
        self.began: list[int] = []
        self.delays: list[float] = []
        self.since_began: list[float] = []
        self.triggered: list[float] = []
        self.outputs: list[int] = []
        self.memory: list[int] = []
        self.ages: list[float] = []

    def feed(self, first: int, last: int) -> None:
        """Feed tuples first .. last - 1; then run the controller, if there is one, as part of the work."""
        times, speeds, vehicles = self.reports
        self.began.append(counter())
        self.columns = self.a.batch(times[first:last], speeds[first:last], vehicles[first:last])
        if self.controller is not None:
            self._control(float(times[last - 1]))

    def _control(self, now: float) -> None:
        if self.controller.goal == MEMORY:
            self.a.D = self.controller.observe(now, self.a.memory().accounted)
        elif len(self.columns["fed"]):
            delay = float(np.mean(self.columns["forwarded"] - self.columns["fed"])) * nanoseconds_of_cycle()
            self.a.D = self.controller.observe(now, delay)

    def after(self, done: int) -> None:
        """Note the state after a block; outside the clock if that is possible."""
        delays = self.columns["forwarded"] - self.columns["fed"]
        since = self.columns["forwarded"] - self.began[-1]
        self.since_began.append(float(since.sum()) * nanoseconds_of_cycle())
        self.triggered.append(float((self.columns["by"] + 1).sum()))
        self.delays.append(float(delays.sum()) * nanoseconds_of_cycle())
        self.outputs.append(len(delays))
        self.memory.append(self.a.memory().accounted)
        self.ages.append(self.controller.D if self.controller else math.nan)
        self._add()

    def since_arrival(self, course: Course, rate: float) -> float:
        """The mean over the outputs kept of the ns since the tuple arrived that let them out, number / rate."""
        first, last = course.kept()
        kept = slice(first + 1, last + 1)
        outputs, triggered = np.array(self.outputs[kept]), np.array(self.triggered[kept])
        arrived = triggered * (1e9 / rate)
        since = outputs * course.began[kept] + np.array(self.since_began[kept]) - arrived
        return float(since.sum() / outputs.sum())

    def checksum(self, done: int) -> float:
        """The checksum of the outputs that the first `checked` tuples trigger; those not yet `done` are fed first.

        A whole number below 2^52, from time, key and value of every output, whatever their order.
        """
        if done < self.checked:
            self.feed(done, self.checked)
            self._add()
        return float(self.sum % (1 << 52))

    def _add(self) -> None:
        """Add the last block's outputs to the sum."""
        of_checked = self.columns["by"] < self.checked
        times, keys, values = (self.columns[name][of_checked] for name in ("time", "key", "value"))
        mixed = (times % 8191 + 1) * (keys % 8191 + 1) * (np.asarray(values, np.int64) + 1)
        self.sum += int(mixed.sum())


def warm(cell: Cell, reports: Reports) -> None:
    """Compile and load all that a run calls, with real tuples; D goes to infinity, to 0 and back, as a controller's.

    Then time advances until windows are output; in a stream from time 0 that is when the first one ends.
    """
    a = aggregate(cell)
    for k, age in enumerate((math.inf, 0, math.inf, 0)):
        a.D = age
        a.batch(*(column[k * WARMING : (k + 1) * WARMING] for column in reports))
        a.memory()
    newest = int(reports.times[: 4 * WARMING].max())
    a.advance(max(newest, cell.window) + cell.asked["slide"])


@measurement("compressing.injected", unit="ns")
def injected(cell: Cell, task: dict[str, Any]) -> dict[str, Any]:
    """Feed the cell's stream at its rate for its duration; the facts are listed at the head of this file.

    The checksum is of the outputs of the first `checked` tuples in this very run, with a controller's changes of D; it
    is the same for every rate, D and codec. If no window closes, with workload.offset=0, it is 0 and shows nothing.
    """
    asked = cell.asked
    reports = reports_of(*cell.source)
    rate_text = cell.parameters.get("rate", SATURATING)
    rate = math.inf if rate_text == SATURATING else float(rate_text)
    tuples = asked["most"] if math.isinf(rate) else round(rate * asked["duration"])
    if tuples > len(reports.times):
        raise ValueError(f"{tuples:,} tuples are fed, and the stream has {len(reports.times):,}: give workload.records")
    seconds = compiled(lambda: warm(cell, reports))
    observed = Observed(cell, reports, min(asked["checked"], len(reports.times)))
    nanoseconds_of_cycle()
    course = CLOCKS[asked["clock"]](observed.feed, tuples, rate, asked["duration"], observed.after)
    first, last = course.kept()
    facts = _facts(cell, observed, course, rate)
    return {
        "value": float(course.at[last] - course.at[first]),
        "operations": int(course.done[last] - course.done[first]),
        "checksum": observed.checksum(int(course.done[-1])),
        "compile_seconds": seconds,
        "facts": facts,
    }


def _facts(cell: Cell, observed: Observed, course: Course, rate: float) -> dict[str, Any]:
    first, last = course.kept()
    delays, outputs = sum(observed.delays[first + 1 : last + 1]), sum(observed.outputs[first + 1 : last + 1])
    counts, memory = observed.a.counts, observed.a.memory()
    windows = counts.compressed + counts.uncompressed
    asked = cell.asked
    facts = {
        "injection": asked["clock"],
        "distances": _workload(cell),
        "compressions": counts.compressions,
        "decompressions": counts.decompressions,
        "memory": memory.accounted,
        "bytes": memory.measured,
        "most_memory": max(observed.memory),
        "mean_memory": float(np.mean(observed.memory)),
        "windows": windows,
        "compressed": counts.compressed / windows,
        "outputs": outputs,
        "fed": int(course.done[-1]),
        "busy": course.busy / float(course.at[-1]),
    }
    no_output, lacking = NO_OUTPUT.format(size=cell.window), {}
    if outputs:
        facts["latency"] = delays / outputs
    else:
        lacking["latency"] = no_output
    if outputs and not math.isinf(rate):
        facts["since_arrival"] = observed.since_arrival(course, rate)
    else:
        lacking["since_arrival"] = ALL_ARRIVED if outputs else no_output
    return facts | {"lacking": lacking} | _course(observed, course)


def _workload(cell: Cell) -> str:
    """The stream in words, for figures: its workload, offset and clock."""
    size, offset = f"{cell.window:,} s", cell.stream.get("offset", 0)
    asked, road = cell.asked, traffic(*cell.source, cell.stream.get("one_in", 1))
    return (
        f"{cell.workload}, {road}; timestamps offset by {offset:,} s (windows of {size} close from {size} on); "
        f"{WORDS[asked['clock']]}, {asked['duration']:g} s at each rate, the first and last tenth dropped; "
        "saturating: no tuple is waited for."
    )


def _course(observed: Observed, course: Course) -> dict[str, Any]:
    """Memory, and D where a controller chose it, over event time: POINTS points at most."""
    picked = np.unique(np.linspace(0, len(course.done) - 1, POINTS).astype(int))
    times = observed.reports.times[course.done[picked] - 1]
    course_facts = {
        "times": (times - observed.reports.times[0]).tolist(),
        "memories": [observed.memory[k] for k in picked],
    }
    if observed.controller is not None:
        course_facts["ages"] = [None if math.isinf(observed.ages[k]) else observed.ages[k] for k in picked]
        if observed.controller.goal == MEMORY:
            course_facts |= {"bounded": "memories", "bound": observed.controller.bound}
    return course_facts
