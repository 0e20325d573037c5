"""Operators: monoids over values, made by name, from plain functions, or wrapped to count."""

from algorithms.operators.counting import counting
from algorithms.operators.monoid import encode, partials, present
from algorithms.operators.registry import make, names
from algorithms.operators.user import OperatorError, from_functions

__all__ = ["OperatorError", "counting", "encode", "from_functions", "make", "names", "partials", "present"]
