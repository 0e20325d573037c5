"""Random programs, compiled, and the calls to Numba's reference counting in the machine code of a window's drivers.

    reference_counts.py fiba 60000:2 40000:5

Prints as JSON the hashes of the answers, as program.py does, and {driver: calls}. Every driver is compiled anew: of
code from the on-disk cache Numba keeps no LLVM. The program has nearly all that a window can do; of the drivers of the
façade those are compiled besides that reach what no other did. The loops of experiments are the same for every window,
and are compiled with recalc, which has all operations, and so are all drivers of the façade. A driver that does count,
over ordinary arrays, is compiled along with them, to show that the count would be seen.
"""

import importlib.util
import inspect
import json
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

import experiments
from algorithms import operators, policies
from algorithms.kernel import OPTIONS, machine_code_calls, slots
from algorithms.windows import facade, policy_window
from algorithms.windows.choosing import trial
from algorithms.windows.contract import ANY_ORDER, Card, card
from algorithms.windows.slider import slider
from tests.algorithms.windows import program

WINDOWS = {"w", "small"}
COLUMNS = {"times", "values", "samples", "table", "out", "answer"}
NUMBERS = {
    *("time", "value", "first", "last", "count", "serial", "period", "span", "oldest", "batch", "low"),
    *("swing", "n", "capacity", "combines", "leaving", "entering"),
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
        return numba.typeof(slider(window_card, w.op, 10, policies.from_function(lambda total, old: True)))
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


def drivers_of(modules: Any, window_card: Card) -> dict[str, Any]:
    """The Python functions of the modules' drivers that apply to the window."""
    found = {
        f"{module.__name__}.{name}": member.py_func
        for module in modules
        for name, member in vars(module).items()
        if isinstance(member, Dispatcher) and member.py_func.__module__ == module.__name__
    }
    return {name: function for name, function in found.items() if applies(function, window_card)}


def chosen_drivers(window_card: Card) -> dict[str, Any]:
    """Those to be compiled with the window, besides the program."""
    drivers = drivers_of((facade, policy_window), window_card)
    if window_card.name == MEASURED:
        return drivers | drivers_of((trial, *measuring_modules()), window_card)
    chosen = adding(drivers, type(window_card.new(program.counted_maps(), 10)))
    if window_card.name == TREE:
        measured = drivers_of(measuring_modules(), window_card)
        chosen |= {name: function for name, function in measured.items() if not applies(function, card(MEASURED))}
    return chosen


def adding(drivers: dict[str, Any], window_class: type) -> dict[str, Any]:
    """The drivers that reach some function of compiled code that the program does not, nor one chosen before."""
    reaches = {name: reached(function, window_class) for name, function in drivers.items()}
    covered, chosen = reached(program.run.py_func, window_class), {}
    while left := {name: functions - covered for name, functions in reaches.items() if functions - covered}:
        name = max(left, key=lambda one: len(left[one]))
        chosen[name] = drivers[name]
        covered |= reaches[name]
    return chosen


def reached(function: Callable, window_class: type) -> set[Callable]:
    """The functions of the package that a driver calls, or what it calls; of generic ones what the window has."""
    found: set[Callable] = set()
    waiting = [function]
    while waiting:
        caller = waiting.pop()
        named = {caller.__globals__.get(name) for name in names_in(caller.__code__)}
        for called in named - found:
            if isinstance(called, FunctionType) and called.__module__.startswith("algorithms."):
                found.add(called)
                table = getattr(called, "table", None)  # of a generic function
                own = called if table is None else table.get(window_class, table.get(None))
                waiting += [own] if own else []
    return found


def names_in(code: CodeType) -> set[str]:
    inner = [names_in(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*inner)


def applies(function: Any, window_card: Card) -> bool:
    """Whether the function is a driver of a window, and of this one."""
    parameters = set(inspect.signature(function).parameters)
    suits = needs_of(function) <= {*window_card.operations, window_card.order} and function.__name__ != TAKES_PAIRS
    fields = set(re.findall(r"\bw\.(\w+)", inspect.getsource(function)))
    has = set(window_card.new(program.counted_maps(), 10)._fields)
    return bool(parameters & WINDOWS) and suits and fields <= has


def needs_of(function: Any) -> set[str]:
    """What a driver calls for and not every card has."""
    source = inspect.getsource(function)
    return {operation for generic, operation in NEEDS.items() if re.search(rf"^ .*\b{generic}\(w\b", source, re.M)}


def references(dispatcher: Any) -> int:
    return sum(machine_code_calls(dispatcher, word) for word in WORDS)


def compiled(function: Any, *argument_types: numba.types.Type) -> Any:
    dispatcher = numba.njit(**OPTIONS)(function)
    dispatcher.compile(argument_types)
    return dispatcher


def counted(window_card: Card) -> dict[str, int]:
    """The calls in the program, which has run, and in the drivers."""
    measured = window_card.name == MEASURED
    w = window_card.new(operators.counting(operators.make("sum", "int64")) if measured else program.counted_maps(), 10)
    found = {"program": references(program.run)}
    for name, function in chosen_drivers(window_card).items():
        parameters = inspect.signature(function).parameters
        found[name] = references(compiled(function, *(argument_type(one, w, window_card) for one in parameters)))
    array = numba.typeof(np.zeros(1))
    found["counter-example"] = references(compiled(keeps_references, numba.types.UniTuple(array, 2), numba.int64))
    return found


if __name__ == "__main__":
    program.run._cache.load_overload = lambda *_: None
    answers = program.hashes(sys.argv[1], sys.argv[2:])
    print(json.dumps({"answers": answers, "references": counted(card(sys.argv[1]))}))
