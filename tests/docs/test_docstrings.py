"""What the reference is made of: every public name says what it is, and what takes data shows an example that runs."""

import doctest
import inspect

import pytest

import algorithms
from algorithms import operators, order_statistics, policies, queries
from streaming import SlidingAggregateSink, sliding_aggregate
from streaming.sql import register

pytestmark = [pytest.mark.plain, pytest.mark.smoke]

NAMED = {f"algorithms.{name}": getattr(algorithms, name) for name in algorithms.__all__}
NAMED |= {f"operators.{name}": getattr(operators, name) for name in operators.__all__}
NAMED |= {f"queries.{name}": getattr(queries, name) for name in queries.__all__}
NAMED |= {f"order_statistics.{name}": getattr(order_statistics, name) for name in order_statistics.__all__}
NAMED |= {"policies.from_function": policies.from_function}
NAMED |= {each.__name__: each for each in (sliding_aggregate, SlidingAggregateSink, register)}
DESCRIBED = {name: thing for name, thing in NAMED.items() if inspect.isclass(thing) or inspect.isroutine(thing)}

WITH_EXAMPLES = [
    *(f"algorithms.{name}" for name in ("window", "rolling", "SlidingAggregate", "SharedAggregate")),
    *(f"algorithms.{name}" for name in ("CompressedAggregate", "OrderedWindow", "catalogue", "advise", "WindowSpec")),
    *(f"operators.{name}" for name in ("make", "from_functions", "product", "repeated", "skipping", "counting")),
    *(f"order_statistics.{name}" for name in order_statistics.__all__ if name.startswith("rolling_")),
    *(f"queries.{name}" for name in ("sliding", "session", "user_defined")),
    "policies.from_function",
]


def own_members(thing):
    """The public methods and properties that a class of this project defines."""
    if not inspect.isclass(thing) or issubclass(thing, BaseException | tuple):
        return {}
    members = {name: member for base in thing.__mro__[:-1] for name, member in vars(base).items() if name[0] != "_"}
    return {
        name: member for name, member in members.items() if inspect.isroutine(member) or isinstance(member, property)
    }


@pytest.mark.parametrize("name", DESCRIBED)
def test_it_says_what_it_is(name):
    described = {name: DESCRIBED[name]} | {f"{name}.{part}": it for part, it in own_members(DESCRIBED[name]).items()}
    for each, thing in described.items():
        text = inspect.getdoc(thing) or ""
        assert len(text) > 15 and text.splitlines()[0].rstrip().endswith((".", ":", ".)")), (each, text)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_it_shows_an_example_that_runs(name):
    thing, said = DESCRIBED[name], []
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(thing), {}, name, None, None)
    result = doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert result.attempted > 1, "no example"
    assert result.failed == 0, "".join(said)
