"""Count the calls to Numba's reference counting in the machine code of every driver for one window of int64 sums.

    reference_counts.py fiba

Prints {driver: calls} as JSON. Every driver is compiled anew: of code from the on-disk cache Numba keeps no LLVM. A
driver that does count, over ordinary arrays, is compiled along with them, to show that the count would be seen.
"""

import inspect
import json
import sys
from typing import Any

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

from algorithms import facade, operators
from algorithms.kernel import OPTIONS, machine_code_calls, slots
from algorithms.window import Card, card
from experiments import drivers

COLUMNS = {"times", "values", "samples"}
"""Arguments of drivers that are columns of numbers; the window is called w, and all others are whole numbers."""

NEEDS = {
    "_evict_at": "evict_at",
    "_bulk_evict": "bulk_evict",
    "_bulk_insert": "bulk_insert",
    "_aggregate_between": "range_query",
}
"""Drivers of the façade for what not every card lists."""

WORDS = ("@NRT_incref", "@NRT_decref", "@NRT_Allocate", "@NRT_MemInfo")
"""Numba's runtime. (NRT_Free is in every driver that calls a function: it frees an exception on its way out.)"""


def keeps_references(arrays, count):
    """The older of two ordinary arrays in turn: each step takes a reference and gives one back."""
    first, second = arrays
    for _ in range(count):
        first, second = second, first
    return first


def argument_type(name: str, w: Any) -> numba.types.Type:
    if name == "w":
        return numba.typeof(w)
    return numba.typeof(slots(1, np.int64, "column")) if name in COLUMNS else numba.int64


def every_driver(window_card: Card) -> dict[str, Any]:
    """The Python functions of the drivers that apply to the window."""
    found = {
        f"{module.__name__}.{name}": member.py_func
        for module in (facade, drivers)
        for name, member in vars(module).items()
        if isinstance(member, Dispatcher) and member.py_func.__module__ == module.__name__
    }
    return {
        name: function
        for name, function in found.items()
        if NEEDS.get(function.__name__, "insert") in window_card.operations
    }


def calls(function: Any, *argument_types: numba.types.Type) -> int:
    dispatcher = numba.njit(**OPTIONS)(function)
    dispatcher.compile(argument_types)
    return sum(machine_code_calls(dispatcher, word) for word in WORDS)


if __name__ == "__main__":
    window_card = card(sys.argv[1])
    w = window_card.new(operators.make("sum", "int64"), 10)
    counted = {}
    for name, function in every_driver(window_card).items():
        counted[name] = calls(function, *(argument_type(one, w) for one in inspect.signature(function).parameters))
    array = numba.typeof(np.zeros(1))
    counted["counter-example"] = calls(keeps_references, numba.types.UniTuple(array, 2), numba.int64)
    print(json.dumps(counted))
