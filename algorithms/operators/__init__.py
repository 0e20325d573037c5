"""Operators: monoids over values, made by name, from plain functions, or wrapped to count combines."""

from algorithms.operators.counting import counting
from algorithms.operators.monoid import described, encode, error_bound, partials, present
from algorithms.operators.product import product, repeated
from algorithms.operators.registry import (
    ALIASES,
    FIELD,
    chosen,
    is_field,
    make,
    make_for,
    must_be_operator,
    names,
    own_name,
    versions,
)
from algorithms.operators.sequence import CutOffError
from algorithms.operators.skipping import skipping
from algorithms.operators.user import OperatorError, from_functions

__all__ = [
    "ALIASES",
    "FIELD",
    "CutOffError",
    "OperatorError",
    "counting",
    "described",
    "encode",
    "error_bound",
    "from_functions",
    "is_field",
    "chosen",
    "make",
    "make_for",
    "must_be_operator",
    "names",
    "own_name",
    "partials",
    "present",
    "product",
    "repeated",
    "skipping",
    "versions",
]
