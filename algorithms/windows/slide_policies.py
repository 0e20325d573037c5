"""Slide policies: which elements a window lets go, said by aggregates (Villalba, Berral, Carrera 2018, section 4.1.3).

A policy answers wsp(total, old): whether the oldest part of the window, whose partial aggregate is `old`, has to go,
where that of the whole window is `total`. It must be monotone: where it lets a part go, it lets every shorter part go.
`sliding` enforces it. Partials are as `view` gives them: a number, or a record read by field.

Those made here read the parts of a product of operators by their names, for instance

    operators.product(count="count", max="max")     with     policies.maximum(1_000_000)
"""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.core.errors import NumbaError

from algorithms.kernel import Slots, driver, generic, kernel, slots, view
from algorithms.operators.monoid import unit
from algorithms.operators.user import compilable, reason
from algorithms.own_classes import new_class
from safeguards.wrong_input import is_real, is_whole

MOST = 2**63
"""Compiled code has no whole numbers from here on."""


class PolicyError(ValueError):
    """A slide policy that cannot be compiled, or that an operator does not give what it asks for."""


@generic
def holds(policy, total, i, old, j):
    """Whether the oldest part old[j] of the window total[i] has to go."""


def slide_policy(cls):
    """Make a NamedTuple with a function wsp(policy, total, old) a slide policy; `needs` are the fields it reads."""
    of_wsp = kernel(cls.wsp)

    @holds.of(cls)
    def _(policy, total, i, old, j):
        return of_wsp(policy, view(total, i), view(old, j))

    return cls


@slide_policy
class MaxSize(NamedTuple):
    """At most as many elements as the youngest says (the paper's Listing 3)."""

    name = "max_size"
    needs = ("count", "max_size")

    def wsp(policy, total, old):
        return total.count - old.count >= total.max_size.value


@slide_policy
class Count(NamedTuple):
    """At most `most` elements."""

    most: int

    name = "count"
    needs = ("count",)

    def wsp(policy, total, old):
        return total.count - old.count >= policy.most


@slide_policy
class SumBound(NamedTuple):
    """The youngest elements that add up to at most `bound` (section 3.2); none of them negative."""

    bound: float

    name = "sum_bound"
    needs = ("sum", "last")

    def wsp(policy, total, old):
        return total.sum - old.sum + old.last.value > policy.bound


@slide_policy
class TimeRange(NamedTuple):
    """The elements younger than `span` before the youngest (Listing 1)."""

    span: float

    name = "time_range"
    needs = ("time",)

    def wsp(policy, total, old):
        return total.time - old.time >= policy.span


@slide_policy
class Maximum(NamedTuple):
    """Of the window with the arrival, what comes from its greatest on, and of that the youngest `most` (section 5.6).

    "Updates older than a max value are never going to contain a future new result": what goes never was to be the
    greatest again. Of equal ones it is the first that counts, since the paper lets go the part "not containing the
    maximum value". Where the greatest itself has to go by the count, all younger ones stay until the next arrival, even
    those before the next greatest: 7, 6, 4, 7 leave 6, 4, 7 where three may stay. Counts and maxima cannot tell more,
    since those of all oldest parts of 7, 6, 4, 5 and 7, 4, 6, 5 are the same.
    """

    most: int

    name = "maximum"
    needs = ("count", "max")

    def wsp(policy, total, old):
        return old.max < total.max or total.count - old.count >= policy.most


@slide_policy
class LongestRun(NamedTuple):
    """Of the window with the arrival, what comes from its longest increasing run on, the youngest `most` (section 5.6).

    Of equally long ones it is the first. Where the count cuts it short, what is left stays until the next arrival.
    """

    most: int

    name = "longest_run"
    needs = ("count", "lis")

    def wsp(policy, total, old):
        return old.lis.values <= total.lis.before or total.count - old.count >= policy.most


def max_size() -> MaxSize:
    """As many elements as the youngest one says. Parts: count, of operator count; max_size, of operator last."""
    return MaxSize()


def count(most: int) -> Count:
    """The youngest `most` elements. Part: count."""
    return Count(at_least_one("count", most))


def sum_bound(bound: float) -> SumBound:
    """The youngest elements that add up to at most `bound`, none of them negative. Parts: sum; last."""
    return SumBound(finite("sum_bound", "bound", bound))


