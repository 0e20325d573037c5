"""Count the calls to Numba's reference counting in the machine code of every driver for one window of int64 sums.

    reference_counts.py fiba

Prints {driver: calls} as JSON. Every driver is compiled anew: of code from the on-disk cache Numba keeps no LLVM. What
a window does is in the drivers of the façade; the loops of experiments are the same for every window, and are compiled
with recalc, which has all operations. A driver that does count, over ordinary arrays, is compiled along with them, to
show that the count would be seen.
"""

import importlib.util
import inspect
import json
import pkgutil
import re
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

import experiments
from algorithms import operators, policies
from algorithms.kernel import OPTIONS, machine_code_calls, slots
from algorithms.windows import facade, policy_window
from algorithms.windows.contract import ANY_ORDER, Card, card
from algorithms.windows.slider import slider

WINDOWS = {"w", "small"}
COLUMNS = {"times", "values", "samples", "table", "out", "answer"}
NUMBERS = {
    *("time", "value", "first", "last", "count", "serial", "period", "span", "oldest", "batch", "low"),
    *("swing", "n", "capacity", "combines"),
}
SLIDER = "s"
"""What the arguments of drivers are, by their names."""

TAKES_PAIRS = "timed_updates"
"""A driver whose values a sum does not take: the others of its module differ from it in that alone."""

MEASURED, TREE = "recalc", "fiba"
"""The window with which the drivers of experiments are compiled, and the one for those that read a tree's fields."""

NEEDS = {
    "evict_at": "evict_at",
    "has_time": ANY_ORDER,
    "bulk_evict": "bulk_evict",
    "bulk_insert": "bulk_insert",
    "aggregate_between": "range_query",
    "range_query": "range_query",
}
"""Generic functions that not every window has, and the operation or order on the card that says so."""

WORDS = ("@NRT_incref", "@NRT_decref", "@NRT_Allocate", "@NRT_MemInfo")
"""Numba's runtime. (NRT_Free is in every driver that calls a function: it frees an exception on its way out.)"""


def keeps_references(arrays, count):
    """The older of two ordinary arrays in turn: each step takes a reference and gives one back."""
    first, second = arrays
    for _ in range(count):
        first, second = second, first
    return first


def argument_type(name: str, w: Any, window_card: Card) -> numba.types.Type:
    if name in WINDOWS:
        return numba.typeof(w)
    if name == SLIDER:
        return numba.typeof(slider(window_card, w.op, 10, policies.from_function(lambda total, old: total - old > 9)))
    if name not in COLUMNS | NUMBERS:
        raise ValueError(f"a driver has an argument {name!r}: say in {__file__} what it is")
    return numba.typeof(slots(1, np.int64, "column")) if name in COLUMNS else numba.int64


def measuring_modules() -> Iterator[ModuleType]:
    """Those of the folders `measuring` in experiments: drivers are there, and nothing that needs Java."""
    for folder in pkgutil.iter_modules(experiments.__path__, "experiments."):
        name = f"{folder.name}.measuring"
        package = importlib.import_module(name) if importlib.util.find_spec(name) else None
        for module in pkgutil.iter_modules(package.__path__ if package else [], f"{name}."):
            yield importlib.import_module(module.name)


def every_driver(window_card: Card) -> dict[str, Any]:
    """The Python functions of the drivers that apply to the window."""
    measuring = measuring_modules() if window_card.name in (MEASURED, TREE) else ()
    found = {
        f"{module.__name__}.{name}": member.py_func
        for module in (facade, policy_window, *measuring)
        for name, member in vars(module).items()
        if isinstance(member, Dispatcher) and member.py_func.__module__ == module.__name__
    }
    drivers = {name: function for name, function in found.items() if applies(function, window_card)}
    if window_card.name == TREE:  # not those that are compiled with the other window
        return {n: f for n, f in drivers.items() if not n.startswith("experiments.") or not applies(f, card(MEASURED))}
    return drivers


def applies(function: Any, window_card: Card) -> bool:
    """Whether the function is a driver of a window, and of this one."""
    parameters = set(inspect.signature(function).parameters)
    suits = needs_of(function) <= {*window_card.operations, window_card.order} and function.__name__ != TAKES_PAIRS
    fields = set(re.findall(r"\bw\.(\w+)", inspect.getsource(function)))
    has = set(window_card.new(operators.make("sum", "int64"), 10)._fields)
    return bool(parameters & WINDOWS) and suits and fields <= has


def needs_of(function: Any) -> set[str]:
    """What a driver calls for and not every card has."""
    source = inspect.getsource(function)
    return {operation for generic, operation in NEEDS.items() if re.search(rf"^ .*\b{generic}\(w\b", source, re.M)}


def calls(function: Any, *argument_types: numba.types.Type) -> int:
    dispatcher = numba.njit(**OPTIONS)(function)
    dispatcher.compile(argument_types)
    return sum(machine_code_calls(dispatcher, word) for word in WORDS)


if __name__ == "__main__":
    window_card, op = card(sys.argv[1]), operators.make("sum", "int64")
    summing, counting = (window_card.new(operator, 10) for operator in (op, operators.counting(op)))
    counted = {}
    for name, function in every_driver(window_card).items():
        w = counting if ".op.count" in inspect.getsource(function) else summing
        parameters = inspect.signature(function).parameters
        counted[name] = calls(function, *(argument_type(one, w, window_card) for one in parameters))
    array = numba.typeof(np.zeros(1))
    counted["counter-example"] = calls(keeps_references, numba.types.UniTuple(array, 2), numba.int64)
    print(json.dumps(counted))
