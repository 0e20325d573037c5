"""Functions of one's own at the top level of a module, where pickle finds them."""

from typing import NamedTuple

from algorithms import operators, policies, queries


class Span(NamedTuple):
    low: float
    high: float


def lift(value):
    return Span(value, value)


def combine(a, b):
    return Span(min(a.low, b.low), max(a.high, b.high))


def lower(a):
    return a.high - a.low


def three(total, old):
    return total.count - old.count >= 3


def every_fourth(state, time, x):
    begins = 1 if state % 4 == 0 else 0
    return state + 1, begins, begins if state > 0 else 0


def add(times, values, first, last, time, value):
    times[last] = time
    values[last] = value
    return last + 1


def greatest(times, values, first, last):
    most = values[first]
    for i in range(first, last):
        most = max(most, values[i])
    return most


def span():
    return operators.from_functions(lift, combine, lower, Span(float("inf"), float("-inf")), name="span")


def keep_three():
    return policies.from_function(three)


def fourths(**how):
    return queries.user_defined(every_fourth, 0, **how)
