"""Slide policies: which entries a window evicts, decided by aggregates (Villalba, Berral, Carrera 2018, section 4.1.3).

A policy is a function wsp(total, old): whether to evict the oldest part of the window, where `old` is the partial
aggregate of this part and `total` that of the whole window. It must be monotone: if it evicts a part, it evicts every
shorter part. `sliding` enforces it. Partial aggregates are passed as by `view`: a number, or a record read by field.

The policies of this module read the parts of a product of operators by name, for instance

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
"""The first whole number that is too large for compiled code."""


class PolicyError(ValueError):
    """A slide policy that cannot be compiled, or that reads what the operator does not aggregate."""


@generic
def holds(policy, total, i, old, j):
    """Whether to evict the oldest part old[j] of the window total[i]."""


def slide_policy(cls):
    """Make a NamedTuple with a function wsp(policy, total, old) a slide policy; `needs` are the fields it reads."""
    compiled = kernel(cls.wsp)

    @holds.of(cls)
    def _(policy, total, i, old, j):
        return compiled(policy, view(total, i), view(old, j))

    return cls


@slide_policy
class MaxSize(NamedTuple):
    """At most as many entries as the youngest entry's max_size (the paper's Listing 3)."""

    name = "max_size"
    needs = ("count", "max_size")

    def wsp(policy, total, old):
        return total.count - old.count >= total.max_size.value


@slide_policy
class Count(NamedTuple):
    """At most `most` entries."""

    most: int

    name = "count"
    needs = ("count",)

    def wsp(policy, total, old):
        return total.count - old.count >= policy.most


@slide_policy
class SumBound(NamedTuple):
    """The youngest entries whose values, none of them negative, add up to at most `bound` (section 3.2)."""

    bound: float

    name = "sum_bound"
    needs = ("sum", "last")

    def wsp(policy, total, old):
        return total.sum - old.sum + old.last.value > policy.bound


@slide_policy
class TimeRange(NamedTuple):
    """The entries less than `span` older than the youngest (Listing 1)."""

    span: float

    name = "time_range"
    needs = ("time",)

    def wsp(policy, total, old):
        return total.time - old.time >= policy.span


@slide_policy
class Maximum(NamedTuple):
    """After each insert, the youngest `most` of the entries from the maximum on (section 5.6).

    "Updates older than a max value are never going to contain a future new result": an evicted entry could never have
    been the maximum again. Of equal maxima the first counts, since the paper evicts the part "not containing the
    maximum value". If the count evicts the maximum itself, all younger entries stay until the next insert, even those
    before the next maximum: 7, 6, 4, 7 become 6, 4, 7 if three may stay. Counts and maxima cannot decide this, since
    they are the same for all oldest parts of 7, 6, 4, 5 and 7, 4, 6, 5.
    """

    most: int

    name = "maximum"
    needs = ("count", "max")

    def wsp(policy, total, old):
        return old.max < total.max or total.count - old.count >= policy.most


@slide_policy
class LongestRun(NamedTuple):
    """After each insert, the youngest `most` of the entries from the longest increasing run on (section 5.6).

    Of equally long runs the first counts. If the count cuts it short, the rest stays until the next insert.
    """

    most: int

    name = "longest_run"
    needs = ("count", "lis")

    def wsp(policy, total, old):
        return old.lis.values <= total.lis.before or total.count - old.count >= policy.most


def max_size() -> MaxSize:
    """As many entries as the youngest entry's max_size. Parts: count, of operator count; max_size, of operator last."""
    return MaxSize()


def count(most: int) -> Count:
    """The youngest `most` entries. Part: count."""
    return Count(at_least_one("count", most))


def sum_bound(bound: float) -> SumBound:
    """The youngest entries whose values, none of them negative, add up to at most `bound`. Parts: sum; last."""
    return SumBound(finite("sum_bound", "bound", bound))


def time_range(span: float) -> TimeRange:
    """The entries less than `span` older than the youngest. Part: time, of operator max on a column of times."""
    return TimeRange(finite("time_range", "span", span))


def maximum(most: int) -> Maximum:
    """The entries from the maximum on, and of these the youngest `most`. Parts: count; max."""
    return Maximum(at_least_one("maximum", most))


def longest_run(most: int) -> LongestRun:
    """The entries from the longest increasing run on, and of these the youngest `most`. Parts: count; lis."""
    return LongestRun(at_least_one("longest_run", most))


def from_function(wsp: Callable[[Any, Any], bool], *, name: str = "mine") -> Any:
    """A compiled policy from a function wsp(total, old) of partial aggregates: numbers, or records read by field.

    Its class exists only in this process, so compiled code is not kept on disk. Raises PolicyError if `wsp` is not a
    function; whether it compiles shows when a window is made with it.

    >>> from sliding_windows import operators, policies, window
    >>> few = policies.from_function(lambda total, old: total.count - old.count >= 2)
    >>> w = window("two_stacks", operators.product(count="count", max="max"), capacity=10, policy=few)
    >>> w.insert_many([0, 1, 2], [9.0, 3.0, 4.0])
    >>> len(w), w.query()
    (2, Answers(count=2, max=4.0))
    """
    if not callable(wsp):
        raise PolicyError(f"{name}: a slide policy must be a function of total and old, not {wsp!r}")
    return new_class(policy_class, name, wsp)()


def policy_class(name: str, wsp: Callable[[Any, Any], bool]) -> type:
    """A new class of policy around the function."""
    compiled = compilable(wsp)

    class Mine(NamedTuple):
        """A user's policy."""

    Mine.name, Mine.needs = name, ()
    Mine.wsp = lambda policy, total, old: compiled(total, old)
    return slide_policy(Mine)


class CountingPolicy(NamedTuple):
    """Another policy, and how often it was called."""

    policy: Any
    calls: Slots

    @property
    def name(self) -> str:
        return self.policy.name

    @property
    def needs(self) -> tuple[str, ...]:
        return self.policy.needs

    def wsp(self, total: Any, old: Any) -> bool:
        return self.policy.wsp(total, old)


def counting(policy: Any) -> CountingPolicy:
    """The policy, with a count of its calls, from 0, in calls[0]."""
    return CountingPolicy(policy, slots(1, "i8", "calls"))


@holds.of(CountingPolicy)
def _(policy, total, i, old, j):
    policy.calls[0] += 1
    return holds(policy.policy, total, i, old, j)


@driver
def ask(policy, partials):
    return bool(holds(policy, partials, 0, partials, 1))


def must_suit(policy: Any, op: Any) -> None:
    """Raise PolicyError unless the operator's partial aggregates have what the policy reads and it compiles."""
    if type(policy) not in holds.table:
        raise PolicyError(f"a slide policy must be made by a function of policies, such as count(10), not {policy!r}")
    fields = op.dtype.names or ()
    missing = [field for field in policy.needs if field not in fields]
    if missing:
        raise PolicyError(
            f"policy {policy.name} reads {' and '.join(missing)}, which {op.name} does not aggregate: "
            f"take a product of operators with {'parts' if len(policy.needs) > 1 else 'a part'} named "
            f"{' and '.join(policy.needs)}"
        )
    partials = slots(2, op.dtype, "part")
    unit(op, partials, 0)
    unit(op, partials, 1)
    has = f"a record of {', '.join(fields)}" if fields else "a number"
    try:
        answer = policy.wsp(view(partials, 0), view(partials, 1))
        if not isinstance(answer, bool | np.bool_):
            raise TypeError(f"it gives {answer!r} where it must give True or False")
        ask(policy, partials)
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
