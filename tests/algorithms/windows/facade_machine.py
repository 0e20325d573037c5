"""A Hypothesis state machine: a window of the façade and the naive window side by side, used well and misused.

Run as a script, with NUMBA_DISABLE_JIT=1, it goes through one window with the operators given, in plain Python:

    facade_machine.py fiba affine concat
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from algorithms import (
    CapacityError,
    EmptyWindowError,
    OperationError,
    OrderError,
    TimeError,
    ValueKindError,
    window,
)
from algorithms.windows.contract import IN_ORDER, card
from tests.algorithms.windows.facade_subjects import CLOCKS, NO_TIMES, SUBJECTS
from tests.algorithms.windows.oracle import NaiveWindow
from tests.examples import examples

FUZZ = settings(
    max_examples=examples(25),
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],  # a history that fails is short enough; to shrink it would take minutes
    suppress_health_check=list(HealthCheck),
)


ticks = st.integers(0, 40)


class FacadeMachine(RuleBasedStateMachine):
    def __init__(self, name: str, operator: str):
        super().__init__()
        self.card, self.subject = card(name), SUBJECTS[operator]
        self.in_order = self.card.order == IN_ORDER

    @initialize(data=st.data(), capacity=st.integers(1, 40), clock=st.sampled_from(sorted(CLOCKS)))
    def make(self, data, capacity, clock):
        self.capacity, (self.kind, self.at) = capacity, CLOCKS[clock]
        parameters = {
            name: data.draw(st.integers(known.least, known.least + 7), name)
            for name, known in self.card.parameters.items()
        }
        self.window = window(self.card.name, self.subject.make(), capacity, time=self.kind, **parameters)
        self.model = NaiveWindow(self.subject.fold, unique=not self.in_order)

    # ------------------------------------------------------------------------------------------------------- good use

    def next_tick(self, tick: int) -> int:
        """The tick; in an in-order window one that is not before the youngest."""
        return (self.model.times() or [0])[-1] + tick // 8 if self.in_order else tick

    def fits(self, new: list[int]) -> bool:
        if self.in_order:
            return len(self.model) + len(new) <= self.capacity
        return len({*self.model.times(), *new}) <= self.capacity

    @rule(tick=ticks, data=st.data())
    def insert(self, tick, data):
        tick, value = self.next_tick(tick), data.draw(self.subject.values)
        if self.fits([tick]):
            self.window.insert(self.at(tick), value)
            self.model.insert(tick, value)
        else:
            self.refused(CapacityError, lambda: self.window.insert(self.at(tick), value))

    @rule(data=st.data(), in_bulk=st.booleans())
    def insert_batch(self, data, in_bulk):
        batch = data.draw(st.lists(st.tuples(ticks, self.subject.values), max_size=12))
        if self.in_order:
            batch = [(self.next_tick(0) + tick, value) for tick, value in sorted(batch, key=lambda item: item[0])]
        bulk = in_bulk and "bulk_insert" in self.card.operations
        insert = self.window.bulk_insert if bulk else self.window.insert_many
        arguments = [self.at(tick) for tick, _ in batch], [value for _, value in batch]
        if not self.fits([tick for tick, _ in batch]):
            self.refused(CapacityError, lambda: insert(*arguments))
            return
        insert(*arguments)
        for tick, value in batch:
            self.model.insert(tick, value)

    @precondition(lambda self: self.model.entries)
    @rule()
    def evict(self):
        self.window.evict()
        self.model.evict()

    @precondition(lambda self: "evict_at" in self.card.operations)
    @rule(tick=ticks, data=st.data())
    def evict_at(self, tick, data):
        tick = data.draw(st.sampled_from([tick, *self.model.times()]))
        assert self.window.evict_at(self.at(tick)) is self.model.evict_at(tick)

    @precondition(lambda self: "bulk_evict" in self.card.operations)
    @rule(tick=ticks)
    def bulk_evict(self, tick):
        assert self.window.bulk_evict(self.at(tick)) == self.model.bulk_evict(tick)

    @precondition(lambda self: "range_query" in self.card.operations)
    @rule(first=ticks, last=ticks)
    def range_query(self, first, last):
        answer = self.subject.read(self.window.range_query(self.at(first), self.at(last)))
        assert answer == self.model.range_query(first, last)

    @rule()
    def check(self):
        self.window.check()

    # --------------------------------------------------------------------------------------------------------- misuse

    def state(self) -> tuple:
        """All that can be seen of the window."""
        seen = [len(self.window), self.subject.read(self.window.query())]
        if self.model.entries:
            seen += [self.window.oldest(), self.window.youngest()]
        if "range_query" in self.card.operations:
            times = map(self.at, self.model.times())
            seen += [self.subject.read(self.window.range_query(time, time)) for time in times]
        return tuple(seen)

    def refused(self, error: type[Exception], misuse: Callable[[], Any]) -> None:
        before = self.state()
        with pytest.raises(error):
            misuse()
        self.window.check()
        assert self.state() == before

    @precondition(lambda self: not self.model.entries)
    @rule(name=st.sampled_from(["evict", "oldest", "youngest"]))
    def ask_the_empty_window(self, name):
        self.refused(EmptyWindowError, getattr(self.window, name))

    @rule(data=st.data())
    def give_no_time(self, data):
        time, value = data.draw(st.sampled_from(NO_TIMES[self.kind])), data.draw(self.subject.values)
        good = self.at(self.next_tick(0))
        misuses = [
            lambda: self.window.insert(time, value),
            lambda: self.window.insert_many([good, time], [value, value]),
        ]
        for name, arguments in {"evict_at": 1, "bulk_evict": 1, "range_query": 2}.items():
            if name in self.card.operations:
                misuses.append(lambda name=name, arguments=arguments: getattr(self.window, name)(*[time] * arguments))
        self.refused(TimeError, data.draw(st.sampled_from(misuses)))

    @rule(data=st.data())
    def give_no_value(self, data):
        value, good = data.draw(st.sampled_from(self.subject.misfits)), data.draw(self.subject.values)
        time = self.at(self.next_tick(0))
        self.refused(ValueKindError, lambda: self.window.insert(time, value))
        if self.fits([self.next_tick(0)] * 2):
            self.refused(ValueKindError, lambda: self.window.insert_many([time, time], [good, value]))
        self.refused(ValueKindError, lambda: self.window.insert_many([time], [good, good]))

    @precondition(lambda self: self.in_order and self.model.entries)
    @rule(data=st.data(), back=st.integers(1, 3))
    def go_back_in_time(self, data, back):
        value, tick = data.draw(self.subject.values), self.next_tick(0)
        if tick - back < 0:
            return
        self.refused(OrderError, lambda: self.window.insert(self.at(tick - back), value))
        if self.fits([tick] * 2):
            falling = [self.at(tick + back), self.at(tick)]
            self.refused(OrderError, lambda: self.window.insert_many(falling, [value, value]))

    @rule(name=st.sampled_from(["evict_at", "bulk_evict", "range_query", "bulk_insert"]), data=st.data())
    def ask_what_the_card_does_not_list(self, name, data):
        if name not in self.card.operations:
            time = self.at(self.next_tick(0))
            arguments = {"range_query": (time, time), "bulk_insert": ([time], [data.draw(self.subject.values)])}
            self.refused(OperationError, lambda: getattr(self.window, name)(*arguments.get(name, (time,))))

    # ----------------------------------------------------------------------------------------------------- every step

    @invariant()
    def agrees(self):
        assert len(self.window) == len(self.model)
        assert self.subject.read(self.window.query()) == self.model.query()
        if self.model.entries:
            ends = self.at(self.model.entries[0].time), self.at(self.model.entries[-1].time)
            assert (self.window.oldest(), self.window.youngest()) == ends
        assert repr(len(self.model)) in repr(self.window)

    def teardown(self):
        if hasattr(self, "window"):
            self.window.check()


if __name__ == "__main__":
    name, *chosen = sys.argv[1:]
    for operator in chosen:
        run_state_machine_as_test(lambda operator=operator: FacadeMachine(name, operator), settings=FUZZ)
    print(json.dumps(chosen))
