"""Slide policies enforced: after an arrival, evict the oldest part of the window that the policy lets go.

A policy decides from the whole window after the arrival, `total`, and its oldest part up to some element, `old`,
whether that element has to go. It must be monotone: if it lets a part go, then every shorter one. So a window may
search for the longest part that goes in any way; the Monoid Tree Aggregators call the policy O(log n) times (Villalba,
Berral, Carrera: IEEE TPDS, 2018, sections 4.1.4 and 4.2.4), every other window once for each element that goes.
"""

from typing import Any, NamedTuple

import numpy as np

from algorithms.kernel import Slots, generic, kernel, slots
from algorithms.operators.monoid import combine, lift
from algorithms.windows.contract import Card, aggregate, evict, insert, size
from algorithms.windows.slide_policies import holds

TOTAL, OLD, NEXT = range(3)
"""Slots of `partials`: the window; what goes; what would go next."""

STATE = np.dtype([("arrived", "i8"), ("mask", "i8")])
"""How many entries there have been so far, and the mask of the ring of lifted values."""


class Slider(NamedTuple):
    """A policy and the memory to enforce it: three partials, and a ring of lifted values if the window keeps none."""

    policy: Any
    state: Slots
    partials: Slots
    lifted: Slots


def slider(card: Card, op: Any, capacity: int, policy: Any) -> Slider:
    """A slider for one window of the card and at most `capacity` entries."""
    ring = 1 if card.window in remember.table else 1 << max(capacity - 1, 0).bit_length()
    state = slots(1, STATE, "slide.state")
    state[0].mask = ring - 1
    return Slider(policy, state, slots(3, op.dtype, "slide.partials"), slots(ring, op.dtype, "slide.lifted"))


@generic
def remember(w, s, value, before):
    """Keep the lifted value that has just arrived, if the window does not; it had `before` entries."""


@generic
def slide(w, s):
    """Evict the longest oldest part that the policy lets go."""


@generic
def head(w, s, dst, k):
    """dst[k] = the lifted value of the oldest entry."""


@kernel
def lets_oldest_go(w, s, value):
    """Whether the oldest entry will go once the value has arrived. The window is not changed."""
    lift(w.op, s.partials, NEXT, value)
    aggregate(w, s.partials, TOTAL)
    combine(w.op, s.partials, TOTAL, s.partials, TOTAL, s.partials, NEXT)
    head(w, s, s.partials, OLD)
    return holds(s.policy, s.partials, TOTAL, s.partials, OLD)


@kernel
def arrive(w, s, time, value):
    """Insert, and slide."""
    before = size(w)
    insert(w, time, value)
    remember(w, s, value, before)
    slide(w, s)


@kernel
def goes(op, s, a, k, first):
    """Whether the policy lets a[k] go after the part in OLD (nothing, if `first`); then OLD is the two together."""
    if first:
        s.partials[NEXT] = a[k]
    else:
        combine(op, s.partials, NEXT, s.partials, OLD, a, k)
    gone = holds(s.policy, s.partials, TOTAL, s.partials, NEXT)
    if gone:
        s.partials[OLD] = s.partials[NEXT]
    return gone


@remember.default
def _(w, s, value, before):
    state = s.state[0]
    if size(w) > before:
        lift(w.op, s.lifted, state.arrived & state.mask, value)
        state.arrived += 1
    else:  # an equal time, in a window where such combine
        last = (state.arrived - 1) & state.mask
        lift(w.op, s.partials, NEXT, value)
        combine(w.op, s.lifted, last, s.lifted, last, s.partials, NEXT)


@head.default
def _(w, s, dst, k):
    dst[k] = s.lifted[(s.state[0].arrived - size(w)) & s.state[0].mask]


@slide.default
def _(w, s):
    state = s.state[0]
    i = first = state.arrived - size(w)
    if i == state.arrived:
        return
    aggregate(w, s.partials, TOTAL)
    while i < state.arrived and goes(w.op, s, s.lifted, i & state.mask, i == first):
        evict(w)
        i += 1