def time_range(span: float) -> TimeRange:
    """Elements younger than `span` before the youngest. Part: time, of operator max on a column of times."""
    return TimeRange(finite("time_range", "span", span))


def maximum(most: int) -> Maximum:
    """What comes from the greatest element on, of that the youngest `most`. Parts: count; max."""
    return Maximum(at_least_one("maximum", most))


def longest_run(most: int) -> LongestRun:
    """What comes from the longest increasing run on, of that the youngest `most`. Parts: count; lis."""
    return LongestRun(at_least_one("longest_run", most))


def from_function(wsp: Callable[[Any, Any], bool], *, name: str = "mine") -> Any:
    """A policy from wsp(total, old) on partial aggregates, compiled: numbers, or records read by field.

    Its class lasts as long as this process, so compiled code is not kept on disk. Raises PolicyError if it is not a
    function; whether it compiles shows when a window is made for it.
    """
    if not callable(wsp):
        raise PolicyError(f"{name}: a slide policy must be a function of total and old, not {wsp!r}")
    return new_class(policy_class, name, wsp)()


def policy_class(name: str, wsp: Callable[[Any, Any], bool]) -> type:
    """A new class of policy around the function."""
    of_wsp = compilable(wsp)

    class Mine(NamedTuple):
        """A user's policy."""

    Mine.name, Mine.needs = name, ()
    Mine.wsp = lambda policy, total, old: of_wsp(total, old)
    return slide_policy(Mine)


class CountingPolicy(NamedTuple):
    """Another policy, and how often it was asked."""

    policy: Any
    asked: Slots

    @property
    def name(self) -> str:
        return self.policy.name

    @property
    def needs(self) -> tuple[str, ...]:
        return self.policy.needs

    def wsp(self, total: Any, old: Any) -> bool:
        return self.policy.wsp(total, old)


def counting(policy: Any) -> CountingPolicy:
    """The policy, with a count in asked[0] of how often it was asked, from 0."""
    return CountingPolicy(policy, slots(1, "i8", "asked"))


@holds.of(CountingPolicy)
def _(policy, total, i, old, j):
    policy.asked[0] += 1
    return holds(policy.policy, total, i, old, j)


@driver
def ask(policy, part):
    return bool(holds(policy, part, 0, part, 1))


def must_suit(policy: Any, op: Any) -> None:
    """Raise PolicyError unless the operator's partials have what the policy reads, and it compiles for them."""
    if type(policy) not in holds.table:
        raise PolicyError(f"a slide policy must be made by a function of policies, such as count(10), not {policy!r}")
    fields = op.dtype.names or ()
    lacking = [field for field in policy.needs if field not in fields]
    if lacking:
        raise PolicyError(
            f"policy {policy.name} reads {' and '.join(lacking)}, which {op.name} does not aggregate: "
            f"take a product of operators with {'parts' if len(policy.needs) > 1 else 'a part'} named "
            f"{' and '.join(policy.needs)}"
        )
    part = slots(2, op.dtype, "part")
    unit(op, part, 0)
    unit(op, part, 1)
    has = f"a record of {', '.join(fields)}" if fields else "a number"
    try:
        answer = policy.wsp(view(part, 0), view(part, 1))
        if not isinstance(answer, bool | np.bool_):
            raise TypeError(f"it gives {answer!r} where it must give True or False")
        ask(policy, part)
    except NumbaError as error:
        raise PolicyError(f"policy {policy.name} does not compile for {op.name}: {reason(error)}") from None
    except Exception as error:
        raise PolicyError(f"policy {policy.name} does not go with {op.name}, which is {has}: {error}") from None


def at_least_one(name: str, most: Any) -> int:
    if not is_whole(most) or not 1 <= most < MOST:
        raise PolicyError(f"{name}: most must be a whole number of at least 1, in 64 bits, not {most!r}")
    return int(most)


def finite(name: str, field: str, value: Any) -> int | float:
    if not is_real(value) or not abs(value) <= sys.float_info.max:
        raise PolicyError(f"{name}: {field} must be a finite number, not {value!r}")
    return int(value) if is_whole(value) and abs(value) < MOST else float(value)
